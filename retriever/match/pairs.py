"""Pairs as the models get them: at a level of symbol replacement (section 4.2), and of which tokens."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from lean_extract.errors import BadRecords
from lean_extract.reading import open_regular
from retriever.match.schema import StatementProofs, Token
from retriever.match.store import read_pairs
from retriever.search.splits import SPLITS, Split

Level = Literal["conservation", "partial", "full", "transposition"]
Modality = Literal["both", "text", "math"]
LEVELS: tuple[Level, ...] = ("conservation", "partial", "full", "transposition")
_PIECE = 1 << 20
_RELEASED = {"transposition": "trans"}
MODALITIES: tuple[Modality, ...] = ("both", "text", "math")


@dataclass(frozen=True, slots=True)
class LoadedPairs:
    """A set of pairs at a level, and what it was read from."""

    pairs: StatementProofs
    digest: str
    """sha256 of the file, in hex; of a folder's files one after the other."""


def load_pairs(source: Path, level: Level = "conservation", parts: Collection[Split] = SPLITS) -> LoadedPairs:
    """The pairs of a file, their proofs' symbols replaced; of a released folder its own files of that level.

    Which symbols a proof gets depends on the pair alone, whatever parts are asked for. Raises BadRecords.
    """
    if source.is_dir():
        return LoadedPairs(
            _only(read_pairs(source, level=_RELEASED.get(level, level)), parts), digest_of(source)
        )
    pairs = _only(read_pairs(source), parts)
    if level != "conservation":
        # Not above: that module knows the levels from here.
        from retriever.match.replacement import replace_symbols

        pairs = StatementProofs(tuple(replace_symbols(pair, level) for pair in pairs.pairs), pairs.splits)
    return LoadedPairs(pairs, digest_of(source))


def _only(pairs: StatementProofs, parts: Collection[Split]) -> StatementProofs:
    kept = tuple(pair for pair in pairs.pairs if pairs.splits[pair.key] in parts)
    return StatementProofs(kept, {pair.key: pairs.splits[pair.key] for pair in kept})


def digest_of(source: Path) -> str:
    """sha256 of a file, or of all files right in a folder in the order of their names. Raises BadRecords."""
    whole = hashlib.sha256()
    try:
        for path in sorted(source.iterdir()) if source.is_dir() else [source]:
            if path.is_file():
                with open_regular(path) as stream:
                    while piece := stream.read(_PIECE):
                        whole.update(piece)
    except OSError as error:
        raise BadRecords(f"{error.filename} cannot be read: {error.strerror}.") from error
    return whole.hexdigest()


def of_modality(tokens: Sequence[Token], modality: Modality) -> tuple[Token, ...]:
    """The tokens that a model of this kind of input reads (section 7.2.2)."""
    if modality == "both":
        return tuple(tokens)
    return tuple(token for token in tokens if token.is_math == (modality == "math"))
