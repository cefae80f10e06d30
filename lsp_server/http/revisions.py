"""The indexes that are served, and their names for `rev`."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from lean_extract.common.devices import Place
from lean_extract.common.errors import IndexMissing, ModelError, PremiseIndexError, StoreUnavailable
from lean_extract.common.lru import Cache
from lean_extract.records import Goal
from lsp_server.engine.answering_stores import AnsweringLibrary
from lsp_server.engine.databases import OpenLibrary, ServedLibraries
from lsp_server.engine.engine import Engine
from lsp_server.engine.freshness import MATHLIB, dated, pinned_lean
from lsp_server.engine.generators import OpenGenerator
from lsp_server.engine.libraries import FetchedLibrary, lean_tag, named_libraries
from lsp_server.engine.revision_names import is_called
from lsp_server.engine.settings import Settings
from lsp_server.engine.stores import model_folder
from lsp_server.http.numbering import Numbering
from lsp_server.http.problems import INVALID, Refusal
from lsp_server.limits import (
    CACHED_ANSWER_PREMISES,
    CACHED_ANSWERS,
    CACHED_GOAL_CHARACTERS,
    NEW_LIBRARIES_SECONDS,
)
from retriever.lean.eligibility import RankedPremise, RankRequest
from retriever.lean.index.bundled import Bundle, read_card
from retriever.models.encoder import fingerprint_of

log = logging.getLogger("premise_suggest")

_MOST_LISTED = 12


@dataclass(frozen=True, slots=True)
class ServedIndex:
    """One index: the bundled one, or a project's with the indexes that it includes."""

    name: str
    """For people."""
    engine: Engine
    revisions: tuple[str, ...]
    """What `rev` may be for it: Mathlib's revision, the Lean version."""
    numbering: Numbering = field(default_factory=Numbering)
    _ranked: Cache[list[RankedPremise]] = field(default_factory=lambda: Cache(CACHED_ANSWERS))

    async def rank(self, request: RankRequest) -> list[RankedPremise]:
        """The best premises for a goal without a file; recent answers are kept.

        Raises PremiseIndexError, ModelError.
        """
        index = await self.engine.project_index()
        snapshot = await asyncio.to_thread(index.service.snapshot)  # a changed index is read again
        key = (request, snapshot.stamps)
        ranked = self._ranked.get(key)
        if ranked is None:
            ranked = await asyncio.to_thread(index.rank, request)
            if request.k <= CACHED_ANSWER_PREMISES and _length(request.goal) <= CACHED_GOAL_CHARACTERS:
                self._ranked.put(key, ranked)
        return ranked

    def is_called(self, revision: str) -> bool:
        """Whether a revision means this index."""
        return is_called(revision, self.revisions)


class Libraries:
    """The indexes of one server; the first is the default.

    Args:
        libraries: those that there are, the bundled one last.
        place: where their models run.
        published: where others may come from while the server runs.
        shared: as for `open_libraries`.
    """

    def __init__(
        self,
        libraries: Sequence[ServedIndex],
        place: Place = "cpu",
        published: ServedLibraries | None = None,
        shared: Path | None = None,
    ) -> None:
        self.all = tuple(libraries)
        self.place: Place = place
        self._published, self._shared = published, shared

    @property
    def notes(self) -> list[str]:
        """Which libraries of the database are left out, and why."""
        return [] if self._published is None else self._published.notes

    @property
    def default(self) -> ServedIndex:
        """The index used if no revision is given."""
        return self.all[0]

    @property
    def listed(self) -> str:
        """What the indexes are called, for people."""
        known = dict.fromkeys(name for library in self.all for name in library.revisions)
        return ", ".join([*known][:_MOST_LISTED]) or "none with a name"

    def has(self, revision: str) -> bool:
        """Whether there is an index for a revision."""
        return any(library.is_called(revision) for library in self.all)

    def find(self, revision: str | None) -> ServedIndex:
        """The index for a revision. Raises Refusal (400), which lists the available ones."""
        if not revision:
            return self.default
        for library in self.all:
            if library.is_called(revision):
                return library
        raise Refusal(
            400,
            INVALID,
            f"The specified revision is not indexed here; there is: {self.listed}. Index a project of that "
            "revision and serve it with --project, fetch a library and serve it with --library, or serve the "
            "default index under that name with --rev.",
        )

    async def watch(self) -> None:
        """Serve also what is published from now on; ends by cancellation."""
        while self._published is not None:
            await asyncio.sleep(NEW_LIBRARIES_SECONDS)
            with suppress(StoreUnavailable):  # requests report it
                new = await asyncio.to_thread(self._published.unserved)
                known = len(self.notes)
                async for one in _usable(self._published, new, self._shared):
                    self.all = (*self.all[:-1], one, self.all[-1])
                for note in self.notes[known:]:
                    log.error("%s", note)

    async def close(self) -> None:
        """Close all indexes."""
        for library in self.all:
            await library.engine.close()


