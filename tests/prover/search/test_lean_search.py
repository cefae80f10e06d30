"""Searches in a real Lean, on the example library."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from lean_extract.records import Position, ProofState, TacticOutcome
from lean_extract.session import LeanLimits, LeanSession
from lean_extract.toolchains.toolchain import Toolchain
from prover.search.environment import LeanEnvironment
from prover.search.search import SearchLimits, search
from prover.search.theorem import Theorem, check_proof
from tests.prover.search.helpers import QUICK, Scripts, templates, theorem

pytestmark = [pytest.mark.lean, pytest.mark.asyncio(loop_scope="module")]

PROVABLE = {
    "theorem a (p q : Prop) (h : p ∧ q) : q ∧ p": ((), ()),
    "theorem b (p q : Prop) (h : p ∨ q) : q ∨ p := by sorry": ((), ()),
    "theorem c (p q : Prop) : (p ∧ q) ↔ (q ∧ p) :=": ((), ()),
    "theorem d (a b c d : ℕ) (h : a ≤ b) (k : c ≤ d) : a + c ≤ b + d ∧ a ≤ b + d": (
        ("Example.Nat.Order",),
        ("Nat.add_le_add", "Nat.le_add_right", "Nat.le_trans"),
    ),
    "theorem e (m n : ℕ) (h : m ∣ n) (k : n ∣ m) : m = n ∧ n ∣ n * n": (
        ("Example.Nat.Dvd",),
        ("Nat.dvd_antisymm", "Nat.dvd_mul_right"),
    ),
    "theorem f {α : Type} (f : α → α) (s t : Set α) (h : s ⊆ t) : f '' s ⊆ f '' t ∧ f '' s ⊆ f '' (s ∪ t)": (
        ("Example.Set.Image",),
        ("Set.image_subset", "Set.subset_union_left"),
    ),
}


@pytest.mark.parametrize("statement", PROVABLE)
async def test_small_theorems_are_proved_and_a_fresh_lean_agrees(
    session: LeanSession, example: Toolchain, project: Path, statement: str
) -> None:
    imports, names = PROVABLE[statement]
    goal = theorem(statement, *imports)
    result = await search(LeanEnvironment(session, goal), templates(*names), QUICK)
    assert (result.status, result.reason) == ("proved", "")
    checked = await check_proof(goal, result.proof, example, project)
    assert (checked.accepted, checked.message) == (True, "")
    assert not list(project.iterdir())


async def test_the_same_search_twice_is_the_same(session: LeanSession) -> None:
    statement = next(iter(PROVABLE))

    async def tree() -> object:
        return (await search(LeanEnvironment(session, theorem(statement)), templates(), QUICK)).tree

    assert await tree() == await tree()


async def test_all_goals_count_and_tactics_act_on_the_main_one(session: LeanSession) -> None:
    goal = theorem("theorem t (p q r : Prop) (hp : p) (hq : q) (hr : r) : p ∧ q ∧ r")
    environment = LeanEnvironment(session, goal)
    result = await search(environment, Scripts("constructor", "exact hq", "exact hp", "exact hr"), QUICK)
    assert result.proof == ("constructor", "exact hp", "constructor", "exact hq", "exact hr")
    goals = [result.tree.nodes[place].goals for place in result.tree.ancestry(result.tree.proved or 0)]
    assert [len(printed) for printed in goals] == [1, 2, 1, 2, 1, 0]


async def test_tactics_of_several_lines(session: LeanSession, example: Toolchain) -> None:
    goal = theorem("theorem t (p q : Prop) (h : p ∨ q) : (q ∨ p) ∧ True")
    script = "cases h with\n| inl a =>\n  right\n  exact a\n| inr b => exact Or.inl b"
    result = await search(LeanEnvironment(session, goal), Scripts("constructor", script, "trivial"), QUICK)
    assert result.proof == ("constructor", script, "trivial")
    assert (await check_proof(goal, result.proof, example)).accepted


async def test_what_cannot_be_proved_ends_by_itself_or_by_a_limit(session: LeanSession) -> None:
    result = await search(
        LeanEnvironment(session, theorem("theorem t (p q : Prop) : p → q")), templates(), QUICK
    )
    assert (result.status, result.proof) == ("exhausted", ())
    goal = theorem("theorem t (m n : ℕ) : m + n ≤ m", "Example.Nat.Order")
    result = await search(
        LeanEnvironment(session, goal), templates("Nat.le_trans", "Nat.add_comm"), replace(QUICK, nodes=4)
    )
    assert (result.status, result.reason, result.nodes) == ("limit", "It expanded 4 states.", 4)


async def test_unfinished_and_broken_tactics_prove_nothing(session: LeanSession) -> None:
    tactics = [
        "exact sorryAx _",
        "all_goals admit",
        "exact hp /-",
        'exact "',
        "exact hp\n\ntheorem u : False := by",
        "exact hp\x00",
        "exact \ud800",
        "exact t p hp",
        "end",
        "stop",
    ]
    goal = theorem("theorem t (p : Prop) (hp : p) : p")
    result = await search(LeanEnvironment(session, goal), Scripts(*tactics), QUICK)
    assert (result.status, result.proof) == ("exhausted", ())
    result = await search(LeanEnvironment(session, goal), Scripts(*tactics, "exact hp"), QUICK)
    assert (result.status, result.proof) == ("proved", ("exact hp",))


async def test_a_tactic_that_loops_hits_its_limit_and_the_next_is_tried(session: LeanSession) -> None:
    goal = theorem("theorem t (p q : Prop) (hp : p) (hq : q) : p ∧ q")
    loops = ("sleep 60000", "constructor <;> sleep 60000")
    limits = replace(QUICK, tactic_seconds=1)
    scripts = Scripts(*loops, "constructor", "exact hp", "exact hq")
    result = await search(LeanEnvironment(session, goal), scripts, limits)
    assert result.proof == ("constructor", "exact hp", "exact hq")
    attempts = [attempt for node in result.tree.nodes for attempt in node.attempts]
    assert {attempt.tactic for attempt in attempts if attempt.status == "timeout"} == set(loops)


async def test_a_tactic_that_eats_memory_is_ended_and_the_search_goes_on(
    project: Path, example: Toolchain
) -> None:
    goal = theorem("theorem t (p : Prop) (hp : p) : p ∧ p")
    limits = SearchLimits(seconds=200, tactic_seconds=60)
    hungry = "repeat' (have : p ∧ p ∧ p ∧ p := ⟨hp, hp, hp, hp⟩)"
    async with await LeanSession.start(project, example, LeanLimits(memory_mb=80, slots=1)) as session:
        result = await search(
            LeanEnvironment(session, goal), Scripts(hungry, "constructor", "exact hp"), limits
        )
    assert result.proof == ("constructor", "exact hp", "exact hp")
    refused = {attempt.tactic: attempt.message for attempt in result.tree.nodes[0].attempts}
    assert "more than 80 MB of memory" in refused[hungry]


class Deadly:
    """Kills Lean's server after the first verdict of each expansion, so many times."""

    def __init__(self, inner: LeanEnvironment, session: LeanSession, times: int) -> None:
        self._inner, self._session, self.left = inner, session, times

    async def start(self) -> ProofState:
        return await self._inner.start()

    async def run(
        self, path: tuple[str, ...], tactics: Sequence[str], *, timeout: float
    ) -> AsyncGenerator[TacticOutcome, None]:
        async with aclosing(self._inner.run(path, tactics, timeout=timeout)) as outcomes:
            async for outcome in outcomes:
                yield outcome
                if self.left and self._session.pid is not None:
                    with suppress(ProcessLookupError):  # the one of before, which is not started anew yet
                        os.kill(self._session.pid, signal.SIGKILL)
                        self.left -= 1


