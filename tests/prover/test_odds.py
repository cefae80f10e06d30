"""Chances of tactics: comparable between sources, whatever the order; and the file that holds the numbers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.common.errors import ModelError
from prover.candidates import Candidate, is_unfinished, key_of
from prover.odds import FILE, SOURCES, AcceptanceModel, shipped_odds
from tests.prover.odds import SLOPES, odds_of

TACTICS = st.sampled_from(["simp", " simp", "rw [a]", "rw  [a]", "exact h", "omega", "sorry", "", "tauto h"])
CANDIDATES = st.builds(
    Candidate, TACTICS, st.floats(0, 1), st.sampled_from([*SOURCES, "own"]), st.sampled_from(["", "A.a", "B"])
)
LISTS = st.lists(st.lists(CANDIDATES, max_size=8), max_size=4)


@given(LISTS, st.randoms(use_true_random=False))
def test_each_tactic_has_one_chance_in_whatever_order_the_sources_come(lists, random) -> None:  # type: ignore[no-untyped-def]
    found = shipped_odds().weighed(lists)
    wanted = {key_of(one.tactic) for each in lists for one in each if not is_unfinished(one.tactic)} - {""}
    assert sorted(key_of(one.tactic) for one in found) == sorted(wanted)
    assert all(0 < one.score < 1 for one in found)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    apart = [[one for one in each if one.source == source] for source in [*SOURCES, "own"] for each in lists]
    mixed = [*apart]
    random.shuffle(mixed)
    by_source = shipped_odds().weighed(apart)
    again = shipped_odds().weighed(mixed)
    assert [(one.tactic, one.source, one.origin) for one in again] == [
        (one.tactic, one.source, one.origin) for one in by_source
    ]
    assert [one.score for one in again] == pytest.approx([one.score for one in by_source])


def test_what_two_sources_propose_counts_both() -> None:
    one, other = Candidate("simp", 0.5, "closer"), Candidate("simp ", 0.5, "neighbour", "A.a")
    odds = odds_of({**SLOPES, "closer": 0.5, "neighbour": 0.5, "others": 1.0})
    [alone] = odds.weighed([[one]])
    [both] = odds.weighed([[one], [other]])
    assert both.score > alone.score
    assert both.origin == "A.a"


def test_a_source_without_numbers_has_the_mean_of_the_others() -> None:
    odds = odds_of({"premise": 2.0, "closer": 4.0, "neighbour": -2.0, "shapes": -1.0, "generator": 0.5})
    [own] = odds.weighed([[Candidate("simp", 0.5, "own")]])
    chances = {source: odds.weighed([[Candidate("simp", 0.5, source)]])[0].score for source in SOURCES}
    assert sorted(chances.values())[2] < own.score < sorted(chances.values())[3]


def test_each_likely_first_word_has_a_place_among_the_first_eight() -> None:
    rules = [Candidate(f"rw [a{number}]", 0.5 - number / 100, "premise") for number in range(20)]
    others = [Candidate(word, 0.2, "closer") for word in ("simp", "omega", "ring")]
    order = [one.tactic for one in odds_of().in_turn([rules, others])]
    assert order[0] == "rw [a0]" and {"simp", "omega", "ring"} < set(order[:8])
    assert order[8:] == [one.tactic for one in rules if one.tactic not in order[:8]]
    after = [one.tactic for one in odds_of().in_turn([rules, others], tried=["rw [a0]", "rw [b]", "rw [c]"])]
    assert {"simp", "omega", "ring"} == set(after[:3])


def test_a_slow_tactic_is_worth_less() -> None:
    odds = odds_of(seconds={"simp": 0.1, "": 10.0})
    assert odds.expected_value(Candidate("simp", 0.2, "x")) > odds.expected_value(
        Candidate("aesop", 0.9, "x")
    )


@pytest.mark.parametrize(
    "change",
    [
        {"version": 99},
        {"weights": {"base": 1.0}},
        {"seconds": {"simp": 0.1}},
        {"seconds": {"": 0.0}},
        {"weights": None},
    ],
)
def test_a_file_that_does_not_fit_is_refused(tmp_path: Path, change: dict[str, object]) -> None:
    path = tmp_path / "turns.json"
    path.write_text(json.dumps({**json.loads(FILE.read_text(encoding="utf-8")), **change}))
    with pytest.raises(ModelError, match="fit-turns"):
        AcceptanceModel.load(path)
    path.write_text("{")
    with pytest.raises(ModelError):
        AcceptanceModel.load(path)
    with pytest.raises(ModelError):
        AcceptanceModel.load(tmp_path / "absent.json")
