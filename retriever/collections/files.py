"""The folder of an indexed collection: written whole or not at all, read back checked.

manifest.json     what it is of, and with which model its vectors were made
documents.jsonl   one `Document` a line
postings.npz      BM25's inverted lists
proofs.npz        for every question: the document that it is, and its references
vectors.npz       float32[n, d], only where a model was given

Beside the folder `NAME` there may be, while somebody writes it:

.NAME.lock           who holds it may write, or put right what a writer that was killed has left
.NAME.xxxxxxxx       what is written, or is being taken away
.NAME.xxxxxxxx.old   what was there before; where NAME is missing the next reader or writer puts it back
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from lean_extract.errors import IndexDamaged, IndexLocked, IndexMissing, IndexWriteFailed, PremiseIndexError
from lean_extract.typed_json import from_json
from retriever.backend import Document
from retriever.lexical import Postings

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

VERSION = 1
MANIFEST, DOCUMENTS, POSTINGS, PROOFS, VECTORS = (
    "manifest.json",
    "documents.jsonl",
    "postings.npz",
    "proofs.npz",
    "vectors.npz",
)

LONGEST_NAME = 240
"""Bytes of a collection's name: 255 less what stands around it in the names beside its folder."""

DAMAGE = (EOFError, ValueError, KeyError, TypeError, RuntimeError, MemoryError, BadZipFile, zlib.error)
"""What reading a damaged .json or .npz raises, besides OSError: a flipped bit may ask for a cipher, a method
of compression or an array that nobody has."""

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]
Stamp = tuple[int, int, int]
Value = TypeVar("Value")

_LEFT = re.compile(r"\.(?P<name>.+)\.[a-z0-9_]{8}(?P<old>\.old)?", re.DOTALL)
_TRIES = 5


@dataclass(frozen=True, slots=True)
class Manifest:
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

    manifest: Manifest
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
        with _writing(folder):
            # Not tempfile: its folders are for their owner only, and the mode goes along with the rename.
            new = _beside(folder)
            new.mkdir()
            _write(new, stored)
            if os.path.lexists(folder):
                folder.rename(_beside(folder, ".old"))
            new.rename(folder)
    except OSError as error:
        raise _write_failed(folder, error) from error


def remove_stored(folder: Path) -> None:
    """Take a collection away, at once for whoever looks.

    Raises IndexMissing, and IndexWriteFailed; then it is as before.
    """
    try:
        with _writing(folder):
            folder.rename(_beside(folder))
    except FileNotFoundError as error:
        raise _missing(folder) from error
    except OSError as error:
        raise _write_failed(folder, error) from error


def recover_stored(parent: Path) -> None:
    """Put back the collections of a folder that a writer, killed between two renames, left aside.

    Waits for a writer that is alive and just there. Where nothing can be written it changes nothing.
    """
    for _, name, old in _left(parent):
        if old and not os.path.lexists(parent / name):
            with suppress(OSError), _locked(parent / name):
                _tidy(parent / name)


def stored_folders(parent: Path) -> list[Path]:
    """The folders that may hold a collection, by name; also those that a writer has aside just now."""
    names = set()
    for path in parent.glob("*"):  # one look: while it is replaced a folder has now one name, now another
        left = _LEFT.fullmatch(path.name)
        if left and left["old"]:
            names.add(left["name"])
        elif not path.name.startswith("."):
            names.add(path.name)
    return [parent / name for name in sorted(names)]


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    """Be the one who may change a folder; before and after, put right what a broken-off change left.

    Raises OSError.
    """
    with _locked(folder):
        _tidy(folder)
        try:
            yield
        finally:  # after a Ctrl-C, too
            _tidy(folder)


def _tidy(folder: Path) -> None:
    """Where the folder is missing put back what was there before; take the rest away. Only under the lock."""
    before = [path for path, old in _left_of(folder) if old]
    if before and not os.path.lexists(folder):
        max(before, key=_written).rename(folder)
    for path, old in _left_of(folder):
        # First another name: what is called .old is whole, however this ends.
        _discard(path.rename(_beside(folder)) if old else path)


def _written(folder: Path) -> int:
    """When, in nanoseconds; 0 where there is no manifest."""
    try:
        return (folder / MANIFEST).stat().st_mtime_ns
    except OSError:
        return 0


