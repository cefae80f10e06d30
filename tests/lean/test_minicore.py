"""Real Lean on the mini core: what it accepts, what it rejects, and how it prints goals."""

from __future__ import annotations

from typing import Any

import pytest

from lean_extract.toolchains.compile import lean_messages
from lean_extract.toolchains.packaged import PackagedLean
from tests.lean.programs import Program, read_programs

pytestmark = pytest.mark.lean

TACTICS = read_programs("tactics")
LANGUAGE = read_programs("language")


def messages(lean: PackagedLean, text: str) -> list[dict[str, Any]]:
    """What Lean says of a file with this text."""
    return lean_messages(lean.lean_command, lean.environment, text)


def errors(lean: PackagedLean, text: str) -> list[str]:
    return [message["data"] for message in messages(lean, text) if message["severity"] == "error"]


def errors_by_program(lean: PackagedLean, texts: list[str]) -> list[list[str]]:
    """The errors of many programs, elaborated in one go, each in a namespace of its own."""
    lines: list[str] = []
    owners: list[int] = []
    for index, text in enumerate(texts):
        block = [f"namespace Program{index}", *text.splitlines(), f"end Program{index}"]
        lines += block
        owners += [index] * len(block)
    found: list[list[str]] = [[] for _ in texts]
    for message in messages(lean, "\n".join(lines)):
        if message["severity"] == "error":
            found[owners[message["pos"]["line"] - 1]].append(message["data"])
    return found


@pytest.fixture(scope="module")
def verdicts(packaged_lean: PackagedLean) -> dict[str, tuple[list[str], list[str]]]:
    """For each tactic, the errors of the right and of the wrong proof."""
    right = errors_by_program(packaged_lean, [program.right for program in TACTICS])
    wrong = errors_by_program(packaged_lean, [program.wrong for program in TACTICS])
    return {program.name: (good, bad) for program, good, bad in zip(TACTICS, right, wrong, strict=True)}


@pytest.mark.parametrize("name", [program.name for program in TACTICS])
def test_tactic(verdicts: dict[str, tuple[list[str], list[str]]], name: str) -> None:
    right, wrong = verdicts[name]
    assert right == []
    assert wrong != []


@pytest.mark.parametrize("program", LANGUAGE, ids=lambda program: program.name)
def test_language(packaged_lean: PackagedLean, program: Program) -> None:
    assert errors(packaged_lean, program.right) == []
    assert errors(packaged_lean, program.wrong) != []


PRINTED = {
    "(n m : Nat) : n + m = m + n": "n m : ℕ\n⊢ n + m = m + n",
    "(p q : Prop) : p ∧ q ↔ ¬p ∨ q": "p q : Prop\n⊢ p ∧ q ↔ ¬p ∨ q",
    "(p : ℕ → Prop) : ∃ n, p n ∧ n ≠ 0": "p : ℕ → Prop\n⊢ ∃ n, p n ∧ n ≠ 0",
    "{α : Type} (l : List α) : [] ++ l = l": "α : Type\nl : List α\n⊢ [] ++ l = l",
    "(a : ℕ) (l : List ℕ) : a :: l = [1, 2]": "a : ℕ\nl : List ℕ\n⊢ a :: l = [1, 2]",
    "(a b : ℕ) : a ∣ b ∧ a ≤ b ∧ a < b": "a b : ℕ\n⊢ a ∣ b ∧ a ≤ b ∧ a < b",
    "(f g : ℕ → ℕ) : f ∘ g = fun x => f (g x)": "f g : ℕ → ℕ\n⊢ f ∘ g = fun x => f (g x)",
    "(a b : ℕ) : (a, b) = (b, a)": "a b : ℕ\n⊢ (a, b) = (b, a)",
    "{α β : Type} (p : α × β) (s : α ⊕ β) : p = p": "α β : Type\np : α × β\ns : α ⊕ β\n⊢ p = p",
    "(a b : ℕ) : a * b - a ^ 2 = a / b % 3": "a b : ℕ\n⊢ a * b - a ^ 2 = a / b % 3",
    "(n : ℕ) : (if n = 0 then 1 else n) = n": "n : ℕ\n⊢ (if n = 0 then 1 else n) = n",
    "(s : { n : ℕ // n < 3 }) : s.val < 4": "s : { n // n < 3 }\n⊢ ↑s < 4",
    "{G : Type} [Mul G] [Inv G] (a : G) : a * a⁻¹ = a": "G : Type\ninst✝¹ : Mul G\ninst✝ : Inv G\n"
    "a : G\n⊢ a * a⁻¹ = a",
}


def test_goals_print_with_notation(packaged_lean: PackagedLean) -> None:
    text = "".join(f"example {statement} := by\n  trace_state\n  sorry\n" for statement in PRINTED)
    found = messages(packaged_lean, text)
    assert [one["data"] for one in found if one["severity"] == "information"] == list(PRINTED.values())
    assert [message["severity"] for message in found].count("error") == 0


def test_case_tags_are_printed(packaged_lean: PackagedLean) -> None:
    text = "example (n : ℕ) : n = n := by\n  induction n\n  all_goals trace_state\n  all_goals rfl\n"
    printed = "case zero\n⊢ 0 = 0\ncase succ\nn✝ : ℕ\na✝ : n✝ = n✝\n⊢ n✝ + 1 = n✝ + 1"
    assert [message["data"] for message in messages(packaged_lean, text)] == [printed]


def test_search_tactics_name_the_lemma(packaged_lean: PackagedLean) -> None:
    text = (
        "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p := ⟨h.2, h.1⟩\n"
        "example (p q : Prop) (h : p ∧ q) : q ∧ p := by exact?\n"
        "example (p : Prop) : p ∧ True ↔ p := by simp?\n"
    )
    said = [message["data"] for message in messages(packaged_lean, text)]
    assert "exact swap p q h" in said[0]
    assert "simp only [and_true]" in said[1]


def test_sorry_is_a_warning_and_axioms_are_told(packaged_lean: PackagedLean) -> None:
    found = messages(packaged_lean, "theorem t : 1 = 2 := sorry\n#print axioms t\n")
    assert [message["severity"] for message in found] == ["warning", "information"]
    assert found[1]["data"] == "'t' depends on axioms: [sorryAx]"


def test_the_core_is_free_of_sorry(packaged_lean: PackagedLean) -> None:
    names = "Nat.decLe List.hasDecEq Classical.em Classical.propDecidable instSubsingletonDecidable ite_congr"
    text = "".join(f"#print axioms {name}\n" for name in names.split())
    for message in messages(packaged_lean, text):
        assert "sorryAx" not in message["data"]
