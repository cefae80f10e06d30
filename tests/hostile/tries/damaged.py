"""Files of an index come to harm: what is answered is right, or it is told which file it is."""

from __future__ import annotations

import json
import random
import shutil
import subprocess

from tests.hostile.damages import DAMAGES
from tests.hostile.tries.ground import STATE, Ground
from tests.hostile.tries.report import SLOW, WRONG, Effort, Report

PART = "damaged"
_LONGEST = 60.0


def run(ground: Ground, effort: Effort, report: Report) -> None:
    """Harm one file at a time, ask, and put it right again."""
    chance = effort.random(PART)
    index = ground.folder / "index"
    ours = (f"{ground.library.name}-*", "packages")  # beside those of the projects of other parts
    files = [path for name in ours for path in sorted(index.glob(f"{name}/**/*.*")) if path.is_file()]
    right = _answer(ground, report)
    kept = ground.folder / "kept"
    for _ in range(effort.of(5, 100)):
        report.tried(PART)
        path, how = chance.choice(files), chance.choice(list(DAMAGES))
        shutil.copytree(index, kept, symlinks=True)
        try:
            DAMAGES[how](path)
            _ask(ground, f"{path.relative_to(index)}, {how}", right, report, chance)
        except subprocess.TimeoutExpired:
            report.found(SLOW, PART, f"{path.relative_to(index)}, {how}: no end in {_LONGEST:.0f} s")
        finally:
            shutil.rmtree(index)
            kept.rename(index)


def _ask(ground: Ground, what: str, right: list[str], report: Report, chance: random.Random) -> None:
    """An answer is right, or says what is wrong; `index` mends it."""
    done = _suggest(ground)
    report.check_log(PART, done.stderr)
    if _names(done) == right:
        return
    if "damaged" not in (said := done.stdout + done.stderr) and "no premise index" not in said:
        report.found(WRONG, PART, f"{what}: another answer, and nothing said: {said[-300:]}")
    if chance.random() < 0.3:
        mended = ground.run("index", ground.library, seconds=_LONGEST)
        report.check_log(PART, mended.stderr)
        if mended.returncode or _answer(ground, report) != right:
            report.found(WRONG, PART, f"{what}: not mended by `index`: {mended.stderr[-300:]}")


def _answer(ground: Ground, report: Report) -> list[str]:
    done = _suggest(ground)
    report.check_log(PART, done.stderr)
    return _names(done)


def _suggest(ground: Ground) -> subprocess.CompletedProcess[str]:
    command = ("suggest", "--state", "-", "--k", "20", "--json")
    return ground.run(*command, stdin=STATE, folder=ground.library, seconds=_LONGEST)


def _names(done: subprocess.CompletedProcess[str]) -> list[str]:
    try:
        return [premise["name"] for premise in json.loads(done.stdout)["premises"]]
    except (ValueError, KeyError):
        return []
