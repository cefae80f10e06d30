"""Words as people type them, with the index that is shipped, through the one door."""

from __future__ import annotations

from pathlib import Path

import pytest

from lean_extract.common.errors import BadRecords
from retriever.lean.evaluation.known_lemmas import answers_of, figures, read
from retriever.lean.service import PremiseService
from retriever.lean.text_search import search

CORPORA = Path(__file__).parent / "corpora"


def names(service: PremiseService, text: str, k: int = 10) -> list[str]:
    return [one.premise.name for one in search(service, text, None, k)]


def test_fifty_queries_in_words(shipped: PremiseService) -> None:
    answers = answers_of(shipped, read(CORPORA / "word_queries.jsonl"))
    missed = [(answer.question.text, answer.found) for answer in answers if answer.rank is None]
    first, found = figures(answers)
    assert len(answers) == 50 and found >= 48, missed
    assert first >= 35


@pytest.mark.parametrize(
    "typed",
    ["add_comm", "mul_le_mul", "Real.sin", "Set.union_comm", "Continuous.comp", "IsOpen"],
)
def test_a_name_as_typed_comes_first(shipped: PremiseService, typed: str) -> None:
    found = names(shipped, typed)
    assert found[0] == typed


@pytest.mark.parametrize(
    ("typed", "begins"),
    [
        ("add_com", "add_comm"),
        ("deriv_si", "deriv_sin"),
        ("Real.hasDerivAt_s", "Real.hasDerivAt_s"),
        ("isop", "isop"),
    ],
)
def test_a_part_of_a_name_is_completed(shipped: PremiseService, typed: str, begins: str) -> None:
    found = names(shipped, typed)
    assert found[0].lower().startswith(begins.lower()[: len(typed)])
    assert len(found) == 10 and all(begins.lower()[: len(typed)] in name.lower() for name in found[:3])


def test_letters_within_a_word_are_the_last_resort(shipped: PremiseService) -> None:
    found = names(shipped, "sin", 50)
    assert not any("sinf" in name.lower() or "single" in name.lower() for name in found)
    assert not any("sInf" in name or "sInter" in name for name in names(shipped, "deriv of sin", 50))


@pytest.mark.parametrize(
    "text",
    [
        "add " * 2500,
        "".join(map(chr, range(0x4E00, 0x4E00 + 10_000))),
        "continuous \0 comp \ud800",
        "of the and",
        "... !? ,;",
        "[.*+?^${}()|\\",
        "производная синуса",
        "x" * 10_000,
        "\u0301" * 10_000,
    ],
)
def test_any_text_has_a_bounded_answer(shipped: PremiseService, text: str) -> None:
    found = names(shipped, text, 20)
    assert len(found) == len(set(found)) <= 20


def test_a_line_that_is_no_question_is_told(tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"query": "a"}\n')
    with pytest.raises(BadRecords, match="line 1 is not a question"):
        read(bad)
