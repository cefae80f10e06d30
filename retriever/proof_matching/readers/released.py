"""The authors' release: folders `mixed`, `unmixed` and `pb` (probability alone, mixed).

Pairs of one article may be in several parts in `mixed`, and are in one part in `unmixed`. A folder has a file
`FOLDER_LEVEL_PART` for each level of symbol replacement (conservation, partial, full, trans) and each part
(train, dev, test):

    2                                       the number of articles
    <empty line>
    ARTICLE<tab>math.AG|math.NT<tab>Title   a line for each article; may be missing
    <empty line>
    ARTICLE|ID                              a pair: the article, and its id there
    ____________
    text<tab>Lemma 2. Let                   the statement, in pieces
    math<tab>x ∈ R____double-struck         symbols, each with its font unless that is normal
    ____________
    text<tab>...                            the proof
    <empty line>

The kind of each symbol was not kept; it is inferred from its characters.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from pathlib import Path

from lean_extract.common.errors import BadRecords, BadSettings
from lean_extract.common.files.reading import open_regular
from retriever.proof_matching.schema import FONTS, StatementProof, StatementProofs, Token
from retriever.proof_matching.tokens import kind_of, symbols, words
from retriever.search.splits import Split

LEVELS = ("conservation", "partial", "full", "trans")
_FILES: tuple[tuple[str, Split], ...] = (("train", "train"), ("dev", "valid"), ("test", "test"))
_SEPARATOR = "_" * 12
_KINDS = frozenset(("theorem", "lemma", "proposition", "corollary", "claim", "fact"))
_HINT = "Expected the files of bollin.inf.ed.ac.uk/match.html, such as `mixed/mixed_conservation_train`."


def read_released(folder: Path, level: str, complaints: list[str]) -> StatementProofs:
    """The pairs of a folder of the release; those that are wrong are described with file and line.

    Raises BadSettings when there is no such level, BadRecords when a file is missing or of another layout.
    """
    if level not in LEVELS:
        raise BadSettings(f"There is no level {level!r}.", f"Choose one of {', '.join(LEVELS)}.")
    pairs: list[StatementProof] = []
    parts: dict[str, Split] = {}
    for name, part in _FILES:
        path = folder / f"{folder.resolve().name}_{level}_{name}"
        for pair in _read_part(path, complaints):
            if pair.key in parts:
                complaints.append(f"{pair.location}: {pair.key!r} is there a second time.")
            else:
                pairs.append(pair)
                parts[pair.key] = part
    return StatementProofs(tuple(pairs), parts)


def _read_part(path: Path, complaints: list[str]) -> Iterator[StatementProof]:
    """The pairs of one file, read as they are needed. Raises BadRecords as `read_released`."""
    try:
        with open_regular(path) as stream:
            text = io.TextIOWrapper(stream, encoding="utf-8", newline="\n")
            lines = enumerate((line.rstrip("\r\n") for line in text), 1)
            head = next(lines, (1, ""))[1]
            if not head.strip().isdecimal():
                raise BadRecords(f"{path}, line 1, is not the number of articles.", _HINT)
            categories: dict[str, str] = {}
            for block in _blocks(lines):
                if _SEPARATOR in (line for _, line in block):
                    yield from _pair(path, block, categories, complaints)
                else:
                    _articles(path, block, categories, complaints)
    except OSError as error:
        raise BadRecords(f"{path} cannot be read: {error.strerror}.", _HINT) from error
    except UnicodeDecodeError as error:
        raise BadRecords(f"{path} is not text: {error.reason}.", _HINT) from error


_Lines = list[tuple[int, str]]


def _blocks(lines: Iterable[tuple[int, str]]) -> Iterator[_Lines]:
    """Lines between empty ones, with their numbers."""
    block: _Lines = []
    for number, line in lines:
        if line.strip():
            block.append((number, line))
        elif block:
            yield block
            block = []
    if block:
        yield block


def _articles(path: Path, block: _Lines, categories: dict[str, str], complaints: list[str]) -> None:
    for number, line in block:
        article, _, rest = line.partition("\t")
        if rest:
            categories[article] = rest.partition("\t")[0].partition("|")[0]
        else:
            complaints.append(f"{path}:{number}: neither an article nor part of a pair.")


def _pair(
    path: Path, block: _Lines, categories: dict[str, str], complaints: list[str]
) -> Iterator[StatementProof]:
    number, name = block[0]
    separators = [index for index, (_, line) in enumerate(block) if line == _SEPARATOR]
    if len(separators) != 2 or separators[0] != 1:
        complaints.append(f"{path}:{number}: a pair is a name, a statement and a proof; this has others.")
        return
    article = name.partition("|")[0].strip()
    statement = _text(path, block[2 : separators[1]], complaints)
    proof = _text(path, block[separators[1] + 1 :], complaints)
    if not statement or not proof:
        complaints.append(f"{path}:{number}: {'the proof' if statement else 'the statement'} is empty.")
        return
    first = statement[0].text
    yield StatementProof(
        key=name.strip(),
        statement=statement,
        proof=proof,
        kind=first if first in _KINDS else "statement",
        category=categories.get(article, ""),
        source=article,
        location=f"{path}:{number}",
    )


def _text(path: Path, lines: _Lines, complaints: list[str]) -> tuple[Token, ...]:
    tokens: list[Token] = []
    for number, line in lines:
        kind, tab, content = line.partition("\t")
        if kind == "text" and tab:
            tokens += words(content)
        elif kind == "math" and tab:
            for piece in content.split():
                symbol, _, font = piece.removeprefix("math_").rpartition("____")
                if not symbol or font not in FONTS:
                    symbol, font = piece.removeprefix("math_"), ""
                tokens += symbols(symbol, kind_of(symbol), font)
        else:
            complaints.append(f"{path}:{number}: a line of a pair that is neither text nor math.")
    return tuple(tokens)
