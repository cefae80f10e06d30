"""How soon a model's first tactic is on the screen: from a scripted server, over the language server, to a client.

The clock starts when the server sends the end of the tactic's line, and with it a short next line: a tactic may go on
in the next line, so it is handed on at that line's end. Lean's verdict comes before the notification with the tactic.
So each round also times Lean with the same tactic by itself (`LeanSession.try_tactics`), and our client without Lean.
Each text has its own number, since answers to known prompts are kept.
"""

from __future__ import annotations

import argparse
import asyncio
import queue
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, contextmanager
from pathlib import Path

from lean_extract.goals import parse_goal
from lean_extract.records import Position
from lean_extract.session import LeanSession
from lean_extract.toolchains.toolchain import resolve_lean
from prover.served.address import read_address
from prover.served.client import ModelServer
from prover.served.prompts import Material
from prover.served.writing import next_tactics
from prover.verify import GoalPosition
from scripts.benchmarks.harness import Row, add_json, median_and_tail, show
from tests.fakes.model_server import Call, serving
from tests.hostile.raw_client import RawClient, encoded, request
from tests.hostile.tries.ground import prepared

_TACTIC = "exact ⟨h.2, h.1⟩"
_TEXT = "-- {}\ntheorem swap (p q : Prop) (h : p ∧ q) : q ∧ p := by\n  sorry\n"
_READS_SECONDS = 0.5  # as a model reads its prompt; nothing else is under way by then
_WAIT_SECONDS = 60.0


@contextmanager
def scripted() -> Iterator[tuple[str, queue.Queue[float]]]:
    """The address of a model that writes one tactic, and the times at which it sent the end of its line."""
    sent: queue.Queue[float] = queue.Queue()

    def answers(call: Call) -> None:
        call.begin()
        call.piece(f"```lean\n{_TACTIC}")
        time.sleep(_READS_SECONDS)
        sent.put(time.perf_counter())
        call.piece("\n--\n")
        call.wait_until_left()

    with serving(answers) as served:
        yield f"{served.url}#scripted", sent


def shown_ms(client: RawClient, place: GoalPosition, number: int, sent: queue.Queue[float]) -> float:
    """To the first notification with the tactic."""
    uri, at = place.path.as_uri(), {"line": place.position.line, "character": place.position.column}
    client.change(uri, [{"text": place.text}], version=number + 2)
    asked = {"textDocument": {"uri": uri}, "position": at, "tactics": True, "partialResultToken": number}
    client.send(encoded(request(number, "premiseSuggest/suggest", asked)))
    client.message(lambda one: one.get("method") == "$/progress" and _TACTIC in str(one), "the tactic")
    shown = time.perf_counter()
    client.answer(number)
    return 1000 * (shown - sent.get(timeout=_WAIT_SECONDS))


async def verdict_ms(lean: LeanSession, place: GoalPosition) -> float:
    """Lean's verdict on the tactic where the goal is known and Lean waits for tactics."""
    began: list[float] = []

    async def tactics() -> AsyncIterator[str]:
        await asyncio.sleep(_READS_SECONDS)
        began.append(time.perf_counter())
        yield _TACTIC

    await lean.goals_at(place.path, place.text, place.position)
    async with aclosing(lean.try_tactics(place.path, place.text, place.position, tactics())) as outcomes:
        assert (await anext(outcomes)).status == "closes"
        return 1000 * (time.perf_counter() - began[0])


async def written_ms(server: ModelServer, number: int, sent: queue.Queue[float]) -> float:
    """To the tactic as our client hands it on."""
    material = Material(parse_goal("h : p ∧ q\n⊢ q ∧ p"), context=f"-- alone {number}")
    written = next_tactics(server, material, prompts="", prompt_tokens=400, answer_tokens=400)
    async with aclosing(written) as found:
        assert await anext(found) == _TACTIC
        return 1000 * (time.perf_counter() - sent.get(timeout=_WAIT_SECONDS))


def rounds(library: Path, environment: dict[str, str], runs: int) -> list[tuple[float, float, float]]:
    """Shown, Lean's verdict by itself, and our client without Lean, in milliseconds; the first round warms up."""
    with scripted() as (address, sent), asyncio.Runner() as runner:
        lean = runner.run(LeanSession.start(library, resolve_lean(library, environment={})))
        server, times = ModelServer(read_address(address)), []
        tactics = {"generator": address, "source": "generator", "seconds": _WAIT_SECONDS}
        client = RawClient(environment, seconds=_WAIT_SECONDS)
        try:
            client.shake_hands(library, options={"tactics": tactics, "index": {"auto": False}})
            client.open((library / "Served.lean").as_uri(), "")
            for number in range(runs + 1):
                place = GoalPosition(library / "Served.lean", _TEXT.format(number), Position(2, 2))
                shown = shown_ms(client, place, number, sent)
                verdict = runner.run(verdict_ms(lean, place))
                times.append((shown, verdict, runner.run(written_ms(server, number, sent))))
        finally:
            client.close()
            runner.run(lean.close())
    return times[1:]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--runs", type=int, default=20, help="how many texts (default: 20)")
    add_json(parser)


def run(options: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder, prepared(Path(folder)) as ground:
        found = rounds(ground.library, ground.environment, options.runs)
    names = ("shown to the client", "Lean's verdict by itself (baseline)", "our client alone, without Lean")
    columns = [*zip(*found, strict=True), [shown - verdict for shown, verdict, _ in found]]
    rows: list[Row] = []
    for name, times in zip((*names, "shown, less Lean's verdict in the same round"), columns, strict=True):
        median, tail = median_and_tail(times)
        rows += [(f"{name}: median", median, "ms"), (f"{name}: 95% within", tail, "ms")]
    show(rows, options.json)
