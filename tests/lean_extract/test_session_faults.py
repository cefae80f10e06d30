"""What Lean's word on a tactic is worth where the file has errors."""

from __future__ import annotations

import asyncio

import pytest

from lean_extract.common.errors import GoalBroken
from lean_extract.session import LeanSession
from tests.lean_extract.session_helpers import outcomes

pytestmark = [pytest.mark.lean, pytest.mark.asyncio(loop_scope="session")]


BROKEN_GOALS = {
    "an unknown name in the statement": (
        "theorem fine (n : Nat) : n = n := rfl\n\ntheorem bad (n : Nat) : n + foo.bar = n := by\n  ‸sorry\n",
        "Line 3 has an error: Unknown identifier `foo.bar`",
    ),
    "an unknown name in a hypothesis": (
        "theorem bad (n : Nat) (h : foo.bar n) : n = n := by\n  ‸sorry\n",
        "Line 1 has an error: Unknown identifier `foo.bar`",
    ),
    "a missing instance": (
        "class Op (α : Type) where\n  op : α → α\n\n"
        "theorem bad {α : Type} (a : α) : Op.op a = Op.op a := by\n  ‸sorry\n",
        "Line 4 has an error: failed to synthesize instance",
    ),
    "a broken variable line": (
        "variable (n : No.Such)\n\ntheorem other : True := trivial\n\ntheorem bad : n = n := by\n  ‸sorry\n",
        "Line 1 has an error: Unknown identifier `No.Such`",
    ),
    "an error in what an earlier goal stands for": (
        "theorem bad (f : Nat → Nat) : ∃ n, f n = f n := by\n  refine ⟨?_, ?_⟩\n  · exact foo\n  · ‸sorry\n",
        "Line 3 has an error: Unknown identifier `foo`",
    ),
    "a value that an error has made": (
        "theorem bad (p : Prop) (h : p) : p := by\n  let x : Nat := foo\n  ‸sorry\n",
        "Line 2 has an error: Unknown identifier `foo`",
    ),
    "the user's own": ("theorem bad : 1 = (sorry : Nat) := by\n  ‸sorry\n", "The goal mentions `sorry`"),
}


@pytest.mark.parametrize("case", BROKEN_GOALS)
async def test_at_a_goal_that_mentions_sorry_nothing_is_tried(session: LeanSession, case: str) -> None:
    text, said = BROKEN_GOALS[case]
    with pytest.raises(GoalBroken) as refused:
        await outcomes(session, text, ["rfl", "simp", "exact h", "have := h.no_such_lemma"])
    assert refused.value.message.startswith(said)
    assert refused.value.hint.startswith("No tactic can be judged until")


EQUAL = "theorem t (a b : Nat) (h : a = b) : a = b"
CLASS = "class Op (α : Type) where\n  op : α → α\n\n"
DOUBTFUL = {
    "an error in an earlier have": (f"{EQUAL} := by\n  have k : b = b := foo\n  ‸sorry\n", "exact h", 2),
    "an error in another branch": (
        "theorem t (a b : Nat) (h : a = b) : a = b ∧ a = b := by\n  constructor\n  · exact foo\n  · ‸sorry\n",
        "exact h",
        3,
    ),
    "a definition that failed": (
        "def f (n : Nat) : Nat := foo n\n\ntheorem t : f 2 = f 3 := by\n  ‸sorry\n",
        "rfl",
        1,
    ),
    "a definition on one that failed": (
        "noncomputable def f (n : Nat) : Nat := foo n\nnoncomputable def g (n : Nat) : Nat := f n\n\n"
        "theorem t : g 2 = g 3 := by\n  ‸sorry\n",
        "rfl",
        1,
    ),
    "a definition left to sorry": (
        "def f (n : Nat) : Nat := sorry\n\ntheorem t : f 2 = f 3 := by\n  ‸sorry\n",
        "rfl",
        1,
    ),
    "an irreducible definition left to sorry": (
        'macro "irreducible_def " n:ident " : " t:term " := " v:term : command => `(def $n : $t := $v)\n'
        "irreducible_def f : Nat := sorry\n\ntheorem t : f = f := by\n  ‸sorry\n",
        "rfl",
        2,
    ),
    "a failed instance, which no text shows": (
        f"{CLASS}instance : Op Nat := ⟨fun n => foo n⟩\n\ntheorem t : Op.op 2 = Op.op 3 := by\n  ‸sorry\n",
        "rfl",
        4,
    ),
    "a lemma that failed, used by the tactic": (
        f"theorem k (n : Nat) : n = 0 := by exact foo\n\n{EQUAL} := by\n  ‸sorry\n",
        "rw [k a, k b]",
        1,
    ),
    "a comment without an end": (
        f"{EQUAL} := by\n  have k : a = b := by\n    ‸sorry\n  /- to do\n",
        "exact h",
        4,
    ),
    "a bracket without an end": (
        f"{EQUAL} := by\n  have k : a = b := by\n    ‸sorry\n  exact (k",
        "exact h",
        4,
    ),
}


