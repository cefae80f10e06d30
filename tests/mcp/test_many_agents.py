"""Many agents at one server: each gets the answers to its own questions, however they overlap."""

from __future__ import annotations

import asyncio

from tests.mcp.conftest import over_http

AGENTS, ROUNDS = 20, 6
PREMISES = {"m + n = n + m": "Nat.add_comm", "m * n = n * m": "Nat.mul_comm", "m ≤ m + n": "Nat.le_add_right"}


async def test_answers_are_not_mixed_up(url: str) -> None:
    async def agent(number: int) -> None:
        async with over_http(url) as client:
            for turn in range(ROUNDS):
                target, best = [*PREMISES.items()][(number + turn) % len(PREMISES)]
                # Every second question of an agent is also another's, which has asked it already.
                of = number if turn % 2 else number % 4
                state = f"m n h{of} : Nat\n⊢ {target}"
                answer = await client.call_tool("premises", {"state": state, "k": 5})
                assert not answer.is_error
                found = answer.structured_content
                assert found["goal"] == state
                assert best in [one["name"] for one in found["premises"]]

    await asyncio.gather(*(agent(number) for number in range(AGENTS)))
