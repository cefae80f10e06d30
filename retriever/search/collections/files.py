"""The folder of an indexed collection: written whole or not at all, read back checked.

manifest.json     what it is of, and with which model its vectors were made
documents.jsonl   one `Document` a line
postings.npz      BM25's inverted lists
proofs.npz        for every question: the document that it is, and its references
vectors.npz       float32[n, d], only where a model was given
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from lean_extract.errors import IndexDamaged, IndexLocked, IndexMissing, IndexWriteFailed, PremiseIndexError
from lean_extract.files.json_text import parse_json, read_json
from lean_extract.files.typed_json import from_json
from retriever.models.runtime import DAMAGE
from retriever.search.backend import Document
from retriever.search.bm25 import Postings
from retriever.search.collections.swap import beside, recover, writing
from retriever.search.index.sums import sums_of

VERSION = 1
MANIFEST, DOCUMENTS, POSTINGS, PROOFS, VECTORS = (
    "manifest.json",
    "documents.jsonl",
    "postings.npz",
    "proofs.npz",
    "vectors.npz",
)

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Stamp = tuple[int, int, int]
Value = TypeVar("Value")

_TRIES = 5


@dataclass(frozen=True, slots=True)
class CollectionManifest:
    """What a folder holds."""

    version: int
    name: str
    backend: str
    """What `find_backend` finds it by."""
    source: str
    """The file or folder that was read, as an absolute path."""
    digest: str
    """Of what was read."""
    documents: int
    model: str = ""
    """The folder of the model that made the vectors; empty if there are none."""
    fingerprint: str = ""
    """Of that model."""
    sums: dict[str, str] = field(default_factory=dict, compare=False)
    """SHA-256 of each file beside this one; empty where an older version wrote them."""


@dataclass(frozen=True, slots=True)
class KnownProofs:
    """m questions that are documents themselves, and what they are answered by."""

    own: Ints
    """[m] Numbers of documents."""
    flat: Ints
    """Numbers of documents, those of question i at `flat[offsets[i]:offsets[i + 1]]`, each once."""
    offsets: Ints
    """[m + 1]"""


@dataclass(frozen=True, slots=True)
class Stored:
    """An indexed collection in memory."""

    manifest: CollectionManifest
    documents: tuple[Document, ...]
    postings: Postings
    proofs: KnownProofs
    vectors: Floats | None


def write_stored(folder: Path, stored: Stored) -> None:
    """Put `stored` in the place of what the folder held. Raises IndexWriteFailed; then it is as before.

    Where another is writing it, it waits for that one; the last one stays.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with writing(folder):
            # Not tempfile: its folders are for their owner only, and the mode goes along with the rename.
            new = beside(folder)
            new.mkdir()
            _write(new, stored)
            if os.path.lexists(folder):
                folder.rename(beside(folder, ".old"))
            new.rename(folder)
    except OSError as error:
        raise _write_failed(folder, error) from error


def remove_stored(folder: Path) -> None:
    """Take a collection away, at once for whoever looks.

    Raises IndexMissing, and IndexWriteFailed; then it is as before.
    """
    try:
        with writing(folder):
            folder.rename(beside(folder))
    except FileNotFoundError as error:
        raise _missing(folder) from error
    except OSError as error:
        raise _write_failed(folder, error) from error


def _write_failed(folder: Path, error: OSError) -> IndexWriteFailed:
    return IndexWriteFailed(
        f"The index {folder} cannot be written: {error.strerror}.",
        "Make room, or name another place in PREMISE_SUGGEST_INDEX.",
    )


def _write(folder: Path, stored: Stored) -> None:
    with (folder / DOCUMENTS).open("w", encoding="utf-8") as stream:
        stream.writelines(json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in stored.documents)
    postings, proofs = stored.postings, stored.proofs
    np.savez(
        folder / POSTINGS,
        terms=np.frombuffer("\n".join(postings.terms).encode(), dtype=np.uint8),
        starts=postings.starts,
        documents=postings.documents,
        frequencies=postings.frequencies,
        lengths=postings.lengths,
    )
    np.savez(folder / PROOFS, own=proofs.own, flat=proofs.flat, offsets=proofs.offsets)
    if stored.vectors is not None:
        np.savez(folder / VECTORS, vectors=stored.vectors)  # unlike .npy it has a checksum
    sums = {path.name: digest for path in sorted(folder.iterdir()) for _, digest in sums_of([path]).values()}
    with (folder / MANIFEST).open("w", encoding="utf-8") as stream:
        json.dump(asdict(replace(stored.manifest, sums=sums)), stream, ensure_ascii=False, indent=2)
        stream.flush()
        os.fsync(stream.fileno())


