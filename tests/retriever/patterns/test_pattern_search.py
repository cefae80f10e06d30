"""Statements are found by their shapes, constants and names, as people write patterns."""

from __future__ import annotations

from pathlib import Path

import pytest

from lean_extract.common.errors import BadQuery
from lean_extract.records import Import
from retriever.lean.goal_context import GoalContext
from retriever.lean.index.build import update_index
from retriever.lean.pattern_search import PatternMatches, pattern_search
from retriever.lean.patterns.query import is_pattern
from retriever.lean.service import PremiseService
from retriever.models.encoder import Encoder
from retriever.search.index.store import IndexStore
from tests.retriever.support import Sheet, make_store, theorem

REAL = "(x y : ℝ)"
ORDERED = "(a b c d : ℝ)"
LIBRARY = {
    "Lib.Order": Sheet(
        [
            theorem(
                "mul_le_mul_left", "Lib.Order", "c * a ≤ c * b", "(a b c : ℝ)", "(h : a ≤ b)", "(hc : 0 ≤ c)"
            ),
            theorem("mul_le_mul", "Lib.Order", "a * b ≤ c * d", ORDERED, "(h : a ≤ c)", "(k : b ≤ d)"),
            theorem("le_of_mul", "Lib.Order", "a ≤ b", "(a b c : ℝ)", "(h : a * c ≤ b * c)", "(hc : 0 < c)"),
            theorem("mul_ge", "Lib.Order", "c * d ≥ a * b", ORDERED, "(h : c ≥ a)"),
            theorem("add_comm", "Lib.Order", "a + b = b + a", "(a b : ℝ)"),
            theorem("add_zero", "Lib.Order", "a + 0 = a", "(a : ℝ)"),
        ]
    ),
    "Lib.Trig": Sheet(
        [
            theorem("Real.sin_add", "Lib.Trig", "sin (x + y) = sin x * cos y + cos x * sin y", REAL),
            theorem("Complex.sin_neg", "Lib.Trig", "sin (-z) = -sin z", "(z : ℂ)"),
            theorem("Real.sin", "Lib.Trig", "ℝ → ℝ", kind="def"),
            theorem("Complex.sin", "Lib.Trig", "ℂ → ℂ", kind="def"),
            theorem("abs_sin_le", "Lib.Trig", "|Real.sin x| ≤ 1", "(x : ℝ)"),
            theorem(
                "map_sum", "Lib.Trig", "f (∑ i ∈ s, g i) = ∑ j ∈ s, f (g j)", "(f : ℝ → ℝ)", "(s : Finset ι)"
            ),
            theorem("tsum_mul", "Lib.Trig", "∑' i, a * f i = a * ∑' i, f i", "(f : ι → ℝ)", "(a : ℝ)"),
            theorem("sum_swap", "Lib.Trig", "∑ i ∈ s, h i = ∑ j ∈ s, h j", "(s : Finset ι)", "(h : ι → ℝ)"),
        ],
        (Import("Lib.Order"),),
    ),
}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, encoder: Encoder, model_folder: Path) -> PremiseService:
    store = make_store(tmp_path_factory.mktemp("patterns") / "index", LIBRARY, encoder)
    return PremiseService.open([store], model_folder)


