"""The words of names and statements that a library uses for the words of English: `lean/words/related.txt`.

    python -m retriever related-words RECORDS [--without NAMES] [--out FILE]

A library describes its own declarations: the first sentence of a doc string, what one prints in bold (the names of
theorems), and what module docs say of them. From these pairs IBM's model 1 (Brown et al. 1993), as Berger and Lafferty
(1999) use it for search, learns which word of a name or statement each word of a description is for. The names of
`--without`, what the hash of a name holds out, and the twins of both give no pair.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lean_extract.common.arrays import Int64s
from lean_extract.common.errors import BadRecords
from lean_extract.common.files.atomic import replacing
from lean_extract.common.terminal_text import complaints_printed
from lean_extract.doc_text import first_sentence, plain
from lean_extract.records import Premise, read_header, read_records
from retriever.lean.dataset.dataset import names_in
from retriever.lean.dataset.queries import HeldOut
from retriever.lean.tokens import premise_tokens
from retriever.lean.words.related import RELATED
from retriever.lean.words.vocabulary import term_words, word_tokens
from retriever.limits import MAX_DOC_CHARACTERS, MAX_QUERY_WORDS

_BOLD = re.compile(r"\*\*([^*\n]{4,80})\*\*")
_ITEM = re.compile(r"^\s*[*+-]\s+(?:`[^`\n]*`[^:`\n]{0,10})*(?<=[`\w)])\s*:\s|^\s*[*+-]\s+")
_LONGEST = 400
"""Characters of a description."""
_FEWEST_LETTERS = 8
_ROUNDS = 5
_MOST = 6
"""Words related to one word."""
_LEAST_CHANCE, _LEAST_COUNT = 0.02, 2.0
_DOUBT = 5.0
"""What is added to the number of a word's uses, so that rare words are not sure of anything."""
_NONE = ""
"""The word that words for nothing in the declaration come from."""


@dataclass(frozen=True, slots=True)
class Described:
    """The distinct words of a description, and those of the name and the statement that it describes."""

    description: tuple[str, ...]
    words: tuple[str, ...]


def descriptions(premises: Sequence[Premise], without: Iterable[str] = ()) -> Iterator[Described]:
    """What a library says of its declarations, each text of one once; nothing of those held out."""
    held_out = HeldOut.of([premises], without)
    for premise in premises:
        if not premise.is_private and premise.name not in held_out:
            tokens = dict.fromkeys(premise_tokens(premise)[: 2 * MAX_QUERY_WORDS])
            own = _distinct(word for token in tokens for word in term_words(token))
            for text in dict.fromkeys(_texts(premise)):
                if sum(map(str.isalpha, text)) >= _FEWEST_LETTERS and (words := _distinct(word_tokens(text))):
                    yield Described(words, own)


def _distinct(words: Iterable[str]) -> tuple[str, ...]:
    """Each word once, without letters alone."""
    return tuple(word for word in dict.fromkeys(words) if len(word) > 1)


def _texts(premise: Premise) -> Iterator[str]:
    for block in re.split(r"\n(?=[*+-] )", premise.module_doc or ""):
        yield first_sentence(_ITEM.sub("", block, count=1), _LONGEST).rstrip(".")
    doc = (premise.doc or "")[:MAX_DOC_CHARACTERS]
    yield first_sentence(doc, _LONGEST).rstrip(".")
    yield from (plain(title).rstrip(".:") for title in _BOLD.findall(doc))


def relations(described: Sequence[Described]) -> Mapping[str, Mapping[str, float]]:
    """For each word of a description the words that it is for, the likeliest first, and the chances in (0, 1]."""
    numbers = {_NONE: 0}

    def numbered(words: Iterable[str]) -> Int64s:
        return np.array([numbers.setdefault(word, len(numbers)) for word in words])

    pairs = [(numbered(one.description), numbered((_NONE, *one.words))) for one in described]
    said = np.concatenate([np.repeat(text, len(own)) for text, own in pairs])
    source = np.concatenate([np.tile(own, len(text)) for text, own in pairs])
    lengths = np.concatenate([np.full(len(text), len(own)) for text, own in pairs])
    place = np.repeat(np.arange(len(lengths)), lengths)
    kinds, kind = np.unique(source * len(numbers) + said, return_inverse=True)
    source, said = np.divmod(kinds, len(numbers))
    chances = np.ones(len(kinds))
    for _ in range(_ROUNDS):
        shares = chances[kind]
        shares /= np.bincount(place, shares)[place]
        counts = np.bincount(kind, shares)
        chances = counts / np.bincount(source, counts)[source]
    chances = counts / (np.bincount(said, counts)[said] + _DOUBT)
    words = [*numbers]
    found: dict[str, dict[str, float]] = {}
    for row in np.lexsort((source, -chances, said)).tolist():
        if (
            source[row] not in (0, said[row])
            and counts[row] >= _LEAST_COUNT
            and chances[row] >= _LEAST_CHANCE
        ):
            own = found.setdefault(words[said[row]], {})
            if len(own) < _MOST:
                own[words[source[row]]] = float(chances[row])
    return {word: found[word] for word in sorted(found)}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("records", type=Path, help="a records file (JSONL)")
    parser.add_argument("--without", type=Path, help="a file of names never to train on, one a line")
    parser.add_argument(
        "--out", type=Path, default=RELATED, help="the file to write; default: the shipped one"
    )


def run(options: argparse.Namespace) -> None:
    """Run the command. Raises BadRecords."""
    with complaints_printed() as complaints:
        records = read_records(options.records, complaints)
        premises = [record for record in records if isinstance(record, Premise)]
    described = [*descriptions(premises, names_in(options.without))]
    if not described:
        raise BadRecords(
            f"{options.records} describes no declaration.", "Index sources that have doc strings."
        )
    found = relations(described)
    about = f"# records {read_header(options.records).revision}: {len(described):,} descriptions, {len(found):,} words"
    with replacing(options.out) as stream:
        stream.write(f"{about}\n")
        for word, own in found.items():
            stream.write(f"{word} {' '.join(f'{other} {chance:.2f}' for other, chance in own.items())}\n")
    print(about.removeprefix("# "))
