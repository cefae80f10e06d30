"""What is asked: goals of the example library, printed goals of our own for the bundled index, and searches."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

LIBRARY_GOALS = 60
_CALLERS = ("", "exact", "rw", "simp", "", "unfold")
_THEOREM = re.compile(r"^theorem (\S+)((?:(?!:=).)*):= by$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class LibraryGoal:
    """The statement of a theorem, asked where its proof begins; the line counts from 0."""

    file: str
    theorem: str
    statement: str
    line: int
    caller: str


def library_goals(root: Path) -> list[LibraryGoal]:
    """Theorems from all over the example library."""
    found = [goal for file in sorted((root / "Example").rglob("*.lean")) for goal in _goals_in(file, root)]
    return found[:: len(found) // LIBRARY_GOALS][:LIBRARY_GOALS]


def _goals_in(file: Path, root: Path) -> Iterator[LibraryGoal]:
    text = file.read_text(encoding="utf-8")
    for number, theorem in enumerate(_THEOREM.finditer(text)):
        statement = theorem[0].removesuffix(" by")
        line = text.count("\n", 0, theorem.end())
        caller = _CALLERS[number % len(_CALLERS)]
        yield LibraryGoal(file.relative_to(root).as_posix(), theorem[1], statement, line, caller)


_NUMBERS = ("ℕ", "ℤ", "ℚ", "ℝ")
_ALGEBRA = ("Semigroup", "Monoid", "Group", "CommGroup")
_TEMPLATES: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("a b : {0}\n⊢ a {1} b = b {1} a", _NUMBERS, ("+", "*")),
    ("x y z : {0}\n⊢ x {1} y {1} z = x {1} (y {1} z)", _NUMBERS, ("+", "*")),
    ("a b c : {0}\nh : a {1} b\n⊢ a + c {1} b + c", _NUMBERS, ("≤", "<")),
    ("p q r : {0}\nhpq : p ≤ q\nhqr : q {1} r\n⊢ p {1} r", _NUMBERS, ("≤", "<")),
    ("u v : {0}\nhu : 0 < u\nhv : 0 < v\n⊢ 0 < u {1} v", _NUMBERS, ("*", "+")),
    ("m n k : ℕ\nh : m ∣ n\n⊢ m ∣ {0}{1}", ("n * k", "k * n", "n ^ 2", "n * n"), ("", " * m")),
    ("p : ℕ\nhp : Nat.Prime p\n⊢ {1}{0}", ("2 ≤ p", "p ≠ 1", "0 < p", "p ≠ 0"), ("", "p ∣ 1 ∨ ")),
    ("a b : ℕ\n⊢ Nat.{0} a b {1} Nat.{0} b a", ("gcd", "lcm", "max", "min"), ("=", "∣")),
    ("α : Type u_1\ns t : Set α\n⊢ s {0} t {1} t {0} s", ("∩", "∪", "\\", "∆"), ("=", "⊆")),
    ("α : Type u_1\nA B C : Set α\nh : A ⊆ B\n⊢ A {0} C {1} B {0} C", ("∩", "∪", "\\", "×ˢ"), ("⊆", "≤")),
    (
        "α : Type u_1\nβ : Type u_2\nf : α → β\ns t : Set {1}\n⊢ f {0} (s ∩ t) ⊆ f {0} s",
        ("''", "⁻¹'", "'' s ∪ f ''", "⁻¹' s ∪ f ⁻¹'"),
        ("α", "β"),
    ),
    (
        "α : Type u_1\nl k : List α\n⊢ (l ++ k).{0} = {1}",
        ("length", "reverse", "head?", "tail"),
        ("k.{0}", "(k ++ l).{0}"),
    ),
    (
        "α β : Type\nf : α → β\nl : List α\n⊢ (l.map f).{0} = {1}",
        ("length", "reverse", "head?", "isEmpty"),
        ("l.{0}", "(l.map f).{0}"),
    ),
    ("G : Type u_1\ninst✝ : {0} G\ng h : G\n⊢ {1}", _ALGEBRA, ("g * h * g = g * (h * g)", "g = h → h = g")),
    (
        "G : Type u_1\ninst✝ : {0} G\nx y : G\n⊢ {1}",
        ("Group", "CommGroup", "DivisionMonoid", "DivisionRing"),
        ("(x * y)⁻¹ = y⁻¹ * x⁻¹", "x⁻¹⁻¹ = x"),
    ),
    (
        "R : Type u_1\ninst✝ : {0} R\na b : R\n⊢ {1}",
        ("Ring", "CommRing", "Field", "CommSemiring"),
        ("(a + b) * (a + b) = a * a + a * b + b * a + b * b", "a * 0 = 0"),
    ),
    (
        "α β γ : Type\nf : α → β\ng : β → γ\nhf : Function.{0} f\nhg : Function.{0} g\n⊢ {1}",
        ("Injective", "Surjective", "Bijective", "LeftInverse f"),
        ("Function.{0} (g ∘ f)", "∀ c, ∃ a, g (f a) = c"),
    ),
    (
        "X Y : Type\ninst✝¹ : TopologicalSpace X\ninst✝ : TopologicalSpace Y\nf : X → Y\nhf : Continuous f\n"
        "s : Set {1}\nhs : {0} s\n⊢ {0} (f {2} s)",
        ("IsOpen", "IsClosed", "IsCompact", "IsConnected"),
        ("Y", "X"),
    ),
    (
        "f g : ℝ → ℝ\nhf : {0} f\nhg : {0} g\n⊢ {0} fun x => f x {1} g x",
        ("Continuous", "Differentiable ℝ", "Measurable", "Monotone"),
        ("+", "*"),
    ),
    ("x : ℝ\n⊢ Real.{0} x {1} 1", ("sin", "cos", "exp", "tanh"), ("≤", "=")),
    (
        "ι : Type u_1\ns : Finset ι\nf g : ι → {0}\n⊢ ∑ i ∈ s, (f i {1} g i) = ∑ i ∈ s, f i {1} ∑ i ∈ s, g i",
        _NUMBERS,
        ("+", "-"),
    ),
    ("a b c : Prop\nh : a {0} b\n⊢ {1}", ("∧", "∨", "→", "↔"), ("b {0} a", "¬b → ¬a")),
    (
        "L : Type u_1\ninst✝ : {0} L\na b c : L\n⊢ a {1} b ≤ c → a ≤ c ∨ b ≤ c",
        ("Lattice", "DistribLattice", "LinearOrder", "CompleteLattice"),
        ("⊔", "⊓"),
    ),
    (
        "R M : Type\ninst✝² : Ring R\ninst✝¹ : AddCommGroup M\ninst✝ : Module R M\nN P : Submodule R M\n⊢ {1}{0}",
        ("N ⊓ P ≤ N", "N ≤ N ⊔ P", "N ⊔ P = P ⊔ N", "N ⊓ P = P ⊓ N"),
        ("", "N ≤ P → "),
    ),
    (
        "Ω : Type\nm : MeasurableSpace Ω\nμ : MeasureTheory.Measure Ω\ns t : Set Ω\nh : s ⊆ t\n⊢ {1}{0}",
        ("μ s ≤ μ t", "μ (s ∪ t) ≤ μ s + μ t", "μ (s ∩ t) ≤ μ t", "μ ∅ = 0"),
        ("", "MeasurableSet s → "),
    ),
)
"""Goals, and what takes the place of `{0}` and of `{1}`, each with each; `{2}` goes with `{1}`."""
_DIRECTIONS = {"Y": "⁻¹'", "X": "''"}


def printed_goals() -> list[str]:
    """Goals as Lean prints them, over what Mathlib has; a few are false, as goals of users may be."""
    return [
        template.format(first, second.format(first), _DIRECTIONS.get(second, ""))
        for template, ones, others in _TEMPLATES
        for first, second in product(ones, others)
    ]


LIBRARY_SEARCHES = (
    "Nat.add_comm",
    "add_comm",
    "dvd trans",
    "leftInverse",
    "subgroup",
    "greatest common divisor",
    "intersection of two sets",
    "list reversed twice",
    "an injective function has a left inverse",
    "a + b = b + a",
    "(s t : Set α) : s ∩ t = t ∩ s",
    "m n : ℕ ⊢ m ≤ n ∨ n ≤ m",
    "f : α → β\nh : Function.Injective f\n⊢ Function.Injective (f ∘ id)",
    "?a + ?b = ?b + ?a",
    "?a * _ ≤ ?b * _",
    "_ ∣ _ * _",
    '"reverse"',
    '"mul", ?a * ?b⁻¹',
    "_ ∩ _ ⊆ _",
    "⊢ List.length _ = _",
)
BUNDLED_SEARCHES = (
    "Nat.add_comm",
    "mul_le_mul",
    "continuous image of a compact set",
    "intermediate value theorem",
    "infinitely many primes",
    "Real.sin, cos",
    "cauchy schwarz",
    "isCompact image",
    "a * b = b * a",
    "x : ℝ ⊢ Real.sin x ≤ 1",
    "s t : Finset ℕ\n⊢ (s ∪ t).card ≤ s.card + t.card",
    "no such name anywhere",
)
