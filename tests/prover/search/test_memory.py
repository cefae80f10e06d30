"""Searches in a file learn from those before."""

from __future__ import annotations

from prover.search.memory import ProofMemory, Remembering
from prover.search.search import SearchLimits, SearchResult, search
from tests.prover.search.scripted import Listed, Table
from tests.prover.search.test_order import Goals

LIMITS = SearchLimits(seconds=30, nodes=50, tactics=20)


async def searched(table: Table, memory: ProofMemory, first: str = "start") -> tuple[SearchResult, Goals]:
    environment = Goals(table, first=first)
    result = await search(environment, Remembering(Listed(table), memory), LIMITS)
    memory.learn(result)
    return result, environment


async def test_what_proved_a_goal_is_tried_first_where_it_comes_again() -> None:
    table: Table = {
        "start": {"split": (-0.5, "P|Q")},
        "P": {"no": (-0.1, "fails"), "p": (-2.0, "P1")},
        "P1": {"end": (-2.0, "done")},
        "Q": {"q": (-0.1, "done")},
        "other": {"on": (-0.1, "P")},
    }
    memory = ProofMemory()
    assert (await searched(table, memory))[0].proof == ("split", "p", "end", "q")
    again: Table = {**table, "P": {**table["P"], "p\nend": (0.0, "done")}}
    result, environment = await searched(again, memory, "other")
    assert result.proof == ("on", "p\nend")
    assert environment.asked == [("other", "on"), ("P", "p\nend")]


async def test_lemmas_of_proofs_found_come_earlier_and_words_that_are_always_refused_later() -> None:
    table: Table = {
        "start": {f"bad x{number}": (-0.1, "fails") for number in range(6)}
        | {"exact Nat.lemma": (-3.0, "done"), "on": (-1.0, "A")},
        "A": {},
        "other": {
            "bad y": (-1.0, "fails"),
            "plain": (-1.1, "fails"),
            "rw [Nat.lemma]": (-1.5, "fails"),
            "end": (-9.0, "done"),
        },
    }
    memory = ProofMemory()
    await searched(table, memory)
    _, environment = await searched(table, memory, "other")
    assert [tactic for _, tactic in environment.asked][:3] == ["rw [Nat.lemma]", "plain", "bad y"]
    _, fresh = await searched(table, ProofMemory(), "other")
    assert [tactic for _, tactic in fresh.asked][:3] == ["bad y", "plain", "rw [Nat.lemma]"]


async def test_a_memory_is_bounded() -> None:
    memory = ProofMemory(size=1)
    for name in ("P", "Q"):
        await searched({name: {f"by_{name}": (-0.1, "done")}}, memory, name)
    environment = Goals({})
    assert memory.known((await environment.start()).goals[0]) == []
    known = [memory.known((await Goals({}, first=name).start()).goals[0]) for name in ("P", "Q")]
    assert [[one.tactic for one in found] for found in known] == [[], ["by_Q"]]
