"""The retrieval task of one part of a corpus (section 4): theorems, candidates, and what is looked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from lean_extract.common.errors import BadRecords, BadSettings
from retriever.documents.schema import Corpus, Example, Split, Splits, Statement

Part = Literal["valid", "test", "both"]
PARTS: tuple[Part, ...] = ("valid", "test", "both")
_HINT = "Make the split again: python -m retriever naturalproofs-split CORPUS.json --seed 0 --out FILE.json"


References = tuple[int, ...]
"""Ids that a proof refers to, in order, repeated as they are."""


@dataclass(frozen=True, slots=True)
class ReferenceQuery:
    """One example: a theorem, and the distinct references of one of its proofs."""

    theorem: Statement
    own: int | None
    """Its number among the candidates."""
    gold: tuple[int, ...]
    """Numbers of candidates, ascending; may hold `own`."""
    references: References
    """What the proof refers to."""


@dataclass(frozen=True, slots=True)
class ReferenceTask:
    """What is ranked for whom, and what may be learnt from."""

    candidates: tuple[Statement, ...]
    queries: tuple[ReferenceQuery, ...]
    training: tuple[References, ...]
    """What training proofs refer to, one a training example."""


def build_task(corpus: Corpus, splits: Splits, part: Part) -> ReferenceTask:
    """The task of a part.

    Raises BadSettings when the part has no examples, BadRecords when the split does not belong to the corpus.
    """
    split = _part(splits, part)
    if not split.examples:
        raise BadSettings(
            f"The split has no example to evaluate ({part}).",
            "Choose another part, or --whole to take every example.",
        )
    statements = {statement.id: statement for statement in corpus.statements}
    numbers = {id: number for number, id in enumerate(split.ref_ids)}
    return ReferenceTask(
        candidates=_candidates(statements, split),
        queries=tuple(_query(statements, numbers, example, part) for example in split.examples),
        training=tuple(_references(statements, example, "train") for example in splits.train.examples),
    )


def _part(splits: Splits, part: Part) -> Split:
    if part == "both":
        ids = dict.fromkeys((*splits.valid.ref_ids, *splits.test.ref_ids))
        return Split((*splits.valid.examples, *splits.test.examples), tuple(ids))
    return splits.valid if part == "valid" else splits.test


def _candidates(statements: Mapping[int, Statement], split: Split) -> tuple[Statement, ...]:
    unknown = next((id for id in split.ref_ids if id not in statements), None)
    if unknown is not None:
        raise BadRecords(f"The split ranks statement {unknown}, which is not in the corpus.", _HINT)
    return tuple(statements[id] for id in split.ref_ids)


def _query(
    statements: Mapping[int, Statement], numbers: Mapping[int, int], example: Example, part: Part
) -> ReferenceQuery:
    references = _references(statements, example, part)
    missing = sorted(set(references) - numbers.keys())
    if missing:
        raise BadRecords(
            f"The {part} example {list(example)} refers to {missing[0]}, which the split does not rank.",
            _HINT,
        )
    gold = tuple(sorted({numbers[id] for id in references}))
    return ReferenceQuery(statements[example[0]], numbers.get(example[0]), gold, references)


def _references(statements: Mapping[int, Statement], example: Example, part: str) -> References:
    id, number = example
    theorem = statements.get(id)
    if theorem is None or not 0 <= number < len(theorem.proofs) or not theorem.proofs[number].ref_ids:
        raise BadRecords(f"The {part} example {list(example)} is not a proof with references.", _HINT)
    return theorem.proofs[number].ref_ids
