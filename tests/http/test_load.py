"""Many clients at once: nobody is refused, nothing fails. How long it takes is printed, not judged."""

from __future__ import annotations

import asyncio
import statistics
import time
from typing import Any

import httpx

from tests.http.conftest import Served

CLIENTS, REQUESTS = 64, 640


def body(number: int) -> tuple[str, str, dict[str, Any]]:
    """One of several interfaces, with one of 500 goals."""
    state = f"a b c : ℕ\nh : a ≤ {number % 500}\n⊢ a + b * {number % 25} = b * {number % 25} + a"
    kind = number % 10
    if kind < 6:
        return "POST", "/retrieve", {"json": {"state": state, "new_premises": [], "k": 32}}
    if kind < 9:
        return "GET", "/api/search", {"params": {"query": state, "results": 6, "rev": "v4.35.0"}}
    return "POST", "/generate", {"json": {"name": "any", "input": state, "prefix": ""}}


async def load(url: str) -> list[float]:
    """Seconds of every answer."""
    numbers = iter(range(REQUESTS))
    seconds: list[float] = []

    async def client() -> None:
        async with httpx.AsyncClient(base_url=url, timeout=120, trust_env=False) as asked:
            for number in numbers:
                method, path, options = body(number)
                began = time.perf_counter()
                response = await asked.request(method, path, **options)
                seconds.append(time.perf_counter() - began)
                assert response.status_code == 200, response.text
                assert response.json(), path

    await asyncio.gather(*(client() for _ in range(CLIENTS)))
    return seconds


def test_64_clients_at_once(server: Served) -> None:
    began = time.perf_counter()
    seconds = asyncio.run(load(server.url))
    took = time.perf_counter() - began
    assert len(seconds) == REQUESTS
    p95 = statistics.quantiles(seconds, n=20)[-1]
    print(
        f"\n{CLIENTS} clients, {REQUESTS} requests: median {statistics.median(seconds) * 1000:.0f} ms, "
        f"p95 {p95 * 1000:.0f} ms, {REQUESTS / took:.0f} a second"
    )