@pytest.mark.parametrize("case", DOUBTFUL)
async def test_what_rests_on_an_error_is_not_judged(session: LeanSession, case: str) -> None:
    text, tactic, line = DOUBTFUL[case]
    found = (await outcomes(session, text, [tactic]))[tactic]
    assert found.status == "unjudged"
    assert found.message.startswith(f"cannot be judged: line {line} ")


SOUND = {
    "a broken theorem": "theorem broken : 1 = 2 := by exact foo\n\n",
    "a broken simp lemma": "@[simp] theorem broken (n : Nat) : n = 0 := by exact foo\n\n",
    "a broken one with a doc comment": "/-- It is\n\nbroken. -/\n@[simp]\ndef broken (n : Nat) := foo n\n\n",
    "a definition left to sorry": "def broken : Nat := sorry\n\n",
    "a theorem left to sorry": "theorem broken : 1 = 2 := by sorry\n\n",
    "what cannot be read": "theorem broken (n : Nat : n = n := by\n\n",
    "what ends in the midst": "theorem broken (n : Nat) : n =\n\n",
    "a variable that is not used": "variable (broken : No.Such)\n\n",
    "a namespace that is not there": "open No.Such\n\n",
    "a broken one and one that rests on it": (
        "theorem broken : 1 = 2 := by exact foo\n\ntheorem second : 2 = 1 := broken.symm\n\n"
    ),
    "a broken one and a long chain that rests on it": "theorem broken0 : 1 = 2 := by exact foo\n\n"
    + "".join(f"theorem broken{i + 1} : 1 = 2 := broken{i}\n\n" for i in range(20)),
    "three hundred": "".join(
        f"theorem broken{i} : {i} = foo := by\n  exact no_such_{i}\n\n" for i in range(300)
    ),
}


@pytest.mark.parametrize("case", SOUND)
async def test_errors_that_a_goal_does_not_rest_on_change_nothing(session: LeanSession, case: str) -> None:
    text = f"{SOUND[case]}{EQUAL} := by\n  ‸sorry\n"
    tactics = ["exact h", "simp", "constructor", "rw [h]"]
    found = await outcomes(session, text, tactics)
    assert [found[tactic].status for tactic in tactics] == ["closes", "fails", "fails", "closes"]


async def test_a_definition_that_only_the_compiler_refuses_is_as_good_as_another(
    session: LeanSession,
) -> None:
    text = (
        "def f (n : Nat) : Nat := Nat.rec 0 (fun _ k => k) n\n\n"
        "theorem t (n : Nat) : f n = f n := by\n  ‸sorry\n"
    )
    assert (await outcomes(session, text, ["exact Eq.refl (f n)"]))["exact Eq.refl (f n)"].status == "closes"


async def test_a_proof_left_to_sorry_is_a_hypothesis_and_what_is_left_to_prove_elsewhere_no_error(
    session: LeanSession,
) -> None:
    text = (
        "theorem k (n : Nat) : n = 0 := by sorry\n\n"
        "theorem t (a b : Nat) : a = b ∧ a = b := by\n  have h : a = b := sorry\n"
        "  have g : b = b := by\n    skip\n  constructor\n  · skip\n  · ‸sorry\n"
    )
    tactics = ["exact h", "rw [k a, k b]"]
    found = await outcomes(session, text, tactics)
    assert [found[tactic].status for tactic in tactics] == ["closes", "closes"]


async def test_a_long_statement_with_an_error_in_the_middle(session: LeanSession) -> None:
    names = [f"{letter * 1000}" for letter in "abcdefghijklmnopqrstuvwxy"]
    before, after = (" ".join(f"({name}{side} : Nat)" for name in names) for side in "12")
    text = f"theorem t {before} (bad : no.such = 1) {after} : 1 = 1 := by\n  ‸sorry\n"
    assert len(text) > 50_000
    async with asyncio.timeout(60):
        with pytest.raises(GoalBroken, match=r"Line 1 has an error: Unknown identifier `no.such`"):
            await outcomes(session, text, ["rfl"])
        # Lean lives, and the next one is answered.
        assert (await outcomes(session, f"{EQUAL} := by\n  ‸sorry\n", ["exact h"]))[
            "exact h"
        ].status == "closes"


