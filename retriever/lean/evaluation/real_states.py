"""Traced states with labels per tactic, as questions over a text-made pool.

The file has one tactic a line: theorem, file, step, state_before, tactic, premises, core_premises (LeanDojo's form;
`core_premises` may be absent). There are three counts:

    theorems     the gold premises of a step are the theorems that the pool holds; steps without any are left out
    known        those of any kind that the pool holds
    everything   all annotated premises are gold, core's too; one that the pool lacks cannot be found
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal, get_args

from lean_extract.common.errors import BadRecords
from lean_extract.goals import parse_state
from retriever.lean.callers import caller_of
from retriever.lean.evaluation.pool import HeldOutGoal, OfferedKinds, Pool

Count = Literal["theorems", "known", "everything"]
COUNTS: tuple[Count, ...] = get_args(Count)


def read_states(
    path: Path,
    pool: Pool,
    count: Count = "theorems",
    kinds: OfferedKinds = "theorems",
    *,
    callers: bool = False,
) -> list[HeldOutGoal]:
    """The steps that have gold premises, as questions.

    Where the pool has the theorem, it stands where the pool has it: files move between versions. Gold premises that
    the pool lacks have numbers from `len(pool)` on. With `callers` each is asked with its step's tactic known.

    Raises BadRecords when there is no such file or a line is not such a step, BadState when a state cannot be
    read.
    """
    numbers = {name: number for number, name in enumerate(pool.names)}
    questions = []
    for line_number, line in enumerate(_lines(path), start=1):
        try:
            step = json.loads(line)
            theorem, file, state, tactic, premises = (
                step[key] for key in ("theorem", "file", "state_before", "tactic", "premises")
            )
            annotated = dict.fromkeys([*premises, *step.get("core_premises", ())])
        except (ValueError, KeyError, TypeError) as error:
            raise BadRecords(
                f"{path}:{line_number}: not a traced step: {error}", "Use a file of traced steps."
            ) from error
        annotated.pop(theorem, None)
        gold = frozenset(numbers[name] for name in annotated if name in numbers)
        if count == "theorems":
            gold = frozenset(number for number in gold if pool.is_theorem[number])
        if count == "everything":
            gold |= frozenset(range(len(pool), len(pool) + len(annotated) - len(gold)))
        goals = parse_state(state).goals
        if gold and goals:
            number = numbers.get(theorem)
            at = int(pool.lines[number]) if number is not None else None
            module = file.removesuffix(".lean").replace("/", ".") if number is None else pool.modules[number]
            caller = caller_of(tactic) if callers else ""
            questions.append(HeldOutGoal(goals[0], theorem, module, at, gold, kinds, caller))
    return questions


def _lines(path: Path) -> list[str]:
    hint = "Use a file of traced steps."
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise BadRecords(f"{path} cannot be read: {error.strerror}.", hint) from error
    except UnicodeDecodeError as error:
        raise BadRecords(f"{path} is not UTF-8: byte {error.start} cannot be decoded.", hint) from error
