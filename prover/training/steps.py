"""Steps of proofs whose own tactic is known, the retriever's premises for them (`python -m prover retrieve`), and how
often tactics are the proofs' own."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lean_extract.common.errors import BadRecords
from lean_extract.goals import parse_state
from lean_extract.records import Goal
from lean_extract.syntax.complete_tactics import head
from lean_extract.syntax.lexer import is_identifier, raw_tokens
from prover.training.data import EncodedPairs
from prover.training.pairs import TacticPair
from retriever.lean.evaluation.pool import HeldOutGoal, Pool
from retriever.metrics.bootstrap import Bootstrap, Interval, table

FORMAT = "premise-suggest-retrieved"


@dataclass(frozen=True, slots=True)
class WantedStep:
    """A step whose own tactic is known."""

    theorem: str
    module: str
    goal: Goal
    tactic: str

    def question(self, pool: Pool, numbers: Mapping[str, int]) -> HeldOutGoal:
        """It as a question without gold, where the pool has its theorem: files move between versions.

        `numbers` are those of the pool's premises by name. Without the theorem no line is known.
        """
        number = numbers.get(self.theorem)
        if number is None:
            return HeldOutGoal(self.goal, self.theorem, self.module, None, frozenset())
        return HeldOutGoal(
            self.goal, self.theorem, pool.modules[number], int(pool.lines[number]), frozenset()
        )


def read_steps(path: Path) -> list[WantedStep]:
    """The steps of a file in LeanDojo's form. Raises BadRecords."""
    found = []
    try:
        with path.open(encoding="utf-8") as stream:
            for line in stream:
                row = json.loads(line)
                goals = parse_state(row["state_before"]).goals
                module = row["file"].removesuffix(".lean").replace("/", ".")
                if goals:
                    found.append(WantedStep(row["theorem"], module, goals[0], row["tactic"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        hint = "Name a file with one LeanDojo step a line."
        raise BadRecords(f"{path} cannot be read as steps: {error}.", hint) from error
    if not found:
        raise BadRecords(f"{path} has no steps.", "Name a file with one LeanDojo step a line.")
    return found


def tactic_steps(known: EncodedPairs) -> list[TacticPair]:
    """The tactic steps of a split, without goals that are proved by terms."""
    return [pair for pair in known.pairs if pair.kind != "term"]


def sample(steps: int, limit: int) -> list[int]:
    """The indices of a fixed sample of at most `limit` out of `steps` steps, ascending."""
    return [int(row) for row in np.sort(np.random.default_rng(0).permutation(steps)[:limit])]


def read_retrieved(path: Path, known: EncodedPairs) -> list[list[str] | None]:
    """The premises' names for each of `tactic_steps`; None for a step that is not in the sample.

    Raises BadRecords: the file is damaged, or belongs to other pairs or another split.
    """
    return read_lists(path, known.manifest.digest, known.split, len(tactic_steps(known)))


def read_lists(path: Path, digest: str, part: str, steps: int) -> list[list[str] | None]:
    """The premises' names for each of a number of steps; None for a step that is not in the sample.

    Args:
        digest: the hash of the pairs, or of the file of steps, that the lists were made for.
        part: the split; empty for a file of steps.

    Raises BadRecords: the file is damaged, or belongs to other steps.
    """
    hint = "Write it with `python -m prover retrieve`."
    try:
        with path.open(encoding="utf-8") as stream:
            header, *rows = map(json.loads, stream)
        if header["format"] != FORMAT or header["pairs"] != digest:
            raise BadRecords(f"{path} belongs to other pairs.", hint)
        if header["part"] != part:
            raise BadRecords(f"{path} belongs to the {header['part']} split, not to {part}.", hint)
        if len(rows) != steps:
            raise BadRecords(f"{path} has {len(rows)} of {steps} rows.", hint)
        return [None if row is None else [str(name) for name in row] for row in rows]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadRecords(f"{path} cannot be read: {error}.", hint) from error


def retrieved_pairs(path: Path, known: EncodedPairs) -> dict[int, list[str]]:
    """The premises' names by index in `known.pairs`, for the sampled steps that are known from text.

    Traced steps are left out: they come from another library than the retriever's dataset. Raises the same errors
    as `read_retrieved`.
    """
    lists = iter(read_retrieved(path, known))
    indices = (index for index, pair in enumerate(known.pairs) if pair.kind != "term")
    found = zip(indices, lists, strict=True)
    return {
        index: names for index, names in found if names is not None and known.pairs[index].kind == "tactic"
    }


def one_line(tactic: str) -> str:
    """The tactic with one space for any white space."""
    return " ".join(tactic.split())


def last_parts(tactic: str) -> str:
    """The tactic with the last parts of all names, one space between tokens."""
    tokens = [raw.rstrip() for raw in raw_tokens(one_line(tactic))]
    return " ".join(token.rpartition(".")[2] if is_identifier(token) else token for token in tokens)


def matches(
    tactics: Sequence[str], wanted: str, count: int, form: Callable[[str], str] = last_parts
) -> tuple[float, float, float]:
    """(exact@1, exact@n, head@n) of the first `count` tactics that differ, each 0 or 1.

    `form`: what is compared; by default names count by their last parts.
    """
    distinct = list({form(tactic): tactic for tactic in reversed(tactics)}.items())[::-1][:count]
    same = [text == form(wanted) for text, _ in distinct]
    heads = [head(tactic) == head(wanted) for _, tactic in distinct]
    return float(same[:1] == [True]), float(any(same)), float(any(heads))


def shares(names: Sequence[str], values: Sequence[Sequence[float]]) -> dict[str, Interval]:
    """The means of each column over steps, with their intervals. Values are [steps, names], each 0 or 1."""
    return dict(zip(names, Bootstrap(len(values)).intervals(np.array(values)), strict=True))


def share_table(label: str, rows: Sequence[tuple[str, Mapping[str, Interval], str]], last: str = "ms") -> str:
    """The rows in Markdown, each a name, its figures by column, and the text of the last column."""
    names = list(rows[0][1]) if rows else []
    lines = [[name, *map(_percent, figures.values()), text] for name, figures, text in rows]
    return table([label, *names, last], lines)


def _percent(share: Interval) -> str:
    return f"{100 * share.mean:.1f} ({100 * share.low:.1f}–{100 * share.high:.1f})"
