"""Lean as a backend: statements are queries for the premises that their proofs use.

The corpus is a dataset folder (`python -m retriever dataset`). Scopes, imports, projects and tactics are not
part of the interface: `retriever.lean.service` has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lean_extract.common.errors import UserError
from lean_extract.goals import parse_state
from lean_extract.records import Premise
from retriever.lean.dataset.dataset import load_dataset
from retriever.lean.dataset.queries import DatasetQuery
from retriever.lean.tokens import text_tokens
from retriever.metrics.bootstrap import Bootstrap, Interval
from retriever.metrics.ranks import Ranks
from retriever.models.text import premise_texts, state_text
from retriever.search.backend import Collection, DisplayedHit, Document, Question
from retriever.search.splits import SPLITS, Split

_DEPTHS = (1, 10, 32)
_PIECES = r"[\p{L}][\p{L}\p{N}'!?₀-₉]*|\p{N}+|\S"


@dataclass(frozen=True, slots=True)
class Lean:
    """The backend."""

    name: str = "lean"
    about: str = "premises for a Lean goal"
    pieces: str = _PIECES

    def read(self, source: Path) -> Collection:
        """A dataset folder: premises, and the statements whose proofs use them. Raises BadRecords."""
        dataset = load_dataset(source)
        numbers = {premise.name: number for number, premise in enumerate(dataset.corpus)}
        everything = tuple(range(len(dataset.corpus)))
        pools: dict[Split, tuple[int, ...]] = dict.fromkeys(SPLITS, everything)
        questions = tuple(
            _question(query, numbers.get(query.theorem))
            for query in dataset.queries
            if query.origin == "statement"
        )
        return Collection(tuple(map(_document, dataset.corpus)), questions, pools, dataset.manifest.digest)

    def query_text(self, typed: str) -> str:
        """The main goal of a state as Lean prints it, in the paper's form. Raises BadState, UserError."""
        state = parse_state(typed)
        if not state.goals:
            raise UserError("There is no goal in what was typed.", "Type a goal with `⊢`, as Lean prints it.")
        return state_text(state.goals[0])

    def terms(self, text: str) -> list[str]:
        """Lean's own tokens, variables left out."""
        return text_tokens(text)

    def figures(self, ranks: Sequence[Ranks], seed: int = 0) -> dict[str, Interval]:
        """R@1, R@10, R@32 and MRR, means over queries, in percent (section 4.1.3)."""
        rows = np.array([_row(one) for one in ranks], dtype=np.float64)
        found = Bootstrap(len(ranks), seed=seed).intervals(100 * rows)
        return dict(zip((*(f"R@{k}" for k in _DEPTHS), "MRR"), found, strict=True))

    def show(self, document: Document) -> DisplayedHit:
        """Its full name, Lean's keyword, its statement, its module."""
        return DisplayedHit(document.title, document.kind, document.body, document.where)


def _question(query: DatasetQuery, own: int | None) -> Question:
    return Question(query.theorem, state_text(query.goal), query.gold, query.split, own, query.theorem)


def _row(ranks: Ranks) -> list[float]:
    return [*(sum(rank <= k for rank in ranks) / len(ranks) for k in _DEPTHS), 1 / min(ranks)]


def _document(premise: Premise) -> Document:
    context, goal = premise_texts(premise)
    return Document(
        key=premise.name,
        kind=premise.kind,
        title=premise.name,
        text=f"{context} {goal}".strip(),
        body=premise.statement,
        where=premise.module,
    )


BACKEND = Lean()
