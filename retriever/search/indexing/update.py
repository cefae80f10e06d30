"""One update of one store: read what changed, embed it, commit, merge, build graphs.

Only what changed is read, only new texts are embedded. Work is committed in segments of some thousand documents,
so a run that is stopped or killed continues where it was. When the segments become many, the small ones are merged.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Generic

from lean_extract.common.cancellation import Cancelled, cancelled_when
from lean_extract.common.errors import BadSource
from lean_extract.records import FileProblem, Position
from retriever.limits import DOCUMENTS_PER_SEGMENT, MAX_SEGMENTS, SECONDS_PER_SEGMENT, SEGMENTS_AFTER_MERGE
from retriever.search.index import hnsw
from retriever.search.index.files import explained_writes
from retriever.search.index.manifest import LiveSegment
from retriever.search.index.meta import IndexedFile
from retriever.search.index.segment import Segment, merge
from retriever.search.index.store import IndexStore, Writer
from retriever.search.indexing.corpus import EmbeddedSource, IndexCorpus, IndexSource, ReadSource, Record
from retriever.search.indexing.embedding import Embedder, in_steps
from retriever.search.indexing.plan import Change, UpdatePlan, make_plan
from retriever.search.indexing.report import IndexReport, UpdateOptions


def update_store(
    sources: Sequence[IndexSource[Record]],
    store: IndexStore,
    corpus: IndexCorpus[Record],
    options: UpdateOptions,
    *,
    fields: Mapping[str, Any],
    wait: Callable[[], bool] = lambda: False,
    again: frozenset[str] = frozenset(),
) -> IndexReport:
    """Bring one store up to date with these sources.

    Args:
        sources: all that the index is of, in the order in which they are indexed.
        store: where the index is kept.
        corpus: what the records of the sources are.
        options: how it is done.
        fields: further fields of the store's manifest: `root`, and others.
        wait: called ten times a second while another process writes the store; False ends the wait.
        again: names of sources that are read again although they have not changed.

    Raises IndexLocked, IndexWriteFailed.
    """
    started = time.monotonic()
    with store.writer(corpus.fingerprint, wait) as writer:
        report = _Update(store, writer, corpus, options, fields, again).run(sources)
    return replace(report, seconds=time.monotonic() - started)


class _Update(Generic[Record]):
    """One run over one store, under its lock."""

    def __init__(
        self,
        store: IndexStore,
        writer: Writer,
        corpus: IndexCorpus[Record],
        options: UpdateOptions,
        fields: Mapping[str, Any],
        again: frozenset[str] = frozenset(),
    ) -> None:
        self._again = again
        self._store = store
        self._writer = writer
        self._corpus = corpus
        self._embedder = Embedder(corpus)
        self._options = options
        self._fields = fields
        self._segments: dict[str, Segment] = {}
        self._dead: dict[str, set[int]] = {}
        for live in writer.manifest.segments:
            self._segments[live.name] = store.segment(live.name)
            self._dead[live.name] = set(live.dead_files)
        self._batch: list[EmbeddedSource[Record]] = []
        self._last_commit = time.monotonic()
        self._problems: list[FileProblem] = []
        self._read = 0

    def run(self, sources: Sequence[IndexSource[Record]]) -> IndexReport:
        """Do all of it and say what was done."""
        options = self._options
        plan = self._plan(sources)
        if plan is None:
            return self._report(0, stopped=True)
        stopped = self._embed(plan.changed)
        if not options.keeps_partial and (stopped or options.should_stop()):
            return self._report(0, stopped=True)
        self._flush()
        self._mark_deleted(plan.removed)
        self._commit_changes(plan, stopped)
        self._merge()
        if options.graphs is not None and not stopped:
            stopped = not self._build_graphs(options.graphs)
        return self._report(len(plan.removed), stopped)

    def _commit_changes(self, plan: UpdatePlan[Record], stopped: bool) -> None:
        """Commit what the manifest is to say now, if it does not say so yet."""
        old = self._writer.manifest
        fields = {**self._fields, "complete": old.complete or not stopped, "stats": plan.stats}
        if replace(old, segments=self._live(), **fields) != old or not old.built_at:
            self._commit(**fields)

    def _report(self, removed: int, stopped: bool) -> IndexReport:
        return IndexReport(
            files=sum(len(s.files) - len(self._dead[name]) for name, s in self._segments.items()),
            documents=sum(self._alive_count(name) for name in self._segments),
            files_read=self._read,
            files_removed=removed,
            documents_embedded=self._embedder.embedded,
            documents_reused=self._embedder.reused,
            embedding_seconds=self._embedder.seconds,
            stopped=stopped,
            problems=tuple(self._problems),
        )

    def _plan(self, sources: Sequence[IndexSource[Record]]) -> UpdatePlan[Record] | None:
        """What there is to do; None where it was stopped before that was known."""
        known = {path: self._segments[name].files[i] for path, (name, i) in self._live_files().items()}
        again = self._again | (self._without_steps() if self._corpus.has_steps else frozenset())
        total = len(sources)
        plan = make_plan(
            sources,
            known,
            self._writer.manifest.stats,
            lambda done: self._options.progress("scan", done, total),
            self._options.should_stop,
            again,
        )
        if plan is not None:
            self._problems += [
                FileProblem(location, Position(0, 0), f"This file cannot be read: {why}.")
                for location, why in plan.vanished
            ]
        return plan

    def _without_steps(self) -> frozenset[str]:
        """The live files of which not all was read: an older version indexed them."""
        return frozenset(
            path
            for path, (name, number) in self._live_files().items()
            if self._segments[name].lacks_steps(number)
        )

    def _live_files(self) -> dict[str, tuple[str, int]]:
        """Where each live file is: its segment, and its position among that segment's files."""
        return {
            file.path: (name, number)
            for name, segment in self._segments.items()
            for number, file in segment.live_files(self._dead[name])
        }

    def _mark_deleted(self, paths: Iterable[str]) -> None:
        live = self._live_files()
        for path in paths:
            if path in live:
                name, number = live[path]
                self._dead[name].add(number)

    def _embed(self, changes: Sequence[Change[Record]]) -> bool:
        """Read and embed what changed, committing now and then; returns whether it was stopped."""
        total = len(changes)
        done = 0
        try:
            with cancelled_when(self._options.should_stop):
                for step in in_steps(self._read_sources(changes)):
                    self._embed_step(step)
                    done += len(step)
                    self._options.progress("embed", done, total)
                    full = sum(len(item.records) for item in self._batch) >= DOCUMENTS_PER_SEGMENT
                    if full or time.monotonic() - self._last_commit > SECONDS_PER_SEGMENT:
                        self._flush()
                    if self._options.should_stop():
                        return done < total
        except Cancelled:  # in the midst of a file, or of a step: what is whole is kept
            return True
        return False

    def _read_sources(
        self, changes: Sequence[Change[Record]]
    ) -> Iterator[tuple[IndexedFile, ReadSource[Record]]]:
        for change in changes:
            try:
                found = change.source.read()
            except BadSource as error:
                self._problems.append(FileProblem(change.source.location, Position(0, 0), str(error)))
                continue
            self._problems += found.problems
            self._read += 1
            yield replace(change.entry, more=found.more), found

    def _embed_step(self, step: Sequence[tuple[IndexedFile, ReadSource[Record]]]) -> None:
        """Embed the documents of some files at once; texts that the replaced file had keep their vectors."""
        live = self._live_files()
        replaced = [live.get(file.path) for file, _ in step]
        known = [
            self._embedder.known(self._segments[found[0]], self._segments[found[0]].files[found[1]])
            if found is not None
            else {}
            for found in replaced
        ]
        self._batch += self._embedder.embed(step, known)

    def _flush(self) -> None:
        """Write the batch as a segment, and commit it unless all is committed at the end."""
        self._last_commit = time.monotonic()
        if not self._batch:
            return
        segment = self._writer.add(self._corpus.content(self._batch))
        self._mark_deleted(item.file.path for item in self._batch)
        self._take(segment)
        self._batch = []
        if self._options.keeps_partial:
            self._commit(root=self._fields["root"])
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

    def _commit(self, **changes: Any) -> None:
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
        if len(names) > MAX_SEGMENTS:
            return names[: len(names) - SEGMENTS_AFTER_MERGE + 1]
        return [n for n in names if self._alive_count(n) < len(self._segments[n]) / 2]

    def _build_graphs(self, parameters: hnsw.HnswParameters) -> bool:
        """Build the HNSW graphs that are missing; returns whether it came to the end."""
        for segment in self._segments.values():
            if not segment.lacks_graph(parameters):
                continue
            total = len(segment)

            def report(done: int, total: int = total) -> bool:
                self._options.progress("graph", done, total)
                return not self._options.should_stop()

            with explained_writes(self._store.root):
                if not hnsw.build_graph(segment.folder, segment.vectors, segment.scales, parameters, report):
                    return False
        return True
