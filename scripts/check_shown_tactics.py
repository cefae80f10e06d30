"""Gets tactics at random goals of the example library, and has a fresh Lean check all that are shown.

    python scripts/check_shown_tactics.py [--broken] [--goals N] [--seed S] [--out FILE] [--generator FOLDER]
                                          [--tactics-from both|templates|generator] [--jobs N]

A goal is a step of a proof: the step, and what follows in its block, gives way to `sorry`. The engine is
called there as an editor calls it, and the edit of every tactic shown as working is made in a copy of the file. A
new Lean process then has to say the same of that copy: of what closes the goal nothing at all, and the theorem
rests on no axioms but Lean's own three; of what leaves goals, with `done` for each `sorry` of the edit, that those
very goals are unsolved, and nothing else. Anything else is an exception: there should be none.

With --broken the files have an error, of more than twenty kinds (`shown_goals.py`). What is shown there as
closing the goal is put into the same file with the error mended, and a fresh Lean must not refuse it.

FILE gets a line for each goal; a run that was stopped goes on where it was. Exit code 1 where there is an
exception.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).resolve().parent))

import broken_check
from broken_check import BrokenCheck, BrokenGoalResult
from fresh_lean import FreshLean, edited, errors, leaves_amiss, with_done
from shown_goals import Step, cases, drawn

from lean_extract.common.errors import NoGoalHere, PremiseSuggestError, UserError
from lean_extract.common.files.atomic import replacing
from lean_extract.toolchains.toolchain import resolve_lean
from lsp_server.commands.demo import EXAMPLE
from lsp_server.engine.engine import Engine
from lsp_server.engine.indexing import update_project
from lsp_server.engine.requests import SuggestRequest
from lsp_server.engine.schema import Suggestion
from lsp_server.engine.schema_items import TacticItem
from lsp_server.engine.settings import SOURCES, parse
from prover.verify import GoalPosition


@dataclass(frozen=True, slots=True)
class GoalResult:
    """The result for one goal. `unusable`: why it cannot be used; it does not count then."""

    key: str
    theorem: str
    unusable: str = ""
    goal: str = ""
    shown: list[str] = field(default_factory=list)
    closing: int = 0
    exceptions: dict[str, str] = field(default_factory=dict)
    """The objections of a fresh Lean to tactics that were shown as working, by tactic."""
    first_ms: float | None = None
    """Until the first accepted tactic arrived."""
    all_ms: float = 0.0
    parts_ms: dict[str, float] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


One = TypeVar("One", GoalResult, BrokenGoalResult)


class Check:
    """Gets tactics from the engine, and has Lean check what it shows."""

    def __init__(self, engine: Engine, lean: FreshLean) -> None:
        self._engine = engine
        self._lean = lean

    async def ask(self, step: Step) -> GoalResult:
        """One goal, from the question to the second verdict on all that is shown."""
        path = EXAMPLE / step.path
        text = path.read_text(encoding="utf-8")
        session = await self._engine.session()
        try:
            state = await session.goals_at(path, step.cut(text, 1), step.start)
        except NoGoalHere as error:
            return GoalResult(step.key, step.theorem, unusable=error.message)
        if not state.goals:
            return GoalResult(step.key, step.theorem, unusable="there is no goal")
        patched = step.cut(text, len(state.goals))
        problem = errors(await self._lean.remarks(patched, step.start))
        if problem:
            return GoalResult(step.key, step.theorem, unusable=f"with `sorry` there: {problem[0]}")
        heard: list[float] = []

        def hear(part: Suggestion) -> None:
            if part.tactics and not heard:
                heard.append(1000 * (time.perf_counter() - began))

        began = time.perf_counter()
        request = SuggestRequest(GoalPosition(path, patched, step.start), tactics=True)
        answer = await self._engine.suggest(request, hear)
        took = 1000 * (time.perf_counter() - began)
        again = [self._again(step, patched, tactic, len(state.goals)) for tactic in answer.tactics]
        objections = await asyncio.gather(*again)
        return GoalResult(
            step.key,
            step.theorem,
            goal=answer.goal,
            shown=[one.tactic for one in answer.tactics],
            closing=sum(one.status == "closes" for one in answer.tactics),
            exceptions={one.tactic: why for one, why in zip(answer.tactics, objections, strict=True) if why},
            first_ms=heard[0] if heard else None,
            all_ms=took,
            parts_ms=answer.timings_ms,
            warnings=answer.warnings,
        )

    async def _again(self, step: Step, text: str, tactic: TacticItem, goals: int) -> str:
        """A fresh Lean's objection to a shown tactic; empty without one. `text` has a `sorry` for each goal."""
        if tactic.status == "closes" or tactic.edit is None:
            theorem = step.theorem if goals == 1 else ""
            return await self._lean.against(text, step.start, tactic, theorem)
        alone = step.cut((EXAMPLE / step.path).read_text(encoding="utf-8"), 1)
        left_open = edited(alone, with_done(tactic.edit))
        return leaves_amiss(await self._lean.remarks(left_open, step.start), tactic.remaining_goals)


def known(path: Path, head: dict[str, Any], kind: type[One]) -> list[One]:
    """The results of an earlier run of the same kind, without a line that was cut off.

    Raises UserError: the file is of another run.
    """
    found: list[One] = []
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    if lines and lines[0] != json.dumps(head, ensure_ascii=False):
        raise UserError(f"{path} is of another run.", "Name another file with --out, or delete it.")
    for line in lines[1:]:
        with suppress(ValueError, TypeError):
            found.append(kind(**json.loads(line)))
    return found


