"""Collects what the sources propose: at the steps of a file, and at the theorems of a library, where Lean tries it.

What is collected is kept goal by goal, so that a command that was stopped goes on.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tqdm import tqdm

from lean_extract.common.errors import BadRecords
from lean_extract.common.files.atomic import replacing
from lean_extract.session import LeanSession
from prover.training.steps import WantedStep
from prover.training.turns.labelled import LabelledGoal, key_of_step, labelled, of_plain, to_plain
from prover.training.turns.library_trials import LibraryGoal, tried
from prover.training.turns.proposing import Sources
from retriever.training.running.partial_results import partial_results


def kept(path: Path, about: dict[str, Any]) -> list[LabelledGoal] | None:
    """What an earlier command with the same description collected; None if there is nothing of the kind.

    Raises BadRecords: the file is damaged.
    """
    if not path.exists():
        return None
    try:
        with path.open(encoding="utf-8") as stream:
            if json.loads(next(stream, "null")) != about:
                return None
            return [of_plain(json.loads(line)) for line in stream]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadRecords(f"{path} cannot be read: {error}.", "Delete it, or collect with --again.") from error


def at_steps(
    path: Path,
    about: dict[str, Any],
    sources: Sources,
    steps: Sequence[WantedStep],
    generated: frozenset[str],
) -> list[LabelledGoal]:
    """Ask at these steps, and write the file. Raises OSError."""
    with partial_results(path, json.dumps(about)) as (done, keep):
        left = [step for step in steps if key_of_step(step) not in done]
        lists = sources.propose(left, generated)
        for step, found in tqdm(zip(left, lists, strict=True), total=len(left), desc="steps", disable=None):
            keep(key_of_step(step), to_plain(labelled(step, found)))
        return _written(path, about, [done[key_of_step(step)] for step in steps])


async def at_theorems(
    path: Path,
    about: dict[str, Any],
    sources: Sources,
    session: LeanSession,
    goals: Sequence[LibraryGoal],
    generated: frozenset[str],
) -> list[LabelledGoal]:
    """Ask at these theorems, have Lean try what is proposed, and write the file. Raises OSError."""
    with partial_results(path, json.dumps(about)) as (done, keep):
        left = [goal for goal in goals if key_of_step(goal.step) not in done]
        lists = sources.propose([goal.step for goal in left], generated)
        for goal, found in tqdm(
            zip(left, lists, strict=True), total=len(left), desc="theorems", disable=None
        ):
            trials = await tried(session, goal, found)
            keep(key_of_step(goal.step), to_plain(labelled(goal.step, found, trials)))
        return _written(path, about, [done[key_of_step(goal.step)] for goal in goals])


def _written(path: Path, about: dict[str, Any], rows: Sequence[dict[str, Any]]) -> list[LabelledGoal]:
    with replacing(path) as stream:
        stream.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in (about, *rows))
    return [of_plain(row) for row in rows]
