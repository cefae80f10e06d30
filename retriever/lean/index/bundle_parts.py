"""The parts in which the Mathlib index is shipped: each changes on its own, and is a file of its own.

    names     names, kinds, flags, lines, aliases; the files with their imports
    terms     terms that names do not explain (the shapes of statements), and the hashes of `structure`
    uses      how often proofs use each premise, and what each proof uses
    docs      the words of doc strings
    vectors   the encoder's, in few bits (`retriever.models.vector_code`)

A part is arrays by name, as an .npz within .xz. One more is an entry of `_PACKED` and what `_content_of` makes of it.
"""

from __future__ import annotations

import io
import json
import lzma
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Bools, Bytes, Floats, Ids
from retriever.lean.tokens import name_parts
from retriever.models import vector_code
from retriever.search.index.meta import IndexedFile
from retriever.search.index.packed_lists import pack_lists, read_varints, unpack_lists, varints
from retriever.search.index.postings import DocPostings, Postings, count_postings
from retriever.search.index.proof_columns import ProofColumns, hash_names
from retriever.search.index.segment import Segment
from retriever.search.index.segment_content import SegmentContent, SegmentTables
from retriever.search.index.structure_columns import StructureColumns, rows_by_document
from retriever.search.index.table import rows_of, starts_of

Arrays = Mapping[str, npt.NDArray[Any]]
USED_STEP, UNUSED_STEP = 25, 50
"""Steps of vectors (`vector_code.encode`): finer for what training proofs use, as that is what is looked for."""
_MOST_BYTES = 1 << 28
"""Of an unpacked part."""
_NAMES_AT_ONCE = 1 << 14
_WORD = re.compile(r"[^._«»\n]+|\n")
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
    text = names["names"].tobytes()
    found = text.decode().split("\n")[:-1]
    if not len(found) == len(names["kinds"]) == len(uses["uses"]) == len(vectors):
        raise ValueError("its parts are not of the same premises")
    kind_names = _json(names["kind_names"])
    terms = _decompressed(parts["terms"])
    starts = starts_of(read_varints(uses["lengths"])).astype(np.int32)
    return SegmentContent(
        files=[IndexedFile.from_json(row) for row in _json(names["files"])],
        names=found,
        kinds=[kind_names[kind] for kind in names["kinds"].tolist()],
        vectors=vectors,
        scales=scales,
        tables=SegmentTables(
            postings=_postings(terms, found),
            proofs=ProofColumns(
                hash_names(text.split(b"\n")[:-1]), starts, uses["proofs"], uses["elsewhere"]
            ),
            structure=_structure(terms, len(found)),
            docs=_doc_postings(_decompressed(parts["docs"]), len(found)),
        ),
        records=None,
        columns={
            "flags": names["flags"],
            "lines": np.cumsum(names["lines"], dtype=np.int32),
            "uses": uses["uses"],
        },
        aliases={int(position): str(name) for position, name in _json(names["aliases"])},
    )


def _names(segment: Segment) -> Arrays:
    return {
        "names": np.frombuffer(bytes(segment.names.data[:]), dtype=np.uint8),
        "kinds": segment.kinds,
        "kind_names": _json_bytes(segment.kind_names),
        "flags": segment.columns["flags"],
        "lines": np.diff(segment.columns["lines"], prepend=np.int32(0)),
        "aliases": _json_bytes(sorted(segment.aliases.items())),
        "files": _json_bytes([file.to_json() for file in segment.files]),
    }


def _terms(segment: Segment) -> Arrays:
    found = _lists(_unexplained(segment))
    if (structure := segment.tables.structure) is not None:
        counts, gaps = pack_lists(structure.starts, structure.documents)
        hashes = np.diff(structure.hashes, prepend=np.uint32(0))
        found |= {"hashes": hashes, "hash_counts": counts, "hash_documents": gaps}
    return found


def _lists(postings: Postings) -> dict[str, npt.NDArray[Any]]:
    counts, gaps = pack_lists(postings.starts, postings.documents)
    return {
        "terms": np.frombuffer("".join(f"{term}\n" for term in postings.terms).encode(), dtype=np.uint8),
        "counts": counts,
        "documents": gaps,
        "frequencies": varints(postings.frequencies),
    }


def _docs(segment: Segment) -> Arrays:
    return docs_of(segment.tables.docs)


