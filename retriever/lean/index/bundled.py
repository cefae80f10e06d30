"""The Mathlib index that is shipped: packed into the package's data, unpacked into a cache at first use.

Packed, it is one .tar.xz (`retriever.lean.index.bundled`). `bundled.json` beside it names the content's hash, the
encoder's fingerprint and the library's revision.
"""

from __future__ import annotations

import hashlib
import io
import json
import lzma
import os
import secrets
import shutil
import tarfile
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lean_extract.common.errors import (
    IndexDamaged,
    IndexMissing,
    IndexUnreadable,
    ModelError,
)
from lean_extract.common.files.atomic import replacing
from lean_extract.common.files.json_text import read_json
from lean_extract.common.typed import read_typed, read_value
from retriever.search.index.files import (
    damaged,
    explained_writes,
    make_folder,
    npy_bytes,
    sync_folder,
    unreadable,
    write_array,
    write_bytes,
)
from retriever.search.index.manifest import IndexManifest, LiveSegment
from retriever.search.index.meta import (
    META,
    VERSION,
    Count,
    Digest,
    GoOn,
    Meta,
    Text,
    always,
    complaints,
    plain_name,
    read_checked,
)
from retriever.search.index.proof_columns import ProofRows, hash_names
from retriever.search.index.segment import Segment
from retriever.search.index.store import OTHER_MODEL, IndexStore
from retriever.search.index.structure_columns import rows_by_document

CARD = "bundled.json"
ARCHIVE = "mathlib.tar.xz"
REINSTALL = "Install premise-suggest again."
SEGMENT = "mathlib"
_UNPACKING = ".unpacking-"
_ABANDONED_SECONDS = 3600.0
DATA = Path(__file__).parent.parent.parent / "data" / "mathlib"


@dataclass(frozen=True, slots=True)
class Bundle:
    """What is shipped."""

    fingerprint: Text
    revision: Text
    sha256: Digest
    premises: Count
    built_at: Text
    lean: Text = ""
    """The Lean version that the library asks for, where that is known."""


def read_card(data: Path = DATA) -> Bundle:
    """What the package ships. Raises IndexMissing, IndexDamaged."""
    path = data / CARD
    try:
        values = read_value(dict[str, Any], read_json(path))
        return read_typed(Bundle, {name: values[name] for name in Bundle.__slots__ if name in values})
    except FileNotFoundError as error:
        raise IndexMissing("This installation has no bundled Mathlib index.", REINSTALL) from error
    except OSError as error:
        raise unreadable(error, path, REINSTALL) from error
    except ValueError as error:
        raise damaged(path, error, REINSTALL) from error


def pack(segment: Segment, out: Path, *, revision: str, built_at: str, lean: str = "") -> Bundle:
    """Compress a segment without records into `out`; returns its card. Raises OSError."""
    if segment.has_records:
        raise ValueError("a segment with statements is not to be shipped")
    out.mkdir(parents=True, exist_ok=True)
    data = packed(segment)
    found = hashlib.sha256(data).hexdigest()
    bundle = Bundle(segment.fingerprint, revision, found, len(segment), built_at, lean)
    temporary = out / f".{ARCHIVE}.tmp"
    temporary.write_bytes(data)
    temporary.replace(out / ARCHIVE)
    with replacing(out / CARD) as card:
        json.dump({name: getattr(bundle, name) for name in Bundle.__slots__}, card, indent=2)
        card.write("\n")
    return bundle