def _discard(path: Path) -> None:
    if path.is_symlink() or path.is_file():  # somebody keeps a collection elsewhere
        path.unlink()
    else:
        shutil.rmtree(path, ignore_errors=True)


def _left(parent: Path) -> list[tuple[Path, str, bool]]:
    """(path, of which name, whether it was there before) of what writers, alive or not, have aside."""
    found = [(path, _LEFT.fullmatch(path.name)) for path in sorted(parent.glob(".*"))]
    return [(path, match["name"], match["old"] is not None) for path, match in found if match]


def _left_of(folder: Path) -> list[tuple[Path, bool]]:
    return [(path, old) for path, name, old in _left(folder.parent) if name == folder.name]


def _beside(folder: Path, end: str = "") -> Path:
    """A new name that `_left` finds."""
    return folder.with_name(f".{folder.name}.{secrets.token_hex(4)}{end}")


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the lock file of a folder, waiting for it; it goes with its last holder. Raises OSError.

    The system frees it when its holder dies. (`retriever.index.lock` does not wait, and its file stays.)
    """
    path = folder.with_name(f".{folder.name}.lock")
    handle = _acquired(path)
    try:
        yield
    finally:
        _release(handle, path)


def _acquired(path: Path) -> int:
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            _wait_for(handle)
            if _is_still(handle, path):
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)  # whom we waited for took the file away: whoever comes now locks another


def _is_still(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


if sys.platform == "win32":

    def _wait_for(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_LOCK, 1)

    def _release(handle: int, path: Path) -> None:
        os.close(handle)
        with suppress(PermissionError):  # another has it open: that one takes it away
            path.unlink(missing_ok=True)

else:

    def _wait_for(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX)

    def _release(handle: int, path: Path) -> None:
        try:
            path.unlink(missing_ok=True)
        finally:
            os.close(handle)


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
    with (folder / MANIFEST).open("w", encoding="utf-8") as stream:
        json.dump(asdict(stored.manifest), stream, ensure_ascii=False, indent=2)
        stream.flush()
        os.fsync(stream.fileno())


def read_manifest(folder: Path) -> Manifest:
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
            recover_stored(folder.parent)
            return read(path)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise _missing(folder) from error
    except OSError as error:
        raise IndexDamaged(
            f"The indexed collection {folder.name} cannot be read: {MANIFEST}: {error.strerror}.", _HINT
        ) from error
    except DAMAGE as error:
        raise _damaged(folder, error) from error


def _manifest(path: Path) -> Manifest:
    values = json.loads(path.read_text(encoding="utf-8"))
    if values["version"] != VERSION:
        raise ValueError(f"version {values['version']}, not {VERSION}")
    manifest: Manifest = from_json(Manifest, values)
    return manifest


def _stamp(path: Path) -> Stamp:
    found = path.stat()
    return found.st_dev, found.st_ino, found.st_mtime_ns


def _read(folder: Path) -> Stored:
    manifest = read_manifest(folder)
    try:
        with (folder / DOCUMENTS).open(encoding="utf-8") as stream:
            documents = tuple(from_json(Document, json.loads(line)) for line in stream)
        with np.load(folder / POSTINGS) as values:
            postings = _postings(values)
        with np.load(folder / PROOFS) as values:
            proofs = KnownProofs(values["own"], values["flat"], values["offsets"])
        vectors = _vectors(folder / VECTORS) if manifest.fingerprint else None
        _check(manifest, documents, [len(postings.lengths), *([] if vectors is None else [len(vectors)])])
    except (OSError, *DAMAGE) as error:
        raise _damaged(folder, error) from error
    return Stored(manifest, documents, postings, proofs, vectors)


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


def _check(manifest: Manifest, documents: Sequence[Document], sizes: Sequence[int]) -> None:
    for size in (len(documents), *sizes):
        if size != manifest.documents:
            raise ValueError(f"{size:,} documents, the manifest says {manifest.documents:,}")


def _missing(folder: Path) -> IndexMissing:
    return IndexMissing(f"There is no indexed collection {folder.name}.", _HINT)


def _damaged(folder: Path, error: Exception) -> IndexDamaged:
    return IndexDamaged(f"The indexed collection {folder.name} is damaged: {error}.", _HINT)


_HINT = "Index it again: premise-suggest index --backend BACKEND SOURCE"
