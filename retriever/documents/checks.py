"""What has to hold between the statements of a released file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from retriever.documents.released import LayoutProblem, whole_numbers
from retriever.documents.schema import Corpus, DocumentProof, Statement

Placed = tuple[str, Statement]
"""A statement and its location in the file."""


def without_doubles(placed: Iterable[Placed], problems: list[LayoutProblem]) -> list[Placed]:
    """The first statement of each id."""
    first: dict[int, Placed] = {}
    for location, statement in placed:
        if statement.id in first:
            text = f"is {statement.id}, which is the id of {first[statement.id][0]} too"
            problems.append(LayoutProblem(f"{location}.id", text))
        else:
            first[statement.id] = (location, statement)
    return list(first.values())


def checked_links(placed: Sequence[Placed], problems: list[LayoutProblem]) -> list[Statement]:
    """The statements, without ids that lead nowhere."""
    ids: dict[str, set[int]] = {}
    for _, statement in placed:
        ids.setdefault(statement.label, set()).add(statement.id)
    known = {statement.id for _, statement in placed}

    def links(one: Statement | DocumentProof, location: str) -> tuple[int, ...]:
        for number, target in enumerate(one.ref_ids):
            if target not in known:
                problems.append(
                    LayoutProblem(f"{location}.ref_ids[{number}]", f"is {target}, the id of nothing")
                )
        kept = tuple(target for target in one.ref_ids if target in known)
        labelled = [ids[label] for label in one.refs if label in ids]
        if len(kept) == len(one.ref_ids) and not (
            len(labelled) == len(kept)
            and all(target in named for target, named in zip(kept, labelled, strict=True))
        ):
            problems.append(LayoutProblem(location, "has ref_ids that are not the ids of its refs"))
        return kept

    return [
        replace(
            statement,
            ref_ids=links(statement, location),
            proofs=tuple(
                replace(proof, ref_ids=links(proof, f"{location}.proofs[{number}]"))
                for number, proof in enumerate(statement.proofs)
            ),
        )
        for location, statement in placed
    ]


def check_examples(plain: object, corpus: Corpus, problems: list[LayoutProblem]) -> None:
    """Whether each retrieval example is a theorem."""
    theorems = {theorem.id for theorem in corpus.theorems}
    location = "dataset.retrieval_examples"
    for number in whole_numbers(plain, location, problems):
        if number not in theorems:
            problems.append(LayoutProblem(location, f"names {number}, which is the id of no theorem"))
