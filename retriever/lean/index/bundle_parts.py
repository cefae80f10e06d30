"""The parts in which the Mathlib index is shipped: each changes on its own, and is a file of its own.

    names     names, kinds, flags, lines, aliases; the files with their imports
    terms     the shapes of statements, which are the terms that names do not explain, and the hashes of `structure`
    uses      how often proofs use each premise, and what each proof uses
    docs      the words of doc strings, and of the statements of what proofs often use
    vectors   the encoder's, in few bits (`retriever.models.vector_code`)

A part is arrays by name, as an .npz within .xz. One more is an entry of `_PACKED` and what `_content_of` makes of it.
"""

from __future__ import annotations

import io
import json
import lzma
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Bools, Bytes, Floats, Int32s, UInt64s
from retriever.lean.index.bundle_structure import pack_structure, unpack_structure
from retriever.lean.index.bundle_terms import (
    pack_names,
    pack_shapes,
    repeats_of,
    unpack_names,
    unpack_postings,
)
from retriever.models import vector_code
from retriever.search.index.meta import IndexedFile
from retriever.search.index.packed_lists import pack_lists, read_varints, unpack_lists, varints
from retriever.search.index.postings import DocPostings
from retriever.search.index.proof_columns import ProofColumns, hash_names
from retriever.search.index.segment import Segment
from retriever.search.index.segment_content import SegmentContent, SegmentTables
from retriever.search.index.table import starts_of

Arrays = Mapping[str, npt.NDArray[Any]]
USED_STEP, UNUSED_STEP = 25, 50
"""Steps of vectors (`vector_code.encode`): finer for what training proofs use, as that is what is looked for."""
_FLAG_BITS = 8
"""Of the array `kinds`, in which a premise's kind follows."""
_MOST_BYTES = 1 << 28
"""Of an unpacked part."""
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 1 << 24}]


def pack(segment: Segment) -> dict[str, bytes]:
    """The parts of a segment. Raises ValueError where it has something that is not shipped."""
    tables = segment.tables
    if segment.has_records:
        raise ValueError("a segment with statements is not to be shipped")
    if tables.steps or tables.mentions or tables.trees or tables.proofs.owners is not None:
        raise ValueError("a segment that was read from source text is not to be shipped")
    return {name: compressed(arrays_of(segment)) for name, arrays_of in _PACKED.items()}


def unpack(parts: Mapping[str, bytes]) -> SegmentContent:
    """What goes into the segment. Raises ValueError."""
    try:
        return _content_of(parts)
    except Exception as error:  # lzma, zipfile, numpy and json each raise their own
        raise ValueError(str(error) or type(error).__name__) from error


def _content_of(parts: Mapping[str, bytes]) -> SegmentContent:
    """The same. Raises whatever reading damaged arrays raises."""
    vectors, scales = vector_code.decode(
        _decompressed(parts["vectors"])
    )  # first, as it needs the most memory
    names, uses = _decompressed(parts["names"]), _decompressed(parts["uses"])
    found = [*unpack_names(names)]
    if not len(found) == len(names["kinds"]) == len(uses["more_uses"]) == len(vectors):
        raise ValueError("its parts are not of the same premises")
    kind_names = _json(names["kind_names"])
    terms = _decompressed(parts["terms"])
    proofs, counts = _proofs(uses, hash_names(found))
    return SegmentContent(
        files=[IndexedFile.from_json(row) for row in _json(names["files"])],
        names=found,
        kinds=[kind_names[kind] for kind in (names["kinds"] >> _FLAG_BITS).tolist()],
        vectors=vectors,
        scales=scales,
        tables=SegmentTables(
            postings=unpack_postings(terms, found),
            proofs=proofs,
            structure=unpack_structure(terms, repeats_of(terms), len(found)) if "hashes" in terms else None,
            docs=_doc_postings(_decompressed(parts["docs"]), len(found)),
        ),
        records=None,
        columns={
            "flags": names["kinds"].astype(np.uint8),
            "lines": np.cumsum(names["lines"], dtype=np.int32),
            "uses": counts + uses["more_uses"],
        },
        aliases={int(position): str(name) for position, name in _json(names["aliases"])},
    )


def _names(segment: Segment) -> Arrays:
    return {
        **pack_names(segment.names),
        "kinds": segment.kinds.astype(np.uint16) << _FLAG_BITS | segment.columns["flags"],
        "kind_names": _json_bytes(segment.kind_names),
        "lines": np.diff(segment.columns["lines"], prepend=np.int32(0)),
        "aliases": _json_bytes(sorted(segment.aliases.items())),
        "files": _json_bytes([file.to_json() for file in segment.files]),
    }