PAIR = (
    "structure Pair where\n  x : Nat\n  y : Nat\n\ndef Pair.swap (v : Pair) : Pair := ⟨v.y, v.x⟩\n\n"
    "@[simp] theorem Pair.swap_swap (v : Pair) : v.swap.swap = v := rfl\n\n"
    "theorem Pair.inj (a b : Pair) (h : a.swap = b.swap) : a = b := by\n"
    "  rw [← a.swap_swap, h, Pair.swap_swap]\n\n"
    "theorem t (a : Pair) : a.swap.swap = a := by\n  ‸sorry\n"
)


async def test_what_linters_call_needless_is_left_out(session: LeanSession) -> None:
    instead = {
        "simpa [Pair.swap_swap] using Pair.inj a 1": "simp [Pair.swap_swap]",
        "simpa using no_such_lemma": "simp",
        "simp [Pair.inj]": "simp",
        "simp only [Pair.swap_swap, Pair.inj]": "simp only [Pair.swap_swap]",
        "show _ = _; simpa using no_such_lemma": "show _ = _; simp",
        "simp": "",
        "exact Pair.swap_swap a": "",
    }
    found = await outcomes(session, PAIR, list(instead))
    assert {tactic: one.instead for tactic, one in found.items()} == instead
    assert all((one.status, one.remark) == ("closes", "") for one in found.values())


DEPRECATED = (
    "namespace Lean\n"
    "syntax (name := deprecated)\n"
    '  "deprecated" optional(ident) optional(str) optional("(" &"since" ":=" str ")") : attr\n'
    "end Lean\n"
    "namespace Odd\n"
    "def shown (n : Nat) : Nat := n\n"
    "theorem good (n : Nat) : shown n = n := rfl\n"
    '@[deprecated good (since := "2025-01-01")] theorem old (n : Nat) : shown n = n := rfl\n'
    '@[deprecated "Say `rfl`." (since := "2025-01-01")] theorem older (n : Nat) : shown n = n := rfl\n'
    "theorem turned (n k : Nat) : shown n = n := (fun _ => rfl) k\n"
    '@[deprecated turned (since := "2025-01-01")] theorem oldest (n : Nat) : shown n = n := rfl\n'
    "open Odd in\n"
    "theorem t (n : Nat) : shown n = n := by\n  ‸sorry\n"
    "end Odd\n"
)


async def test_a_deprecated_name_gives_way_to_its_replacement_where_that_does_the_same(
    session: LeanSession,
) -> None:
    expected = {
        "exact good n": ("", ""),
        "exact old n": ("exact Odd.good n", ""),
        "exact Odd.old _": ("exact Odd.good _", ""),
        "exact ((old _).trans rfl : shown n = n)": ("exact ((Odd.good _).trans rfl : shown n = n)", ""),
        "rw [old]": ("rw [Odd.good]", ""),
        "exact older n": ("", "`Odd.older` has been deprecated"),
        "exact oldest n": ("", "`Odd.oldest` has been deprecated"),
    }
    found = await outcomes(session, DEPRECATED, list(expected))
    for tactic, (instead, remark) in expected.items():
        assert (found[tactic].status, found[tactic].instead) == ("closes", instead)
        assert found[tactic].remark.startswith(remark) and bool(found[tactic].remark) == bool(remark)


async def test_a_field_that_is_not_there_fails_where_the_term_before_it_is_sound(
    session: LeanSession,
) -> None:
    tactics = ["have := h.no_such_lemma", "have := h.no_such_lemma; exact this", "exact h.no_such_lemma"]
    found = await outcomes(session, f"{EQUAL} := by\n  ‸sorry\n", tactics)
    assert [found[tactic].status for tactic in tactics] == ["fails"] * 3


HALF_DONE = (
    "theorem t (a b c : Nat) (h : a = b) (k : b = c) : a = c ∧ b = c := by\n"
    "  constructor\n  · skip\n  · ‸sorry\n"
)


async def test_what_lean_gives_up_without_a_word_beside_another_error_fails(session: LeanSession) -> None:
    """Of what is left open Lean says nothing where the other branch has its unsolved goal."""
    statuses = {
        "refine (fun (n : Nat) (_ : b = c) => k) _ ?_": "fails",
        "exact (fun (n : Nat) => k) _": "fails",
        "exact k": "closes",
        "have l := k\nexact l": "closes",
        "cases k with\n| refl => rfl": "closes",
        "rw [k]": "closes",
        "apply Eq.trans": "progress",
    }
    found = await outcomes(session, HALF_DONE, list(statuses))
    assert {tactic: one.status for tactic, one in found.items()} == statuses
