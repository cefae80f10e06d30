"""Tactics adapted from the steps of known proofs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from lean_extract.goals import parse_goal
from lean_extract.records import Goal, NearStep, Premise
from prover.candidates import Candidate
from prover.limits import MAX_SEQUENCES
from prover.neighbours.features import StepQuery
from prover.neighbours.proposals import SOURCE, candidates, sequences

LE_TRANS = Premise("Nat.le_trans", "theorem", "Nat", ("{a b c : Nat}", "(h : a ≤ b)", "(k : b ≤ c)"), "a ≤ c")
FAR = Premise("Far.le_trans", "theorem", "Far", ("{a b c : Nat}", "(h : a ≤ b)", "(k : b ≤ c)"), "a ≤ c")
ADD_COMM = Premise("Nat.add_comm", "theorem", "Nat", ("(a b : Nat)",), "a + b = b + a")


def step(
    state: str,
    tactic: str,
    similarity: float = 0.9,
    premises: Sequence[Premise] = (),
    missing: Sequence[str] = (),
    theorem: str = "Known.one",
) -> NearStep:
    goal = parse_goal(state)
    return NearStep(theorem, "Known", tactic, goal, similarity, (), tuple(premises), tuple(missing))


def tactics(state: str, *steps: NearStep, premises: Sequence[Premise] = ()) -> list[Candidate]:
    return candidates(StepQuery(parse_goal(state), "Mine", "mine"), steps, premises, 8)


@pytest.mark.parametrize(
    ("theirs", "tactic", "ours", "expected"),
    [
        # by equal types up to renaming, whatever the order and the names
        ("p q : Prop\nhp : p\nhq : q\n⊢ q ∧ p", "exact ⟨hq, hp⟩",
         "s t : Prop\na : t\nb : s\n⊢ s ∧ t", "exact ⟨b, a⟩"),
        ("m n : Nat\nh : m ≤ n\nk : n = 0\n⊢ m = 0", "rw [k] at h",
         "x y : Nat\nhy : y = 0\nhxy : x ≤ y\n⊢ x = 0", "rw [hy] at hxy"),
        # fields stay with their hypothesis
        ("a b : Nat\nh : a = b\n⊢ b = a", "exact h.symm", "c d : Nat\ne : c = d\n⊢ d = c", "exact e.symm"),
        # variables meet in the target
        ("a b : Nat\n⊢ a + b = b + a", "exact foo a b", "u v : Nat\n⊢ v + u = u + v", "exact foo v u"),
        # a name that hides none of ours is kept, one that would is made fresh
        ("s : Set Nat\n⊢ s = s", "ext x", "t : Set Nat\n⊢ t = t", "ext x"),
        ("s : Set Nat\n⊢ s = s", "ext x", "x t : Set Nat\n⊢ t = t", "ext x₁"),
        ("p q : Prop\nh : p ∧ q\n⊢ p", "obtain ⟨a, b⟩ := h",
         "r s a : Prop\nk : r ∧ s\n⊢ r", "obtain ⟨a₁, b⟩ := k"),
        # an argument that nothing fits is left open
        ("a b : Nat\nh : a ≤ b\nS : List Nat\nk : S.Sorted\n⊢ a ≤ b + 1", "exact bar h k",
         "c d : Nat\nh' : c ≤ d\n⊢ c ≤ d + 1", "exact bar h' _"),
        ("a b : Nat\nh : a ≤ b\nS : List Nat\nk : S.Sorted\n⊢ a ≤ b + 1", "refine bar h k",
         "c d : Nat\nh' : c ≤ d\n⊢ c ≤ d + 1", "refine bar h' ?_"),
    ],
)  # fmt: skip
def test_hypotheses_are_mapped_to_ours(theirs: str, tactic: str, ours: str, expected: str) -> None:
    [found] = tactics(ours, step(theirs, tactic))
    assert found.tactic == expected
    assert (found.source, found.origin) == (SOURCE, "Known.one")
    assert 0 < found.score < 1


@pytest.mark.parametrize(
    ("theirs", "tactic", "ours", "expected"),
    [
        # what a line introduces is known below it
        ("p q : Prop\nh : p → q\n⊢ p → q", "intro a\nexact h a",
         "r s a : Prop\nk : r → s\n⊢ r → s", ["intro a₁\nexact k a₁"]),
        # it hides a name of theirs
        ("p q r : Prop\nh : p ∧ q\nk : r\n⊢ q", "obtain ⟨k, l⟩ := h\nexact id l",
         "s t : Prop\ne : s ∧ t\n⊢ t", ["obtain ⟨k, l⟩ := e\nexact id l"]),
        ("a b : Nat\nh : a ≤ b\n⊢ a ≤ b + 1", "have k : a ≤ b := by\n  exact h\nexact foo k.le",
         "k d : Nat\ne : k ≤ d\n⊢ k ≤ d + 1", ["have k₁ : k ≤ d := by\n  exact e\nexact foo k₁.le"]),
        # what nothing fits is not left open in several lines, nor where something is stated
        ("a b : Nat\nS : List Nat\nk : S.Sorted\n⊢ a ≤ b", "apply foo\nexact bar k", "c d : Nat\n⊢ c ≤ d", []),
        ("a b : Nat\nS : Graph\n⊢ a ≤ b", "have e : f S = a\nexact bar e", "c d : Nat\n⊢ c ≤ d", []),
    ],
)  # fmt: skip
def test_consecutive_steps_are_adapted_as_one(
    theirs: str, tactic: str, ours: str, expected: list[str]
) -> None:
    longer = step(theirs, tactic)
    near = replace(longer, tactic=tactic.splitlines()[0], continued=(longer,))
    found = sequences(StepQuery(parse_goal(ours), "Mine", "mine"), [near])
    assert [one.tactic for one in found] == expected
    [alone] = tactics(ours, step(theirs, "skip"))
    assert all(one.origin == "Known.one" and one.score < alone.score for one in found)


def test_a_statement_is_not_left_open() -> None:
    theirs = "a b : Nat\nS : Graph\n⊢ a ≤ b"
    ours = "c d : Nat\n⊢ c ≤ d"
    stating = step(theirs, "have e : f S = a := g S")
    assert tactics(ours, stating) == []
    [found] = tactics(ours, step(theirs, "have e : a ≤ b := g S a"))
    assert found.tactic == "have e : c ≤ d := g _ c"


def test_so_many_sequences_are_adapted_at_most() -> None:
    state = "a : Nat\n⊢ a = a"
    many = [step(state, f"simp\nexact foo{number} a") for number in range(20)]
    found = sequences(StepQuery(parse_goal(state)), [replace(many[0], tactic="simp", continued=tuple(many))])
    assert len({one.tactic for one in found}) == MAX_SEQUENCES


def test_a_tactic_on_a_hypothesis_that_nothing_fits_is_left_out() -> None:
    theirs = "S : List Nat\nk : S.Sorted\n⊢ S = S"
    assert tactics("p : Prop\n⊢ p → p", step(theirs, "simp at k"), step(theirs, "exact k.rfl")) == []


def test_equal_proposals_are_merged_and_count_for_more() -> None:
    state = "a b : Nat\n⊢ a + b = b + a"
    alone = step(state, "omega", 0.9, theorem="Known.one")
    twice = [step(state, "simp", 0.88, theorem=f"Known.{name}") for name in ("two", "three")]
    found = tactics("c d : Nat\n⊢ c + d = d + c", alone, *twice)
    assert sorted(one.tactic for one in found) == ["omega", "simp"]
    assert {one.tactic: one.origin for one in found}["simp"] == "Known.two", "the nearest one's name"
    [first, second] = tactics("c d : Nat\n⊢ c + d = d + c", alone, twice[0])
    scores = {one.tactic: one.score for one in found}
    assert scores["simp"] / scores["omega"] > {first.tactic: first.score, second.tactic: second.score}[
        "simp"
    ] / max(first.score, second.score)


def test_a_premise_out_of_scope_is_exchanged_for_a_ranked_one_of_its_shape() -> None:
    theirs = "a b c : Nat\nh : a ≤ b\nk : b ≤ c\n⊢ a ≤ c"
    ours = "x y z : Nat\ni : x ≤ y\nj : y ≤ z\n⊢ x ≤ z"
    far = step(theirs, "exact Far.le_trans h k", premises=(FAR,), missing=("Far.le_trans",))
    [found] = tactics(ours, far, premises=(ADD_COMM, LE_TRANS))
    assert found.tactic == "exact Nat.le_trans i j"
    assert tactics(ours, far, premises=()) == []


def test_a_ranked_premise_takes_the_place_of_the_only_one() -> None:
    theirs = "a b c : Nat\nh : a ≤ b\nk : b ≤ c\n⊢ a ≤ c"
    near = step(theirs, "apply Far.le_trans", premises=(FAR,))
    found = tactics("x y : Nat\n⊢ x ≤ y", near, premises=(ADD_COMM, LE_TRANS))
    assert [one.tactic for one in found] == ["apply Far.le_trans", "apply Nat.le_trans"]
    assert [one.tactic for one in tactics("x y : Nat\n⊢ x ≤ y", near)] == ["apply Far.le_trans"]


def test_the_first_tactics_do_not_all_begin_alike() -> None:
    alike = [step("a : Nat\n⊢ a = a", f"simp [foo{number}]", 0.9) for number in range(8)]
    others = [step("a : Nat\n⊢ a = a", tactic, 0.5) for tactic in ("omega", "rfl")]
    found = tactics("b : Nat\n⊢ b = b", *alike, *others)
    assert {"omega", "rfl"} < {one.tactic for one in found[:6]}
    assert len(found) == 8 and [one.score for one in found] == sorted(
        (one.score for one in found), reverse=True
    )


@pytest.mark.parametrize(
    "tactic", ["exact (", "rw [h", ")", "⟨", "«", "· ", "by", "", "\x00", "at at at", "fun"]
)
def test_a_tactic_that_does_not_parse_does_no_harm(tactic: str) -> None:
    theirs = "a b : Nat\nh : a = b\n⊢ b = a"
    found = tactics("c d : Nat\ne : c = d\n⊢ d = c", step(theirs, tactic), step(theirs, "exact h.symm"))
    assert "exact e.symm" in [one.tactic for one in found]


def test_many_hypotheses_are_matched_with_those_nearest_to_the_target() -> None:
    many = "\n".join(f"h{number} : a + {number} ≤ b" for number in range(400))
    near = [step(f"a b : Nat\n{many}\n⊢ a ≤ b", f"exact foo h{number}", 0.9) for number in range(64)]
    ours = many.replace("h", "k").replace("a", "x").replace("b", "y")
    found = tactics(f"x y : Nat\n{ours}\n⊢ x ≤ y", *near)
    assert found and all(one.tactic.startswith("exact foo ") for one in found)
    last = tactics(
        f"x y : Nat\n{ours}\nlast : y = x\n⊢ x ≤ y", step("u v : Nat\ne : v = u\n⊢ u ≤ v", "exact e.ge")
    )
    assert [one.tactic for one in last] == ["exact last.ge"]


def test_unfinished_proofs_are_left_out() -> None:
    state = "a : Nat\n⊢ a = a"
    assert tactics(state, step(state, "exact sorry"), step(state, "sorry")) == []


def test_no_neighbours_no_tactics() -> None:
    assert candidates(StepQuery(Goal((), "True")), (), (), 8) == []
