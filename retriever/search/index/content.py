"""Premises into the columns of a segment, and several segments into one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from lean_extract.records import Premise, to_json
from lean_extract.tactic_text import UNPROVED
from retriever.lean.structure.hashes import of_premise
from retriever.search.index.exact import Int8s
from retriever.search.index.neighbours import Floats
from retriever.search.index.proof_columns import ProofColumns, ProofRows, hash_names, merged
from retriever.search.index.segment import Flag, IndexedFile, Segment, SegmentContent
from retriever.search.index.structure_columns import StructureColumns
from retriever.search.lexical import build_postings, premise_tokens, sorted_postings

_THEOREM_KINDS = frozenset({"theorem", "lemma", "axiom", "alias"})
NO_PROOFS = ProofRows.of_names({})
_PROPOSITION = re.compile(r"[=≠≤<≥>↔∧∨¬∈∉⊆⊂∣≡∃∀≈⋖]")


def is_theorem(premise: Premise) -> bool:
    """Whether a premise is a proof that `exact` and `apply` may use, rather than data.

    A field of a class counts when what it states reads as a proposition (`mul_assoc`), which the text
    alone can only guess. Axioms that prove nothing (`sorryAx`, `unsafe` ones) do not.
    """
    if premise.kind in _THEOREM_KINDS:
        return premise.name.rpartition(".")[2] not in UNPROVED
    return premise.kind == "field" and bool(_PROPOSITION.search(premise.conclusion))


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A source file's entry (its run of premises still to be set), its premises and their vectors."""

    file: IndexedFile
    premises: Sequence[Premise]
    vectors: Int8s
    scales: Floats


def content_of(
    files: Sequence[ReadFile],
    uses: Mapping[str, int],
    proofs: ProofRows = NO_PROOFS,
    *,
    with_records: bool = True,
    tokens: Callable[[Premise], Sequence[str]] = premise_tokens,
) -> SegmentContent:
    """The columns of a new segment.

    Args:
        files: at least one; all vectors int8[.., d] of the same d.
        uses: how many training proofs use a name.
        proofs: what the proofs of theorems use, by name.
        with_records: whether statements are kept.
        tokens: what BM25 sees of a premise.
    """
    premises = [premise for item in files for premise in item.premises]
    hashes = hash_names(premise.name for premise in premises)
    return SegmentContent(
        files=_numbered([(item.file, len(item.premises)) for item in files]),
        names=[premise.name for premise in premises],
        kinds=[premise.kind for premise in premises],
        flags=np.array([_flags(premise) for premise in premises], dtype=np.uint8),
        lines=np.array([_line(premise) for premise in premises], dtype=np.int32),
        uses=np.array([uses.get(premise.name, 0) for premise in premises], dtype=np.int32),
        vectors=np.concatenate([item.vectors for item in files]),
        scales=np.concatenate([item.scales for item in files]),
        postings=build_postings(tokens(premise) for premise in premises),
        proofs=ProofColumns.of_hashes(hashes, *proofs.aligned(hashes)),
        structure=StructureColumns.of_rows([of_premise(premise) for premise in premises]),
        records=[_record(premise) for premise in premises] if with_records else None,
        exported={i: premise.exported_as for i, premise in enumerate(premises) if premise.exported_as},
    )


def _numbered(files: Sequence[tuple[IndexedFile, int]]) -> list[IndexedFile]:
    placed = []
    start = 0
    for file, count in files:
        placed.append(replace(file, start=start, stop=start + count))
        start += count
    return placed


def _flags(premise: Premise) -> int:
    return (
        Flag.PRIVATE * premise.is_private
        | Flag.PROTECTED * premise.is_protected
        | Flag.THEOREM * is_theorem(premise)
        | Flag.GENERATED * (premise.generated_by is not None)
        | Flag.SORRY * premise.has_sorry
    )


def _line(premise: Premise) -> int:
    return premise.span.start.line if premise.span else -1


