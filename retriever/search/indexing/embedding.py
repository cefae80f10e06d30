"""The vectors of what an update reads; texts that the index has a vector of are not embedded again."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from lean_extract.common.arrays import Floats
from lean_extract.common.cancellation import check_cancelled
from retriever.limits import DOCUMENTS_PER_CALL, DOCUMENTS_PER_STEP
from retriever.models.quantise import StoredVectors
from retriever.search.index.meta import IndexedFile
from retriever.search.index.proof_columns import READ, StepColumns
from retriever.search.index.segment import Segment
from retriever.search.indexing.corpus import EmbeddedSource, IndexCorpus, ReadSource, Record

Item = TypeVar("Item")

KnownVectors = Mapping[Hashable, tuple[StoredVectors, np.float32]]
"""Vector and scale by the text that they were made of."""


@dataclass(slots=True)
class Embedder(Generic[Record]):
    """Embeds the records of sources, and counts them."""

    corpus: IndexCorpus[Record]
    embedded: int = 0
    reused: int = 0
    seconds: float = 0.0
    """What embedding took, without reading and steps."""

    def known(self, segment: Segment, file: IndexedFile) -> KnownVectors:
        """The vectors of an indexed source, by text; none where its records are not kept."""
        if not segment.has_records:
            return {}
        return {
            self.corpus.text(self.corpus.record(segment, i, file)): (segment.vectors[i], segment.scales[i])
            for i in range(file.start, file.stop)
        }

    def embed(
        self, sources: Sequence[tuple[IndexedFile, ReadSource[Record]]], known: Sequence[KnownVectors]
    ) -> list[EmbeddedSource[Record]]:
        """Some sources at once, each with what is known of its texts. Raises Cancelled."""
        texts = [[self.corpus.text(record) for record in read.records] for _, read in sources]
        fresh = [
            record
            for (_, read), own, old in zip(sources, texts, known, strict=True)
            for record, text in zip(read.records, own, strict=True)
            if text not in old
        ]
        began = time.perf_counter()
        encoded = self._encoded(fresh, self.corpus.encode)
        self.seconds += time.perf_counter() - began
        vectors, scales = self.corpus.compressed(encoded)
        self.embedded += len(fresh)
        result: list[EmbeddedSource[Record]] = []
        position = 0
        steps = self._steps([read for _, read in sources])
        for (file, read), own, old, own_steps in zip(sources, texts, known, steps, strict=True):
            records = read.records
            rows = np.empty((len(records), self.corpus.dimension), dtype=vectors.dtype)
            factors = np.empty(len(records), dtype=np.float32)
            for index, text in enumerate(own):
                found = old.get(text)
                if found is not None:
                    rows[index], factors[index] = found
                    self.reused += 1
                else:
                    rows[index], factors[index] = vectors[position], scales[position]
                    position += 1
            result.append(EmbeddedSource(file, records, rows, factors, own_steps, read.mentions))
        return result

    def _steps(self, sources: Sequence[ReadSource[Record]]) -> list[StepColumns | None]:
        """The steps of each source, if the corpus has steps. Raises Cancelled."""
        if not self.corpus.has_steps:
            return [None] * len(sources)
        every = [step for source in sources for step in source.steps]
        vectors, scales = self.corpus.compressed(self._encoded(every, self.corpus.encode_steps))
        found: list[StepColumns | None] = []
        begin = 0
        for source in sources:
            end = begin + len(source.steps)
            owners = np.array([step.owner for step in source.steps], dtype=np.int32)
            records = [step.record for step in source.steps]
            found.append(
                StepColumns(
                    owners, vectors[begin:end], scales[begin:end], records, np.full(1, READ, dtype=np.uint8)
                )
            )
            begin = end
        return found

    def _encoded(self, items: Sequence[Item], encode: Callable[[Sequence[Item]], Floats]) -> Floats:
        """float32[n, dimension]: the vectors of records or steps, a part at a time. Raises Cancelled."""
        parts: list[Floats] = [np.zeros((0, self.corpus.dimension), dtype=np.float32)]
        for start in range(0, len(items), DOCUMENTS_PER_CALL):
            if start:  # a stopped update still writes what is small
                check_cancelled()
            parts.append(encode(items[start : start + DOCUMENTS_PER_CALL]))
        return np.concatenate(parts)


def in_steps(
    sources: Iterator[tuple[IndexedFile, ReadSource[Record]]],
) -> Iterator[list[tuple[IndexedFile, ReadSource[Record]]]]:
    """Sources in groups that are worth one call of the encoder."""
    step: list[tuple[IndexedFile, ReadSource[Record]]] = []
    count = 0
    for file, read in sources:
        step.append((file, read))
        count += len(read.records)
        if count >= DOCUMENTS_PER_STEP or len(step) >= DOCUMENTS_PER_STEP:
            yield step
            step, count = [], 0
    if step:
        yield step
