"""Gets suggestions at every `sorry` of a file in a real project, and has the project's Lean check what closes them.

    python scripts/acceptance.py PROJECT GOALS [--report FOLDER]

GOALS is a Lean file, such as `scripts/acceptance_goals/Mathlib.lean`, which is copied into PROJECT. First
`premise-suggest setup` and `doctor --live` run there. FOLDER gets `report.json`, `report.md` and the finished file.
The exit code is 1 if nothing closes, or Lean refuses what was shown as closing. `.github/workflows/real.yml` runs this
on a real Lean with Mathlib; the tests run it on a stand-in for Lake.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from fresh_lean import edited

from lean_extract.common.errors import LeanError, UserError
from lean_extract.common.files.atomic import replacing
from lean_extract.records import Position
from lean_extract.session.processes import descendants, private_megabytes
from lean_extract.toolchains.toolchain import resolve_lean
from lsp_server.engine.engine import Engine
from lsp_server.engine.requests import SuggestRequest
from lsp_server.engine.schema import Suggestion
from lsp_server.engine.schema_items import EditItem
from lsp_server.engine.settings import parse
from prover.verify import GoalPosition

COMMAND = [sys.executable, "-m", "lsp_server"]
SECONDS = 3600
"""For one command: the index of all of Mathlib."""


@dataclass
class GoalResult:
    """The result for one goal. Times in seconds."""

    line: int
    goal: str = ""
    premises: list[str] = field(default_factory=list)
    closes: list[str] = field(default_factory=list)
    leaves: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    remarks: str = ""
    """The error or the warnings."""
    edit: EditItem | None = None
    """The edit of the first tactic that closes."""


@dataclass
class Report:
    """The whole run."""

    machine: str
    lean: str
    setup_seconds: float
    doctor: list[dict[str, str]]
    goals: list[GoalResult]
    lean_megabytes: float
    refused: list[str]
    """Lean's errors in the finished file."""


def run(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A command of ours; what it prints on standard error is shown as it comes."""
    return subprocess.run([*COMMAND, *words], cwd=folder, stdout=subprocess.PIPE, text=True, timeout=SECONDS)


async def ask(engine: Engine, path: Path, text: str, line: int) -> GoalResult:
    """The premises and tactics at the `sorry` in a line, from 0."""
    result = GoalResult(line + 1)
    column = text.split("\n")[line].rindex("sorry")
    try:
        answer = await engine.suggest(
            SuggestRequest(GoalPosition(path, text, Position(line, column)), tactics=True)
        )
    except (LeanError, UserError) as error:
        result.remarks = str(error)
        return result
    return _read(result, answer)


def _read(result: GoalResult, answer: Suggestion) -> GoalResult:
    closing = [one for one in answer.tactics if one.status == "closes" and not one.rests_on_sorry]
    result.goal = answer.goal
    result.premises = [one.name for one in answer.premises]
    result.closes = [one.tactic for one in closing]
    result.leaves = [one.tactic for one in answer.tactics if one.status == "progress"]
    result.seconds = {name: milliseconds / 1000 for name, milliseconds in answer.timings_ms.items()}
    result.remarks = " ".join(answer.warnings)
    result.edit = closing[0].edit if closing else None
    return result


async def ask_all(project: Path, path: Path, text: str) -> tuple[list[GoalResult], float]:
    """All goals of a file, and the memory of Lean after the last one, in MB."""
    settings, _ = parse({})
    engine = Engine(project, settings)
    try:
        lines = [number for number, line in enumerate(text.split("\n")) if re.search(r"\bsorry$", line)]
        results: list[GoalResult] = []
        for number in lines:
            results.append(await ask(engine, path, text, number))
            print(
                f"line {number + 1}: {', '.join(results[-1].closes[:1]) or results[-1].remarks or 'not closed'}",
                flush=True,
            )
        return results, sum(map(private_megabytes, descendants(os.getpid())))
    finally:
        await engine.close()


def finished(text: str, goals: Sequence[GoalResult]) -> str:
    """The file with the first closing tactic of each goal; edits from the last to the first, so that lines stay."""
    for one in reversed(goals):
        if one.edit is not None:
            text = edited(text, one.edit)
    return text


def refusals(project: Path, path: Path, text: str) -> list[str]:
    """The errors of the project's own Lean on a text."""
    path.write_text(text, encoding="utf-8")
    toolchain = resolve_lean(project)
    command = [*toolchain.lake_command, "env", *toolchain.lean_command]
    done = subprocess.run(
        [*command, str(path)],
        cwd=project,
        env={**os.environ, **toolchain.environment},
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    return [line for line in done.stdout.splitlines() if ": error" in line] or done.stderr.splitlines()[
        -1:
    ] * (done.returncode != 0)


def table(report: Report) -> str:
    """The report for people."""
    closed = [one for one in report.goals if one.closes]
    answered = [one for one in report.goals if one.seconds]
    rows = [
        ("machine", report.machine),
        ("Lean", report.lean),
        ("setup", f"{report.setup_seconds:.0f} s"),
        ("goals closed", f"{len(closed)} of {len(report.goals)}"),
        ("refused by Lean", str(len(report.refused))),
        ("memory of Lean", f"{report.lean_megabytes:,.0f} MB"),
    ]
    for name in ("goal", "premises", "tactics", "total"):
        seconds = [one.seconds[name] for one in answered if name in one.seconds]
        if seconds:
            rows.append(
                (f"{name}, median and longest", f"{statistics.median(seconds):.1f} s, {max(seconds):.1f} s")
            )
    lines = ["| what | found |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows), ""]
    lines += [
        f"- line {one.line}: {one.closes[0] if one.closes else one.remarks or 'not closed'}"
        for one in report.goals
    ]
    return "\n".join([*lines, *(f"- refused: {one}" for one in report.refused)]) + "\n"


def write(folder: Path, report: Report, text: str) -> None:
    """Write the three files."""
    folder.mkdir(parents=True, exist_ok=True)
    content = {
        "report.json": json.dumps(asdict(report), indent=1),
        "report.md": table(report),
        "Finished.lean": text,
    }
    for name, written in content.items():
        with replacing(folder / name) as file:
            file.write(written)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("project", type=Path)
    parser.add_argument("goals", type=Path)
    parser.add_argument("--report", type=Path, default=Path("acceptance"))
    options = parser.parse_args()
    project, text = options.project.resolve(), options.goals.read_text(encoding="utf-8")
    begin = time.perf_counter()
    set_up = run("setup", "--yes", ".", folder=project)
    seconds = time.perf_counter() - begin
    doctor = json.loads(run("doctor", "--live", "--json", ".", folder=project).stdout)
    path = project / "PremiseSuggestGoals.lean"
    path.write_text(text, encoding="utf-8")
    goals, megabytes = asyncio.run(ask_all(project, path, text))
    done = finished(text, goals)
    lean = resolve_lean(project).version
    refused = refusals(project, path, done)
    report = Report(platform.platform(), lean, seconds, doctor, goals, megabytes, refused)
    write(options.report, report, done)
    print(table(report))
    return int(set_up.returncode != 0 or bool(refused) or not any(one.closes for one in goals))


if __name__ == "__main__":
    sys.exit(main())