async def test_lean_killed_in_mid_search_is_started_anew(project: Path, example: Toolchain) -> None:
    goal = theorem("theorem t (p q : Prop) (hp : p) (hq : q) : p ∧ q")
    scripts = Scripts("constructor", "exact hp", "exact hq", "sleep 300; exact hq", "skip")
    async with await LeanSession.start(project, example) as session:
        first = session.pid
        environment = Deadly(LeanEnvironment(session, goal), session, 2)
        result = await search(environment, scripts, QUICK)
        assert session.pid not in (None, first)
    assert environment.left == 0
    assert (result.status, result.proof) == ("proved", ("constructor", "exact hp", "exact hq"))


async def test_a_lean_that_keeps_dying_ends_the_search(project: Path, example: Toolchain) -> None:
    goal = theorem("theorem t (p q : Prop) (hp : p) (hq : q) : p ∧ q")
    scripts = Scripts("skip", "sleep 300; exact hq", "sleep 301; exact hq", "constructor", "exact hp")
    async with await LeanSession.start(project, example) as session:
        environment = Deadly(LeanEnvironment(session, goal, deaths=1), session, 10)
        result = await search(environment, scripts, QUICK)
    assert result.status == "failed"
    assert "Lean" in result.reason


async def test_the_time_of_the_way_to_a_state_does_not_count(session: LeanSession) -> None:
    goal = theorem("theorem t (p q : Prop) (hp : p) (hq : q) : p ∧ q")
    scripts = Scripts("sleep 700; constructor", "sleep 701; exact hp", "exact hq")
    result = await search(LeanEnvironment(session, goal), scripts, replace(QUICK, tactic_seconds=1.2))
    assert result.status == "proved"


