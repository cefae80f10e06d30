"""Which subterms of a goal a premise's conclusion, or a side of it, matches."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lean_extract.goals import parse_state
from retriever.lean.ranker.matches import MATCHES, match_columns
from retriever.lean.structure.hashes import goal_statement, of_premise
from retriever.lean.structure.index import StructureIndex
from retriever.lean.structure.subterms import subterms_of
from retriever.search.index.structure_columns import StructureColumns
from tests.retriever.support import theorem

GEOMETRIC = ("(1 - x) * ∑ i ∈ range n, x ^ i = 1 - x ^ n", "(x : R)", "(n : ℕ)")
ABS = ("|a| = a", "{a : ℝ}", "(h : 0 ≤ a)")
INF = ("sInf s ≤ a", "{s : Set α}", "{a : α}", "(h : a ∈ s)")
SUB = ("a - a = 0", "(a : G)")
MEM = ("a ∈ closedBall x r ↔ dist a x ≤ r", "{a x : α}", "{r : ℝ}")


def columns(state: str, *premises: tuple[str, ...]) -> list[dict[str, float]]:
    """What is not 0 of the columns of each premise, (conclusion, binders...), for a goal."""
    rows = [of_premise(theorem(f"t{i}", "M", *premise)) for i, premise in enumerate(premises)]
    index = StructureIndex([StructureColumns.of_rows(rows)])
    goal = subterms_of([goal_statement(parse_state(state).goals[0])])
    table = match_columns(goal, index.rows(np.arange(len(rows))))
    return [{name: float(value) for name, value in zip(MATCHES, row, strict=True) if value} for row in table]


@pytest.mark.parametrize(
    ("state", "premise", "found"),
    [
        ("⊢ y + (1 - ζ) * ∑ j ∈ range (k + 1), ζ ^ j = 0", GEOMETRIC, {"match_left", "match_left_share"}),
        ("⊢ y + (1 - ζ) * ∑ j ∈ range (k + 1), ξ ^ j = 0", GEOMETRIC, set()),
        ("k : ℕ\n⊢ 1 - ζ ^ (k * k) ∣ y", GEOMETRIC, {"match_right", "match_right_share"}),
        ("h : f |x * y| < 3\n⊢ False", ABS, {"match_known_left"}),
        (
            "b : ι\n⊢ ∀ i, p i → sInf {x | q x} ≤ f i",
            INF,
            {"match_inside", "match_inside_share", "match_side"},
        ),
        ("⊢ ¬(q ∧ sInf t ≤ b + c)", INF, {"match_inside", "match_inside_share", "match_side"}),
        ("h : sInf t ≤ b ∧ q\n⊢ p", INF, {"match_known"}),
        ("⊢ (↑(p q) - ↑(p q) : ℝ) ≤ r", SUB, {"match_left", "match_left_share"}),
        ("⊢ p q - p r ≤ s", SUB, set()),
        ("⊢ 1 ∈ closedBall (f 0) (2 * ε)", MEM, {"match_left", "match_left_share"}),
        ("h : dist (g 1) y ≤ ε\n⊢ ?m = 1", MEM, {"match_known_right"}),
        ("⊢ ?m", MEM, set()),
        ("⊢ @IsPi α (s @) ∧ @ 2", MEM, set()),
        (
            "g : A →+ B\n⊢ p (g (2 + y))",
            ("f (a + b) = f a + c", "(a b : A)", "(f : F)"),
            {"match_left", "match_left_share"},
        ),
        (
            "⊢ eval c (map f (p q)) = 0",
            ("(x.map g).eval y = z", "{x y g : R}"),
            {"match_left", "match_left_share"},
        ),
        (
            "⊢ p ((algebraMap A B) 0)",
            ("f 0 = 0", "(f : F)"),
            {"match_left", "match_left_share", "match_right", "match_right_share"},
        ),
    ],
)
def test_what_matches_where(state: str, premise: tuple[str, ...], found: set[str]) -> None:
    [row] = columns(state, premise)
    assert row.keys() == found


def test_what_says_more_of_the_goal_weighs_more() -> None:
    common = ("a + b = b + a", "(a b : G)")
    rows = columns("⊢ (1 - ζ) * ∑ j ∈ range k, ζ ^ j + 0 = 1", GEOMETRIC, common, *[common] * 8)
    assert rows[0]["match_left"] > rows[1]["match_left"] > 0
    assert rows[0]["match_left_share"] < rows[1]["match_left_share"] < 1


TERMS = st.recursive(
    st.sampled_from(["a", "b", "c", "zero"]),
    lambda inner: st.one_of(
        st.builds("(f {})".format, inner),
        st.builds("({} + {})".format, inner, inner),
        st.builds("(g {} {})".format, inner, inner),
        st.builds("(∑ i, h i {})".format, inner),
    ),
    max_leaves=5,
)
VARIABLE = re.compile(r"\b[abc]\b")
CONTEXTS = st.sampled_from(["p ({})", "∀ k, q k → {} = k", "p (r 1 {}) ∧ q 2", "¬p ({} * s)"])


def instance(side: str, by: dict[str, str]) -> str:
    return VARIABLE.sub(lambda found: by[found[0]], side)


@settings(max_examples=120, deadline=None)
@given(TERMS, st.fixed_dictionaries(dict.fromkeys("abc", TERMS)), CONTEXTS)
def test_an_instance_matches_and_so_it_does_under_other_names(
    side: str, by: dict[str, str], context: str
) -> None:
    def left(side: str, by: dict[str, str], binder: str) -> dict[str, float]:
        [row] = columns("⊢ " + context.format(instance(side, by)), (f"{side} = final", binder))
        return row

    row = left(side, {name: value.replace("zero", "one") for name, value in by.items()}, "(a b c : T)")
    is_variable = bool(VARIABLE.fullmatch(side))
    assert row.get("match_left", 0) > 0 or is_variable, (side, by, context)
    renamed = instance(side, {"a": "u", "b": "v", "c": "w"})
    goal = "⊢ " + context.format(instance(side, by))
    [one], [other] = (
        columns(goal, (f"{side} = final", "(a b c : T)")),
        columns(goal, (f"{renamed} = final", "(u v w : T)")),
    )
    assert one == other


@settings(max_examples=80, deadline=None)
@given(TERMS, TERMS, CONTEXTS)
def test_what_is_more_general_matches_as_well_and_weighs_no_more(
    inner: str, other: str, context: str
) -> None:
    special, general = (f"(g {inner} {one}) = final" for one in (other, "d"))
    rows = columns(
        "⊢ " + context.format(f"(g {inner} {other})"), (special, "(a b c d : T)"), (general, "(a b c d : T)")
    )
    assert 0 < rows[1]["match_left"] <= rows[0]["match_left"]


def test_large_goals_are_read_in_bounds() -> None:
    deep = "⊢ " + "(f " * 300 + "x" + ")" * 300
    wide = (
        "\n".join(f"h{i} : x{i} = x{i + 1} * 2" for i in range(400)) + "\n⊢ " + " + ".join(["x1 * x2"] * 3000)
    )
    for text in (deep, wide):
        found = subterms_of([goal_statement(parse_state(text).goals[0])])
        assert len(found.tokens) < 10_000