def docs_of(docs: DocPostings | None) -> Arrays:
    """The arrays of the part `docs`."""
    return {} if docs is None else _lists(docs)


def _uses(segment: Segment) -> Arrays:
    proofs = segment.tables.proofs
    return {
        "uses": segment.columns["uses"],
        "lengths": varints(np.diff(proofs.starts)),
        "proofs": proofs.uses,
        "elsewhere": proofs.names,
    }


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


def _name_terms(names: Sequence[str]) -> tuple[list[str], Ids, Ids]:
    """(vocabulary, terms int64[m], owners int64[m]): every term of every name.

    A name is the words between its dots and underscores; there are few different ones, and each is split once.
    """
    words: dict[str, int] = {"\n": 0}
    parts = []
    for start in range(0, len(names), _NAMES_AT_ONCE):
        text = "\n".join([*names[start : start + _NAMES_AT_ONCE], ""])
        parts.append(np.array([words.setdefault(word, len(words)) for word in _WORD.findall(text)], np.int32))
    found = np.concatenate([np.zeros(0, dtype=np.int32), *parts])
    numbers: dict[str, int] = {}
    split = ((), *map(name_parts, islice(words, 1, None)))
    rows = [[numbers.setdefault(term, len(numbers)) for term in terms] for terms in split]
    lengths = np.array([len(row) for row in rows])
    flat = np.array([term for row in rows for term in row], dtype=np.int64)
    starts = np.cumsum(lengths) - lengths
    each = lengths[found]
    return [*numbers], flat[rows_of(starts[found], each)], np.repeat(np.cumsum(found == 0), each)


def _postings(part: Arrays, names: Sequence[str]) -> Postings:
    """The postings of names and of what they do not explain."""
    vocabulary, terms, owners = _name_terms(names)
    numbers = {term: number for number, term in enumerate(vocabulary)}
    lines = part["terms"].tobytes().decode().split("\n")[:-1]
    more = np.array([numbers.setdefault(term, len(numbers)) for term in lines], dtype=np.int64)
    starts, places = unpack_lists(part["counts"], part["documents"])
    often = read_varints(part["frequencies"])
    further = np.repeat(np.repeat(more, np.diff(starts)), often)
    terms, owners = np.concatenate([terms, further]), np.concatenate([owners, np.repeat(places, often)])
    return count_postings([*numbers], terms, owners, len(names))


def _doc_postings(part: Arrays, count: int) -> DocPostings | None:
    if "terms" not in part:
        return None
    starts, documents = unpack_lists(part["counts"], part["documents"])
    frequencies = read_varints(part["frequencies"])
    lengths = np.bincount(documents, weights=frequencies, minlength=count).astype(np.int32)
    terms = part["terms"].tobytes().decode().split("\n")[:-1]
    return DocPostings(terms, starts, documents.astype(np.int32), frequencies.astype(np.uint16), lengths)


def _structure(part: Arrays, count: int) -> StructureColumns | None:
    if "hashes" not in part:
        return None
    hashes = np.cumsum(part["hashes"], dtype=np.uint32)
    starts, places = unpack_lists(part["hash_counts"], part["hash_documents"])
    documents = places.astype(np.int32)
    return StructureColumns(hashes, starts, documents, *rows_by_document(hashes, starts, documents, count))


def _unexplained(segment: Segment) -> Postings:
    """The occurrences of terms that are not their documents' names'. Raises ValueError: a name's term is missing."""
    whole = segment.tables.postings
    vocabulary, terms, owners = _name_terms([*segment.names])
    numbers = {term: number for number, term in enumerate(whole.terms)}
    places = np.array([numbers.get(term, -1) for term in vocabulary], dtype=np.int64)[terms]
    keys = np.repeat(np.arange(len(numbers)), np.diff(whole.starts)) * len(segment) + whole.documents
    explained, counts = np.unique(places * len(segment) + owners, return_counts=True)
    at = np.searchsorted(keys, explained)
    if (places < 0).any() or (keys[np.minimum(at, len(keys) - 1)] != explained).any():
        raise ValueError("its postings do not have all terms of its names")
    left = whole.frequencies.astype(np.int64)
    left[at] -= counts
    kept = np.repeat(keys, left)
    return count_postings([*numbers], *np.divmod(kept, max(len(segment), 1)), len(segment))


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
