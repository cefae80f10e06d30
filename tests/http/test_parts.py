"""The parts that read text: notation, prefixes, declarations, revisions, scores."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.records import Premise
from lean_extract.source.reader import read_file
from lean_extract.syntax.canonical import normal_form
from lean_extract.syntax.with_notation import restored
from lean_extract.syntax.without_notation import functional
from lsp_server.commands.demo import EXAMPLE
from lsp_server.engine.engine import Engine
from lsp_server.engine.settings import Settings
from lsp_server.http.backend import goal_of
from lsp_server.http.new_premises import NewPremises, read_declaration
from lsp_server.http.prefixes import starting_with
from lsp_server.http.revisions import ServedIndex, open_libraries
from prover.candidates import Candidate
from retriever.lean.eligibility import RankRequest

CONSTANTS = ["Eq", "HAdd.hAdd", "Not", "Exists", "setOf", "Iff", "Membership.mem", "OfNat.ofNat", "Inv.inv"]
WORDS = st.sampled_from([*CONSTANTS, "fun", "=>", ".1", '"', *"xa()[]{}⟨⟩→∀,:«»↑1-↦"])


@pytest.mark.parametrize(
    ("printed", "usual"),
    [
        ("Eq (HAdd.hAdd m n) (HAdd.hAdd n m)", "m + n = n + m"),
        ("HAdd.hAdd a (HMul.hMul (HAdd.hAdd b c) d)", "a + (b + c) * d"),
        ("Eq (HSub.hSub a (HSub.hSub b c)) (Neg.neg a)", "a - (b - c) = -a"),
        ("∀ x, Membership.mem s x → Exists fun y => And (LT.lt x y) (Not (Eq y 0))", None),
        ("Eq (Eq a b) c", "(a = b) = c"),
        ("Iff (a → b) (Or b c)", "(a → b) ↔ b ∨ c"),
        ("Eq (Function.comp f g x) (f (g x))", "(f ∘ g) x = f (g x)"),
        ("HasSubset.Subset (setOf fun x => LT.lt x 2) ↑(f s)", "{x | x < 2} ⊆ ↑(f s)"),
        ("Eq (Norm.norm (Inv.inv x)) (abs y)", "‖x⁻¹‖ = |y|"),
        ("Eq (s.sum fun i => HAdd.hAdd i 1) 2", "(s.sum fun i => i + 1) = 2"),
        ("a + b = b + a", "a + b = b + a"),
        ("Eq.symm h", "Eq.symm h"),
        ("HAdd.hAdd a", "HAdd.hAdd a"),
        ("Eq (a b", "Eq (a b"),
    ],
)
def test_printed_without_notation(printed: str, usual: str | None) -> None:
    assert restored(printed) == (usual or "∀ x, x ∈ s → ∃ y, x < y ∧ ¬y = 0")


def test_most_of_a_library_comes_back_as_it_was_written() -> None:
    """Of the statements without binders inside, which are printed in another way, all but few."""
    same = changed = 0
    for path in Path(EXAMPLE, "Example").rglob("*.lean"):
        for premise in read_file(path, path.stem).premises:
            printed = functional(premise.conclusion)
            if printed == premise.conclusion or "∀" in printed or "fun" in printed:
                continue
            changed += 1
            same += normal_form(restored(printed)) == normal_form(premise.conclusion)
    assert changed > 400
    assert same / changed > 0.97


@given(st.lists(WORDS, max_size=60).map(" ".join) | st.lists(WORDS, max_size=60).map("".join) | st.text())
def test_no_text_is_too_odd(text: str) -> None:
    once = restored(text)
    assert isinstance(once, str)
    assert read_declaration("x", text).name == "x"


@given(st.text(alphabet="abfx ()+=∀,→.123", max_size=60))
def test_a_text_without_such_applications_stays(text: str) -> None:
    assert restored(text) == text


@given(
    st.text(alphabet="exactrw [](){}⟨⟩.a \n", max_size=20),
    st.lists(st.text(alphabet="exactrw []a ", min_size=1, max_size=12), max_size=8),
    st.lists(st.text(alphabet="a.bx", min_size=1, max_size=6), max_size=8),
)
def test_a_prefix_is_always_kept(prefix: str, tactics: list[str], names: list[str]) -> None:
    candidates = [Candidate(tactic, 0.5, "test") for tactic in tactics]
    found = starting_with(prefix, candidates, [Premise(name, "theorem", "M") for name in names])
    assert all(one.tactic.startswith(prefix.lstrip()) for one in found)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


def test_a_prefix_completes_names_by_rank() -> None:
    premises = [Premise(name, "theorem", "M") for name in ("Nat.add_comm", "Nat.mul_comm", "Nat.add_assoc")]
    found = [one.tactic for one in starting_with("simp [foo, Nat.add", [], premises)]
    assert found == ["simp [foo, Nat.add_comm]", "simp [foo, Nat.add_assoc]"]
    assert starting_with("exa", [], premises) == []


@pytest.mark.parametrize(
    ("declaration", "kind", "context", "conclusion"),
    [
        ("theorem x (n : Nat) : Eq n n", "theorem", ("(n : Nat)",), "n = n"),
        ("/-- A: (b) -/\ntheorem x.{u} {α : Type u} (h : Eq a b) : Eq b a", "theorem", None, "b = a"),
        ("def x (n : Nat) : Nat", "def", ("(n : Nat)",), "Nat"),
        ("class x (α : Type u) : Type u", "class", ("(α : Type u)",), "Type u"),
        ("axiom x : False", "axiom", (), "False"),
    ],
)
def test_declarations(declaration: str, kind: str, context: tuple[str, ...] | None, conclusion: str) -> None:
    premise = read_declaration("x", declaration)
    assert (premise.name, premise.kind, premise.conclusion) == ("x", kind, conclusion)
    assert premise.context == (context if context is not None else ("{α : Type u}", "(h : a = b)"))


@pytest.mark.parametrize(
    ("revision", "asked", "same"),
    [
        ("v4.30.0", "4.30.0", True),
        ("v4.30.0", "v4.30.0-rc1", False),
        ("v4.3.0", "v4.30.0", False),
        ("nightly-2026-07-01", "v4.31.0-nightly-2026-07-01", True),
        ("v4.31.0-nightly-2026-07-01", "nightly-2026-07-01", True),
        ("nightly-2026-07-01", "leanprover/lean4-nightly:nightly-2026-07-01", True),
        ("v4.31.0-nightly-2026-07-01", "4.31.0", False),
        ("nightly-2026-07-01", "nightly-2026-07-02", False),
        ("nightly-2026-07-01", "2026-07-01", False),
        ("0123456789abcdef0123456789abcdef01234567", "0123456", True),
        ("0123456789abcdef0123456789abcdef01234567", "012345", False),
        ("0123456789abcdef0123456789abcdef01234567", "1234567", False),
        ("my-project", "my-project", True),
    ],
)
def test_which_revision_is_meant(revision: str, asked: str, same: bool) -> None:
    assert ServedIndex("test", Engine(None), (revision,)).is_called(asked) == same


def test_of_an_endless_declaration_the_end_is_neither_read_nor_kept() -> None:
    known, long = NewPremises(), f"theorem t : p {'x ' * 10_000}"
    assert known.read("t", f"{long}y") is known.read("t", f"{long}z")


async def test_a_short_answer_is_kept_and_a_long_one_is_not(
    library: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PREMISE_SUGGEST_INDEX", environment["PREMISE_SUGGEST_INDEX"])
    libraries = await open_libraries([library], {library: Settings(), None: Settings()})
    goal = await goal_of("m n : Nat\n⊢ m + n = n + m")
    kept = await libraries.default.rank(RankRequest(goal, k=8))
    assert await libraries.default.rank(RankRequest(goal, k=8)) is kept
    long = await libraries.default.rank(RankRequest(goal, k=1000))
    assert await libraries.default.rank(RankRequest(goal, k=1000)) is not long
    assert long[0] == kept[0]
    await libraries.close()
