"""Pairs as the models get them: at a level of symbol replacement (section 4.2), and of which tokens."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from retriever.proof_matching.replacement import replace_symbols
from retriever.proof_matching.schema import Level, Modality, StatementProofs, Token
from retriever.proof_matching.store import digest_of, read_pairs
from retriever.search.splits import SPLITS, Split

_RELEASED = {"transposition": "trans"}


@dataclass(frozen=True, slots=True)
class LoadedPairs:
    """A set of pairs at a level, and what it was read from."""

    pairs: StatementProofs
    digest: str
    """sha256 of the file, in hex; of a folder's files one after the other."""


def load_pairs(source: Path, level: Level = "conservation", parts: Collection[Split] = SPLITS) -> LoadedPairs:
    """The pairs of a file, their proofs' symbols replaced; of a released folder its own files of that level.

    Which symbols a proof gets depends on the pair alone, whatever parts are requested. Raises BadRecords.
    """
    if source.is_dir():
        return LoadedPairs(
            _only(read_pairs(source, level=_RELEASED.get(level, level)), parts), digest_of(source)
        )
    pairs = _only(read_pairs(source), parts)
    if level != "conservation":
        pairs = StatementProofs(tuple(replace_symbols(pair, level) for pair in pairs.pairs), pairs.splits)
    return LoadedPairs(pairs, digest_of(source))


def _only(pairs: StatementProofs, parts: Collection[Split]) -> StatementProofs:
    kept = tuple(pair for pair in pairs.pairs if pairs.splits[pair.key] in parts)
    return StatementProofs(kept, {pair.key: pairs.splits[pair.key] for pair in kept})


def of_modality(tokens: Sequence[Token], modality: Modality) -> tuple[Token, ...]:
    """The tokens that a model of this kind of input reads (section 7.2.2)."""
    if modality == "both":
        return tuple(tokens)
    return tuple(token for token in tokens if token.is_math == (modality == "math"))
