"""The parts in which the Mathlib index is shipped: each changes on its own, and is a file of its own.

    names     names, kinds, flags, lines, aliases; the files with their imports
    terms     terms that names do not explain (the shapes of statements), and the hashes of `structure`
    uses      how often proofs use each premise, and what each proof uses
    vectors   the encoder's, in few bits (`retriever.models.vector_code`)

A part is arrays by name, as an .npz within .xz. One more is an entry of `_PACKED` and what `content_of` makes of it.
"""

from __future__ import annotations

import io
import json
import lzma
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Bytes, Ids
from retriever.lean.tokens import name_parts
from retriever.models import vector_code
from retriever.search.index.meta import IndexedFile
from retriever.search.index.packed_lists import pack_lists, read_varints, unpack_lists, varints
from retriever.search.index.postings import Postings, count_postings
from retriever.search.index.proof_columns import ProofColumns, hash_names
from retriever.search.index.segment import Segment
from retriever.search.index.segment_content import SegmentContent, SegmentTables
from retriever.search.index.structure_columns import StructureColumns, rows_by_document
from retriever.search.index.table import starts_of

Arrays = Mapping[str, npt.NDArray[Any]]
USED_STEP, UNUSED_STEP = 20, 40
"""Steps of vectors (`vector_code.encode`): finer for what training proofs use, as that is what is looked for."""
_MOST_BYTES = 1 << 28
"""Of an unpacked part."""
_WORD = re.compile(r"[^._«»\n]+|\n")
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 1 << 24}]


def pack(segment: Segment) -> dict[str, bytes]:
    """The parts of a segment. Raises ValueError where it has something that is not shipped."""
    tables = segment.tables
    if segment.has_records:
        raise ValueError("a segment with statements is not to be shipped")
    if tables.steps or tables.mentions or tables.trees or tables.proofs.owners is not None:
        raise ValueError("a segment that was read from source text is not to be shipped")
    return {name: _compressed(arrays_of(segment)) for name, arrays_of in _PACKED.items()}


def unpack(parts: Mapping[str, bytes]) -> SegmentContent:
    """What goes into the segment. Raises ValueError."""
    try:
        return content_of({name: _decompressed(parts[name]) for name in PARTS})
    except Exception as error:  # lzma, zipfile, numpy and json each raise their own
        raise ValueError(str(error) or type(error).__name__) from error


