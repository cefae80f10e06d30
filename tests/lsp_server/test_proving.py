"""`Engine.prove` on a copy of the example library, with a real Lean; what it finds is judged by a new one."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from lean_extract.session import LeanSession, processes
from lean_extract.session.places import default_position
from lean_extract.toolchains.compile import lean_messages
from lean_extract.toolchains.packaged import PackagedLean
from lsp_server.commands.demo import EXAMPLE
from lsp_server.engine.engine import Engine
from lsp_server.engine.requests import ProveRequest, SuggestRequest
from lsp_server.engine.schema_proofs import ProofAnswer, ProofProgress
from prover.verify import GoalPosition
from tests.lsp_server.conftest import Cli, indexed_example

pytestmark = [pytest.mark.lean, pytest.mark.asyncio(loop_scope="module")]

HEADER = "import Example.Nat.Order\n\n"
HARD = (
    HEADER
    + "theorem t (m n : ℕ) : (m + n) * (m + n) * (m + n) = n * n * n + m * m * m + 3 * (m * n * (m + n)) "
    ":= by\n  sorry\n"
)
PROVABLE = {
    "a term in a term": "theorem t (m n : ℕ) (h : m ≤ n) : m ≤ n ∧ m + 0 = m := ⟨h, sorry⟩\n",
    "a lemma in a term": "theorem t (p : Prop) (h : p) (m n : ℕ) : p ∧ (m ≤ n ∨ n ≤ m) := ⟨h, sorry⟩\n",
    "a branch of an induction": "theorem t (n : ℕ) : 0 + n = n := by\n  induction n with\n  | zero => rfl\n"
    "  | succ k ih => sorry\n",
    "a where": "theorem t (n : ℕ) : n ≤ n + 1 := go n\nwhere\n  go (k : ℕ) : k ≤ k + 1 := sorry\n",
    "no name": "example (p q : Prop) (h : p ∨ q) : q ∨ p := by\n  sorry\n",
    "a failing tactic": "theorem t (p q : Prop) (h : p ∧ q) : q := by\n  exact h.3\n",
    "an error above": "theorem u : 1 = unknown := by\n  rfl\n\ntheorem t (p : Prop) (h : p) : p := by\n  sorry\n",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engine(
    tmp_path_factory: pytest.TempPathFactory, cli: Cli, environment: dict[str, str]
) -> AsyncIterator[Engine]:
    root = indexed_example(tmp_path_factory.mktemp("proving") / "example", cli)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        engine = Engine(root)
        yield engine
        await engine.close()


def request_at(engine: Engine, text: str, *, seconds: float = 30, nth: int = -1) -> ProveRequest:
    """A request at the line of the last `sorry`, or of the last line."""
    assert engine.root is not None
    lines = text.split("\n")
    rows = [row for row, line in enumerate(lines) if "sorry" in line] or [len(lines) - 2]
    place = GoalPosition(engine.root / "T.lean", text, default_position(lines, rows[nth]))
    return ProveRequest(place, seconds)


def edited(text: str, answer: ProofAnswer) -> str:
    for edit in answer.edits:
        lines = text.split("\n")
        offsets = [
            sum(len(one) + 1 for one in lines[: line - 1]) + column - 1
            for line, column in ((edit.line, edit.column), (edit.end_line, edit.end_column))
        ]
        text = text[: offsets[0]] + edit.text + text[offsets[1] :]
    return text


def complaints(lean: PackagedLean, oleans: Path, text: str) -> Sequence[str]:
    environment = lean.environment_for(oleans, EXAMPLE)
    return [one["data"] for one in lean_messages(lean.lean_command, environment, text)]


@pytest.mark.parametrize("kind", PROVABLE)
async def test_what_is_proved_is_accepted_by_a_new_lean(
    engine: Engine, packaged_lean: PackagedLean, example_oleans: Path, kind: str
) -> None:
    text = HEADER + PROVABLE[kind]
    answer = await engine.prove(request_at(engine, text))
    assert (answer.status, answer.checked, answer.message) == ("proved", True, "")
    assert answer.proved == answer.goals
    assert "by" not in answer.edits[0].text or kind != "a lemma in a term"
    assert answer.memory_mb > 10 and answer.processes >= 2
    found = complaints(packaged_lean, example_oleans, edited(text, answer))
    assert len(found) == (kind == "an error above")


async def test_what_needs_an_import_is_proved_with_it(
    engine: Engine, packaged_lean: PackagedLean, example_oleans: Path
) -> None:
    text = (
        "import Example.Nat.Basic\n\ntheorem t (m n : ℕ) : (m ≤ n ∨ n ≤ m) ∧ m + n = n + m := by\n  sorry\n"
    )
    request = request_at(engine, text, seconds=4)
    assert (await engine.prove(replace(request, imports=False))).status != "proved"
    shown: list[ProofProgress] = []
    answer = await engine.prove(replace(request, seconds=20), shown.append)
    assert (answer.status, answer.checked, len(answer.imports)) == ("proved", True, 1)
    assert shown[-1].imports and not shown[0].imports
    assert (answer.proved, answer.goals) == (1, 1)
    changed = edited(text, answer)
    assert f"\n{answer.imports[0]}\n" in changed
    assert answer.cursor is not None and answer.cursor.line <= changed.count("\n")
    assert complaints(packaged_lean, example_oleans, changed) == []


async def test_a_search_that_is_stopped_keeps_a_proof_of_some_goals_with_sorry_for_the_others(
    engine: Engine, packaged_lean: PackagedLean, example_oleans: Path
) -> None:
    text = HARD.replace("t (m n : ℕ) : ", "t (m n : ℕ) : m ≤ m + n ∧ ")
    stop = asyncio.Event()

    def stop_once_some_are_proved(state: ProofProgress) -> None:
        if state.proved:
            assert state.proved < state.goals and "sorry" in state.steps
            stop.set()

    answer = await engine.prove(request_at(engine, text, seconds=200), stop_once_some_are_proved, stop)
    assert stop.is_set()
    assert (answer.status, answer.proved, answer.goals) == ("partial", answer.goals - 1, answer.goals)
    assert (answer.script.count("sorry"), answer.checked) == (1, False)
    found = complaints(packaged_lean, example_oleans, edited(text, answer))
    assert len(found) == 1 and "sorry" in found[0]
    row, column = (answer.cursor.line, answer.cursor.column) if answer.cursor else (0, 0)
    assert edited(text, answer).split("\n")[row - 1][column - 1 :].startswith("sorry")


async def test_what_cannot_be_proved_does_not_hide_the_goals_after_it(engine: Engine) -> None:
    text = HARD.replace("t (m n : ℕ) : ", "t (p : Prop) (h : p) (m n : ℕ) : ").replace(
        " := by", " ∧ m ≤ m + n ∧ p := by"
    )
    stop = asyncio.Event()

    def stop_once_all_but_one_are_proved(state: ProofProgress) -> None:
        is_last = state.steps.endswith("sorry")  # as after `cases m`, whose first case is proved
        if state.proved >= state.goals - 1 > 0 and state.steps.count("sorry") == 1 and not is_last:
            stop.set()

    answer = await engine.prove(request_at(engine, text, seconds=200), stop_once_all_but_one_are_proved, stop)
    assert (answer.status, answer.script.count("sorry")) == ("partial", 1)
    assert answer.proved == answer.goals - 1 and answer.script.index("sorry") < len(answer.script) - 5


async def test_a_search_that_is_stopped_ends_soon_and_a_cancelled_one_leaves_lean_free(
    engine: Engine,
) -> None:
    stop = asyncio.Event()
    begin = asyncio.get_running_loop().time()
    answer = await engine.prove(request_at(engine, HARD, seconds=300), lambda _: stop.set(), stop)
    assert (answer.status, answer.edits) == ("stopped", [])
    is_running = asyncio.Event()
    request = request_at(engine, HARD, seconds=300)
    searching = asyncio.create_task(engine.prove(request, lambda _: is_running.set()))
    await is_running.wait()
    searching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await searching
    assert (await engine.prove(request_at(engine, HEADER + PROVABLE["no name"]))).status == "proved"
    assert asyncio.get_running_loop().time() - begin < 200


async def test_a_lean_that_dies_is_started_again(engine: Engine) -> None:
    session = await engine.session()
    assert isinstance(session, LeanSession)
    killed: list[int] = []

    def kill(_: ProofProgress) -> None:
        if not killed and session.pid is not None:
            killed.append(session.pid)
            for pid in (session.pid, *processes.descendants(session.pid)):
                os.kill(pid, signal.SIGKILL)

    text = HEADER + "theorem t (n : ℕ) : 0 + n = n ∧ n ≤ n + n := by\n  sorry\n"
    answer = await engine.prove(request_at(engine, text, seconds=60), kill)
    assert killed
    assert (answer.status, answer.checked) == ("proved", True)


async def test_a_script_that_leaves_a_false_goal_is_not_shown(engine: Engine) -> None:
    text = "theorem t (n : Nat) : ∃ m, n < m ∧ ∀ k, 1 < k → k < m → m % k ≠ 0 := by\n  sorry\n"
    stop = asyncio.Event()
    answer = await engine.prove(
        request_at(engine, text, seconds=200), lambda state: stop.set() if state.proved else None, stop
    )
    assert stop.is_set()
    assert (answer.status, answer.edits) == ("stopped", [])


async def test_at_the_head_of_a_proof_with_tactics_nothing_is_searched(engine: Engine) -> None:
    text = "theorem t (n m : ℕ) (h : n ≤ m) : n ≤ m + 0 := by\n  rw [Nat.add_zero]\n  exact h\n"
    request = request_at(engine, HEADER + text)
    head = replace(request.position, position=default_position((HEADER + text).split("\n"), 2))
    answer = await engine.prove(replace(request, position=head))
    assert (answer.status, answer.states, answer.edits) == ("not_proved", 0, [])
    assert answer.message.startswith("There are tactics below.")


async def test_what_a_suggestion_found_with_an_import_is_used(engine: Engine) -> None:
    text = "import Example.Nat.Basic\n\ntheorem t (m n : ℕ) : m ≤ n ∨ n ≤ m := by\n  sorry\n"
    request = request_at(engine, text, seconds=100)
    shown = await engine.suggest(SuggestRequest(request.position, tactics=True))
    answer = await engine.prove(request)
    assert (answer.script, answer.imports) == (shown.tactics[0].tactic, ["import Example.Nat.Order"])
    assert answer.seconds < 50 and answer.checked


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        ("def f (n : ℕ) : ℕ := sorry\n", "not_proved", "The goal is data, not a proposition"),
        ("instance : Inhabited ℕ := ⟨sorry⟩\n", "not_proved", "The goal is data, not a proposition"),
        ("theorem t (n : ℕ) : n = n := by\n  rfl\n", "not_proved", "Lean accepts the tactic that is there"),
        ("theorem t : 2 + 2 = 5 := by\n  sorry\n", "false", "The goal is false"),
        (
            "theorem gap (p : Prop) : p := by sorry\n\ntheorem t (p q : Prop) (h : p) : q := by\n  sorry\n",
            "false",
            "",
        ),
    ],
)
async def test_what_no_proof_is_found_for(engine: Engine, text: str, status: str, said: str) -> None:
    answer = await engine.prove(request_at(engine, HEADER + text, seconds=5))
    assert (answer.status, answer.edits, answer.checked) == (status, [], False)
    assert said in answer.message
