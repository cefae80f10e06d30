"""States that a proof's text determines; `tests/lean/test_known_states.py` holds them against Lean's own."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lean_extract.goals import format_goal
from lean_extract.records import TacticStep
from lean_extract.source.reader import read_module
from lean_extract.source.resolution.link import resolve


def proof_of(
    proof: str, statement: str = "(a b : ℕ) : p a → q b ∧ r"
) -> tuple[list[TacticStep], list[TacticStep]]:
    module = read_module(f"theorem t {statement} := {proof}\n", "Test", "Test.lean", states=True)
    (found,) = resolve([module])
    return list(found.steps), list(found.terms)


def known(proof: str, statement: str = "(a b : ℕ) : p a → q b ∧ r") -> dict[str, str]:
    """The last lines of the known states, by tactic, the theorem's own variables left out."""
    steps, _ = proof_of(proof, statement)
    texts = {step.tactic: format_goal(step.before.goals[0]) for step in steps if step.before}
    return {tactic: "; ".join(text.splitlines()[1:]) for tactic, text in texts.items()}


def test_the_start_and_what_follows_an_intro() -> None:
    assert known("by\n  intro h\n  simp\n  rfl") == {
        "intro h": "⊢ p a → q b ∧ r",
        "simp": "h : p a; ⊢ q b ∧ r",
    }


def test_constructor_and_its_focused_goals() -> None:
    found = known("by\n  intro h\n  constructor\n  · exact one\n  · rw [two]\n    exact three")
    assert found["exact one"] == "h : p a; ⊢ q b"
    assert found["rw [two]"] == "h : p a; ⊢ r"
    assert "exact three" not in found


def test_a_semicolon_behind_a_dot_parts_the_steps_of_its_block() -> None:
    found = known("by\n  intro h\n  constructor\n  · skip; exact one\n  · rw [two]")
    assert found["exact one"] == "h : p a; ⊢ q b"
    assert found["rw [two]"] == "h : p a; ⊢ r"


def test_refine_with_holes() -> None:
    found = known("by\n  refine ⟨fun h => ?_, ?_⟩\n  · simp\n  · ring", "(a : ℕ) : (x → y) ∧ z")
    assert (found["simp"], found["ring"]) == ("h : x; ⊢ y", "⊢ z")


def test_have_adds_a_fact_and_its_block_proves_it() -> None:
    found = known("by\n  intro h\n  have k : s := by\n    simp\n  exact foo k")
    assert found["simp"] == "h : p a; ⊢ s"
    assert found["exact foo k"] == "h : p a; k : s; ⊢ q b ∧ r"


def test_a_fact_stays_known_where_the_goal_is_not() -> None:
    found = known("by\n  rw [foo]\n  have k : s := bar\n  have l : s' := by\n    omega\n  simp")
    assert found["omega"] == "k : s; ⊢ s'"
    assert "simp" not in found


def test_show_makes_the_goal_known_again() -> None:
    assert known("by\n  rw [foo]\n  show s\n  simp")["simp"] == "⊢ s"


def test_cases_that_the_text_names() -> None:
    found = known("by\n  by_cases h : c\n  · simp [h]\n  · ring")
    assert found["simp [h]"] == "h : c; ⊢ p a → q b ∧ r"
    assert found["ring"] == "h : ¬(c); ⊢ p a → q b ∧ r"
    found = known("by\n  obtain ⟨x, hx⟩ : ∃ x, s x := foo\n  simp")
    assert found["simp"] == "x : _; hx : s x; ⊢ p a → q b ∧ r"


def test_suffices_and_calc() -> None:
    found = known("by\n  suffices h : s by simp [h]\n  ring")
    assert (found["simp [h]"], found["ring"]) == ("h : s; ⊢ p a → q b ∧ r", "⊢ s")
    found = known("by\n  calc a = b := by simp\n    _ = c := by ring", "(a : ℕ) : a = c")
    assert (found["simp"], found["ring"]) == ("⊢ a = b", "⊢ b = c")


def test_nothing_is_claimed_behind_a_combinator() -> None:
    found = known("by\n  constructor <;> simp\n  ring", "(a : ℕ) : x ∧ y")
    assert list(found) == ["constructor"]


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


def test_a_dot_behind_a_semicolon_ends_the_reading() -> None:
    assert list(known("by intro h; · simp")) == ["intro h"]
