"""NaturalProofs as a backend: theorems are queries for what their proofs refer to."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lean_extract.common.errors import BadRecords, UserError
from lean_extract.common.files.reading import read_regular
from lean_extract.limits import MAX_CORPUS_BYTES
from retriever.documents.schema import Corpus, Example, Splits, Statement
from retriever.documents.store import read_corpus
from retriever.metrics.bootstrap import Interval
from retriever.metrics.ranks import Ranks, intervals
from retriever.naturalproofs.splits import make_splits
from retriever.naturalproofs.tokens import without_links, words_and_pairs
from retriever.search.backend import Collection, DisplayedHit, Document, Question
from retriever.search.splits import SPLITS, Split

SEPARATOR = "[SEP]"
_PIECES = r"\\[A-Za-z]+|[A-Za-z]+|[0-9]|\S"


@dataclass(frozen=True, slots=True)
class NaturalProofs:
    """The backend. A corpus without splits gets those of seed 0."""

    name: str = "naturalproofs"
    about: str = "statements that a proof in natural language will refer to"
    pieces: str = _PIECES

    def read(self, source: Path) -> Collection:
        """The corpus of a file in the released layout. Raises BadRecords."""
        corpus, splits = read_corpus(source)
        return collection_of(corpus, splits or make_splits(corpus, 0), digest_of(source))

    def query_text(self, typed: str) -> str:
        """A theorem as it was typed; its first line is its title where a second follows. Raises UserError."""
        text = typed.strip()
        if not text:
            raise UserError("There is nothing to search for.", "Type a statement, in words and LaTeX.")
        title, newline, contents = text.partition("\n")
        return model_text(title if newline else "", contents if newline else title)

    def terms(self, text: str) -> list[str]:
        """Words and pairs of words, in lower case."""
        return words_and_pairs(text)

    def figures(self, ranks: Sequence[Ranks], seed: int = 0) -> dict[str, Interval]:
        """mAP, R@10, R@100, Full@10 and Full@100 (appendix B.4)."""
        return intervals(ranks, seed)

    def show(self, document: Document) -> DisplayedHit:
        """Its title or label, its type, its LaTeX."""
        return DisplayedHit(document.title, document.kind, document.body, document.where)


def model_text(title: str, contents: str) -> str:
    """Appendix B's form: title [SEP] content; tokenizers put [CLS] before it and [SEP] after it."""
    return f"{without_links(title)} {SEPARATOR} {without_links(contents)}".strip()


def collection_of(corpus: Corpus, splits: Splits, digest: str) -> Collection:
    """A corpus and its splits as documents and questions. Raises BadRecords when they do not fit."""
    statements = corpus.statements
    numbers = {statement.id: number for number, statement in enumerate(statements)}
    parts = {"train": splits.train, "valid": splits.valid, "test": splits.test}
    try:
        pools: dict[Split, tuple[int, ...]] = {
            split: tuple(sorted(numbers[id] for id in parts[split].ref_ids)) for split in SPLITS
        }
        questions = tuple(
            _question(statements, numbers, example, split)
            for split in SPLITS
            for example in parts[split].examples
        )
    except (KeyError, IndexError) as error:
        hint = "Make the split again: python -m retriever naturalproofs-split CORPUS.json --out FILE.json"
        raise BadRecords(f"The split names what is not in the corpus: {error}.", hint) from error
    return Collection(tuple(map(_document, statements)), questions, pools, digest)


def _document(statement: Statement) -> Document:
    contents = "\n".join(statement.contents)
    return Document(
        key=f"{statement.id}",
        kind=statement.type,
        title=statement.title or statement.label,
        text=model_text(statement.title, contents),
        body=contents,
        where=statement.label if statement.label != statement.title else "",
    )


def _question(
    statements: Sequence[Statement], numbers: Mapping[int, int], example: Example, split: Split
) -> Question:
    own = numbers[example[0]]
    theorem = statements[own]
    references = tuple(numbers[id] for id in theorem.proofs[example[1]].ref_ids)
    text = model_text(theorem.title, "\n".join(theorem.contents))
    return Question(f"{example[0]}/{example[1]}", text, references, split, own, theorem.label)


def example_of(question: Question) -> Example:
    """The theorem's id and the number of its proof."""
    theorem, _, proof = question.key.partition("/")
    return int(theorem), int(proof)


def digest_of(source: Path) -> str:
    """The sha256 of a corpus file, in hexadecimal. Raises OSError."""
    return hashlib.sha256(read_regular(source, MAX_CORPUS_BYTES)).hexdigest()


BACKEND = NaturalProofs()
