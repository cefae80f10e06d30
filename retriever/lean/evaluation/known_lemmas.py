"""Known lemmas that the shipped index should find: in words as people type them, or restated as goals.

    python -m retriever known-lemmas FILE... [--index FOLDER] [--model FOLDER] [--missed] [--json FILE]

A file has a line of JSON for each question: `{"query": words, "accept": [names]}` is searched as free text,
`{"state": goal, "accept": [names]}` as a goal. Prints how many have an accepted name first, and how many in
the first ten.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lean_extract.common.errors import BadRecords
from lean_extract.common.verbs import add_json_option, write_json
from lean_extract.goals import parse_goal
from retriever.lean.eligibility import RankRequest
from retriever.lean.index import bundled
from retriever.lean.service import PremiseService
from retriever.lean.text_search import search
from retriever.search.index.store import IndexStore

FIRST = 10
"""How many answers are looked at."""


@dataclass(frozen=True, slots=True)
class LemmaQuestion:
    """A question and its right answers."""

    text: str
    is_state: bool
    accept: frozenset[str]


@dataclass(frozen=True, slots=True)
class LemmaAnswer:
    """What was found for a question."""

    question: LemmaQuestion
    found: tuple[str, ...]
    """The names, best first."""

    @property
    def rank(self) -> int | None:
        """The rank of the best accepted name, from 1; None: it is not among those found."""
        ranks = (rank for rank, name in enumerate(self.found, 1) if name in self.question.accept)
        return next(ranks, None)


def read(path: Path) -> list[LemmaQuestion]:
    """The questions of a file. Raises OSError, and BadRecords for an invalid line."""
    questions = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            row = json.loads(line)
            is_state = "state" in row
            text = str(row["state" if is_state else "query"])
            questions.append(LemmaQuestion(text, is_state, frozenset(map(str, row["accept"]))))
        except (ValueError, KeyError, TypeError) as error:
            raise BadRecords(f"{path}, line {number} is not a question: {error}.") from error
    return questions


def answers_of(service: PremiseService, questions: Sequence[LemmaQuestion]) -> list[LemmaAnswer]:
    """The first answers of an index to each question. Raises BadState for a state that cannot be read."""
    answers = []
    for question in questions:
        if question.is_state:
            ranked = service.rank(RankRequest(parse_goal(question.text), k=FIRST))
        else:
            ranked = search(service, question.text, None, FIRST)
        answers.append(LemmaAnswer(question, tuple(one.premise.name for one in ranked)))
    return answers


def figures(answers: Sequence[LemmaAnswer]) -> tuple[int, int]:
    """How many questions have an accepted name first, and among all that was looked at."""
    ranks = [answer.rank for answer in answers]
    return ranks.count(1), sum(rank is not None for rank in ranks)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--index", type=Path, help="default: the bundled one")
    parser.add_argument("--model", type=Path, default=bundled.DATA.parent / "encoder")
    parser.add_argument("--missed", action="store_true", help="print what was missed, and what stood there")
    add_json_option(parser)


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    with tempfile.TemporaryDirectory() as cache:
        store = IndexStore(options.index) if options.index else bundled.unpack(Path(cache))
        service = PremiseService.open([store], options.model)
        rows = []
        for path in options.files:
            answers = answers_of(service, read(path))
            _print(path, answers, options.missed)
            first, found = figures(answers)
            rows.append({"file": path.name, "questions": len(answers), "first": first, "found": found})
    write_json(options.json, rows)


def _print(path: Path, answers: Sequence[LemmaAnswer], with_missed: bool) -> None:
    first, found = figures(answers)
    print(f"{path.name}: {len(answers)} questions, {first} first, {found} in the first {FIRST}")
    for answer in answers:
        if with_missed and answer.rank is None:
            print(f"  {answer.question.text.rpartition(chr(10))[2]}")
            print(f"    found {', '.join(answer.found)}")
            print(f"    wanted {', '.join(sorted(answer.question.accept))}")
