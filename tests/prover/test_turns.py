"""Who is tried when: what is ready goes first, a late generator catches up, nobody takes it all."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.errors import ModelError
from prover.candidates import Candidate, is_unfinished, key_of
from prover.turns import SHARE, Turns


def some(source: str, count: int, score: float = 0.5) -> list[Candidate]:
    return [Candidate(f"{source} {number}", score, source) for number in range(count)]


async def now(candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    return candidates


async def taken(turns: Turns) -> list[Candidate]:
    return [candidate async for candidate in turns]


def sources(candidates: Sequence[Candidate]) -> str:
    """Who proposed each, by first letters."""
    return "".join(candidate.source[0] for candidate in candidates)


async def test_one_source_alone_has_all_places() -> None:
    assert sources(await taken(Turns(now(some("templates", 20)), None, 8))) == "t" * 8
    assert sources(await taken(Turns(None, now(some("generator", 20)), 8))) == "g" * 8
    assert await taken(Turns(None, None, 8)) == []


async def test_what_is_ready_does_not_wait_and_leaves_the_generator_a_quarter() -> None:
    generated: asyncio.Future[Sequence[Candidate]] = asyncio.get_running_loop().create_future()
    turns = Turns(now(some("templates", 20)), generated, 16)
    first = [await anext(turns) for _ in range(12)]
    assert sources(first) == "t" * 12
    waiting = asyncio.ensure_future(anext(turns))
    await asyncio.sleep(0)
    assert not waiting.done()
    generated.set_result(some("generator", 8))
    assert (await waiting).tactic == "generator 0"
    assert sources(await taken(turns)) == "ggg"


async def test_a_generator_that_comes_in_the_midst_catches_up_and_then_they_take_turns() -> None:
    generated: asyncio.Future[Sequence[Candidate]] = asyncio.get_running_loop().create_future()
    turns = Turns(now(some("templates", 20)), generated, 12)
    assert sources([await anext(turns) for _ in range(3)]) == "ttt"
    generated.set_result(some("generator", 8))
    assert sources(await taken(turns)) == "ggggtgtgt"


async def test_places_that_the_generator_leaves_go_to_the_others() -> None:
    assert (
        sources(await taken(Turns(now(some("templates", 20)), now(some("generator", 2)), 16))).count("t")
        == 14
    )


async def test_a_tactic_of_both_is_tried_once_and_has_the_better_score() -> None:
    ready = [Candidate("simp", 0.3, "templates"), Candidate("rw [a]", 0.2, "templates")]
    generated: asyncio.Future[Sequence[Candidate]] = asyncio.get_running_loop().create_future()
    turns = Turns(now(ready), generated, 16)
    assert (await anext(turns)).tactic == "simp"
    generated.set_result([Candidate("simp ", 0.8, "generator"), Candidate("rw  [a]", 0.1, "generator")])
    assert [one.tactic for one in await taken(turns)] == ["rw  [a]"]
    assert turns.scores["simp"] == 0.8
    assert turns.scores["rw  [a]"] == 0.2


async def test_a_source_that_fails_is_told_and_one_that_is_not_waited_for_any_more_is_not() -> None:
    async def fails() -> Sequence[Candidate]:
        raise ModelError("There is no model.")

    with pytest.raises(ModelError):
        await taken(Turns(now(some("templates", 3)), fails(), 8))
    endless: asyncio.Future[Sequence[Candidate]] = asyncio.get_running_loop().create_future()
    turns = Turns(None, endless, 8)
    turns.close()
    assert endless.cancelled()


CANDIDATES = st.lists(
    st.builds(
        Candidate,
        st.sampled_from(
            ["rfl", "simp", " simp", "sorry", "exact a", "exact  a", "rw [a]", "left", "right", ""]
        ),
        st.floats(0, 1),
        st.just("x"),
    ),
    max_size=12,
)


@given(CANDIDATES, CANDIDATES, st.integers(1, 12), st.integers(0, 6))
def test_each_once_no_more_than_wanted_and_none_forgotten(
    ready: list[Candidate], generated: list[Candidate], limit: int, late: int
) -> None:
    async def run() -> tuple[list[Candidate], Turns]:
        coming: asyncio.Future[Sequence[Candidate]] = asyncio.get_running_loop().create_future()
        turns = Turns(now(ready), coming, limit)
        found = []
        if late == 0:
            coming.set_result(generated)
        async for candidate in turns:
            found.append(candidate)
            if len(found) == late and not coming.done():
                coming.set_result(generated)
            if len(found) >= limit - (limit + SHARE - 1) // SHARE and not coming.done():
                coming.set_result(generated)
        return found, turns

    if not ready and late:
        late = 0
    usable = {key_of(one.tactic) for one in ready if one.tactic and not is_unfinished(one.tactic)}
    if late and len(usable) < late:
        late = 0
    found, turns = asyncio.run(run())
    wanted = usable | {
        key_of(one.tactic) for one in generated if one.tactic and not is_unfinished(one.tactic)
    }
    keys = [key_of(one.tactic) for one in found]
    assert len(keys) == len(set(keys)) == min(limit, len(wanted))
    assert set(keys) <= wanted
    assert all(one.score <= turns.scores[one.tactic] for one in found)