async def open_libraries(
    projects: Sequence[Path],
    settings: Mapping[Path | None, Settings],
    extra: Sequence[str] = (),
    shared: Path | None = None,
    database: str = "",
    named: Sequence[str] = (),
) -> Libraries:
    """The projects' indexes in this order, and the bundled one.

    The projects are opened now, so that what is missing is reported at once; the bundled index is opened now
    only if it is the default.

    Args:
        projects: roots of projects.
        settings: those of each project, and, under None, those of all else.
        extra: further revisions for which the default index answers.
        shared: a folder of all processes that serve these projects together; None: one process serves.
        database: the address of a database whose libraries are served, too, after the projects.
        named: which of these comes first (by default the one that was published last); without a database, fetched
            libraries as `NAME@REVISION`, which are served after the projects.

    Raises IndexMissing, IndexDamaged, ModelError, StoreUnavailable, UserError.
    """
    found = [await _project(root, settings[root]) for root in dict.fromkeys(projects)]
    fetched = [] if database else named_libraries(named)
    generator = OpenGenerator()
    found += [await _fetched(one, settings[None], generator) for one in fetched]
    if shared is not None:
        found = [replace(one, numbering=Numbering(shared / f"{n}")) for n, one in enumerate(found)]
    first = next(iter(named), "")
    published = ServedLibraries(database, settings[None], first) if database else None
    if published is not None:
        given = published.open()
        found += [one async for one in _usable(published, given, shared)]
        if not found:
            await given[0].engine.project_index()  # raises why it cannot be used
    card = read_card()
    numbering = Numbering(shared and shared / "bundled")
    bundled = Engine(None, settings[None], generator=generator)
    found.append(ServedIndex(_bundled_name(card), bundled, _bundled_revisions(card), numbering))
    opened = await found[0].engine.project_index()
    found[0] = replace(found[0], revisions=(*found[0].revisions, *extra))
    return Libraries(found, opened.service.place, published, shared)


async def _project(root: Path, settings: Settings) -> ServedIndex:
    engine = Engine(root, settings)
    item = await engine.freshness()
    lean = pinned_lean(root)
    mathlib = [source.revision for source in item.sources if source.package.lower() == MATHLIB]
    revisions = (lean_tag(lean), *mathlib, root.name)
    return ServedIndex(f"{root.name}: {item.line}", engine, tuple(filter(None, revisions)))


async def _fetched(one: FetchedLibrary, settings: Settings, generator: OpenGenerator) -> ServedIndex:
    """A fetched library. Raises IndexMissing: it is not indexed; IndexDamaged, ModelError."""
    fingerprint = fingerprint_of(model_folder(settings.model_folder, download=settings.model_download))
    library = AnsweringLibrary(str(one), one.lean, one.store(fingerprint))
    engine = Engine(None, settings, generator=generator, library=library)
    try:
        await engine.project_index()
    except IndexMissing as error:
        again = f"{one.address}@{one.tag or one.revision}"
        raise IndexMissing(
            f"{one} was fetched, and is not indexed.", f"Run: premise-suggest setup --git {again}"
        ) from error
    return ServedIndex(str(one), engine, (*one.names, one.name))


async def _usable(
    published: ServedLibraries, given: Sequence[OpenLibrary], shared: Path | None
) -> AsyncIterator[ServedIndex]:
    """Published libraries that can be used; which cannot, and why, is noted. Raises StoreUnavailable."""
    for one in given:
        try:
            library = await _published(one, shared)
        except StoreUnavailable:
            raise
        except (PremiseIndexError, ModelError) as error:
            published.mark_known(one, error)
        else:
            published.mark_known(one)
            yield library


async def _published(one: OpenLibrary, shared: Path | None) -> ServedIndex:
    item = await one.engine.freshness()
    library, lean = one.library, one.library.lean
    mathlib = [source.revision for source in item.sources if source.package.lower() == MATHLIB]
    names = (lean_tag(lean), *mathlib, library.library)
    name = f"{library.library} {library.revision}"
    key = hashlib.sha256(name.encode()).hexdigest()[:16]
    return ServedIndex(name, one.engine, tuple(filter(None, names)), Numbering(shared and shared / key))


def _bundled_revisions(card: Bundle) -> tuple[str, ...]:
    return tuple(filter(None, (card.revision, card.lean)))


def _bundled_name(card: Bundle) -> str:
    return f"Mathlib {dated(card.revision)} (bundled)"


def _length(goal: Goal) -> int:
    texts = (text for one in goal.hypotheses for text in (*one.names, one.type, one.value or ""))
    return len(goal.target) + sum(map(len, texts))
