"""The tactic that a premise's statement suggests for a goal."""

from __future__ import annotations

import pytest

from lean_extract.pasted import read_pasted
from lean_extract.records import Goal, Premise
from prover.forms import PremiseForms
from prover.used import ListedPremises


def premise(name: str, statement: str, kind: str = "theorem") -> Premise:
    """A premise with a statement `(n m : Nat) (h : p n) : conclusion`."""
    binders, _, conclusion = statement.rpartition(" : ")
    context = tuple(f"({one}" for one in binders.split("(")[1:])
    return Premise(name, kind, "M", tuple(one.strip() for one in context), conclusion)


def goal(text: str) -> Goal:
    return read_pasted(text).goals[0]


COMM = premise("Nat.add_comm", "(n m : Nat) : n + m = m + n")
DVD = premise("Nat.dvd_def", "(a b : Nat) : a ∣ b ↔ ∃ c, b = a * c")
TRANS = premise("Nat.le_trans", "(a b c : Nat) (h : a ≤ b) (k : b ≤ c) : a ≤ c")
SWAP = premise("and_swap_iff", "(p q : Prop) : p ∧ q ↔ q ∧ p")
ZERO = premise("Nat.zero_add", "(n : Nat) : 0 + n = n")
DOUBLE = premise("Nat.double", "(n : Nat) : Nat", "def")
TYPE = premise("Nat.Pair", "", "structure")
NAME = premise("Far.lemma", "")


@pytest.mark.parametrize(
    ("text", "used", "form"),
    [
        ("a b : ℕ\n⊢ a + b = b + a", COMM, "exact Nat.add_comm _ _"),
        ("a b c : ℕ\n⊢ a + b ≤ c", COMM, "rw [Nat.add_comm]"),
        ("a b : ℕ\n⊢ a + b ≤ b + a", COMM, "exact (Nat.add_comm _ _).le"),
        ("n : ℕ\n⊢ 3 ∣ n", DVD, "rw [Nat.dvd_def]"),
        ("p q : Prop\nh : p ∧ q\n⊢ q ∧ p", SWAP, "rw [and_swap_iff]"),
        ("p q : Prop\n⊢ p ∧ q ↔ q ∧ p", SWAP, "exact and_swap_iff _ _"),
        ("p q : Prop\n⊢ p ∨ q", SWAP, "rw [and_swap_iff]"),
        ("p q : Prop\n⊢ p ∨ q", ZERO, "rw [Nat.zero_add]"),
        ("a b c : ℕ\nh₁ : a ≤ b\nh₂ : b ≤ c\n⊢ a ≤ c", TRANS, "exact Nat.le_trans _ _ _ h₁ h₂"),
        ("a c : ℕ\n⊢ a ≤ c", TRANS, "apply Nat.le_trans"),
        ("n : ℕ\n⊢ Nat.double n = n + n", DOUBLE, "unfold Nat.double"),
        ("n : ℕ\nh : Nat.double n = 4\n⊢ n = 2", COMM, "rw [Nat.add_comm]"),
        ("⊢ ℕ", DOUBLE, "apply Nat.double"),
        ("⊢ Type", TYPE, "exact Nat.Pair"),
        ("a : ℕ\n⊢ a = a", NAME, "rw [Far.lemma]"),
        ("a : ℕ\n⊢ a ≤ a", NAME, "apply Far.lemma"),
    ],
)
def test_the_form_fits_statement_and_goal(text: str, used: Premise, form: str) -> None:
    assert PremiseForms(goal(text)).of(used)[0] == form


def test_no_form_only_adds_a_fact() -> None:
    forms = PremiseForms(goal("a b c : ℕ\nh₁ : a ≤ b\nh₂ : b ≤ c\n⊢ c + c = 3"))
    assert forms.of(TRANS)[0] == "exact Nat.le_trans _ _ _ h₁ h₂"
    assert not any(one.startswith("have ") for one in forms.of(TRANS))


def test_forms_are_distinct_and_all_use_the_premise() -> None:
    forms = PremiseForms(goal("a b : ℕ\n⊢ a + b = b + a"))
    for one in (COMM, DVD, TRANS, SWAP, ZERO, DOUBLE, TYPE, NAME):
        found = forms.of(one)
        assert len(found) == len(set(found)) and all(one.name in form for form in found)


def test_a_long_goal_has_forms() -> None:
    long = goal("a b : ℕ\n⊢ " + " ∧ ".join(["a + b = b + a"] * 210))
    assert len(long.target) > 3000
    assert PremiseForms(long).of(COMM)[0] == "rw [Nat.add_comm]"


HERE = goal("a b c : ℕ\nhe : a.Even\nh : a = b\nk : b ≤ c\n⊢ a ≤ c")
NAMES = ("Nat.le_trans", "Eq.trans", "LE.le.trans", "Nat.Even.add", "Own.lemma", "sup_comm", "iff_one")


@pytest.mark.parametrize(
    ("tactic", "names"),
    [
        ("exact Nat.le_trans _ k", ["Nat.le_trans"]),
        ("exact h.trans sorry", ["Eq.trans"]),
        ("exact (k.trans h).elim", ["LE.le.trans"]),
        ("exact he.add he", ["Nat.Even.add"]),
        ("rw [lemma, ← sup_comm, lemma]", ["Own.lemma", "sup_comm"]),
        ("exact (_root_.sup_comm _).mp h", ["sup_comm"]),
        ("simp [iff_one.symm, Other.lemma]", ["iff_one"]),
        ("exact iff_one.other", []),
        ("simp_all", []),
    ],
)
def test_which_listed_premises_a_tactic_uses(tactic: str, names: list[str]) -> None:
    listed = ListedPremises(HERE, NAMES, {"sup_comm": "_root_.sup_comm"}, ["Own", ""])
    assert listed.used_by(tactic) == names
