"""Uses of hypotheses whose type is a definition, and the order of introductions."""

from __future__ import annotations

import pytest

from lean_extract.goals import parse_state
from lean_extract.records import Premise
from prover.candidates import Candidate
from prover.search.environment import SourcesProposer
from prover.search.guesses import SearchGuesses
from tests.prover.search.helpers import premises


def uses(text: str) -> list[str]:
    return [one.tactic for one in SearchGuesses().candidates(parse_state(text).goals[0], (), 20)]


def test_a_hypothesis_is_applied_and_taken_apart_at_the_variables_of_the_target() -> None:
    text = "α β : Type u\nf : α → β\ns : Set β\nhf : Function.Surjective f\nx b : β\n⊢ b ∈ s"
    assert uses(text) == [
        "apply hf",
        "obtain ⟨y, rfl⟩ := hf b",
        "obtain ⟨y, rfl⟩ := hf s",
        "cases hf",
    ]


def test_equations_rewrite_in_hypotheses_and_what_has_a_witness_is_split() -> None:
    goal = parse_state("α β : Type u\nf : α → β\ns : Set α\ny : β\nh : y ∈ f '' s\n⊢ p y").goals[0]
    rules = [premises()[name] for name in ("Set.mem_image", "Set.image_subset", "Nat.add_comm")]
    found = [one.tactic for one in SearchGuesses().candidates(goal, rules, 20)]
    assert found == ["rw [Set.mem_image] at h", "cases h"]


def test_an_equation_with_the_same_names_on_both_sides_is_reordered() -> None:
    rules = [premises()[name] for name in ("Nat.add_comm", "Nat.mul_le_mul", "Nat.add_left_comm")]

    def of(target: str) -> list[str]:
        goal = parse_state(f"a b c : ℕ\n⊢ {target}").goals[0]
        return [one.tactic for one in SearchGuesses().candidates(goal, rules, 20)]

    assert of("a + (b + c) = c + (a + b)") == ["simp [Nat.add_comm, Nat.add_left_comm]"]
    assert of("a + b = c") == of("a + b ≤ b + a") == []


def test_brackets_are_multiplied_out_without_laws_of_order() -> None:
    names = ("Nat.mul_add", "Nat.add_comm", "Nat.add_mul", "Nat.mul_comm", "Nat.zero_add")
    goal = parse_state("a b : ℕ\n⊢ (a + b) * (a + b) = a * a + 2 * (a * b) + b * b").goals[0]
    found = [one.tactic for one in SearchGuesses().candidates(goal, [premises()[name] for name in names], 20)]
    assert found == ["simp [Nat.mul_add, Nat.add_mul]"]


@pytest.mark.parametrize(
    ("target", "is_read_off"),
    [("∃ k, n + n = k + k", True), ("(n + n).Even", True), ("n.Odd", False), ("∃ k, n < k", False)],
)
def test_lean_reads_a_witness_off_an_equation(target: str, is_read_off: bool) -> None:
    goal = parse_state(f"n : ℕ\n⊢ {target}").goals[0]
    found = [one.tactic for one in SearchGuesses().candidates(goal, [premises()["Nat.Even"]], 20)]
    assert found == ["exact ⟨_, rfl⟩"] * is_read_off


@pytest.mark.parametrize(
    "hypothesis",
    [
        "l : List α",
        "h : a = b",
        "h : ∀ a, p a",
        "h : p a",
        "h✝ : Function.Surjective f",
        "h : ¬Foo a",
    ],
)
def test_what_is_no_statement_or_is_understood_is_left_to_the_closers(hypothesis: str) -> None:
    assert uses(f"α : Type u\na b : α\nf : α → α\np : α → Prop\n{hypothesis}\n⊢ p a") == []


async def test_the_longest_introduction_comes_first() -> None:
    class Fixed:
        def candidates(self, goal: object, premises: tuple[Premise, ...], limit: int) -> list[Candidate]:
            tactics = ["intro x", "simp", "intro x y h", "intro x y"]
            return [Candidate(one, 0.9 - place / 9, "closer") for place, one in enumerate(tactics)]

    goal = parse_state("⊢ Monotone f").goals[0]
    found = await SourcesProposer(None, (Fixed(),)).tactics([goal])
    assert [one.tactic for one in found if one.tactic != "simp"] == ["intro x y h", "intro x y", "intro x"]