def read_manifest(folder: Path) -> CollectionManifest:
    """What a folder holds. Raises IndexMissing, IndexDamaged."""
    return _of_manifest(folder, _manifest)


def stamp_of(folder: Path) -> Stamp:
    """Another one whenever the collection is indexed again. Raises IndexMissing, IndexDamaged."""
    return _of_manifest(folder, _stamp)


def read_stored(folder: Path) -> Stored:
    """The whole folder, of one writing.

    Raises IndexMissing, IndexDamaged, and IndexLocked where it changes at every try.
    """
    for _ in range(_TRIES):
        before = stamp_of(folder)
        try:
            found: Stored | PremiseIndexError = _read(folder)
        except PremiseIndexError as error:
            found = error
        if stamp_of(folder) != before:
            continue  # indexed again meanwhile: what was read may be of both
        if isinstance(found, PremiseIndexError):
            raise found
        return found
    raise IndexLocked(f"The collection {folder.name} is indexed again and again.", "Try again in a moment.")


def _of_manifest(folder: Path, read: Callable[[Path], Value]) -> Value:
    """What `read` makes of the path of the manifest."""
    path = folder / MANIFEST
    try:
        try:
            return read(path)
        except FileNotFoundError:  # perhaps a writer is between its two renames, or was killed there
            recover(folder.parent)
            return read(path)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise _missing(folder) from error
    except OSError as error:
        raise IndexDamaged(
            f"The indexed collection {folder.name} cannot be read: {MANIFEST}: {error.strerror}.", _HINT
        ) from error
    except DAMAGE as error:
        raise _damaged(folder, error) from error


def _manifest(path: Path) -> CollectionManifest:
    values = read_json(path)
    if values["version"] != VERSION:
        raise ValueError(f"version {values['version']}, not {VERSION}")
    manifest: CollectionManifest = from_json(CollectionManifest, values)
    return manifest


def _stamp(path: Path) -> Stamp:
    found = path.stat()
    return found.st_dev, found.st_ino, found.st_mtime_ns


def _read(folder: Path) -> Stored:
    manifest = read_manifest(folder)
    try:
        _check_files(folder, manifest)
        with (folder / DOCUMENTS).open(encoding="utf-8") as stream:
            documents = tuple(from_json(Document, parse_json(line)) for line in stream)
        with np.load(folder / POSTINGS) as values:
            postings = _postings(values)
        with np.load(folder / PROOFS) as values:
            proofs = KnownProofs(values["own"], values["flat"], values["offsets"])
        vectors = _vectors(folder / VECTORS) if manifest.fingerprint else None
        _check(manifest, documents, [len(postings.lengths), *([] if vectors is None else [len(vectors)])])
    except (OSError, *DAMAGE) as error:
        raise _damaged(folder, error) from error
    return Stored(manifest, documents, postings, proofs, vectors)


def _check_files(folder: Path, manifest: CollectionManifest) -> None:
    """That the files are files, and what was written. Raises OSError, ValueError."""
    for name in (DOCUMENTS, POSTINGS, PROOFS, *([VECTORS] if manifest.fingerprint else [])):
        path = folder / name
        if not stat.S_ISREG(path.stat().st_mode):
            raise ValueError(f"{name} is not a regular file")
        if manifest.sums and manifest.sums.get(name) != sums_of([path])[name][1]:
            raise ValueError(f"{name} was altered")


def _vectors(path: Path) -> Floats:
    with np.load(path) as values:
        found: Floats = values["vectors"]
        return found


def _postings(values: Any) -> Postings:
    text = values["terms"].tobytes().decode()
    return Postings(
        text.split("\n") if text else [],
        values["starts"],
        values["documents"],
        values["frequencies"],
        values["lengths"],
    )


def _check(manifest: CollectionManifest, documents: Sequence[Document], sizes: Sequence[int]) -> None:
    for size in (len(documents), *sizes):
        if size != manifest.documents:
            raise ValueError(f"{size:,} documents, the manifest says {manifest.documents:,}")


def _missing(folder: Path) -> IndexMissing:
    return IndexMissing(f"There is no indexed collection {folder.name}.", _HINT)


def _damaged(folder: Path, error: Exception) -> IndexDamaged:
    return IndexDamaged(f"The indexed collection {folder.name} is damaged: {error}.", _HINT)


_HINT = "Index it again: premise-suggest index --backend BACKEND SOURCE"
