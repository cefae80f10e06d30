"""Which statements a goal is an instance of, from their text alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lean_extract.goals import parse_state
from lean_extract.records import Goal, Premise
from retriever.lean.structure.hashes import of_goal, of_premise
from retriever.lean.structure.index import Fit, StructureIndex
from retriever.search.index.structure_columns import StructureColumns
from retriever.search.index.table import Kept
from tests.retriever.support import theorem

LEFT_CANCEL = theorem(
    "left_cancel", "M", "b = c", "{G : Type*}", "[Group G]", "{a b c : G}", "(h : a * b = a * c)"
)
SQUARE = theorem("square_nonneg", "M", "0 ≤ a ^ 2", "{α : Type*}", "[Ring α]", "(a : α)")
COMM = theorem("swap", "M", "a + b = b + a", "{α : Type*}", "(a b : α)")
EXTENDED = theorem("ext_square", "M", "0 ≤ a ^ 2", "(a : EReal)")
SUB = theorem("sub_le", "M", "0 ≤ a - b ↔ b ≤ a", "{α : Type*}", "(a b : α)")
SUM = theorem(
    "cont_add",
    "M",
    "Continuous fun x ↦ f x + g x",
    "(hf : Continuous f)",
    "(hg : Continuous g)",
    "{f g : X → Y}",
)
HOM = theorem("map_plus", "M", "f (a + b) = f a + f b", "(f : F)", "(a b : α)")
BOUND = theorem("bound", "M", "∀ x ∈ s, f x ≤ c", "(f : α → β)", "(s : Set α)", "(c : β)")
ALL = (LEFT_CANCEL, SQUARE, COMM, EXTENDED, SUB, SUM, HOM, BOUND)
NAMES = st.sampled_from([premise.name for premise in ALL])


def goal(text: str) -> Goal:
    return parse_state(text).goals[0]


def index(*premises: Premise) -> StructureIndex:
    return StructureIndex([StructureColumns.of_rows([of_premise(premise) for premise in premises])])


def instances(text: str, *premises: Premise) -> set[str]:
    chosen = premises or ALL
    return {chosen[number].name for number in index(*chosen).instances(of_goal(goal(text))).tolist()}


def fit(text: str, *premises: Premise) -> Fit:
    return index(*premises).fit(of_goal(goal(text)), np.arange(len(premises)))


@pytest.mark.parametrize(
    ("state", "found"),
    [
        ("x : ℝ\n⊢ 0 ≤ (x + 1) ^ 2", {"square_nonneg", "ext_square", "sub_le"}),
        ("x : ℝ\n⊢ (x + 1) ^ 2 ≥ 0", {"square_nonneg", "ext_square", "sub_le"}),
        ("p q : ℝ\n⊢ p * q + q = q + p * q", {"swap", "left_cancel"}),
        ("p q r : ℝ\n⊢ p + q = r + p", {"left_cancel"}),
        ("p q : ℝ\n⊢ p - q ≥ 0", {"sub_le"}),
        ("u v : ℝ → ℝ\n⊢ Continuous fun t ↦ u t + v t", {"cont_add"}),
        ("u v : ℝ → ℝ\n⊢ Continuous fun t => Real.exp t + v (t * t)", {"cont_add"}),
        ("x y : ℝ\n⊢ Real.log (x + y) = Real.log x + Real.log y", {"map_plus", "left_cancel"}),
        ("g : ℝ → ℝ\nt : Set ℝ\n⊢ ∀ y ∈ t, g y ≤ 3", {"bound", "sub_le"}),
    ],
)
def test_a_goal_finds_what_it_is_an_instance_of(state: str, found: set[str]) -> None:
    assert instances(state) == found


def test_what_is_assumed_is_looked_for_in_the_context() -> None:
    at_hand = fit("x y z : ℝ\nhyp : x * y = x * z\n⊢ y = z", LEFT_CANCEL)
    other_way = fit("x y z : ℝ\nhyp : x * y = z * x\n⊢ y = z", LEFT_CANCEL)
    missing = fit("x y z : ℝ\n⊢ y = z", LEFT_CANCEL)
    assert at_hand.hypotheses[0] == 1.0
    assert 0.0 < other_way.hypotheses[0] < 1.0
    assert missing.hypotheses[0] == 0.0 and missing.assumed[0] == 0.0
    assert at_hand.promise[0] > other_way.promise[0] > missing.promise[0] > 0.0


def test_what_says_more_of_the_goal_promises_more() -> None:
    found = fit("x : ℝ\n⊢ 0 ≤ x ^ 2", SQUARE, SUB, COMM)
    assert found.instance[0] == 1.0
    assert found.instance[0] > found.instance[1] > found.instance[2] == 0.0


def test_other_sides_of_an_equation_and_of_an_iff_count_less() -> None:
    mirrored = fit("x y : ℝ\n⊢ Real.log x + Real.log y = Real.log (x + y)", HOM)
    assert 0.0 < mirrored.instance[0] < 1.0
    assert 0.0 < fit("x y : ℝ\n⊢ 0 ≤ x - y", SUB).instance[0] < 1.0


def test_types_that_the_goal_does_not_mention_are_foreign() -> None:
    assert fit("x : ℝ\n⊢ 0 ≤ x ^ 2", SQUARE, EXTENDED).types.tolist() == [1.0, 0.0]
    assert fit("x : EReal\n⊢ 0 ≤ x ^ 2", SQUARE, EXTENDED).types.tolist() == [1.0, 1.0]


def test_names_of_variables_are_nothing() -> None:
    renamed = theorem("r", "M", "0 ≤ k ^ 2", "{R : Type*}", "[Ring R]", "(k : R)")
    assert of_premise(renamed) == of_premise(SQUARE)


def test_a_premise_without_a_statement_has_nothing() -> None:
    assert of_premise(theorem("x", "M", "")) == frozenset()
    assert instances("⊢ a = b", theorem("x", "M", "")) == set()


@settings(max_examples=60)
@given(st.lists(NAMES, min_size=1, max_size=12), st.integers(0, 12), st.sets(st.integers(0, 11)))
def test_segments_merged_or_apart_say_the_same(names: list[str], cut: int, dead: set[int]) -> None:
    rows = [of_premise(next(p for p in ALL if p.name == name)) for name in names]
    kept = np.array([number for number in range(len(rows)) if number not in dead], dtype=np.int64)
    first, then = kept[kept < cut], kept[kept >= cut] - min(cut, len(rows))
    parts = [StructureColumns.of_rows(rows[:cut]), StructureColumns.of_rows(rows[cut:])]
    joined = StructureColumns.merged(
        [(part, Kept.of_file(len(part), chosen)) for part, chosen in zip(parts, (first, then), strict=True)]
    )
    assert joined is not None
    merged = StructureIndex([joined])
    alone = StructureIndex([StructureColumns.of_rows([rows[number]]) for number in kept.tolist()])
    asked = of_goal(goal("x y z : ℝ\nhyp : x * y = x * z\n⊢ y = z"))
    assert merged.instances(asked).tolist() == alone.instances(asked).tolist()
    places = np.arange(len(kept))
    assert merged.fit(asked, places[::-1]).promise.tolist() == alone.fit(asked, places[::-1]).promise.tolist()
    outside = merged.fit_rows(asked, [rows[number] for number in kept.tolist()])
    assert outside.hypotheses.tolist() == merged.fit(asked, places).hypotheses.tolist()


def test_a_large_goal_is_read_in_bounds() -> None:
    deep = "⊢ " + "(f " * 300 + "x" + ")" * 300
    wide = "\n".join(f"h{i} : x{i} = x{i + 1}" for i in range(3000)) + "\n⊢ " + " + ".join(["x1 * x2"] * 3000)
    for text in (deep, wide):
        found = of_goal(goal(text))
        assert len(found.target) + len(found.hypotheses) < 5000


def test_what_states_the_goal_is_told_from_what_may_be_brought_to_it() -> None:
    state = "x y z : ℝ\nhyp : x * y = x * z\n⊢ y = z"
    assert fit(state, *ALL).exact[0] > 0.0
    assert fit("x y z : ℝ\n⊢ y = z", *ALL).exact[0] == 0.0, "what it assumes is not at hand"
    square, extended, side, *_ = fit("x : ℝ\n⊢ 0 ≤ x ^ 2", SQUARE, EXTENDED, SUB, COMM, HOM, SUM).exact
    assert square > side > extended == 0.0


def test_functions_of_the_context_are_no_more_than_a_variable_says() -> None:
    assert fit("u v : ℝ → ℝ\n⊢ Continuous fun t ↦ u t + v t", SUM, BOUND).instance[0] == 1.0
