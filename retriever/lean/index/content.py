"""Lean premises as the columns of a segment, and as its records."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from lean_extract.common.arrays import Ids, UInt64s
from lean_extract.common.typed import read_typed
from lean_extract.records import Premise, to_json
from retriever.lean.index.flags import Flag, flags_of
from retriever.lean.patterns.trees import trees_of
from retriever.lean.structure.hashes import of_parsed
from retriever.lean.structure.statement import statement_of
from retriever.lean.tokens import premise_tokens
from retriever.search.index.postings import build_postings
from retriever.search.index.proof_columns import MentionColumns, ProofColumns, ProofRows, hash_names
from retriever.search.index.segment import Segment
from retriever.search.index.segment_content import SegmentContent, SegmentTables, numbered
from retriever.search.index.source_file import IndexedFile
from retriever.search.index.step_columns import StepColumns
from retriever.search.index.structure_columns import StructureColumns
from retriever.search.index.table import Kept
from retriever.search.index.tree_columns import TreeColumns
from retriever.search.indexing.corpus import EmbeddedSource

NO_PROOFS = ProofRows.of_names({})


def content_of(
    files: Sequence[EmbeddedSource[Premise]],
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
        proofs: what the proofs of theorems use, by name, for those that are not read from the text.
        with_records: whether statements are kept.
        tokens: what BM25 sees of a premise.
    """
    premises = [premise for item in files for premise in item.records]
    hashes = hash_names(premise.name for premise in premises)
    kept = [Kept.of_file(len(item.records)) for item in files]
    mentions = MentionColumns.merged([(item.mentions, one) for item, one in zip(files, kept, strict=True)])
    steps = StepColumns.merged([(item.steps, one) for item, one in zip(files, kept, strict=True)])
    statements = [
        statement_of(premise.context, premise.conclusion) if premise.conclusion else None
        for premise in premises
    ]
    return SegmentContent(
        files=numbered((item.file, len(item.records)) for item in files),
        names=[premise.name for premise in premises],
        kinds=[premise.kind for premise in premises],
        vectors=np.concatenate([item.vectors for item in files]),
        scales=np.concatenate([item.scales for item in files]),
        tables=SegmentTables(
            postings=build_postings(tokens(premise) for premise in premises),
            proofs=ProofColumns.of_hashes(hashes, *_without(*proofs.aligned(hashes), mentions)),
            structure=StructureColumns.of_rows([of_parsed(one) if one else () for one in statements]),
            steps=steps,
            mentions=mentions,
            trees=TreeColumns.of_rows(trees_of(one) if one else () for one in statements)
            if with_records
            else None,
        ),
        records=[_record(premise) for premise in premises] if with_records else None,
        columns={
            "flags": np.array([flags_of(premise) for premise in premises], dtype=np.uint8),
            "lines": np.array([_line(premise) for premise in premises], dtype=np.int32),
            "uses": np.array([uses.get(premise.name, 0) for premise in premises], dtype=np.int32),
        },
        aliases={i: premise.exported_as for i, premise in enumerate(premises) if premise.exported_as},
    )


def _without(lengths: Ids, used: UInt64s, mentions: MentionColumns | None) -> tuple[Ids, UInt64s]:
    """What proofs use (`ProofRows.aligned`), but for those that were read from the text."""
    if mentions is None:
        return lengths, used
    is_read = np.zeros(len(lengths), dtype=np.bool_)
    is_read[mentions.owners] = True
    return np.where(is_read, 0, lengths), used[~np.repeat(is_read, lengths)]


def _line(premise: Premise) -> int:
    return premise.span.start.line if premise.span else -1


def _record(premise: Premise) -> bytes:
    return json.dumps(to_json(premise), ensure_ascii=False, separators=(",", ":")).encode()


def premise_of(segment: Segment, index: int, file: IndexedFile) -> Premise:
    """A premise's record; where there are none, what the columns say (no statement). Raises IndexDamaged."""
    if not segment.has_records:
        flags = int(segment.columns["flags"][index])
        return Premise(
            segment.names[index],
            segment.kind(index),
            file.module,
            attributes=("deprecated",) if flags & Flag.DEPRECATED else (),
            is_private=bool(flags & Flag.PRIVATE),
            is_protected=bool(flags & Flag.PROTECTED),
            exported_as=segment.aliases.get(index),
        )
    try:
        premise = read_typed(Premise, json.loads(segment.raw_record(index)))
    except (ValueError, TypeError, KeyError) as error:
        raise segment.damaged_record(index, error) from error
    if premise.name != segment.names[index]:
        raise segment.damaged_record(index, "it is another premise's")
    return premise
