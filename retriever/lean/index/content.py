"""Lean premises as the columns of a segment, and as its records; and what an index keeps of their files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import IntFlag
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from lean_extract.common.arrays import Ids, UInt64s
from lean_extract.common.typed import read_typed
from lean_extract.records import Import, Premise, to_json
from lean_extract.source.grammar.notations import FORMS, Notation
from lean_extract.source.names.scopes import ROOT
from retriever.lean.patterns.trees import trees_of
from retriever.lean.scope import ModuleNode
from retriever.lean.structure.hashes import of_parsed
from retriever.lean.structure.statement import statement_of
from retriever.lean.theorems import is_theorem
from retriever.lean.tokens import premise_tokens
from retriever.limits import MAX_NOTATION_TARGET_CHARACTERS, MAX_NOTATIONS_PER_FILE, MAX_SYMBOL_CHARACTERS
from retriever.search.index.meta import IndexedFile
from retriever.search.index.postings import DocPostings, build_postings
from retriever.search.index.proof_columns import (
    MentionColumns,
    ProofColumns,
    ProofRows,
    StepColumns,
    hash_names,
)
from retriever.search.index.segment import Segment
from retriever.search.index.segment_content import SegmentContent, SegmentTables, numbered
from retriever.search.index.structure_columns import StructureColumns, TreeColumns
from retriever.search.index.table import Kept

if TYPE_CHECKING:  # whoever only reads an index needs nothing of indexing
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
    from retriever.lean.words.doc_words import doc_words  # with tables of words

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
            docs=DocPostings.of(build_postings(words for item in files for words in doc_words(item.records))),
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
    """What proofs use (`ProofRows.aligned`), except for proofs that were read from the text."""
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


class Flag(IntFlag):
    """What a premise is, one bit each."""

    PRIVATE = 1
    PROTECTED = 2
    THEOREM = 4
    GENERATED = 8
    SORRY = 16
    """Its own text has a `sorry`; never set in segments that were written before there was this bit."""
    DEPRECATED = 32
    """The same of the attribute `deprecated`."""


def flags_of(premise: Premise) -> int:
    """All that hold of a premise."""
    return (
        Flag.PRIVATE * premise.is_private
        | Flag.PROTECTED * premise.is_protected
        | Flag.THEOREM * is_theorem(premise)
        | Flag.GENERATED * (premise.generated_by is not None)
        | Flag.SORRY * premise.has_sorry
        | Flag.DEPRECATED * premise.is_deprecated
    )


_NOTATION = 8
"""The flag of an entry that is no import. An older version takes it for one of a module that is not there."""


def kept_of(
    imports: Iterable[Import], in_module_system: bool, notations: Iterable[Notation] = ()
) -> tuple[Any, ...]:
    """`IndexedFile.more` of a Lean file: entries [name, flags], and 1 in Lean's module system.

    The entries are its imports and the notations that other files may use, as "SYMBOL FORM PRECEDENCE CONSTANT".
    """
    listed = [[one.module, one.is_public + 2 * one.is_meta + 4 * one.is_all] for one in imports]
    kept = islice((one for one in notations if _is_kept(one)), MAX_NOTATIONS_PER_FILE)
    declared = [[f"{one.symbol} {one.form} {one.precedence} {one.target}", _NOTATION] for one in kept]
    return ([*listed, *declared], int(in_module_system))


def _is_kept(notation: Notation) -> bool:
    symbol = notation.symbol
    is_short = (
        0 < len(symbol) <= MAX_SYMBOL_CHARACTERS and len(notation.target) <= MAX_NOTATION_TARGET_CHARACTERS
    )
    return is_short and not notation.is_local and not any(map(str.isspace, symbol))


def node_of(file: IndexedFile) -> ModuleNode:
    """The imports of `kept_of`. Raises ValueError or TypeError."""
    entries, in_module_system = file.more
    imports = [(str(name), flags) for name, flags in entries if not flags & _NOTATION]
    found = tuple(Import(name, bool(f & 1), bool(f & 2), bool(f & 4)) for name, f in imports)
    return ModuleNode(found, bool(in_module_system))


def notations_of(file: IndexedFile) -> Iterator[Notation]:
    """The notations of `kept_of`, their constants as written. Raises ValueError or TypeError."""
    entries, _ = file.more
    for entry, flags in entries:
        if flags & _NOTATION:
            symbol, written, precedence, constant = str(entry).split(" ", 3)
            form = next((form for form in FORMS if form == written), FORMS[-1])
            yield Notation(symbol, constant, ROOT, form, int(precedence))