def unpack(cache: Path, data: Path = DATA, tell: Callable[[str], None] = lambda said: None) -> IndexStore:
    """The bundled index as a store, unpacked into `cache` the first time; safe with several processes.

    If the unpacked copy was altered, it is unpacked again; processes that have the old one open keep it.

    Args:
        tell: called with a sentence that says that it is unpacked, and why.

    Raises IndexMissing, IndexDamaged (the shipped files), IndexWriteFailed (the cache).
    """
    bundle = read_card(data)
    store = _store(cache, bundle)
    damage = _damage(store, bundle)
    if damage is None:
        return store
    if damage:
        tell(f"{damage} Unpacking the bundled Mathlib index again ...")
    else:
        tell("Unpacking the bundled Mathlib index (once) ...")
    archive = _read_archive(data / ARCHIVE, bundle)
    with explained_writes(store.root, damage):
        make_folder(cache)
        _sweep(cache)
        before = [*store.root.glob("segments/*")]
        temporary = Path(tempfile.mkdtemp(prefix=_UNPACKING, dir=cache))
        try:
            extract(archive, temporary, bundle.fingerprint)
            if _damage(store, bundle) is not None:  # else another process was faster
                _publish(temporary, store, bundle)
                for folder in before:  # whoever has it open reads on
                    shutil.rmtree(folder, ignore_errors=True)
        except ValueError as error:
            raise IndexDamaged(f"The bundled index cannot be unpacked: {error}.", REINSTALL) from error
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    if damage := _damage(store, bundle):
        raise IndexDamaged(damage, f"Files written to {cache} do not stay intact: check that disk.")
    return store


def verify_unpacked(cache: Path, bundle: Bundle, go_on: GoOn = always) -> list[str]:
    """Read every byte of the unpacked copy, if there is one; returns what is wrong, in words."""
    store = _store(cache, bundle)
    return store.verify(go_on) if store.stamp() is not None else []


def _store(cache: Path, bundle: Bundle) -> IndexStore:
    return IndexStore(cache / f"mathlib-{VERSION}-{bundle.sha256[:16]}")


def _damage(store: IndexStore, bundle: Bundle) -> str | None:
    """Why the bundle has to be unpacked: an empty text if it never was; None if it need not be.

    Raises IndexDamaged where the system does not let us look.
    """
    try:
        manifest = store.manifest()
        if (manifest.fingerprint, manifest.is_bundled) != (bundle.fingerprint, True) or not manifest.segments:
            return f"{store.manifest_path} is of another index."
        for live in manifest.segments:
            read_checked(store.folder_of(live.name))
    except IndexMissing:
        return ""
    except IndexUnreadable:
        raise
    except IndexDamaged as error:
        return error.message
    return None


def _sweep(cache: Path) -> None:
    """Remove what killed processes left; one at work is never that old."""
    for left in cache.glob(f"{_UNPACKING}*"):
        with suppress(FileNotFoundError):
            if time.time() - left.stat().st_mtime > _ABANDONED_SECONDS:
                shutil.rmtree(left, ignore_errors=True)


def use_counts(store: IndexStore) -> dict[str, int]:
    """How many training proofs use each name, of those that any uses: for `update_index(uses=...)`.

    Raises IndexMissing, IndexDamaged.
    """
    _, segments = store.open()
    counts: dict[str, int] = {}
    for segment, _ in segments:
        uses = segment.columns["uses"]
        for position in np.flatnonzero(uses).tolist():
            counts[segment.names[position]] = int(uses[position])
    return counts


def proof_rows(store: IndexStore) -> ProofRows:
    """What the proofs of training theorems use: for `update_index(proofs=...)`.

    Raises IndexMissing, IndexDamaged.
    """
    _, segments = store.open()
    return ProofRows.of_columns([segment.tables.proofs for segment, _ in segments])


def _read_archive(path: Path, bundle: Bundle) -> bytes:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise unreadable(error, path, REINSTALL) from error
    if hashlib.sha256(data).hexdigest() != bundle.sha256:
        raise IndexDamaged(f"The bundled index {path} was altered or cut off.", REINSTALL)
    return data


def _publish(unpacked: Path, store: IndexStore, bundle: Bundle) -> None:
    """Make an unpacked folder the store's one segment. Raises OSError."""
    folder = store.folder_of(f"{SEGMENT}-{secrets.token_hex(4)}")
    try:
        make_folder(store.root)
        make_folder(folder.parent)
        os.rename(unpacked, folder)  # noqa: PTH104
        store.publish(
            IndexManifest(
                bundle.fingerprint,
                built_at=bundle.built_at,
                segments=(LiveSegment(folder.name),),
                pinned=True,
                is_bundled=True,
            )
        )
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        for made in (folder.parent, store.root):
            with suppress(OSError):  # where something is in it, it was not made here
                made.rmdir()
        raise


