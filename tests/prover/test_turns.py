"""Who is tried when: the best odds among what is known, and nobody is waited for without need."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.common.errors import ModelError
from lean_extract.records import TacticOutcome
from lean_extract.session.survey import survey_of, surveyed_in
from prover.candidates import Candidate, is_unfinished, key_of
from prover.odds import SOURCES, shipped_odds
from prover.surveys import Surveys
from prover.turns import CandidateScheduler
from tests.prover.odds import odds_of

EVEN = odds_of()


def some(source: str, count: int, score: float = 0.5) -> list[Candidate]:
    """So many candidates, each a little less likely than the one before."""
    return [Candidate(f"{source} {number}", score - 0.001 * number, source) for number in range(count)]


async def now(candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    return candidates


async def taken(turns: CandidateScheduler) -> list[Candidate]:
    return [candidate async for candidate in turns]


def sources(candidates: Sequence[Candidate]) -> str:
    """Who proposed each, by first letters."""
    return "".join(candidate.source[0] for candidate in candidates)


def fails(tactic: str, message: str = "no") -> TacticOutcome:
    return TacticOutcome(tactic, "fails", message=message)


def later() -> asyncio.Future[Sequence[Candidate]]:
    return asyncio.get_running_loop().create_future()


async def test_one_source_alone_has_all_trials() -> None:
    assert (
        sources(await taken(CandidateScheduler({"templates": now(some("premise", 20))}, 8, EVEN))) == "p" * 8
    )
    assert await taken(CandidateScheduler({}, 8, EVEN)) == []


async def test_the_likelier_comes_first_whoever_proposes_it() -> None:
    ready = [Candidate("a", 0.6, "premise"), Candidate("b", 0.2, "premise")]
    near = [Candidate("c", 0.4, "neighbour"), Candidate("d", 0.1, "neighbour")]
    turns = CandidateScheduler({"templates": now(ready), "neighbour": now(near)}, 8, EVEN)
    await asyncio.sleep(0)  # both have arrived
    assert [one.tactic for one in await taken(turns)] == ["a", "c", "b", "d"]


async def test_a_slow_tactic_waits_for_quick_ones() -> None:
    ready = [Candidate("slow a", 0.6, "premise"), Candidate("quick b", 0.3, "premise")]
    odds = odds_of(seconds={"slow": 3.0})
    found = await taken(CandidateScheduler({"templates": now(ready)}, 8, odds))
    assert [one.tactic for one in found] == ["quick b", "slow a"]


async def test_trials_are_kept_for_a_source_that_is_expected_to_do_better() -> None:
    odds = odds_of(expected={"generator": (0.9, 0.8, 0.7, 0.1)})
    generated = later()
    turns = CandidateScheduler({"templates": now(some("premise", 20)), "generator": generated}, 16, odds)
    assert sources([await anext(turns) for _ in range(13)]) == "p" * 13
    waiting = asyncio.ensure_future(anext(turns))
    await asyncio.sleep(0)
    assert not waiting.done()
    generated.set_result(some("generator", 8, 0.6))
    assert (await waiting).tactic == "generator 0"
    assert sources(await taken(turns)) == "gg"


async def test_nobody_waits_for_a_source_of_which_nothing_better_is_expected() -> None:
    odds = odds_of(expected={"generator": (0.2, 0.1)})
    turns = CandidateScheduler({"templates": now(some("premise", 20)), "generator": later()}, 16, odds)
    assert sources(await taken(turns)) == "p" * 16


async def test_the_first_trial_never_waits() -> None:
    odds = odds_of(expected={"generator": (0.9, 0.9)})
    turns = CandidateScheduler({"templates": now(some("premise", 2)), "generator": later()}, 1, odds)
    assert sources(await taken(turns)) == "p"


async def test_surveys_come_at_once_and_what_lean_refuses_there_is_not_tried() -> None:
    surveys = Surveys()
    asked = ["rw [a]", "rw [b]", "rw [c]"]
    found = asyncio.ensure_future(surveys.outcomes(asked))

    async def chained() -> list[Candidate]:
        await found
        return [Candidate("rw [a, d]", 0.98, "rules"), Candidate("rw [a, e]", 0.01, "rules")]

    ready = [Candidate(tactic, 0.6 - 0.1 * place, "premise") for place, tactic in enumerate(asked)]
    coming = later()
    turns = CandidateScheduler({"templates": coming}, 4, EVEN, None, (), surveys, chained())
    survey = await anext(turns)
    coming.set_result([*ready, *some("shapes", 9, 0.2)])
    assert survey.source == "survey" and surveyed_in(survey.tactic) == asked
    messages = ["motive is not type correct", "Unknown constant `b`", "no"]
    refused = tuple(map(fails, asked, messages))
    turns.hear(replace(fails(survey.tactic), surveyed=refused))
    assert list(await found) == list(refused)
    assert not turns.is_listed(fails(survey.tactic))
    tried = [one.tactic for one in await taken(turns)]
    assert tried == ["rw [a, d]", "rw [b]", "shapes 0", "shapes 1", "shapes 2", "rw [a, e]"]


@given(st.lists(st.text("ab [],", min_size=1), min_size=1))
def test_a_survey_holds_its_tactics(tactics: list[str]) -> None:
    assert surveyed_in(survey_of(tactics)) == tactics
    assert surveyed_in("\n".join(tactics)) == []


async def test_trials_that_a_source_leaves_go_to_the_others() -> None:
    ready, generated = some("premise", 20), some("generator", 2, 0.9)
    found = await taken(CandidateScheduler({"templates": now(ready), "generator": now(generated)}, 16, EVEN))
    assert sources(found).count("p") == 14


async def test_a_tactic_of_two_sources_is_tried_once_and_its_chance_grows() -> None:
    ready = [Candidate("simp", 0.6, "closer"), Candidate("rw [a]", 0.2, "premise")]
    generated = later()
    turns = CandidateScheduler(
        {"templates": now(ready), "generator": generated}, 16, odds_of({**EVEN.weights, "others": 1.0})
    )
    assert (await anext(turns)).tactic == "simp"
    alone = turns.scores["simp"]
    generated.set_result([Candidate("simp ", 0.8, "generator"), Candidate("rw  [a]", 0.4, "generator")])
    assert [one.tactic for one in await taken(turns)] == ["rw  [a]"]
    assert turns.scores["simp"] > alone
    assert set(turns.scores) == {"simp", "rw  [a]"}


@pytest.mark.parametrize("others", [-1.0, 1.0])
async def test_chances_do_not_depend_on_who_arrives_first(others: float) -> None:
    odds = odds_of({**EVEN.weights, "others": others})
    ready, generated = [Candidate("simp", 0.6, "closer")], [Candidate("simp", 0.5, "generator")]
    found = []
    for early, late in ((ready, generated), (generated, ready)):
        coming = later()
        turns = CandidateScheduler({"a": now(early), "b": coming}, 16, odds)
        assert (await anext(turns)).tactic == "simp"
        coming.set_result(late)
        assert await taken(turns) == []
        found.append(turns.scores)
    assert found[0] == found[1]


async def test_a_source_that_fails_is_reported_unless_it_is_not_awaited_any_more() -> None:
    async def fails() -> Sequence[Candidate]:
        raise ModelError("There is no model.")

    with pytest.raises(ModelError):
        await taken(CandidateScheduler({"templates": now(some("premise", 3)), "generator": fails()}, 8, EVEN))
    endless, other = later(), later()
    turns = CandidateScheduler({"generator": endless, "neighbour": other}, 8, EVEN)
    turns.close()
    assert endless.cancelled() and other.cancelled()


TACTICS = ["rfl", "simp", " simp", "sorry", "exact a", "exact  a", "rw [a]", "left", "right", "", "intro x"]
LISTS = st.fixed_dictionaries(
    {
        name: st.lists(
            st.builds(Candidate, st.sampled_from(TACTICS), st.floats(0, 1), st.just(name)), max_size=9
        )
        for name in (*SOURCES, "own")
    }
)
ARRIVALS = st.fixed_dictionaries({name: st.integers(0, 8) for name in (*SOURCES, "own")})


@given(LISTS, ARRIVALS, st.integers(1, 12))
def test_each_once_by_its_odds_and_no_more_than_wanted(
    lists: dict[str, list[Candidate]], arrivals: dict[str, int], limit: int
) -> None:
    """`arrivals`: after how many trials each source has its candidates."""
    odds = shipped_odds()

    async def run() -> list[str]:
        coming = {name: later() for name in lists}
        turns = CandidateScheduler(coming, limit, odds)
        handed: list[str] = []
        for trial in range(limit + 1):
            for name, after in arrivals.items():
                if after <= trial and not coming[name].done():
                    coming[name].set_result(lists[name])
            asked = asyncio.ensure_future(anext(turns))
            await asyncio.sleep(0)
            while not asked.done():  # it waits for a source: let the next one arrive
                name = next(name for name, future in coming.items() if not future.done())
                coming[name].set_result(lists[name])
                for _ in range(3):
                    await asyncio.sleep(0)
            try:
                candidate = asked.result()
            except StopAsyncIteration:
                break
            known = [lists[name] for name, future in coming.items() if future.done()]
            left = [one for one in odds.weighed(known) if key_of(one.tactic) not in handed]
            assert odds.expected_value(candidate) == pytest.approx(max(map(odds.expected_value, left)))
            assert candidate.score == turns.scores[candidate.tactic]
            handed.append(key_of(candidate.tactic))
        assert all(future.done() for future in coming.values()) or len(handed) == limit
        turns.close()
        return handed

    keys = asyncio.run(run())
    wanted = {key_of(one.tactic) for each in lists.values() for one in each if not is_unfinished(one.tactic)}
    assert len(keys) == len(set(keys)) == min(limit, len(wanted - {""}))
    assert set(keys) <= wanted - {""}


@pytest.mark.parametrize(
    ("message", "tried"),
    [
        ("Unknown identifier `le`", ["apply le", "apply Own.le", "rfl"]),
        ("Ambiguous term\n  le", ["apply le", "apply Own.le", "rfl"]),
        ("Type mismatch", ["apply le", "rfl"]),
    ],
)
async def test_a_name_that_lean_does_not_understand_is_tried_in_full(message: str, tried: list[str]) -> None:
    found = [
        Candidate("apply le", 0.6, "premise", "Own.t", in_full="apply Own.le"),
        Candidate("rfl", 0.5, "premise"),
    ]
    turns = CandidateScheduler({"templates": now(found)}, 2, EVEN)
    handed = []
    async for candidate in turns:
        handed.append(candidate.tactic)
        turns.hear(
            TacticOutcome(candidate.tactic, "fails", message=message if "le" in candidate.tactic else "")
        )
    assert handed == tried
    assert turns.origins.get("apply Own.le") == ("Own.t" if len(tried) == 3 else None)
