"""The Mathlib index that is shipped: packed into the package's data, unpacked into a cache at first use.

Packed, it is one .tar.xz of a segment's columns; what can be worked out again (offsets, hashes) is left
out, and statements are not shipped at all. `bundled.json` beside it names the content's hash, the encoder's
fingerprint and the library's revision.
"""

from __future__ import annotations

import hashlib
import io
import json
import lzma
import os
import shutil
import tarfile
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lean_extract.atomic import replacing
from lean_extract.errors import IndexDamaged, IndexMissing, ModelError
from retriever.index.files import explained_writes, npy_bytes
from retriever.index.proof_columns import ProofRows, hash_names
from retriever.index.segment import VERSION, Segment
from retriever.index.store import MANIFEST, OTHER_MODEL, IndexStore, LiveSegment, Manifest
from retriever.structure.columns import rows_by_premise

CARD = "bundled.json"
ARCHIVE = "mathlib.tar.xz"
REINSTALL = "Install premise-suggest again."
SEGMENT = "mathlib"
_UNPACKING = ".unpacking-"
_ABANDONED_SECONDS = 3600.0
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
DATA = Path(__file__).parent.parent / "data" / "mathlib"


@dataclass(frozen=True, slots=True)
class Bundle:
    """What is shipped."""

    fingerprint: str
    revision: str
    sha256: str
    premises: int
    built_at: str
    lean: str = ""
    """The Lean version that the library asks for, where that is known."""


def read_card(data: Path = DATA) -> Bundle:
    """What the package ships. Raises IndexMissing, IndexDamaged."""
    path = data / CARD
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        return Bundle(
            str(values["fingerprint"]),
            str(values["revision"]),
            str(values["sha256"]),
            int(values["premises"]),
            str(values["built_at"]),
            str(values.get("lean", "")),
        )
    except FileNotFoundError as error:
        raise IndexMissing("This installation has no bundled Mathlib index.", REINSTALL) from error
    except OSError as error:
        raise IndexDamaged(f"{path} cannot be read: {error.strerror}.", REINSTALL) from error
    except (ValueError, KeyError, TypeError) as error:
        raise IndexDamaged(f"{path} is damaged: {error}.", REINSTALL) from error


def pack(segment: Segment, out: Path, *, revision: str, built_at: str, lean: str = "") -> Bundle:
    """Compress a segment without records into `out`; returns its card. Raises OSError."""
    if segment.has_records:
        raise ValueError("a segment with statements is not to be shipped")
    out.mkdir(parents=True, exist_ok=True)
    stream = io.BytesIO()
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 1 << 26}]
    with (
        lzma.open(stream, "wb", format=lzma.FORMAT_XZ, filters=filters) as packed,
        tarfile.open(fileobj=packed, mode="w") as archive,
    ):
        for path in sorted(segment.folder.iterdir()):
            if path.name not in _DERIVED:
                _add(archive, path)
    data = stream.getvalue()
    digest = hashlib.sha256(data).hexdigest()
    bundle = Bundle(segment.fingerprint, revision, digest, len(segment), built_at, lean)
    temporary = out / f".{ARCHIVE}.tmp"
    temporary.write_bytes(data)
    temporary.replace(out / ARCHIVE)
    with replacing(out / CARD) as card:
        json.dump({name: getattr(bundle, name) for name in Bundle.__slots__}, card, indent=2)
        card.write("\n")
    return bundle


def _add(archive: tarfile.TarFile, path: Path) -> None:
    data = path.read_bytes()
    if path.name in _DELTA:
        array = np.load(io.BytesIO(data), allow_pickle=False)
        data = bytes(npy_bytes(np.diff(array, prepend=array.dtype.type(0))))
    entry = tarfile.TarInfo(path.name)
    entry.size = len(data)
    archive.addfile(entry, io.BytesIO(data))


def unpack(cache: Path, data: Path = DATA) -> IndexStore:
    """The bundled index as a store, unpacked into `cache` the first time; safe with several processes.

    Raises IndexMissing, IndexDamaged (the shipped files), IndexWriteFailed (the cache).
    """
    bundle = read_card(data)
    root = cache / f"mathlib-{VERSION}-{bundle.sha256[:16]}"
    store = IndexStore(root)
    if store.stamp() is not None:
        return store
    archive = _read_archive(data / ARCHIVE, bundle)
    with explained_writes(root):
        cache.mkdir(parents=True, exist_ok=True)
        _sweep(cache)
        temporary = Path(tempfile.mkdtemp(prefix=_UNPACKING, dir=cache))
        try:
            _extract(archive, temporary, bundle)
            _publish(temporary, root)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
    return store


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
        for place in np.flatnonzero(segment.uses).tolist():
            counts[segment.names[place]] = int(segment.uses[place])
    return counts


def proof_rows(store: IndexStore) -> ProofRows:
    """What the proofs of training theorems use: for `update_index(proofs=...)`.

    Raises IndexMissing, IndexDamaged.
    """
    _, segments = store.open()
    return ProofRows.of_columns([segment.proofs for segment, _ in segments])


def _read_archive(path: Path, bundle: Bundle) -> bytes:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise IndexDamaged(
            f"The bundled index {path} cannot be read: {error.strerror}.", REINSTALL
        ) from error
    if hashlib.sha256(data).hexdigest() != bundle.sha256:
        raise IndexDamaged(f"The bundled index {path} was altered or cut off.", REINSTALL)
    return data


def _extract(archive: bytes, root: Path, bundle: Bundle) -> None:
    folder = root / "segments" / SEGMENT
    folder.mkdir(parents=True)
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:xz") as tar:
        for entry in tar:
            source = tar.extractfile(entry)
            if source is None or Path(entry.name).name != entry.name:
                raise IndexDamaged(f"The bundled index holds {entry.name!r}.", REINSTALL)
            data = source.read()
            if entry.name in _DELTA:
                array = np.load(io.BytesIO(data), allow_pickle=False)
                data = bytes(npy_bytes(np.cumsum(array, dtype=array.dtype)))
            (folder / entry.name).write_bytes(data)
    names = (folder / "names.txt").read_bytes().split(b"\n")[:-1]
    (folder / _HASHES).write_bytes(npy_bytes(hash_names(names)))
    hashes, starts, documents = (
        np.load(folder / f"structure_{name}.npy") for name in ("hashes", "starts", "documents")
    )
    row_starts, rows = rows_by_premise(hashes, starts, documents, len(names))
    (folder / _ROW_STARTS).write_bytes(npy_bytes(row_starts))
    (folder / _ROWS).write_bytes(npy_bytes(rows))
    manifest = Manifest(
        bundle.fingerprint,
        built_at=bundle.built_at,
        segments=(LiveSegment(SEGMENT),),
        pinned=True,
        is_bundled=True,
    )
    (root / MANIFEST).write_text(json.dumps(manifest.to_json()), encoding="utf-8")


def _publish(temporary: Path, root: Path) -> None:
    try:
        temporary.chmod(0o755)
        os.rename(temporary, root)  # noqa: PTH104
    except OSError:
        # Another process was faster, or something broken is in the way.
        if IndexStore(root).stamp() is not None:
            return
        shutil.rmtree(root, ignore_errors=True)
        os.rename(temporary, root)  # noqa: PTH104


def check_fits(bundle: Bundle, fingerprint: str) -> None:
    """Raises ModelError when the bundled index was made with another model."""
    if bundle.fingerprint != fingerprint:
        raise ModelError(
            f"The bundled Mathlib index was built with model {bundle.fingerprint}, "
            f"the model in use is {fingerprint}.",
            OTHER_MODEL,
        )
