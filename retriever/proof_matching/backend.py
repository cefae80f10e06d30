"""MATcH as a backend: statements are queries for their proofs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lean_extract.common.errors import BadRecords, UserError
from retriever.metrics.bootstrap import Interval
from retriever.metrics.ranks import Ranks
from retriever.proof_matching.metrics import ranking_figures
from retriever.proof_matching.pairs import load_pairs
from retriever.proof_matching.readers.latex_text import read_text
from retriever.proof_matching.schema import StatementProof, Token
from retriever.proof_matching.tokens import decode, encode
from retriever.search.backend import Collection, DisplayedHit, Document, Question
from retriever.search.splits import SPLITS


@dataclass(frozen=True, slots=True)
class _MatchBackend:
    """The backend. A proof is ranked among those of its own part."""

    name: str = "match"
    about: str = "the proof that belongs to a statement"
    pieces: str = r"\S+"

    def read(self, source: Path) -> Collection:
        """The pairs of a file or of a released folder, their symbols as they are. Raises BadRecords."""
        loaded = load_pairs(source)
        pairs = loaded.pairs.pairs
        splits = [loaded.pairs.splits[pair.key] for pair in pairs]
        pools = {
            split: tuple(number for number, own in enumerate(splits) if own == split) for split in SPLITS
        }
        questions = tuple(
            Question(pair.key, encode(pair.statement), (number,), split)
            for number, (pair, split) in enumerate(zip(pairs, splits, strict=True))
        )
        return Collection(tuple(map(_document, pairs)), questions, pools, loaded.digest)

    def query_text(self, typed: str) -> str:
        """A statement typed in words and LaTeX. Raises UserError when nothing is left of it."""
        tokens = read_text(typed, [])
        if not tokens:
            raise UserError("There is nothing to search for.", "Type a statement, in words and LaTeX.")
        return encode(tokens)

    def terms(self, text: str) -> list[str]:
        """Words and symbols, these with their fonts."""
        try:
            return [token.spelled for token in decode(text)]
        except ValueError as error:
            message = f"This is not a line of tokens: {error}."
            raise BadRecords(message, "Give it what query_text returns, or a document's text.") from error

    def figures(self, ranks: Sequence[Ranks], seed: int = 0) -> dict[str, Interval]:
        """MRR and accuracy (section 2.4)."""
        return ranking_figures([min(own) for own in ranks], seed)

    def show(self, document: Document) -> DisplayedHit:
        """Its key, the kind of its statement, its tokens in a line."""
        return DisplayedHit(document.title, document.kind, document.body, document.where)


def _document(pair: StatementProof) -> Document:
    return Document(
        key=pair.key,
        kind=f"proof of a {pair.kind}",
        title=pair.key,
        text=encode(pair.proof),
        body=readable(pair.proof),
        where=pair.location,
    )


def readable(tokens: Iterable[Token]) -> str:
    """Tokens with a space between two, formulas between dollar signs."""
    parts: list[str] = []
    inside = False
    for token in tokens:
        if token.is_math != inside:
            parts.append("$")
            inside = token.is_math
        parts.append(token.text)
    return " ".join([*parts, "$"] if inside else parts)


BACKEND = _MatchBackend()
