"""The index for an evaluation, which holds nothing about the problems' own proofs."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path

import numpy as np

from lean_extract.common.files.settings_files import settings_text
from lean_extract.source.projects.packages import MANIFEST
from lean_extract.source.projects.project import find_sources
from lsp_server.engine.freshness import MATHLIB
from lsp_server.engine.stores import (
    Progress,
    ShouldStop,
    bundled_store,
    holds_premises,
    index_folder,
    needs_mathlib,
    shared_folder,
)
from retriever.lean.index.build import update_index
from retriever.lean.index.bundled import proof_rows, use_counts
from retriever.lean.index.content import NO_PROOFS
from retriever.models.encoder import PremiseEncoder
from retriever.search.index.proof_columns import ProofRows, hash_names
from retriever.search.index.store import IndexStore


def evaluation_stores(
    library: Path,
    problems: Collection[str],
    encoder: PremiseEncoder,
    progress: Progress,
    should_stop: ShouldStop,
) -> list[IndexStore]:
    """Update the stores that answer for a library, and return them.

    Proofs of the problems (full names) neither vote in them nor count as uses, and no tactics are taken
    from them. Raises IndexLocked,
    IndexWriteFailed, IndexMissing, IndexDamaged.
    """
    wants_mathlib = needs_mathlib(library)
    bundled = bundled_store() if wants_mathlib else None
    uses: Mapping[str, int] = {}
    proofs = NO_PROOFS
    if bundled is not None:
        uses, proofs = without_owners(use_counts(bundled), proof_rows(bundled), problems)
    own = IndexStore(_folder(library, problems))
    update_index(
        library,
        own,
        encoder,
        progress=progress,
        should_stop=should_stop,
        shared=shared_folder(),
        uses=uses,
        proofs=proofs,
        unread=frozenset(problems),
    )
    if bundled is None or holds_premises(own, MATHLIB):
        return [own]
    return [own, bundled] if bundled.manifest().fingerprint == encoder.fingerprint else [own]


def without_owners(
    uses: Mapping[str, int], rows: ProofRows, names: Collection[str]
) -> tuple[dict[str, int], ProofRows]:
    """The use counts and rows without the proofs of these theorems."""
    lengths = np.diff(rows.starts)
    gone = np.isin(rows.owners, hash_names(names))
    used_gone = np.repeat(gone, lengths)
    lost = Counter(rows.used[used_gone].tolist())
    starts = np.concatenate([[0], np.cumsum(lengths[~gone])]).astype(np.int64)
    kept = ProofRows(rows.owners[~gone], starts, rows.used[~used_gone])
    if not lost:
        return dict(uses), kept
    hashes = hash_names(uses).tolist()
    counts = {
        name: max(0, count - lost.get(name_hash, 0))
        for (name, count), name_hash in zip(uses.items(), hashes, strict=True)
    }
    return counts, kept


def library_digest(library: Path) -> str:
    """A hash of the library's own files and of the packages in its manifest.

    Raises BadSource.
    """
    found = hashlib.sha256()
    found.update(settings_text(library / MANIFEST, (os.path.realpath(library),)).encode())
    for source in find_sources(library).sources:
        if source.revision is None:
            found.update(f"{source.module}\0".encode())
            found.update(source.path.read_bytes())
    return found.hexdigest()[:16]


def _folder(library: Path, problems: Collection[str]) -> Path:
    key = hashlib.sha256("\0".join([str(library.resolve()), *sorted(problems)]).encode()).hexdigest()[:12]
    return index_folder() / "evaluation" / f"{library.name}-{key}"
