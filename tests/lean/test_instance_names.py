"""The names of anonymous instances: Lean says whether the reader's are its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from lean_extract.source.reader import read_module
from lean_extract.toolchains.compile import compile_folder
from lean_extract.toolchains.packaged import PackagedLean
from lean_extract.traced.ilean import read_ilean

pytestmark = pytest.mark.lean

TEXT = """\
noncomputable section
class Zeros (α : Type) where
  z : α
class Pairs (α : Type) (β : Type) where
  p : α
class Tops (m : Type → Type) where
  t : Nat
class Ordered (α : Type) [Zeros α] : Prop where
  s : True
class Lifts (α : Type) [Zeros α] where
  l : α
structure Bag (α : Type) where
  l : List α
structure Box (α β : Type) where
  k : α
structure Kept (α : Type) [Zeros α] where
  k : α
inductive Shape | square | circle
def Days.Offset := Nat
def Weeks.Offset := Nat
def half (n : Nat) : Nat := n
def rel (_ _ : Nat) : Prop := True
notation "𝔸" => Shape
infixr:35 " ⊠ " => Pairs

instance : Zeros Shape := sorry
instance : Zeros 𝔸 := sorry
instance : Zeros (Bag α) := sorry
instance {α : Type} : Zeros (List α × Bag Nat) := sorry
instance [Zeros α] : Zeros (Bag (Bag α)) := sorry
instance [Tops m] : Zeros (m Shape) := sorry
instance [Zeros α] [Ordered α] : Lifts α := sorry
instance [Zeros α] : Zeros (Kept α) := sorry
instance : Zeros (Nat → Bag Nat) := sorry
instance : Zeros (∀ n : Nat, Bag (Fin n)) := sorry
instance : Pairs Days.Offset Weeks.Offset := sorry
instance : Pairs Days.Offset Days.Offset := sorry
instance : Zeros (Shape ⊠ Shape) := sorry
instance : Zeros (Shape ⊕ Shape) := sorry
instance : Zeros Nat := sorry
instance : Tops Bag := sorry
instance : Tops (fun α => α × Shape) := sorry
instance : Inhabited { x : Shape // x = x } := sorry
instance : Inhabited Shape := sorry
instance : Inhabited (Nat × Nat) := sorry
instance (n : Nat) : Zeros (Fin (n + 1)) := sorry
instance {p : Prop} [Decidable p] : Decidable (p ∧ ¬ p) := sorry
instance {s t : Shape} : Decidable (s = t) := sorry
instance : Inhabited (∀ s : Shape, s = s) := sorry
instance [LT α] [Inhabited α] : Inhabited (Box α α) := sorry
instance {a b : Nat} : Decidable (half a ≤ half b) := sorry
instance {a b : Nat} : Decidable (rel a b ∨ ¬ rel b a) := sorry
instance : Inhabited ((Nat → Box Nat Nat) → (Nat → Box Nat Nat)) := sorry
instance : Inhabited (Option (List Nat) × List (Option Nat)) := sorry
instance : ∀ n : Nat, Inhabited (Box (Fin n) Nat) := sorry
instance [Zeros α] [Ordered α] : Zeros (Box α Nat) := sorry
instance [Zeros α] [Zeros β] [Ordered β] : Inhabited (Box α β) := sorry
instance : Inhabited (Box Nat (Prop → Nat)) := sorry
instance {p : Nat → Prop} [DecidablePred p] : Decidable (∀ n, p n ∧ n < 3) := sorry
instance : Inhabited (PLift (∃ n : Nat, n = 0)) := sorry
instance {n : Nat} : Inhabited (Fin n → Nat) := sorry
variable [Ordered Nat]
instance : Zeros (Shape × Nat) := sorry
namespace Bag
instance : Inhabited (Bag α) := sorry
instance : Pairs α (Bag α) := sorry
namespace Deep
instance : Pairs (Bag Nat) Shape := sorry
instance : Pairs (Bag Nat) Shape := sorry
end Deep
end Bag
namespace Box
def weight (_ : Box α β) : Nat := 0
instance (b : Box Nat Nat) : Decidable (b.weight = 0) := sorry
end Box
namespace Other
instance : Inhabited Nat := sorry
end Other
"""


def test_lean_gives_the_same_names(packaged_lean: PackagedLean, tmp_path: Path) -> None:
    sources, out = tmp_path / "sources", tmp_path / "out"
    sources.mkdir()
    (sources / "Naming.lean").write_text(TEXT)
    compile_folder(
        sources,
        out,
        lean_command=packaged_lean.lean_command,
        environment=packaged_lean.environment_for(out),
        identity="names",
    )
    declared = read_ilean(out / "Naming.ilean", TEXT).declared
    by_line = {where.full.start.line: name for name, where in declared.items() if ".inst" in f".{name}"}
    read = [
        premise
        for premise in read_module(TEXT, "Naming", "Naming.lean").premises
        if premise.kind == "instance"
    ]
    assert len(read) == TEXT.count("\ninstance")
    names = {premise.span.start.line: premise.name for premise in read if premise.span}
    assert names == by_line
