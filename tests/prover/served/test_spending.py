"""Tokens, requests and seconds of a model, as its server counts them or by length, and budgets of tokens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.common.errors import ModelError, ModelUnreachable
from prover.limits import LEAST_ANSWER_TOKENS
from prover.served.address import read_address
from prover.served.asked import Asked
from prover.served.client import ModelServer
from prover.served.stream import part_of
from prover.spending import BudgetSpent, ModelUse, Spending
from tests.fakes.model_server import Call, serving

ASKED = Asked("x" * 300, tokens=200)
"""A prompt of 100 tokens, by its length."""


async def spent(answers: Callable[[Call], object], *, times: int = 1, budget: int = 0) -> ModelUse:
    """What is counted after so many requests, one after the other."""
    spending = Spending(budget)
    with serving(answers) as served:
        server = ModelServer(read_address(f"{served.url}#scripted")).counted_by(spending)
        for seed in range(times):
            await server.answer(Asked(ASKED.user, tokens=ASKED.tokens, seed=seed))
        assert len(served.asked) == times
        assert {body["stream_options"]["include_usage"] for body in served.asked} == {True}
    return spending.use()


async def test_the_servers_own_counts_are_added_up() -> None:
    use = await spent(lambda call: call.text("ab", "c", tokens=(70, 11)), times=3)
    assert (use.requests, use.prompt_tokens, use.answer_tokens, use.is_estimate) == (3, 210, 33, False)
    assert use.seconds > 0


async def test_one_object_is_counted_as_a_stream_is() -> None:
    whole = {
        "choices": [{"message": {"content": "abc"}}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 2},
    }
    use = await spent(lambda call: call.whole(200, whole))
    assert (use.prompt_tokens, use.answer_tokens, use.is_estimate) == (7, 2, False)


async def test_what_the_server_does_not_count_is_an_estimate() -> None:
    use = await spent(lambda call: call.text("a", "b", "c", "d"))
    assert (use.prompt_tokens, use.answer_tokens, use.is_estimate) == (100, 4, True)
    use = await spent(lambda call: call.text("y" * 30))
    assert (use.answer_tokens, use.is_estimate) == (10, True)


@pytest.mark.parametrize(
    "usage", ["no", [], {}, {"prompt_tokens": 1}, {"prompt_tokens": -1, "completion_tokens": 2},
              {"prompt_tokens": True, "completion_tokens": 2}, {"prompt_tokens": 1.5, "completion_tokens": 2},
              {"prompt_tokens": 1, "completion_tokens": 10**30}, {"prompt_tokens": 1, "completion_tokens": None}],
)  # fmt: skip
async def test_counts_that_are_none_are_not_believed(usage: object) -> None:
    whole = {"choices": [{"message": {"content": "abc"}}], "usage": usage}
    assert (await spent(lambda call: call.whole(200, whole))).is_estimate


@given(st.recursive(st.none() | st.integers() | st.text(), lambda inner: st.dictionaries(st.text(), inner)))
def test_any_usage_is_read(usage: object) -> None:
    from json import dumps

    part = part_of(dumps({"choices": [], "usage": usage}))
    assert part.text == "" and (part.tokens is None or min(part.tokens) >= 0)


async def test_an_answer_that_is_left_counts_as_far_as_it_came() -> None:
    def answers(call: Call) -> None:
        call.begin()
        call.piece("abc" * 5)
        call.wait_until_left()

    spending = Spending()
    with serving(answers) as served:
        server = ModelServer(read_address(f"{served.url}#scripted")).counted_by(spending)
        async with aclosing(server.written(ASKED)) as pieces:
            await anext(pieces)
            assert spending.use().answer_tokens == 0
    use = spending.use()
    assert (use.requests, use.prompt_tokens, use.answer_tokens, use.is_estimate) == (1, 100, 5, True)


async def test_a_refusal_costs_no_tokens() -> None:
    spending = Spending()
    with serving(lambda call: call.whole(404, {"error": "no model"})) as served:
        server = ModelServer(read_address(f"{served.url}#scripted")).counted_by(spending)
        with pytest.raises(ModelUnreachable):
            await server.answer(ASKED)
    use = spending.use()
    assert (use.requests, use.tokens, use.is_estimate) == (1, 0, False)


async def test_what_is_known_costs_nothing() -> None:
    first, second = Spending(), Spending()
    with serving(lambda call: call.text("abc", tokens=(5, 1))) as served:
        server = ModelServer(read_address(f"{served.url}#scripted"))
        assert await server.counted_by(first).answer(ASKED) == "abc"
        assert await server.counted_by(second).answer(ASKED) == "abc"
        assert len(served.asked) == 1
    assert first.use().tokens == 6
    assert second.use() == ModelUse()


async def test_a_budget_bounds_the_last_answer_and_then_ends_it() -> None:
    """Of 500 tokens, 100 + 200 go to the first request; the second may answer with what 100 for its prompt leave."""
    spending = Spending(500)
    with serving(lambda call: call.text("abc", tokens=(100, call.body["max_tokens"]))) as served:
        server = ModelServer(read_address(f"{served.url}#scripted")).counted_by(spending)
        for seed in range(2):
            await server.answer(Asked(ASKED.user, tokens=200, seed=seed))
        with pytest.raises(BudgetSpent, match="500 tokens"):
            await server.answer(Asked(ASKED.user, tokens=200, seed=2))
        assert [body["max_tokens"] for body in served.asked] == [200, 100]
    assert spending.use().tokens == 500


async def test_requests_at_the_same_time_share_a_budget() -> None:
    spending = Spending(700)
    with serving(lambda call: call.text("abc", tokens=(100, call.body["max_tokens"]))) as served:
        server = ModelServer(read_address(f"{served.url}#scripted"), at_once=4).counted_by(spending)
        asked = (server.answer(Asked(ASKED.user, tokens=200, seed=seed)) for seed in range(4))
        found = await asyncio.gather(*asked, return_exceptions=True)
        assert sum(isinstance(one, BudgetSpent) for one in found) == 2
        assert sorted(body["max_tokens"] for body in served.asked) == [200, 200]
    assert spending.use().tokens == 600


@given(
    st.integers(1, 5000),
    st.lists(st.tuples(st.integers(0, 400), st.integers(1, 400), st.booleans()), max_size=20),
)
def test_no_request_goes_beyond_the_budget(budget: int, asked: list[tuple[int, int, bool]]) -> None:
    """Of servers that keep to `max_tokens` and count prompts as we do, whatever fails."""
    spending = Spending(budget)
    for prompt, answer, fails in asked:
        try:
            with spending.request(prompt, answer) as request:
                assert min(answer, LEAST_ANSWER_TOKENS) <= request.most <= answer
                if fails:
                    raise ModelError("no")
                request.counted = (prompt, request.most)
        except ModelError:
            pass
    assert spending.use().tokens <= budget


def test_seconds_at_the_same_time_count_once() -> None:
    now = [0.0]
    spending = Spending(clock=lambda: now[0])
    with spending.request(1, 100):
        now[0] = 2.0
        with spending.request(1, 100):
            now[0] = 5.0
    now[0] = 9.0
    with spending.request(1, 100):
        now[0] = 10.0
    assert spending.use().seconds == 6.0