def check_fits(bundle: Bundle, fingerprint: str) -> None:
    """Raises ModelError when the bundled index was made with another model."""
    if bundle.fingerprint != fingerprint:
        raise ModelError(
            f"The bundled Mathlib index was built with model {bundle.fingerprint}, "
            f"the model in use is {fingerprint}.",
            OTHER_MODEL,
        )


_DELTA = frozenset(
    (
        "posting_documents.npy",
        "posting_starts.npy",
        "names.npy",
        "terms.npy",
        "proof_starts.npy",
        "proof_uses.npy",
        "structure_hashes.npy",
        "structure_starts.npy",
        "structure_documents.npy",
    )
)
"""Columns that mostly ascend: shipped as differences, which compress several times better."""
_HASHES = "name_hashes.npy"
_ROW_STARTS, _ROWS = "structure_row_starts.npy", "structure_rows.npy"
_DERIVED = frozenset((_HASHES, _ROW_STARTS, _ROWS))
"""Not shipped: worked out from the names, and from the lists by hash."""


def packed(segment: Segment) -> bytes:
    """A segment as one .tar.xz, without records and what can be worked out again. Raises OSError."""
    stream = io.BytesIO()
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 1 << 26}]
    with (
        lzma.open(stream, "wb", format=lzma.FORMAT_XZ, filters=filters) as compressed,
        tarfile.open(fileobj=compressed, mode="w") as archive,
    ):
        for name in sorted({META, *segment.sums} - _DERIVED):
            _add(archive, segment.folder / name)
    return stream.getvalue()


def _add(archive: tarfile.TarFile, path: Path) -> None:
    data = path.read_bytes()
    if path.name in _DELTA:
        array = np.load(io.BytesIO(data), allow_pickle=False)
        data = bytes(npy_bytes(np.diff(array, prepend=array.dtype.type(0))))
    entry = tarfile.TarInfo(path.name)
    entry.size = len(data)
    archive.addfile(entry, io.BytesIO(data))


def extract(archive: bytes, folder: Path, fingerprint: str) -> None:
    """Unpack a segment of this model into an empty folder. Raises OSError; ValueError: it is not whole."""
    try:
        _unpack_files(archive, folder)
        _derive_files(folder)
        meta = Meta.read(folder)
        if meta.fingerprint != fingerprint or {META, *meta.sums} != {p.name for p in folder.iterdir()}:
            raise ValueError("its files are not those that it lists")
        for path, what in complaints(folder, meta.sums):
            raise ValueError(f"{path.name} {what}")
        meta.write(folder)  # with its own sum, which those packed before there was one do not have
    except OSError:
        raise
    except Exception as error:  # tarfile, lzma and numpy each raise their own
        raise ValueError(str(error) or type(error).__name__) from error
    sync_folder(folder)


def _unpack_files(archive: bytes, folder: Path) -> None:
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:xz") as tar:
        for entry in tar:
            path = folder / plain_name(entry.name)
            source = tar.extractfile(entry) if entry.isreg() else None
            if source is None or path.exists():
                raise ValueError(f"{entry.name!r} is not a file, or there twice")
            data = source.read()
            if entry.name in _DELTA:
                array = np.load(io.BytesIO(data), allow_pickle=False)
                data = bytes(npy_bytes(np.cumsum(array, dtype=array.dtype)))
            write_bytes(path, data)


def _derive_files(folder: Path) -> None:
    """What is not shipped because it can be worked out."""
    names = (folder / "names.txt").read_bytes().split(b"\n")[:-1]
    write_array(folder / _HASHES, hash_names(names))
    hashes, starts, documents = (
        np.load(folder / f"structure_{name}.npy") for name in ("hashes", "starts", "documents")
    )
    row_starts, rows = rows_by_document(hashes, starts, documents, len(names))
    write_array(folder / _ROW_STARTS, row_starts)
    write_array(folder / _ROWS, rows)