async def test_a_file_that_does_not_compile_is_a_failed_search_with_lean_s_words(
    session: LeanSession,
) -> None:
    result = await search(
        LeanEnvironment(session, theorem("theorem t : True", "No.Such.Module")), templates(), QUICK
    )
    assert (result.status, result.nodes) == ("failed", 0)
    assert "No" in result.reason


async def test_a_proof_that_is_complete_already_is_reported(session: LeanSession) -> None:
    done = Theorem(Path("A.lean"), "theorem t : True := by\n  trivial\n  \n", Position(2, 2))
    result = await search(LeanEnvironment(session, done), templates(), QUICK)
    assert result.status == "failed"
    assert "The proof in line 3 of A.lean is complete." in result.reason


async def test_the_time_limit_holds_while_lean_is_at_work(session: LeanSession) -> None:
    goal = theorem("theorem t (p : Prop) (hp : p) : p")
    limits = SearchLimits(seconds=0.5, tactic_seconds=60)
    result = await search(LeanEnvironment(session, goal), Scripts("sleep 60000"), limits)
    assert (result.status, result.reason) == ("limit", "Time ran out (0.5 s).")
    again = await search(LeanEnvironment(session, goal), Scripts("exact hp"), QUICK)
    assert again.proof == ("exact hp",)


async def test_what_cannot_be_judged_proves_nothing(session: LeanSession) -> None:
    text = "def f (n : Nat) : Nat := foo n\n\ntheorem t : f 2 = f 3 := by\n  sorry\n"
    goal = Theorem(Path("A.lean"), text, Position(3, 2))
    result = await search(LeanEnvironment(session, goal), Scripts("rfl", "simp", "decide"), QUICK)
    assert result.status != "proved"


async def test_a_goal_with_an_error_in_it_ends_the_search_with_lean_s_words(session: LeanSession) -> None:
    goal = theorem("theorem t (n : Nat) : n + foo.bar = n")
    result = await search(LeanEnvironment(session, goal), Scripts("rfl", "simp"), QUICK)
    assert result.status == "failed"
    assert "Unknown identifier `foo.bar`" in result.reason