def _terms(segment: Segment) -> Arrays:
    structure = segment.tables.structure
    shapes = pack_shapes(segment.tables.postings, [*segment.names])
    return shapes if structure is None else shapes | pack_structure(structure, repeats_of(shapes))


def _docs(segment: Segment) -> Arrays:
    return docs_of(segment.tables.docs)


def docs_of(docs: DocPostings | None) -> Arrays:
    """The arrays of the part `docs`."""
    if docs is None:
        return {}
    counts, gaps = pack_lists(docs.starts, docs.documents)
    return {
        "terms": np.frombuffer("".join(f"{term}\n" for term in docs.terms).encode(), dtype=np.uint8),
        "counts": counts,
        "documents": gaps,
        "frequencies": varints(docs.frequencies),
    }


def _uses(segment: Segment) -> Arrays:
    proofs, count = segment.tables.proofs, len(segment)
    used = np.where(proofs.uses >= 0, proofs.uses, count - 1 - proofs.uses)
    after = (np.repeat(np.arange(count), np.diff(proofs.starts)) - used) % max(count, 1)
    used_in = np.bincount(used, minlength=count + len(proofs.names))
    counts, gaps = pack_lists(starts_of(used_in), after[np.lexsort((after, used))])
    more = segment.columns["uses"] - used_in[:count].astype(np.int32)
    return {"used_in": counts, "after": gaps, "elsewhere": proofs.names, "more_uses": more}


def _proofs(part: Arrays, hashes: UInt64s) -> tuple[ProofColumns, Int32s]:
    """(what proofs use, int32[n]: in how many of them each premise is).

    The arrays are, for n premises and m names elsewhere:

        used_in, after   n + m lists (`pack_lists`): how far after a premise those are that use it, modulo n
        elsewhere        uint64[m]
        more_uses        int32[n]: how often a premise is used, beyond that
    """
    count = len(hashes)
    starts, after = unpack_lists(part["used_in"], part["after"])
    used = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    owners = (after + used) % max(count, 1)
    uses = np.where(used < count, used, count - 1 - used)
    lengths = np.bincount(owners, minlength=count)
    ordered = uses[np.lexsort((uses, owners))].astype(np.int32)
    proofs = ProofColumns(hashes, starts_of(lengths).astype(np.int32), ordered, part["elsewhere"])
    return proofs, np.diff(starts)[:count].astype(np.int32)


def _vectors(segment: Segment) -> Arrays:
    steps = np.where(segment.columns["uses"] > 0, USED_STEP, UNUSED_STEP)
    return vector_code.encode(segment.vectors.astype(np.float32) * segment.scales[:, None], steps)


def as_bundled(vectors: Floats, is_used: Bools) -> Floats:
    """float32[n, d]: what vectors are once they were packed and unpacked.

    Args:
        vectors: float32[n, d], in the order of the library's files.
        is_used: bool[n]: whether a training proof uses the premise.
    """
    rows, scales = vector_code.decode(vector_code.encode(vectors, np.where(is_used, USED_STEP, UNUSED_STEP)))
    return rows.astype(np.float32) * scales[:, None]


_PACKED: Mapping[str, Callable[[Segment], Arrays]] = {
    "names": _names,
    "terms": _terms,
    "uses": _uses,
    "docs": _docs,
    "vectors": _vectors,
}
PARTS = tuple(_PACKED)


def _doc_postings(part: Arrays, count: int) -> DocPostings | None:
    if "terms" not in part:
        return None
    starts, documents = unpack_lists(part["counts"], part["documents"])
    frequencies = read_varints(part["frequencies"])
    lengths = np.bincount(documents, weights=frequencies, minlength=count).astype(np.int32)
    terms = part["terms"].tobytes().decode().split("\n")[:-1]
    return DocPostings(terms, starts, documents.astype(np.int32), frequencies.astype(np.uint16), lengths)


def _json(text: Bytes) -> Any:
    return json.loads(text.tobytes())


def _json_bytes(value: object) -> Bytes:
    return np.frombuffer(
        json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(), dtype=np.uint8
    )


def compressed(arrays: Arrays) -> bytes:
    """A part as a file."""
    stream = io.BytesIO()
    np.savez(stream, **arrays)  # type: ignore[arg-type]  # a name could be an option
    return lzma.compress(stream.getvalue(), format=lzma.FORMAT_XZ, filters=_FILTERS)


def _decompressed(data: bytes) -> dict[str, npt.NDArray[Any]]:
    decompressor = lzma.LZMADecompressor(lzma.FORMAT_XZ)
    stream = io.BytesIO(decompressor.decompress(data, _MOST_BYTES))
    if not decompressor.eof:
        raise ValueError(f"a part is cut off, or has more than {_MOST_BYTES} bytes")
    with np.load(stream, allow_pickle=False) as arrays:
        return dict(arrays)