def _record(premise: Premise) -> bytes:
    return json.dumps(to_json(premise), ensure_ascii=False, separators=(",", ":")).encode()


def merge(parts: Sequence[tuple[Segment, frozenset[int]]]) -> SegmentContent:
    """The columns of one segment that takes the place of several, without their dead files."""
    keep = [_kept(segment, dead) for segment, dead in parts]
    segments = [segment for segment, _ in parts]
    files = [
        (file, file.stop - file.start)
        for segment, dead in parts
        for index, file in enumerate(segment.files)
        if index not in dead
    ]

    def column(get: Callable[[Segment], npt.NDArray[Any]]) -> npt.NDArray[Any]:
        return np.concatenate([get(segment)[kept] for segment, kept in zip(segments, keep, strict=True)])

    records: list[bytes] | None = None
    if all(segment.has_records for segment in segments):
        records = [s.raw_record(int(i)) for s, kept in zip(segments, keep, strict=True) for i in kept]
    exported = _moved([(segment.exported, kept) for segment, kept in zip(segments, keep, strict=True)])
    names = [s.names[int(i)] for s, kept in zip(segments, keep, strict=True) for i in kept]
    kinds = [s.kind_names[k] for s, kept in zip(segments, keep, strict=True) for k in s.kinds[kept].tolist()]
    return SegmentContent(
        files=_numbered(files),
        names=names,
        kinds=kinds,
        flags=column(lambda segment: segment.flags),
        lines=column(lambda segment: segment.lines),
        uses=column(lambda segment: segment.uses),
        vectors=column(lambda segment: segment.vectors),
        scales=column(lambda segment: segment.scales),
        postings=_merge_postings(segments, keep),
        proofs=merged([(segment.proofs, kept) for segment, kept in zip(segments, keep, strict=True)]),
        structure=StructureColumns.merged(
            [(segment.structure, kept) for segment, kept in zip(segments, keep, strict=True)]
        ),
        records=records,
        exported=exported,
    )


def _moved(parts: Sequence[tuple[Mapping[int, str], npt.NDArray[np.int64]]]) -> dict[int, str]:
    """The exported names by their premises' new places."""
    moved: dict[int, str] = {}
    base = 0
    for exported, kept in parts:
        if exported:
            moved |= {base + new: exported[old] for new, old in enumerate(kept.tolist()) if old in exported}
        base += len(kept)
    return moved


def _kept(segment: Segment, dead: frozenset[int]) -> npt.NDArray[np.int64]:
    runs = [np.arange(f.start, f.stop) for index, f in enumerate(segment.files) if index not in dead]
    return np.concatenate([np.zeros(0, dtype=np.int64), *runs])


def _merge_postings(segments: Sequence[Segment], keep: Sequence[npt.NDArray[np.int64]]) -> Any:
    terms = sorted({term for segment in segments for term in segment.postings.terms})
    numbers = {term: index for index, term in enumerate(terms)}
    rows, documents, frequencies, lengths = [], [], [], []
    base = 0
    for segment, kept in zip(segments, keep, strict=True):
        postings = segment.postings
        place = np.full(len(segment), -1, dtype=np.int64)
        place[kept] = base + np.arange(len(kept))
        moved = place[postings.documents]
        here = moved >= 0
        number = np.array([numbers[term] for term in segment.postings.terms], dtype=np.int64)
        rows.append(np.repeat(number, np.diff(postings.starts))[here])
        documents.append(moved[here].astype(np.int32))
        frequencies.append(postings.frequencies[here])
        lengths.append(postings.lengths[kept])
        base += len(kept)
    used = np.unique(np.concatenate(rows)) if base else np.zeros(0, dtype=np.int64)
    return sorted_postings(
        [terms[int(index)] for index in used],
        np.searchsorted(used, np.concatenate(rows)),
        np.concatenate(documents),
        np.concatenate(frequencies),
        np.concatenate(lengths),
    )
