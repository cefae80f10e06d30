"""A tactic's shape: what becomes a slot, and that nothing is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prover.shaped.shape import GROUPS, Shape, abstracted

LOCAL = {"a": False, "b": False, "h": True, "hx": True}
PREMISES = ("Nat.add_comm", "le_trans")


@pytest.mark.parametrize(
    ("tactic", "shape", "fillers"),
    [
        ("rw [← Nat.add_comm a, h] at hx", "rw [← ⟪P⟫ ⟪V⟫, ⟪H⟫] at ⟪H⟫", ("Nat.add_comm", "a", "h", "hx")),
        ("exact le_trans h.le _", "exact ⟪P⟫ ⟪H⟫.le _", ("le_trans", "h")),
        ("exact h.symm", "exact ⟪H⟫.symm", ("h",)),
        ("intro x h", "intro x h", ()),
        ("intro y hy", "intro ⟪B⟫ hy", ("y",)),
        ("simp [mul_comm]", "simp [mul_comm]", ()),
        ("obtain ⟨a, hb⟩ := hx", "obtain ⟨a, hb⟩ := ⟪H⟫", ("hx",)),
    ],
)
def test_what_becomes_a_slot(tactic: str, shape: str, fillers: tuple[str, ...]) -> None:
    found = abstracted(tactic, PREMISES, LOCAL, "y")
    assert (found.shape, found.fillers) == (shape, fillers)
    assert Shape.of(found.shape).filled(found.fillers) == tactic


def test_premises_can_stay_as_they_are_written() -> None:
    found = abstracted("rw [Nat.add_comm a, h]", PREMISES, LOCAL)
    assert found.with_premises() == ("rw [Nat.add_comm ⟪V⟫, ⟪H⟫]", ("a", "h"))


def test_the_place_of_a_slot() -> None:
    shape = Shape.of("exact ⟪P⟫ ⟪H⟫ _ (⟪P⟫ ⟪V⟫)")
    assert [slot.group for slot in shape.slots] == ["first", "argument", "argument", "argument"]
    assert [slot.arguments for slot in shape.slots] == [3, 0, 1, 0]
    assert [(slot.of, slot.place) for slot in shape.slots] == [(-1, 0), (0, 0), (-1, 0), (2, 0)]
    rewriting = Shape.of("rw [⟪P⟫, ← ⟪P⟫] at ⟪H⟫")
    assert [slot.group for slot in rewriting.slots] == ["rewrite", "back", "at"]


@given(
    st.lists(
        st.sampled_from(
            [
                "rw",
                "[",
                "]",
                "←",
                "h",
                "a",
                "le_trans",
                "Nat.add_comm",
                "at",
                "intro",
                "x",
                "(",
                ")",
                "⟨",
                "∀",
                "𝔸",
                "y",
            ]
        ),
        max_size=12,
    )
)
def test_any_text_comes_back_from_its_shape(parts: list[str]) -> None:
    tactic = " ".join(parts)
    found = abstracted(tactic, PREMISES, LOCAL, "y")
    shape = Shape.of(found.shape)
    assert shape.filled(found.fillers) == tactic
    assert str(shape) == found.shape
    assert all(slot.group in GROUPS and slot.of < number for number, slot in enumerate(shape.slots))
