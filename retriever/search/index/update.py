"""One run of an update over one store: read what changed, embed it, commit, merge, build graphs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from lean_extract.errors import BadSource
from lean_extract.records import FileProblem, Position, Premise
from lean_extract.source import reader
from lean_extract.wanted import Unwanted, check_wanted, wanted_until
from retriever.models.encoder import Floats, PremiseEncoder
from retriever.models.text import premise_texts
from retriever.search.index import hnsw
from retriever.search.index.content import NO_PROOFS, ReadFile, content_of, merge
from retriever.search.index.exact import Int8s, quantise
from retriever.search.index.files import explained_writes
from retriever.search.index.manifest import LiveSegment
from retriever.search.index.plan import Change, ListedSource, UpdatePlan, make_plan
from retriever.search.index.proof_columns import ProofRows
from retriever.search.index.segment import Segment
from retriever.search.index.store import IndexStore, Writer

Progress = Callable[[str, int, int], None]
"""Hears (stage, done, total); the stages are `wait`, `scan`, `embed`, `merge` and `graph`."""

PREMISES_PER_SEGMENT = 4096
SECONDS_PER_SEGMENT = 60.0
PREMISES_PER_STEP = 256
PREMISES_PER_CALL = 1024
"""Of a file that has more than a step, so many are embedded before it is asked whether to stop."""
MOST_SEGMENTS = 8
SEGMENTS_AFTER_MERGE = 4


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What an update did."""

    files: int
    """Source files in the index now."""
    premises: int
    """Premises in the index now."""
    files_read: int = 0
    files_removed: int = 0
    premises_embedded: int = 0
    premises_reused: int = 0
    """Premises of changed files whose vectors were kept, their text being the same."""
    stopped: bool = False
    problems: tuple[FileProblem, ...] = ()
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    """What was left out, and why, in sentences."""

    def __add__(self, other: IndexReport) -> IndexReport:
        return IndexReport(
            self.files + other.files,
            self.premises + other.premises,
            self.files_read + other.files_read,
            self.files_removed + other.files_removed,
            self.premises_embedded + other.premises_embedded,
            self.premises_reused + other.premises_reused,
            self.stopped or other.stopped,
            self.problems + other.problems,
            self.seconds + other.seconds,
            self.notes + other.notes,
        )


@dataclass(frozen=True, slots=True)
class UpdateOptions:
    """How an update is done."""

    progress: Progress = field(default=lambda stage, done, total: None)
    should_stop: Callable[[], bool] = field(default=lambda: False)
    uses: Mapping[str, int] = field(default_factory=dict)
    """How many training proofs use a name, where that is known."""
    proofs: ProofRows = NO_PROOFS
    """What the proofs of training theorems use, where that is known."""
    graphs: hnsw.HnswParameters | None = field(default_factory=hnsw.HnswParameters)
    """None: no HNSW graphs, even where hnswlib is installed."""