def names(found: PatternMatches) -> set[str]:
    return {one.premise.name for one in found.premises}


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("_ * _ ≤ _ * _", {"mul_le_mul_left", "mul_le_mul", "le_of_mul", "mul_ge"}),
        ("_ * _ <= _ * _", {"mul_le_mul_left", "mul_le_mul", "le_of_mul", "mul_ge"}),
        ("_ * _ ≥ _ * _", {"mul_le_mul_left", "mul_le_mul", "le_of_mul", "mul_ge"}),
        ("⊢ _ * _ ≤ _ * _", {"mul_le_mul_left", "mul_le_mul", "mul_ge"}),
        ("|- _ * _ ≤ _ * _", {"mul_le_mul_left", "mul_le_mul", "mul_ge"}),
        ("?c * _ ≤ ?c * _", {"mul_le_mul_left"}),
        ("?a + ?b = ?b + ?a", {"add_comm"}),
        ("_ + 0 = _", {"add_zero"}),
        ("0 ≤ ?c → ?a ≤ ?b → ?c * ?a ≤ ?c * ?b", {"mul_le_mul_left"}),
        ("?a ≤ ?b → 0 ≤ ?c → ?c * ?a ≤ ?c * ?b", {"mul_le_mul_left"}),
        ("?a ≤ ?b → 0 < ?c → ?c * ?a ≤ ?c * ?b", set()),
        ("_ * _ ≤ _, _ < _", {"le_of_mul"}),
        ('_ = _, "COMM"', {"add_comm"}),
        ('"sin", "add"', {"Real.sin_add"}),
        ("Real.sin _", {"Real.sin_add", "abs_sin_le"}),
        ("Complex.sin _", {"Complex.sin_neg"}),
        ("sin (_ + _)", {"Real.sin_add"}),
        ("Real.sin, Real.cos", {"Real.sin_add"}),
        ("|_| ≤ _", {"abs_sin_le"}),
        ("?f (∑ i ∈ ?s, _) = ∑ i ∈ ?s, ?f _", {"map_sum"}),
        ("?t = ?t", {"sum_swap"}),
        ("Finset.sum ?s _ = _", {"sum_swap"}),
        ("tsum _ = ?a * tsum _", {"tsum_mul"}),
        ("∑' i, _", {"tsum_mul"}),
        ("_ ∣ _", None),
    ],
)
def test_a_pattern_finds_the_statements_that_have_it(
    service: PremiseService, pattern: str, expected: set[str] | None
) -> None:
    assert is_pattern(pattern)
    assert names(pattern_search(service, pattern)) == (expected or set())


def test_conclusions_and_short_statements_come_first(service: PremiseService) -> None:
    found = pattern_search(service, "_ * _ ≤ _ * _", k=8)
    scores = [one.score for one in found.premises]
    assert scores == sorted(scores, reverse=True)
    assert found.premises[-1].premise.name == "le_of_mul"
    assert (found.count, found.unread) == (4, 0)
    assert len(pattern_search(service, "_ * _ ≤ _ * _", k=2).premises) == 2
    assert pattern_search(service, "_ * _ ≤ _ * _", k=2).count == 4


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("_", "fits every statement (column 1"),
        ("?f _ ?x", "has no symbol (column 1"),
        ("_ * _ ≤", "nothing after `≤` (column 7"),
        ("_ ≤ * _", "nothing after `≤` (column 3"),
        ("= _", "nothing before `=` (column 1"),
        ("_ + (_ * _", "`(` is not closed (column 5"),
        ("_ + _) = _", "`)` closes none (column 6"),
        ("_ = _, , _", "part of the pattern is missing (column 8"),
        ('_ = _, ""', "quotation marks hold nothing (column 8"),
        ("x * _ ≤ _", "`x` looks like a variable (column 1"),
        ("_ ≤ x * _", "`x` looks like a variable (column 5"),
        ("_ = Real.sinus _", "has `Real.sinus` (column 5"),
        ("⊢ ", "no conclusion (column 1"),
        ("_ + " * 70 + "_", "at most 64"),
        ("_ = 1, " * 20 + "_ = 2", "21 parts"),
    ],
)
def test_what_is_no_pattern_is_told_with_its_place(service: PremiseService, pattern: str, said: str) -> None:
    with pytest.raises(BadQuery) as caught:
        pattern_search(service, pattern)
    assert said in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize(
    "text",
    [
        "add_comm",
        "continuous image of a compact set",
        "is every metric space normal?",
        "a + b = b + a",
        "x : ℕ\n⊢ ?a ≤ x",
        "x : ℕ ⊢ _ ≤ x",
        "Nat.add_comm",
        "compact, closed",
        "Set.union_",
    ],
)
def test_names_words_statements_and_goals_are_no_patterns(text: str) -> None:
    assert not is_pattern(text)


def test_the_open_file_is_searched_as_it_stands_in_the_editor(
    tmp_path: Path, encoder: Encoder, model_folder: Path
) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "lakefile.toml").write_text('name = "mine"\n')
    (root / "Mine.lean").write_text("theorem old (n m : Nat) : n ∣ m * n := sorry\n")
    store = IndexStore(tmp_path / "index")
    update_index(root, store, encoder)
    service = PremiseService.open([store], model_folder)
    assert names(pattern_search(service, "_ ∣ _ * _")) == {"old"}
    where = GoalContext("Mine", line=3, local=(theorem("new", "Mine", "n ∣ n * m", "(n m : Nat)"),))
    assert names(pattern_search(service, "_ ∣ _ * _", where)) == {"new"}
    assert names(pattern_search(service, "?n ∣ _ * ?n", where)) == set()