def content_of(parts: Mapping[str, Arrays]) -> SegmentContent:
    """What goes into the segment. Raises whatever reading damaged arrays raises."""
    names, terms, uses = parts["names"], parts["terms"], parts["uses"]
    text = names["names"].tobytes().decode()
    found = text.split("\n")[:-1]
    vectors, scales = vector_code.decode(parts["vectors"])
    if not len(found) == len(names["kinds"]) == len(uses["uses"]) == len(vectors):
        raise ValueError("its parts are not of the same premises")
    kind_names = _json(names["kind_names"])
    return SegmentContent(
        files=[IndexedFile.from_json(row) for row in _json(names["files"])],
        names=found,
        kinds=[kind_names[kind] for kind in names["kinds"].tolist()],
        vectors=vectors,
        scales=scales,
        tables=SegmentTables(
            postings=_postings(text, len(found), terms),
            proofs=ProofColumns(
                hash_names(found),
                starts_of(read_varints(uses["lengths"])).astype(np.int32),
                uses["proofs"],
                uses["elsewhere"],
            ),
            structure=_structure(terms, len(found)),
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
    rest = _unexplained(segment)
    counts, gaps = pack_lists(rest.starts, rest.documents)
    found: dict[str, npt.NDArray[Any]] = {
        "terms": np.frombuffer("".join(f"{term}\n" for term in rest.terms).encode(), dtype=np.uint8),
        "counts": counts,
        "documents": gaps,
        "frequencies": varints(rest.frequencies),
    }
    if (structure := segment.tables.structure) is not None:
        counts, gaps = pack_lists(structure.starts, structure.documents)
        hashes = np.diff(structure.hashes, prepend=np.uint32(0))
        found |= {"hashes": hashes, "hash_counts": counts, "hash_documents": gaps}
    return found


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


_PACKED: Mapping[str, Callable[[Segment], Arrays]] = {
    "names": _names,
    "terms": _terms,
    "uses": _uses,
    "vectors": _vectors,
}
PARTS = tuple(_PACKED)


def _name_terms(text: str) -> tuple[list[str], Ids, Ids]:
    """(vocabulary, terms int64[m], owners int64[m]): every term of every name; names are the lines of `text`.

    Names have few different words, which are split once each.
    """
    words = _WORD.findall(text)
    parts = {word: name_parts(word) for word in set(words)} | {"\n": ()}
    numbers: dict[str, int] = {}
    rows = [[numbers.setdefault(term, len(numbers)) for term in parts[word]] for word in parts]
    positions = {word: number for number, word in enumerate(parts)}
    found = np.fromiter(map(positions.__getitem__, words), dtype=np.int64, count=len(words))
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    flat = np.array([term for row in rows for term in row], dtype=np.int64)
    owners = np.cumsum(found == positions["\n"])
    each = lengths[found]
    starts = (np.cumsum(lengths) - lengths)[found] - (np.cumsum(each) - each)
    return [*numbers], flat[np.repeat(starts, each) + np.arange(int(each.sum()))], np.repeat(owners, each)


def _postings(text: str, documents: int, rest: Arrays) -> Postings:
    """The postings of names and of what they do not explain."""
    vocabulary, terms, owners = _name_terms(text)
    numbers = {term: number for number, term in enumerate(vocabulary)}
    more = [numbers.setdefault(term, len(numbers)) for term in _lines(rest["terms"])]
    starts, places = unpack_lists(rest["counts"], rest["documents"])
    often = read_varints(rest["frequencies"])
    further = np.repeat(np.repeat(np.array(more, dtype=np.int64), np.diff(starts)), often)
    return count_postings(
        [*numbers],
        np.concatenate([terms, further]),
        np.concatenate([owners, np.repeat(places, often)]),
        documents,
    )


def _unexplained(segment: Segment) -> Postings:
    """The occurrences of terms that are not their documents' names'. Raises ValueError: a name's term is missing."""
    whole = segment.tables.postings
    text = bytes(segment.names.data[:]).decode()
    vocabulary, terms, owners = _name_terms(text)
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


def _structure(terms: Arrays, documents: int) -> StructureColumns | None:
    if "hashes" not in terms:
        return None
    hashes = np.cumsum(terms["hashes"], dtype=np.uint32)
    starts, found = unpack_lists(terms["hash_counts"], terms["hash_documents"])
    places = found.astype(np.int32)
    return StructureColumns(hashes, starts, places, *rows_by_document(hashes, starts, places, documents))


def _lines(text: Bytes) -> Sequence[str]:
    return text.tobytes().decode().split("\n")[:-1]


def _json(text: Bytes) -> Any:
    return json.loads(text.tobytes())


def _json_bytes(value: object) -> Bytes:
    return np.frombuffer(
        json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(), dtype=np.uint8
    )


def _compressed(arrays: Arrays) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return lzma.compress(stream.getvalue(), format=lzma.FORMAT_XZ, filters=_FILTERS)


def _decompressed(data: bytes) -> dict[str, npt.NDArray[Any]]:
    decompressor = lzma.LZMADecompressor(lzma.FORMAT_XZ)
    stream = io.BytesIO(decompressor.decompress(data, _MOST_BYTES))
    if not decompressor.eof:
        raise ValueError(f"a part is cut off, or has more than {_MOST_BYTES} bytes")
    with np.load(stream, allow_pickle=False) as arrays:
        return dict(arrays)
