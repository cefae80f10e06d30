"""A segment as one .tar.xz: what can be worked out again (offsets, hashes) is left out, and no statements."""

from __future__ import annotations

import io
import lzma
import tarfile
from pathlib import Path

import numpy as np

from retriever.search.index.files import npy_bytes, sync_folder, write_array, write_bytes
from retriever.search.index.meta import META, Meta, plain_name
from retriever.search.index.proof_columns import hash_names
from retriever.search.index.segment import Segment
from retriever.search.index.structure_columns import rows_by_document
from retriever.search.index.sums import complaints

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
    """The archive of a segment without records. Raises OSError."""
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
