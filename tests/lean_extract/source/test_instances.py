"""The names of anonymous instances, as Lean makes them; `tests/lean/test_instance_names.py` asks Lean itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.lean_extract.source.reading import names, read

pytestmark = pytest.mark.field_case

CLASSES = (
    "class C (α : Type) where\nclass D (α : Type) (β : Type) where\nclass L (α : Type) [C α] : Prop where\n"
)
TYPES = "structure S where\nstructure Bag (α : Type) where\nstructure Kept (α : Type) [C α] where\n"


def instances(text: str) -> list[str]:
    return [premise.name for premise in read(text).premises if premise.kind == "instance"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("instance : C S := x", "instCS"),
        ("instance : C (Bag α) := x", "instCBag"),
        ("instance {M : Type} : D M (Bag M) := x", "instDBag"),
        ("instance : C (S × Bag Nat) := x", "instCProdSBagNat"),
        ("instance : C (S → Bag S) := x", "instCForallSBag"),
        ("instance : C (∀ n : Nat, Bag S) := x", "instCForallBagS"),
        ("instance : C ((a : S) × Bag a) := x", "instCSigmaSBag"),
        ("instance : C { s : S // s = s } := x", "instCSubtypeSEq"),
        ("instance (s : S) : C (Bag (s = 2)) := x", "instCBagEqSOfNatNat"),
        ("instance {s t : S} : Decidable (s ∈ t) := x", "instDecidableMemS"),
        ("instance : C (fun x => S) := x", "instCS"),
        ("instance : D Day.Offset Week.Offset := x", "instDOffsetOffset"),
        ("instance [C α] : C (Bag α) := x", "instCBag"),
        ("instance [C α] : C (Kept α) := x", "instCKept"),
        ("instance [C α] [L α] : D α S := x", "instDSOfL"),
        ("instance [C α] [DecidableEq α] : L α := x", "instLOfDecidableEq"),
        ("instance : [C α] → D α S := x", "instDSOfC"),
        ("instance : ∀ [C α] (s : S), D α (Bag s) := x", "instDBagOfC"),
        ("instance (s : S) : C (Bag s.value) := x", "instCBagValue"),
        ("variable (k : S)\ninstance : C (Bag k) := x", "instCBag"),
        ("instance : C Type := x", "instCType"),
        ("instance : D Prop Prop := x", "instDProp"),
        ('notation "𝕊" => S\ninstance : C 𝕊 := x', "instCS"),
        ('infixr:35 " ⊠ " => D\ninstance : C (S ⊠ Nat) := x', "instCDSNat"),
        ("instance (priority := 100) : C S := x", "instCS"),
        # the constants of the namespace are not repeated
        ("namespace S\ninstance : C S := x", "S.instC"),
        ("namespace Bag\ninstance : D α (Bag α) := x", "Bag.instD"),
        ("namespace Bag.Deep\ninstance : D S (Bag α) := x", "Bag.Deep.instDS"),
        ("namespace Other\ninstance : D S (Bag α) := x", "Other.instDSBag"),
        ("namespace Elsewhere.Box\ninstance : C (Box α) := x", "Elsewhere.Box.instC"),
        ("namespace Elsewhere.Unit\ninstance : C Unit := x", "Elsewhere.Unit.instCUnit"),
    ],
)
def test_an_instance_is_named_by_the_constants_of_its_type(text: str, name: str) -> None:
    assert instances(CLASSES + TYPES + text) == [name]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("instance : Inhabited Nat := x", "instInhabitedNat_test"),
        ("namespace List\ninstance [BEq α] : Inhabited (List α) := x", "List.instInhabitedOfBEq_test"),
        ("instance : Inhabited Unheard := x", "instInhabitedUnheard"),
        ("instance : Inhabited S := x", "instInhabitedS"),
        ("instance {p : Prop} [Decidable p] : Decidable (p ∧ q) := x", "instDecidableAnd_test"),
    ],
)
def test_an_instance_of_others_constants_has_the_name_of_the_library(text: str, name: str) -> None:
    assert instances("structure S where\n" + text) == [name]


def test_field_case_of_generated_names() -> None:
    text = """structure GaussI where
  re : Int
namespace GaussI
instance : Zero GaussI := ⟨⟨0⟩⟩
end GaussI
structure Bag (α : Type) where
  l : List α
namespace Bag
instance : Union (Bag α) := ⟨fun a _ => a⟩
instance : Membership α (Bag α) := ⟨fun b a => a ∈ b.l⟩
end Bag
class Ringish (α : Type) where
  z : α
notation "ℤ" => Int
instance : Ringish ℤ := ⟨0⟩
"""
    assert instances(text) == ["GaussI.instZero", "Bag.instUnion", "Bag.instMembership", "instRingishInt"]


def test_instances_of_one_name_are_numbered() -> None:
    assert names("namespace A\ninstance : Cls Typ := x\ninstance : Cls Typ := y\nend A") == [
        "A.instClsTyp",
        "A.instClsTyp_1",
    ]


@given(st.text(alphabet="CS αn()[]{}:,→×∀∃∈=.2 fun↦//|", max_size=60))
def test_any_type_has_a_name(type_: str) -> None:
    [name] = instances(f"instance : {type_} := x") or ["inst"]
    assert name.rpartition(".")[2].startswith("inst")