class Update:
    """One run over one store, under its lock."""

    def __init__(
        self, root: Path, store: IndexStore, writer: Writer, encoder: PremiseEncoder, options: UpdateOptions
    ) -> None:
        self._root = root
        self._writer = writer
        self._encoder = encoder
        self._options = options
        self._segments: dict[str, Segment] = {}
        self._dead: dict[str, set[int]] = {}
        for live in writer.manifest.segments:
            self._segments[live.name] = store.segment(live.name)
            self._dead[live.name] = set(live.dead_files)
        self._batch: list[tuple[Change, ReadFile]] = []
        self._last_commit = time.monotonic()
        self._problems: list[FileProblem] = []
        self._read = self._embedded = self._reused = 0

    def run(self, sources: Sequence[ListedSource], includes: tuple[str, ...], pinned: bool) -> IndexReport:
        """Do all of it and say what was done."""
        options = self._options
        plan = self._plan(sources)
        if plan is None:
            return self._report(0, stopped=True)
        stopped = self._embed(plan)
        self._flush()
        self._bury(plan.removed)
        old = self._writer.manifest
        new = replace(
            old,
            root=str(self._root),
            includes=includes,
            pinned=pinned,
            complete=old.complete or not stopped,
            stats=plan.stats,
            segments=self._live(),
        )
        if new != old or not old.built_at:
            self._commit(
                root=new.root, includes=includes, pinned=pinned, complete=new.complete, stats=plan.stats
            )
        self._merge()
        if options.graphs is not None and not stopped:
            stopped = not self._build_graphs(options.graphs)
        return self._report(len(plan.removed), stopped)

    def _report(self, removed: int, stopped: bool) -> IndexReport:
        return IndexReport(
            files=sum(len(s.files) - len(self._dead[name]) for name, s in self._segments.items()),
            premises=sum(self._alive_count(name) for name in self._segments),
            files_read=self._read,
            files_removed=removed,
            premises_embedded=self._embedded,
            premises_reused=self._reused,
            stopped=stopped,
            problems=tuple(self._problems),
        )

    def _plan(self, sources: Sequence[ListedSource]) -> UpdatePlan | None:
        """What there is to do; None where it was stopped before that was known."""
        known = {path: self._segments[name].files[i] for path, (name, i) in self._places().items()}
        total = len(sources)
        plan = make_plan(
            self._root,
            sorted(sources, key=lambda source: str(source.path)),
            known,
            self._writer.manifest.stats,
            lambda done: self._options.progress("scan", done, total),
            self._options.should_stop,
        )
        if plan is not None:
            self._problems += [
                FileProblem(str(path), Position(0, 0), f"This file cannot be read: {why}.")
                for path, why in plan.vanished
            ]
        return plan

    def _places(self) -> dict[str, tuple[str, int]]:
        """Where each live file is: its segment, and its position among that segment's files."""
        return {
            file.path: (name, number)
            for name, segment in self._segments.items()
            for number, file in enumerate(segment.files)
            if number not in self._dead[name]
        }

    def _bury(self, paths: Iterable[str]) -> None:
        places = self._places()
        for path in paths:
            if path in places:
                name, number = places[path]
                self._dead[name].add(number)

    def _embed(self, plan: UpdatePlan) -> bool:
        """Read and embed what changed, committing now and then; returns whether it was stopped."""
        total = len(plan.changed)
        done = 0
        try:
            with wanted_until(self._options.should_stop):
                for step in _steps(self._read_files(plan.changed)):
                    self._embed_step(step)
                    done += len(step)
                    self._options.progress("embed", done, total)
                    full = sum(len(item.premises) for _, item in self._batch) >= PREMISES_PER_SEGMENT
                    if full or time.monotonic() - self._last_commit > SECONDS_PER_SEGMENT:
                        self._flush()
                    if self._options.should_stop():
                        return done < total
        except Unwanted:  # in the midst of a file, or of a step: what is whole is kept
            return True
        return False

    def _read_files(self, changes: Sequence[Change]) -> Iterator[tuple[Change, Sequence[Premise]]]:
        for change in changes:
            try:
                source = reader.read_file(change.path, change.entry.module)
            except BadSource as error:
                self._problems.append(FileProblem(str(change.path), Position(0, 0), str(error)))
                continue
            self._problems += source.problems
            module = source.module
            entry = replace(change.entry, imports=module.imports, in_module_system=module.in_module_system)
            self._read += 1
            yield replace(change, entry=entry), source.premises

    def _embed_step(self, step: Sequence[tuple[Change, Sequence[Premise]]]) -> None:
        """Embed the premises of some files at once; texts that the replaced file had keep their vectors."""
        places = self._places()
        kept = [self._old_vectors(places.get(change.entry.path)) for change, _ in step]
        fresh = [
            premise
            for (_, premises), old in zip(step, kept, strict=True)
            for premise in premises
            if premise_texts(premise) not in old
        ]
        vectors, scales = quantise(self._encoded(fresh))
        self._embedded += len(fresh)
        position = 0
        for (change, premises), old in zip(step, kept, strict=True):
            rows = np.empty((len(premises), self._encoder.dimension), dtype=np.int8)
            factors = np.empty(len(premises), dtype=np.float32)
            for index, premise in enumerate(premises):
                found = old.get(premise_texts(premise))
                if found is not None:
                    rows[index], factors[index] = found
                    self._reused += 1
                else:
                    rows[index], factors[index] = vectors[position], scales[position]
                    position += 1
            self._batch.append((change, ReadFile(change.entry, premises, rows, factors)))

    def _encoded(self, premises: Sequence[Premise]) -> Floats:
        """Their vectors; those of one large file a part at a time. Raises Unwanted."""
        if len(premises) <= PREMISES_PER_CALL:
            return self._encoder.encode_premises(premises)
        parts: list[Floats] = []
        for start in range(0, len(premises), PREMISES_PER_CALL):
            check_wanted()
            parts.append(self._encoder.encode_premises(premises[start : start + PREMISES_PER_CALL]))
        return np.concatenate(parts)

    def _old_vectors(self, place: tuple[str, int] | None) -> dict[tuple[str, str], tuple[Int8s, np.float32]]:
        """The vectors of a file that is about to be replaced, by the texts they were made from."""
        if place is None or not self._segments[place[0]].has_records:
            return {}
        segment = self._segments[place[0]]
        file = segment.files[place[1]]
        return {
            premise_texts(segment.premise(i, file)): (segment.vectors[i], segment.scales[i])
            for i in range(file.start, file.stop)
        }

    def _flush(self) -> None:
        """Commit the batch as a segment."""
        self._last_commit = time.monotonic()
        if not self._batch:
            return
        files = [item for _, item in self._batch]
        segment = self._writer.add(content_of(files, self._options.uses, self._options.proofs))
        self._bury(change.entry.path for change, _ in self._batch)
        self._take(segment)
        self._batch = []
        self._commit(root=str(self._root))
        self._merge()

    def _take(self, segment: Segment) -> None:
        self._segments[segment.folder.name] = segment
        self._dead[segment.folder.name] = set()

    def _live(self) -> tuple[LiveSegment, ...]:
        """The segments that still hold a file."""
        return tuple(
            LiveSegment(name, tuple(sorted(self._dead[name])))
            for name, segment in self._segments.items()
            if len(self._dead[name]) < len(segment.files)
        )

    def _commit(self, **changes: object) -> None:
        live = self._live()
        self._writer.commit(live, **changes)
        names = {segment.name for segment in live}
        self._segments = {name: s for name, s in self._segments.items() if name in names}
        self._dead = {name: dead for name, dead in self._dead.items() if name in names}

    def _alive_count(self, name: str) -> int:
        segment, dead = self._segments[name], self._dead[name]
        return len(segment) - sum(segment.files[i].stop - segment.files[i].start for i in dead)

    def _merge(self) -> None:
        """Keep segments few, and free of too much that is dead."""
        chosen = self._to_merge()
        if not chosen:
            return
        self._options.progress("merge", 0, 1)
        merged = self._writer.add(merge([(self._segments[n], frozenset(self._dead[n])) for n in chosen]))
        for name in chosen:
            del self._segments[name], self._dead[name]
        self._take(merged)
        self._commit()
        self._options.progress("merge", 1, 1)

    def _to_merge(self) -> list[str]:
        names = sorted(self._segments, key=self._alive_count)
        if len(names) > MOST_SEGMENTS:
            return names[: len(names) - SEGMENTS_AFTER_MERGE + 1]
        return [n for n in names if self._alive_count(n) < len(self._segments[n]) / 2]

    def _build_graphs(self, parameters: hnsw.HnswParameters) -> bool:
        """Build the HNSW graphs that are missing; returns whether it came to the end."""
        for segment in self._segments.values():
            if not lacks_graph(segment, parameters):
                continue
            total = len(segment)

            def tell(done: int, total: int = total) -> bool:
                self._options.progress("graph", done, total)
                return not self._options.should_stop()

            with explained_writes(self._root):
                if not hnsw.build_graph(segment.folder, segment.vectors, segment.scales, parameters, tell):
                    return False
        return True


def lacks_graph(segment: Segment, parameters: hnsw.HnswParameters) -> bool:
    """Whether a graph is to be built for a segment."""
    is_large = len(segment) >= parameters.threshold
    return is_large and hnsw.available() and not hnsw.has_graph(segment.folder, len(segment))


def _steps(
    files: Iterator[tuple[Change, Sequence[Premise]]],
) -> Iterator[list[tuple[Change, Sequence[Premise]]]]:
    """Files in groups that are worth one call of the encoder."""
    step: list[tuple[Change, Sequence[Premise]]] = []
    count = 0
    for change, premises in files:
        step.append((change, premises))
        count += len(premises)
        if count >= PREMISES_PER_STEP or len(step) >= PREMISES_PER_STEP:
            yield step
            step, count = [], 0
    if step:
        yield step
