"""What goes into a segment, and writing it (`retriever.search.index.segment` has the files)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from retriever.models.quantise import StoredVectors
from retriever.search.bm25 import Postings
from retriever.search.index.files import write_array, write_json, write_strings
from retriever.search.index.mention_columns import MentionColumns
from retriever.search.index.meta import Meta
from retriever.search.index.proof_columns import ProofColumns
from retriever.search.index.source_file import IndexedFile
from retriever.search.index.step_columns import StepColumns
from retriever.search.index.structure_columns import StructureColumns
from retriever.search.index.sums import sums_of
from retriever.search.index.tree_columns import TreeColumns

ALIASES, OWNERS, STRUCTURE, STEP, MENTION, TREE = (
    "exported.json", "proof_owners.npy", "structure_", "step_", "mention_", "tree_"
)  # fmt: skip
_COMMON = frozenset(
    f"{name}.npy"
    for name in (
        *("names", "kinds", "vectors", "scales", "terms", "records"),
        *("name_hashes", "proof_starts", "proof_uses", "proof_names", "proof_owners"),
        *("posting_starts", "posting_documents", "posting_frequencies", "lengths"),
    )
)
_PREFIXES = (STRUCTURE, STEP, MENTION, TREE)
_SMALL = 256
"""As many kinds as a byte can distinguish."""


def further_columns(files: Iterable[str]) -> list[str]:
    """The names of the backend's own columns among a segment's files."""
    arrays = (name for name in files if name.endswith(".npy"))
    own = (name for name in arrays if name not in _COMMON and not name.startswith(_PREFIXES))
    return sorted(name.removesuffix(".npy") for name in own)


@dataclass(frozen=True, slots=True)
class SegmentContent:
    """Everything that goes into a segment, columns over n documents."""

    files: Sequence[IndexedFile]
    names: Sequence[str]
    kinds: Sequence[str]
    vectors: StoredVectors
    """int8[n, d] or float32[n, d]"""
    scales: npt.NDArray[np.float32]
    postings: Postings
    proofs: ProofColumns
    records: Sequence[bytes] | None
    columns: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)
    """The backend's own columns of integers, by name."""
    structure: StructureColumns | None = None
    aliases: Mapping[int, str] = field(default_factory=dict)
    """Of a few documents: another name that they have too."""
    steps: StepColumns | None = None
    mentions: MentionColumns | None = None
    trees: TreeColumns | None = None

    def __len__(self) -> int:
        return len(self.names)


def numbered(files: Iterable[tuple[IndexedFile, int]]) -> list[IndexedFile]:
    """Files with so many documents each, their runs one behind another."""
    result = []
    start = 0
    for file, count in files:
        result.append(replace(file, start=start, stop=start + count))
        start += count
    return result


def write_segment(folder: Path, content: SegmentContent, fingerprint: str) -> None:
    """Write a segment into an empty folder; meta.json comes last. Raises OSError."""
    kinds = sorted(set(content.kinds))
    numbers = {kind: index for index, kind in enumerate(kinds)}
    dtype = np.uint8 if len(kinds) <= _SMALL else np.uint32
    write_json(folder / "files.json", [file.to_json() for file in content.files])
    write_strings(folder, "names", content.names)
    write_strings(folder, "terms", content.postings.terms)
    kind_numbers = np.array([numbers[kind] for kind in content.kinds], dtype=dtype)
    for name, array in {**_arrays(content), "kinds": kind_numbers}.items():
        write_array(folder / f"{name}.npy", array)
    if content.records is not None:
        write_strings(folder, "records", content.records)
    if content.steps is not None:
        write_strings(folder, f"{STEP}records", content.steps.records)
    if content.trees is not None:
        write_strings(folder, f"{TREE}symbols", content.trees.symbols)
    if content.aliases:
        write_json(folder / ALIASES, sorted(content.aliases.items()))
    _write_meta(folder, content, kinds, fingerprint)


def _arrays(content: SegmentContent) -> dict[str, npt.NDArray[Any]]:
    """The arrays by the names of their files."""
    postings, proofs, structure = content.postings, content.proofs, content.structure
    arrays: dict[str, npt.NDArray[Any]] = {
        "vectors": content.vectors,
        "scales": content.scales,
        "posting_starts": postings.starts,
        "posting_documents": postings.documents,
        "posting_frequencies": postings.frequencies,
        "lengths": postings.lengths,
        "name_hashes": proofs.hashes,
        "proof_starts": proofs.starts,
        "proof_uses": proofs.uses,
        "proof_names": proofs.names,
        **content.columns,
    }
    if proofs.owners is not None:
        arrays["proof_owners"] = proofs.owners
    if structure is not None:
        arrays |= {
            f"{STRUCTURE}hashes": structure.hashes,
            f"{STRUCTURE}starts": structure.starts,
            f"{STRUCTURE}documents": structure.documents,
            f"{STRUCTURE}row_starts": structure.row_starts,
            f"{STRUCTURE}rows": structure.rows,
        }
    if (steps := content.steps) is not None:
        arrays |= {
            f"{STEP}owners": steps.owners,
            f"{STEP}vectors": steps.vectors,
            f"{STEP}scales": steps.scales,
            f"{STEP}read": steps.read,
        }
    if (mentions := content.mentions) is not None:
        arrays |= {
            f"{MENTION}owners": mentions.owners,
            f"{MENTION}starts": mentions.starts,
            f"{MENTION}names": mentions.names,
        }
    if (trees := content.trees) is not None:
        arrays |= {f"{TREE}starts": trees.starts, f"{TREE}heads": trees.heads, f"{TREE}sizes": trees.sizes}
    return arrays


def _write_meta(folder: Path, content: SegmentContent, kinds: list[str], fingerprint: str) -> None:
    paths = sorted(path for path in folder.iterdir() if path.is_file())
    shape = len(content), int(content.vectors.shape[1])
    Meta(fingerprint, *shape, tuple(kinds), content.records is not None, sums_of(paths)).write(folder)
