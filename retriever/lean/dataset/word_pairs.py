"""Pairs of English and declaration that a library itself holds, to train what reads searches in words.

    python -m retriever word-pairs RECORDS OUT [--without NAMES]

The first line of OUT has the revision of the records and the number of pairs; each other line one pair:

    {"query": "The image of a compact set is compact", "name": "IsCompact.image", "origin": "doc", "split": "train"}

`doc` is the first sentence of the declaration's doc string, `title` what that one prints in bold (the names of
theorems), and `module` what the module docs say of it. Generated twins have the doc strings that they were given.
The split is that of the declaration, twins with what they were made from. The names of `--without` give no pair.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from lean_extract.common.errors import BadRecords
from lean_extract.common.files.atomic import replacing
from lean_extract.common.files.json_text import parse_json
from lean_extract.common.terminal_text import complaints_printed
from lean_extract.common.typed import read_typed
from lean_extract.doc_text import first_sentence, plain
from lean_extract.records import Premise, read_header, read_records
from retriever.lean.dataset.dataset import names_in
from retriever.lean.dataset.queries import HeldOut
from retriever.limits import MAX_DOC_CHARACTERS
from retriever.search.splits import Split, family_roots, split_of

FORMAT, VERSION = "premise-suggest-word-pairs", 1
_BOLD = re.compile(r"\*\*([^*\n]{4,80})\*\*")
_ITEM = re.compile(r"^\s*[*+-]\s+(?:`[^`\n]*`[^:`\n]{0,10})*(?<=[`\w)])\s*:\s|^\s*[*+-]\s+")
_LONGEST = 400
"""Characters of a query."""
_FEWEST_LETTERS = 8


@dataclass(frozen=True, slots=True)
class WordPair:
    """A text, and the full name of the declaration that it is about."""

    query: str
    name: str
    origin: str
    split: Split


def word_pairs(premises: Sequence[Premise], without: Iterable[str] = ()) -> Iterator[WordPair]:
    """The pairs of a library, each text of a declaration once; none of the names `without` and their twins."""
    held_out, roots = HeldOut.of([premises], without), family_roots(premises)
    for premise in premises:
        if not premise.is_private and not held_out.names(premise.name):
            split = split_of(roots[premise.name])
            texts = {query: origin for query, origin in _texts(premise) if _says_something(query)}
            yield from (WordPair(query, premise.name, origin, split) for query, origin in texts.items())


def read_pairs(path: Path) -> list[WordPair]:
    """The pairs of a file. Raises BadRecords."""
    try:
        head, *lines = map(parse_json, path.read_text(encoding="utf-8").splitlines())
        if (head["format"], head["version"], head["pairs"]) != (FORMAT, VERSION, len(lines)):
            raise ValueError("it is incomplete, or of another version")
        return [read_typed(WordPair, line) for line in lines]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadRecords(
            f"{path} is not a file of pairs: {error}.", "Make it: python -m retriever word-pairs."
        ) from error


def _texts(premise: Premise) -> Iterator[tuple[str, str]]:
    for block in re.split(r"\n(?=[*+-] )", premise.module_doc or ""):
        yield first_sentence(_ITEM.sub("", block, count=1), _LONGEST).rstrip("."), "module"
    doc = (premise.doc or "")[:MAX_DOC_CHARACTERS]
    yield first_sentence(doc, _LONGEST).rstrip("."), "doc"
    yield from ((plain(title).rstrip(".:"), "title") for title in _BOLD.findall(doc))


def _says_something(query: str) -> bool:
    return sum(map(str.isalpha, query)) >= _FEWEST_LETTERS


def write_pairs(records: Path, out: Path, without: Iterable[str], complaints: list[str]) -> Counter[str]:
    """Write the pairs of a records file, whole or not at all. Raises BadRecords.

    Returns how many there are by origin.
    """
    revision = read_header(records).revision
    premises = [record for record in read_records(records, complaints) if isinstance(record, Premise)]
    pairs = list(word_pairs(premises, without))
    head = {"format": FORMAT, "version": VERSION, "revision": revision, "pairs": len(pairs)}
    with replacing(out) as stream:
        for line in (head, *map(asdict, pairs)):
            stream.write(json.dumps(line, ensure_ascii=False) + "\n")
    return Counter(pair.origin for pair in pairs)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("records", type=Path, help="a records file (JSONL)")
    parser.add_argument("out", type=Path, help="the file to write (JSONL)")
    parser.add_argument("--without", type=Path, help="a file of names never to train on, one a line")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    with complaints_printed() as complaints:
        counts = write_pairs(options.records, options.out, names_in(options.without), complaints)
    print("\n".join(f"{origin}: {count:,} pairs" for origin, count in sorted(counts.items())))
