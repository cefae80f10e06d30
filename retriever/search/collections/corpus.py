"""Documents of any backend as the index reads them (`retriever.search.indexing.corpus`).

A collection is cut into parts, which take the place of files: a part that holds what it held is neither read nor
embedded again. The cuts are made by the documents' keys, so that what is added or removed changes its own part alone.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property

import numpy as np

from lean_extract.common.arrays import Floats
from lean_extract.common.cancellation import check_cancelled
from lean_extract.common.files.json_text import parse_json
from lean_extract.common.typed import read_typed
from retriever.models.towers import Towers
from retriever.search.backend import Backend, Collection, Document, Question
from retriever.search.index.meta import IndexedFile
from retriever.search.index.postings import build_postings
from retriever.search.index.proof_columns import ProofColumns, ReadStep, hash_names
from retriever.search.index.segment import Segment
from retriever.search.index.segment_content import SegmentContent, SegmentTables, numbered
from retriever.search.indexing.corpus import EmbeddedSource, ReadSource

_CUT = 32
"""Documents of a part, on average."""
_MOST = 128
"""Documents of a part, at most."""
_END = "(end)"
_PIECE = 256
"""Documents that are embedded in one call."""

Proofs = Mapping[str, Sequence[tuple[str, ...]]]
"""By the key of a document: the keys of the documents that each of its known proofs uses."""


def _known_proofs(questions: Iterable[Question], documents: Sequence[Document]) -> Proofs:
    """The proofs of those questions that are documents; a document does not count as used by itself."""
    found: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for one in questions:
        used = tuple(documents[number].key for number in one.gold if number != one.own)
        if one.own is not None and used:
            found[documents[one.own].key].append(used)
    return found


def _parts_of(documents: Sequence[Document]) -> dict[str, list[Document]]:
    """The documents in runs that end where the hash of a key says so, or when they are many.

    A run is called by the key at its end, which stays where the others change; the last one by `_END`.
    """
    parts: dict[str, list[Document]] = {}
    run: list[Document] = []
    for document in documents:
        run.append(document)
        ends = int.from_bytes(hashlib.sha256(document.key.encode()).digest()[:4], "big") % _CUT == 0
        if ends or len(run) == _MOST:
            parts[_unused(document.key, parts)] = run
            run = []
    if run:
        parts[_unused(_END, parts)] = run
    return parts


def _unused(name: str, used: Container[str]) -> str:
    """The name, marked where a backend's keys repeat."""
    while name in used:
        name += "'"
    return name


@dataclass(frozen=True)
class _DocumentPart:
    """A run of documents as a source of the index."""

    name: str
    documents: Sequence[Document]
    corpus: DocumentCorpus
    package: str = ""
    revision: str = ""

    @property
    def module(self) -> str:
        """Its name."""
        return self.name

    @property
    def location(self) -> str:
        """Its name."""
        return self.name

    def status(self) -> None:
        """A part has no time of its own: its digest is compared."""
        return

    def digest(self) -> str:
        """SHA-256 of its documents, of their terms and known proofs, in hexadecimal."""
        check_cancelled()
        found = hashlib.sha256()
        for document, terms in zip(self.documents, self.terms, strict=True):
            proofs = self.corpus.proofs.get(document.key, ())
            found.update(json.dumps([asdict(document), terms, list(proofs)]).encode() + b"\n")
        return found.hexdigest()

    @cached_property
    def terms(self) -> list[list[str]]:
        """What BM25 counts in each document."""
        return [self.corpus.backend.terms(document.text) for document in self.documents]

    def read(self) -> ReadSource[Document]:
        """Its documents."""
        return ReadSource(self.documents)


class DocumentCorpus:
    """The documents of a collection under a trained model, or without one."""

    def __init__(self, backend: Backend, collection: Collection, towers: Towers | None = None) -> None:
        self.backend, self.towers = backend, towers
        self.proofs: Proofs = _known_proofs(collection.questions, collection.documents)
        found = _parts_of(collection.documents)
        self.parts = [_DocumentPart(name, documents, self) for name, documents in found.items()]
        self._by_name = {part.name: part for part in self.parts}

    @property
    def fingerprint(self) -> str:
        """Of the backend and its model."""
        identity = f"{self.backend.name} {self.towers.fingerprint if self.towers else ''}"
        return hashlib.sha256(identity.encode()).hexdigest()[:16]

    @property
    def dimension(self) -> int:
        """The model's; 0 without one."""
        return self.towers.document.dimension if self.towers else 0

    def text(self, record: Document) -> str:
        """What the model reads."""
        return record.text

    def encode(self, records: Sequence[Document]) -> Floats:
        """float32[n, dimension]."""
        parts: list[Floats] = [np.zeros((0, self.dimension), dtype=np.float32)]
        for start in range(0, len(records) if self.towers else 0, _PIECE):
            assert self.towers is not None
            check_cancelled()
            parts.append(self.towers.documents([one.text for one in records[start : start + _PIECE]]))
        return np.concatenate(parts) if self.towers else np.zeros((len(records), 0), dtype=np.float32)

    @property
    def has_steps(self) -> bool:
        """A collection's documents have none."""
        return False

    def encode_steps(self, steps: Sequence[ReadStep]) -> Floats:
        """float32[n, dimension]: of none."""
        return np.zeros((len(steps), self.dimension), dtype=np.float32)

    def compressed(self, vectors: Floats) -> tuple[Floats, Floats]:
        """As they are: collections are small, and int8 would move their figures (docs/backends.md)."""
        return vectors, np.ones(len(vectors), dtype=np.float32)

    def content(self, sources: Sequence[EmbeddedSource[Document]]) -> SegmentContent:
        """The columns of a segment."""
        documents = [document for source in sources for document in source.records]
        terms = [terms for source in sources for terms in self._by_name[source.file.path].terms]
        return SegmentContent(
            files=numbered((source.file, len(source.records)) for source in sources),
            names=[document.key for document in documents],
            kinds=[document.kind for document in documents],
            vectors=np.concatenate([source.vectors for source in sources]),
            scales=np.concatenate([source.scales for source in sources]),
            tables=SegmentTables(build_postings(terms), self._proof_columns(documents)),
            records=[_record(document) for document in documents],
        )

    def _proof_columns(self, documents: Sequence[Document]) -> ProofColumns:
        rows = [
            (number, used)
            for number, document in enumerate(documents)
            for used in self.proofs.get(document.key, ())
        ]
        return ProofColumns.of_hashes(
            hash_names(document.key for document in documents),
            np.array([len(used) for _, used in rows], dtype=np.int64),
            hash_names(key for _, used in rows for key in used),
            np.array([number for number, _ in rows], dtype=np.int32),
        )

    def record(self, segment: Segment, index: int, file: IndexedFile) -> Document:
        """A document of a segment. Raises IndexDamaged."""
        return document_of(segment, index)


def _record(document: Document) -> bytes:
    return json.dumps(asdict(document), ensure_ascii=False, separators=(",", ":")).encode()


def document_of(segment: Segment, index: int) -> Document:
    """A document of a segment. Raises IndexDamaged."""
    try:
        document: Document = read_typed(Document, parse_json(segment.raw_record(index)))
    except (ValueError, TypeError, KeyError) as error:
        raise segment.damaged_record(index, error) from error
    if document.key != segment.names[index]:
        raise segment.damaged_record(index, "it is another document's")
    return document
