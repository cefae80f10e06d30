"""Gives aliases their statements where the target is in another file or package.

A file is read by itself, so an alias of another file's lemma has no statement at first. Once all is indexed, the
files with such aliases are read once more, with what the index knows of the targets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lean_extract.common.errors import IndexDamaged, IndexLocked, IndexMissing, ModelError
from lean_extract.records import Premise
from lean_extract.source.names.scopes import Scope
from lean_extract.source.open_file import library_name
from lean_extract.source.reader import is_bare
from lean_extract.source.reader_declarations import Known
from retriever.lean.index.corpus import LeanFile, LeanIndexCorpus
from retriever.lean.index.flags import Flag
from retriever.lean.index.view import LeanView
from retriever.search.index.names import LiveNames
from retriever.search.index.store import IndexStore
from retriever.search.indexing.report import IndexReport, UpdateOptions
from retriever.search.indexing.update import update_store


class Targets:
    """What names mean in the stores of a project."""

    def __init__(self, stores: Sequence[IndexStore], fingerprint: str) -> None:
        """Open the stores. Raises IndexMissing, IndexDamaged, ModelError."""
        self._view = LeanView.open(stores, fingerprint)
        self._names = LiveNames.of(self._view)

    def known(self, module: str) -> Known:
        """What a name means in a module, unless the module itself declares it."""

        def find(name: str, scope: Scope) -> Premise | None:
            full = library_name(name, scope, lambda full: self._number(full, module) is not None)
            number = self._number(full, module) if full is not None else None
            return self._view.premise(number) if number is not None else None

        return find

    def _number(self, name: str, module: str) -> int | None:
        number = int(self._names.find_names([name])[0])
        if number < 0 or self._view.flags[number] & Flag.PRIVATE or self._view.module(number) == module:
            return None
        return number

    def bare_files(self) -> frozenset[str]:
        """The files that have aliases without statements, by their names in the index. Raises IndexDamaged."""
        view = self._view
        aliases = np.flatnonzero(view.of_kinds(frozenset(("alias",))) & view.alive & ~view.bundled)
        return frozenset(view.file(int(i)).path for i in aliases if is_bare(view.premise(int(i))))


@dataclass(frozen=True, slots=True)
class StoreWork:
    """A store, the files that it is of, and the further fields of its manifest."""

    store: IndexStore
    files: Sequence[LeanFile]
    fields: Mapping[str, Any]


def with_targets(
    work: Sequence[StoreWork],
    reports: Sequence[IndexReport],
    bare: Set[str],
    corpus: LeanIndexCorpus,
    options: UpdateOptions,
    *,
    is_first: bool = False,
) -> list[IndexReport]:
    """Read the files with bare aliases once more, with the targets. Returns the reports with what this did.

    Args:
        work: the stores of a project, which have been updated.
        reports: what these updates did.
        bare: the files that were read in them and have such aliases.
        is_first: whether the project is indexed for the first time: a package that was indexed without its
            dependencies is then completed, too.

    A store that another process writes now stays as it is.
    """
    if any(report.stopped for report in reports) or not (bare or is_first):
        return list(reports)
    try:
        targets = Targets([one.store for one in work], corpus.fingerprint)
        again = frozenset(bare) | (targets.bare_files() if is_first else frozenset())
    except (IndexMissing, IndexDamaged, ModelError):
        return list(reports)  # whoever reads the index says what is wrong with it
    return [
        _completed(one, report, again & {file.name for file in one.files}, targets, corpus, options)
        for one, report in zip(work, reports, strict=True)
    ]


def _completed(
    work: StoreWork,
    report: IndexReport,
    again: frozenset[str],
    targets: Targets,
    corpus: LeanIndexCorpus,
    options: UpdateOptions,
) -> IndexReport:
    """The report of a store after these files have been read again."""
    if not again:
        return report
    files = [
        replace(one, known=targets.known(one.module)) if one.name in again else one for one in work.files
    ]
    try:
        second = update_store(files, work.store, corpus, options, fields=work.fields, again=again)
    except IndexLocked:
        return report
    return replace(
        report,
        documents=second.documents,
        documents_embedded=report.documents_embedded + second.documents_embedded,
        embedding_seconds=report.embedding_seconds + second.embedding_seconds,
        stopped=second.stopped,
        seconds=report.seconds + second.seconds,
    )