def begun(path: Path, head: dict[str, Any], kind: type[One]) -> dict[str, One]:
    """The same by key; the file then holds these whole lines and nothing else."""
    found: list[One] = known(path, head, kind)
    with replacing(path) as stream:
        for line in (head, *(asdict(one) for one in found)):
            stream.write(json.dumps(line, ensure_ascii=False) + "\n")
    return {one.key: one for one in found}


async def run(options: argparse.Namespace, out: Path) -> list[GoalResult] | list[BrokenGoalResult]:
    """Go on until there are enough usable goals, counting the results of an earlier run."""
    settings, complaints = parse(
        {"tactics": {"source": options.tactics_from, "generator": options.generator}}
    )
    assert not complaints, complaints
    engine = Engine(EXAMPLE, settings, resolve_lean(EXAMPLE, environment={}))
    lean = FreshLean(options.jobs)
    try:
        if options.broken:
            broken = BrokenCheck(engine, lean)
            given = cases(EXAMPLE, options.goals, options.seed)
            return await _results(options, out, lambda _: given, broken.ask, BrokenGoalResult)
        check = Check(engine, lean)
        return await _results(
            options, out, lambda found: rounds(options.goals, options.seed, found), check.ask, GoalResult
        )
    finally:
        await engine.close()


async def _results(
    options: argparse.Namespace,
    out: Path,
    goals: Callable[[list[One]], Iterator[Any]],
    ask: Callable[[Any], Awaitable[One]],
    kind: type[One],
) -> list[One]:
    """Check one goal after the other, with a line in the file for each."""
    head = {"seed": options.seed, "generator": options.generator, "from": options.tactics_from}
    done = begun(out, {**head, "broken": True} if options.broken else head, kind)
    found: list[One] = []
    with (
        out.open("a", encoding="utf-8") as log,
        tqdm(total=options.goals, unit="goal", disable=None) as bar,
    ):
        for goal in goals(found):
            if sum(not one.unusable for one in found) >= options.goals:
                break
            result = done.get(goal.key)
            if result is None:
                result = await ask(goal)
                print(json.dumps(asdict(result), ensure_ascii=False), file=log, flush=True)
            found.append(result)
            bar.update(not result.unusable)
    return found


def rounds(goals: int, seed: int, found: Sequence[GoalResult]) -> Iterator[Step]:
    """Random steps until enough usable goals are found, file by file, as a person goes through them."""
    steps = drawn(EXAMPLE / "Example", seed)
    while steps and (missing := goals - sum(not one.unusable for one in found)) > 0:
        yield from sorted(steps[:missing], key=lambda step: step.path)
        steps = steps[missing:]


def report(found: Sequence[GoalResult], seed: int, seconds: float) -> str:
    """The counts, in a table."""
    usable = [one for one in found if not one.unusable]
    first = [one.first_ms for one in usable if one.first_ms is not None]
    rows: list[tuple[str, object]] = [
        ("goals (seed)", f"{len(usable)} ({seed})"),
        ("steps passed over", len(found) - len(usable)),
        ("goals with a tactic that Lean accepts", sum(bool(one.shown) for one in usable)),
        ("goals closed in one tactic", sum(bool(one.closing) for one in usable)),
        ("tactics shown", sum(len(one.shown) for one in usable)),
        ("exceptions: shown, but refused by a fresh Lean", sum(len(one.exceptions) for one in usable)),
        ("median ms to the first accepted tactic", f"{statistics.median(first):.0f}" if first else "-"),
        (
            "median ms to all verdicts",
            f"{statistics.median([one.all_ms for one in usable]):.0f}" if usable else "-",
        ),
        ("goals with a warning", sum(bool(one.warnings) for one in usable)),
        ("this run took", f"{seconds:.0f} s"),
    ]
    width = max(len(name) for name, _ in rows)
    lines = [f"{name:<{width}}  {value}" for name, value in rows]
    lines += [
        f"EXCEPTION {one.key}: `{tactic}`: {why}" for one in usable for tactic, why in one.exceptions.items()
    ]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--broken", action="store_true", help="goals in files with errors")
    parser.add_argument("--goals", type=int, help="how many (default: 500; 300 with --broken)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="default: build/shown-tactics[-broken].jsonl")
    parser.add_argument("--generator", default="", help="its folder (default: the one that is shipped)")
    parser.add_argument("--tactics-from", choices=SOURCES, default="both")
    parser.add_argument("--jobs", type=int, default=2, help="fresh Leans at once")
    options = parser.parse_args()
    options.goals = options.goals or (300 if options.broken else 500)
    out = options.out or Path(f"build/shown-tactics{'-broken' if options.broken else ''}.jsonl")
    began = time.monotonic()
    try:
        update_project(EXAMPLE, "", lambda *_: None, lambda: False, environment={})
        found = asyncio.run(run(options, out))
    except PremiseSuggestError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print(f"Stopped; {out} is kept, and the same command goes on.", file=sys.stderr)
        return 130
    table = broken_check.report if options.broken else report
    print(table(found, options.seed, time.monotonic() - began))  # type: ignore[arg-type]
    return int(any(one.exceptions for one in found))


if __name__ == "__main__":
    sys.exit(main())
