"""Lean files and their premises, as the index reads them (`retriever.search.indexing.corpus`)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from lean_extract.common.arrays import Floats, Int8s
from lean_extract.common.files.reading import read_regular
from lean_extract.limits import MAX_SOURCE_BYTES
from lean_extract.records import Premise
from lean_extract.source import reader
from lean_extract.source.reader_declarations import Known, unknown
from retriever.lean.index.content import content_of, kept_of, premise_of
from retriever.lean.index.steps import read_mentions, read_steps, step_vectors
from retriever.models.encoder import PremiseEncoder
from retriever.models.quantise import quantise
from retriever.models.text import named_texts
from retriever.search.index.meta import IndexedFile
from retriever.search.index.proof_columns import ProofRows, ReadStep
from retriever.search.index.segment import Segment
from retriever.search.index.segment_content import SegmentContent
from retriever.search.indexing.corpus import EmbeddedSource, ReadSource


class ListedSource(Protocol):
    """A source file as `lean_extract.source.projects.project.find_sources` lists it."""

    @property
    def path(self) -> Path:
        """Absolute."""

    @property
    def module(self) -> str:
        """Dotted module name."""

    @property
    def package(self) -> str | None:
        """The package that it belongs to."""

    @property
    def revision(self) -> str | None:
        """The package's pinned revision, empty where it is not pinned."""


@dataclass(frozen=True, slots=True)
class LeanFile:
    """A Lean file as a source of the index."""

    path: Path
    name: str
    """Relative to the indexed folder if it is inside, otherwise absolute."""
    module: str
    package: str
    revision: str
    unread: frozenset[str] = frozenset()
    """Theorems whose proofs are not read."""
    known: Known = field(default=unknown, compare=False)
    """What names mean in other files, where that is known."""
    on_bare: Callable[[str], None] = field(default=lambda name: None, compare=False)
    """Called with its name when it is read and has an alias whose target is not known."""

    @property
    def location(self) -> str:
        """Its path."""
        return str(self.path)

    def status(self) -> tuple[int, int]:
        """(size, mtime_ns). Raises OSError."""
        stat = self.path.stat()
        return stat.st_size, stat.st_mtime_ns

    def digest(self) -> str:
        """SHA-256 in hexadecimal. Raises OSError, also where it is not a regular file or too large."""
        return hashlib.sha256(read_regular(self.path, MAX_SOURCE_BYTES)).hexdigest()

    def read(self) -> ReadSource[Premise]:
        """Its premises, its imports, and its proofs. Raises BadSource.

        What proofs mention is read where the file is the project's own, or may change: packages at a pinned
        revision vote by what is shipped of them.
        """
        found = reader.read_file(self.path, self.module, states=True, known=self.known)
        if found.has_bare_aliases:
            self.on_bare(self.name)
        more = kept_of(found.module.imports, found.module.in_module_system, found.notations)
        if self.unread:
            proofs = tuple(proof for proof in found.proofs if proof.theorem not in self.unread)
            found = replace(found, proofs=proofs)
        mentions = None if self.revision else read_mentions(found)
        return ReadSource(found.premises, more, tuple(found.problems), read_steps(found), mentions)


def lean_files(
    root: Path,
    sources: Iterable[ListedSource],
    unread: frozenset[str] = frozenset(),
    on_bare: Callable[[str], None] = lambda name: None,
) -> list[LeanFile]:
    """The sources of a project at `root`, in the order of their paths. `unread`, `on_bare`: see `LeanFile`."""
    return [
        LeanFile(
            one.path,
            _name_of(root, one.path),
            one.module,
            one.package or "",
            one.revision or "",
            unread,
            on_bare=on_bare,
        )
        for one in sorted(sources, key=lambda source: str(source.path))
    ]


def _name_of(root: Path, path: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


@dataclass(frozen=True, slots=True)
class LeanIndexCorpus:
    """Premises of Lean files under one encoder."""

    encoder: PremiseEncoder
    uses: Mapping[str, int]
    """How many training proofs use a name, where that is known."""
    proofs: ProofRows
    """What the proofs of training theorems use, where that is known."""

    @property
    def fingerprint(self) -> str:
        """The encoder's."""
        return self.encoder.fingerprint

    @property
    def dimension(self) -> int:
        """The encoder's."""
        return self.encoder.dimension

    def text(self, record: Premise) -> tuple[str, str, str]:
        """What the encoder reads of a premise."""
        return named_texts(record)

    def encode(self, records: Sequence[Premise]) -> Floats:
        """float32[n, dimension], eq. (3). Raises Cancelled."""
        return self.encoder.encode_premises(records)

    @property
    def has_steps(self) -> bool:
        """The steps of proofs whose states are known."""
        return True

    def encode_steps(self, steps: Sequence[ReadStep]) -> Floats:
        """float32[n, dimension]: see `step_vectors`. Raises Cancelled."""
        return step_vectors(self.encoder, [step.state for step in steps])

    def compressed(self, vectors: Floats) -> tuple[Int8s, Floats]:
        """As int8, with one scale for each premise."""
        return quantise(vectors)

    def content(self, sources: Sequence[EmbeddedSource[Premise]]) -> SegmentContent:
        """The columns of a segment."""
        return content_of(sources, self.uses, self.proofs)

    def record(self, segment: Segment, index: int, file: IndexedFile) -> Premise:
        """A premise of a segment. Raises IndexDamaged."""
        return premise_of(segment, index, file)
