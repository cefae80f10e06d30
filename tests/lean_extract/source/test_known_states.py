"""States that a proof's text determines; `tests/lean/test_known_states.py` holds them against Lean's own."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lean_extract.goals import format_goal
from lean_extract.records import TacticStep
from lean_extract.source.reader import read_module
from lean_extract.source.resolution.link import resolve

GOAL = "(a b : ℕ) : p a → q b ∧ r"


def proof_of(proof: str, statement: str = GOAL) -> tuple[list[TacticStep], list[TacticStep]]:
    module = read_module(f"theorem t {statement} := {proof}\n", "Test", "Test.lean", states=True)
    (found,) = resolve([module])
    return list(found.steps), list(found.terms)


def known(proof: str, statement: str) -> dict[str, str]:
    """The last lines of the known states, by tactic, the theorem's own variables left out."""
    steps, _ = proof_of(proof, statement)
    texts = {step.tactic: format_goal(step.before.goals[0]) for step in steps if step.before}
    return {tactic: "; ".join(text.splitlines()[1:]) for tactic, text in texts.items()}


KNOWN: dict[str, tuple[str, str, dict[str, str | None]]] = {
    "the start and what follows an intro": (
        GOAL,
        "by\n  intro h\n  simp\n  rfl",
        {"intro h": "⊢ p a → q b ∧ r", "simp": "h : p a; ⊢ q b ∧ r", "rfl": None},
    ),
    "constructor and its focused goals": (
        GOAL,
        "by\n  intro h\n  constructor\n  · exact one\n  · rw [two]\n    exact three",
        {"exact one": "h : p a; ⊢ q b", "rw [two]": "h : p a; ⊢ r", "exact three": None},
    ),
    "a semicolon after a dot separates the steps of its block": (
        GOAL,
        "by\n  intro h\n  constructor\n  · skip; exact one\n  · rw [two]",
        {"exact one": "h : p a; ⊢ q b", "rw [two]": "h : p a; ⊢ r"},
    ),
    "a dot after a semicolon ends the reading": (
        GOAL,
        "by intro h; · simp",
        {"intro h": "⊢ p a → q b ∧ r", "simp": None},
    ),
    "refine with holes": (
        "(a : ℕ) : (x → y) ∧ z",
        "by\n  refine ⟨fun h => ?_, ?_⟩\n  · simp\n  · ring",
        {"simp": "h : x; ⊢ y", "ring": "⊢ z"},
    ),
    "have adds a fact, and its block proves it": (
        GOAL,
        "by\n  intro h\n  have k : s := by\n    simp\n  exact foo k",
        {"simp": "h : p a; ⊢ s", "exact foo k": "h : p a; k : s; ⊢ q b ∧ r"},
    ),
    "a fact stays known where the goal is not": (
        GOAL,
        "by\n  rw [foo]\n  have k : s := bar\n  have l : s' := by\n    omega\n  simp",
        {"omega": "k : s; ⊢ s'", "simp": None},
    ),
    "show makes the goal known again": (GOAL, "by\n  rw [foo]\n  show s\n  simp", {"simp": "⊢ s"}),
    "by_cases": (
        GOAL,
        "by\n  by_cases h : c\n  · simp [h]\n  · ring",
        {"simp [h]": "h : c; ⊢ p a → q b ∧ r", "ring": "h : ¬(c); ⊢ p a → q b ∧ r"},
    ),
    "obtain": (
        GOAL,
        "by\n  obtain ⟨x, hx⟩ : ∃ x, s x := foo\n  simp",
        {"simp": "x : _; hx : s x; ⊢ p a → q b ∧ r"},
    ),
    "suffices": (
        GOAL,
        "by\n  suffices h : s by simp [h]\n  ring",
        {"simp [h]": "h : s; ⊢ p a → q b ∧ r", "ring": "⊢ s"},
    ),
    "calc": (
        "(a : ℕ) : a = c",
        "by\n  calc a = b := by simp\n    _ = c := by ring",
        {"simp": "⊢ a = b", "ring": "⊢ b = c"},
    ),
    "nothing is claimed after a combinator": (
        "(a : ℕ) : x ∧ y",
        "by\n  constructor <;> simp\n  ring",
        {"constructor": "⊢ x ∧ y", "simp": None, "ring": None},
    ),
}


@pytest.mark.parametrize("case", KNOWN)
def test_known_states(case: str) -> None:
    statement, proof, expected = KNOWN[case]
    found = known(proof, statement)
    assert {tactic: found.get(tactic) for tactic in expected} == expected


def test_goals_that_terms_prove() -> None:
    _, terms = proof_of("fun h => ⟨foo h, bar⟩")
    assert [(term.tactic, term.before.goals[0].target) for term in terms if term.before] == [
        ("exact ⟨foo h, bar⟩", "q b ∧ r"),
        ("exact foo h", "q b"),
        ("exact bar", "r"),
    ]


def test_without_being_asked_there_is_no_state() -> None:
    (found,) = resolve([read_module("theorem t : p := by simp\n", "Test", "Test.lean")])
    assert found.steps[0].before is None and not found.terms


@pytest.mark.parametrize(
    "word", ["have", "show", "calc", "suffices", "obtain", "refine", "by_cases", "intro"]
)
@example(rest="h:=(")
@given(rest=st.text(st.sampled_from("abh :=⟨⟩()\n·,|?_∧↔→by fun"), max_size=60))
def test_broken_proofs_are_read_without_complaint(word: str, rest: str) -> None:
    proof_of(f"by\n  {word} {rest}")
