"""What definitions bring, and what they cost theorems, where the caller is known: recall over traced steps.

    python scripts/caller_recall.py STEPS [--project ROOT] [--limit N] [--out docs/results/callers.md]

STEPS are those of `python -m retriever evaluate --states`. Only the state is known, and the index is the bundled
one or the project's. The gold of a step is what of its premises the index holds as theorems or as unfoldable
definitions.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from lean_extract.goals import parse_state
from lean_extract.records import Goal
from lsp_server.engine.project_index import ProjectIndex
from retriever.lean.callers import CALLERS, Caller, caller_of
from retriever.lean.eligibility import Kinds, RankRequest, admits
from retriever.lean.index.bundled import read_card

_SHOWN = 10
_GOLD: tuple[Kinds, ...] = ("theorems", "unfoldable")


@dataclass(frozen=True, slots=True)
class Step:
    """A step's first goal, its caller, and its gold: theorems, and theorems with definitions."""

    goal: Goal
    caller: Caller
    theorems: frozenset[str]
    everything: frozenset[str]


def steps_of(path: Path, index: ProjectIndex) -> Iterator[Step]:
    """The steps that have gold and a caller. Raises BadState."""
    with index.service.reading() as snapshot:
        for line in path.read_text(encoding="utf-8").splitlines():
            step = json.loads(line)
            goals, caller = parse_state(step["state_before"]).goals, caller_of(step["tactic"])
            found = snapshot.names.find_names(step["premises"]).tolist()
            premises = [snapshot.view.premise(number) for number in found if number >= 0]
            theorems, others = (
                frozenset(premise.name for premise in premises if admits(kinds, premise)) for kinds in _GOLD
            )
            if goals and caller and theorems | others:
                yield Step(goals[0], caller, theorems, theorems | others)


def recall(found: Sequence[str], gold: Collection[str], k: int) -> float:
    """The share of the gold among the first k."""
    return len(set(gold) & set(found[:k])) / len(gold)


def row(steps: Sequence[Step], index: ProjectIndex, *, with_definitions: bool) -> list[float]:
    """In percent: R@1 and R@10 of everything, R@10 of theorems where there are any."""
    figures: list[list[float]] = [[], [], []]
    for step in steps:
        kinds: Kinds | None = None if with_definitions else "theorems"
        ranked = index.rank(RankRequest(step.goal, None, _SHOWN, kinds, caller=step.caller))
        names = [one.premise.name for one in ranked]
        figures[0].append(recall(names, step.everything, 1))
        figures[1].append(recall(names, step.everything, _SHOWN))
        if step.theorems:
            figures[2].append(recall(names, step.theorems, _SHOWN))
    return [100 * sum(values) / max(len(values), 1) for values in figures]


def main() -> None:
    """Print the table, or write it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("steps", type=Path, metavar="STEPS")
    parser.add_argument("--project", type=Path, default=None, metavar="ROOT")
    parser.add_argument("--limit", type=int, default=None, metavar="N", help="of each caller")
    parser.add_argument("--out", type=Path, default=None, metavar="FILE")
    options = parser.parse_args()
    index = ProjectIndex(options.project, "")
    by_caller: dict[Caller, list[Step]] = defaultdict(list)
    for step in steps_of(options.steps, index):
        by_caller[step.caller].append(step)
    digest = sha256(options.steps.read_bytes()).hexdigest()[:16]
    library = "the project's index" if options.project else f"Mathlib {read_card().revision} (bundled)"
    lines = [
        "# Definitions as premises, by caller",
        "",
        f"`scripts/caller_recall.py {options.steps.name}` (sha256 {digest}), state alone, {library}; in percent.",
        "",
        "| caller | steps | offered | R@1 | R@10 | R@10 of theorems |",
        "|---|---|---|---|---|---|",
    ]
    for caller in (caller for caller in CALLERS if by_caller[caller]):
        chosen = by_caller[caller][: options.limit]
        for with_definitions in (False, True):
            figures = " | ".join(
                f"{figure:.1f}" for figure in row(chosen, index, with_definitions=with_definitions)
            )
            offered = "what it can use" if with_definitions else "theorems"
            lines.append(f"| {caller} | {len(chosen)} | {offered} | {figures} |")
    text = "\n".join(lines) + "\n"
    if options.out is None:
        print(text, end="")
    else:
        options.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
