"""Lemmas of the example library, restated with hypotheses in dot notation: each is closed as before.

The packaged Lean prints `Nat.Even n` as `n.Even`, so hypotheses and targets are one token to those who count.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lsp_server.conftest import Cli, indexed_example, start_editor, stop_editor

pytestmark = [pytest.mark.field_case, pytest.mark.lean]
OPTIONS = {"index": {"auto": False}, "tactics": {"source": "templates", "neighbours": False}}
RESTATED = {
    "(x y : ℕ) (hx : x.Even) (hy : y.Even) : (x + y).Even": "exact Nat.Even.add hx hy",
    "(x y : ℕ) (h : x.Even) : (x * y).Even": "exact Nat.Even.mul_right h _",
    "(x y : ℕ) (h : x.Even) : (y * x).Even": "exact Nat.Even.mul_left h _",
    "(x y : ℕ) (hx : x.Even) (hy : y.Odd) : (x + y).Odd": "exact Nat.Even.add_odd hx hy",
    "(x y : ℕ) (hx : x.Odd) (hy : y.Odd) : (x + y).Even": "exact Nat.Odd.add_odd hx hy",
    "(x : ℕ) (h : x.Even) : x.succ.Odd": "exact Nat.Even.succ h",
    "(x : ℕ) (h : x.Odd) : x.succ.Even": "exact Nat.Odd.succ h",
    "(x : ℕ) (h : x.Even) : ¬x.Odd": "exact Nat.Even.not_odd h",
    "(k : List ℕ) (h : k.Sorted) : k.insertionSort = k": "exact List.Sorted.insertionSort_eq h",
    "(k : List ℕ) (x : ℕ) (h : k.Sorted) : (k.insertSorted x).Sorted": "exact List.Sorted.insertSorted h _",
    "{G : Type u} [Group G] (A B : Subgroup G) (ha : A.Normal) (hb : B.Normal) : (A ⊓ B).Normal": (
        "exact Subgroup.Normal.inf ha hb"
    ),
    "{α : Type u} (a b : Set α) (h : a ⊆ b) (ha : a.Nonempty) : b.Nonempty": "exact Set.Nonempty.mono h ha",
    "(p q : ℕ) (hp : p.Prime) (hq : q.Prime) (h : p ∣ q) : p = q": "exact Nat.Prime.eq_of_dvd hp hq h",
}
OWN = {
    "(x y : ℕ) (h : x.Foo) : (x * y).Foo": "exact Nat.Foo.mul_right h _",
    "(x y : ℕ) (h : Bar x) : Bar (x * y)": "exact Bar.mul_right h _",
    "(x y : ℕ) (h : x.Foo) (h' : y.Foo) : (x + y).Foo": "exact foo_add h h'",
    "(x y : ℕ) (h : Bar x) (h' : Bar y) : Bar (x + y)": "exact bar_add h h'",
}
HEADER = """import Example

def Nat.Foo (n : ℕ) : Prop := ∃ k, n = k
def Bar (n : ℕ) : Prop := ∃ k, n = k
theorem Nat.Foo.mul_right {m : ℕ} (hm : m.Foo) (n : ℕ) : (m * n).Foo := ⟨_, rfl⟩
theorem Bar.mul_right {m : ℕ} (hm : Bar m) (n : ℕ) : Bar (m * n) := ⟨_, rfl⟩
theorem foo_add {m n : ℕ} (hm : m.Foo) (hn : n.Foo) : (m + n).Foo := ⟨_, rfl⟩
theorem bar_add {m n : ℕ} (hm : Bar m) (hn : Bar n) : Bar (m + n) := ⟨_, rfl⟩

"""
ASKED = {**RESTATED, **OWN}
TEXT = HEADER + "".join(f"example {statement} := by\n  sorry\n\n" for statement in ASKED)


@pytest.fixture
def library(tmp_path: Path, cli: Cli) -> Path:
    return indexed_example(tmp_path / f"library-{tmp_path.name}", cli, Restated=TEXT)


async def test_lemmas_restated_in_dot_notation_are_closed(library: Path, environment: dict[str, str]) -> None:
    editor = await start_editor(library, environment, options=OPTIONS)
    editor.open("Restated.lean")
    lines = [number for number, line in enumerate(TEXT.split("\n")) if line == "  sorry"]
    missed = {}
    for line, (statement, tactic) in zip(lines, ASKED.items(), strict=True):
        answer = await editor.suggest("Restated.lean", line, 2, tactics=True)
        closing = [one["tactic"] for one in answer["tactics"] if one["status"] == "closes"]
        if tactic not in closing:
            missed[statement] = closing
    await stop_editor(editor)
    assert missed == {}
