"""Pairs of English and declaration that a library itself holds, to train what reads searches in words.

    python -m retriever word-pairs RECORDS OUT [--sources FOLDER] [--without NAMES]

The first line of OUT has the revision of the records and the number of pairs; each other line one pair:

    {"query": "The image of a compact set is compact.", "name": "IsCompact.image", "origin": "doc"}

`doc` is the first sentence of the declaration's doc string, `title` what that one prints in bold (the names of
theorems), and `header` what the header of the declaration's module says of it, where the sources are given. Generated
twins have the doc strings that they were given. What is held out from training, and its twins, gives no pair.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from lean_extract.common.files.atomic import replacing
from lean_extract.common.terminal_text import complaints_printed
from lean_extract.records import Module, Premise, read_header, read_records
from retriever.lean.dataset.dataset import names_in
from retriever.lean.dataset.queries import HeldOut
from retriever.limits import MAX_TEXT_CHARACTERS

FORMAT, VERSION = "premise-suggest-word-pairs", 1
_SENTENCE = re.compile(r"(?<=[.!?:])\s+(?=[A-Z`$*])|\n\s*\n|\n\s*[*-] ")
_BOLD = re.compile(r"\*\*([^*\n]{4,80})\*\*")
_HEADER = re.compile(r"/-!(.*?)-/", re.DOTALL)
_ITEM = re.compile(r"^[*-] `([^`\s]+)[^`\n]*`\s*:?\s+(.+(?:\n[ \t]+(?![*-] ).+)*)", re.MULTILINE)
_FEWEST_LETTERS = 8


@dataclass(frozen=True, slots=True)
class WordPair:
    """A text, and the declaration that it is about."""

    query: str
    name: str
    origin: str


def word_pairs(
    premises: Iterable[Premise], headers: Mapping[str, str], held_out: HeldOut
) -> Iterator[WordPair]:
    """The pairs of a library, by module, each text of a declaration once.

    Args:
        premises: of the library, those of a module together.
        headers: the source text of modules, by name.
        held_out: what gives no pair.
    """
    modules: dict[str, list[Premise]] = {}
    for premise in premises:
        if not premise.is_private and premise.name not in held_out:
            modules.setdefault(premise.module, []).append(premise)
    for module, own in modules.items():
        found = [pair for premise in own for pair in _of_doc(premise)]
        found += _of_headers(headers.get(module, ""), own)
        yield from {(pair.query, pair.name): pair for pair in reversed(found)}.values()


def _of_doc(premise: Premise) -> Iterator[WordPair]:
    text = (premise.doc or "")[:MAX_TEXT_CHARACTERS].strip()
    if sentence := _one_line(_SENTENCE.split(text, maxsplit=1)[0].replace("**", "")):
        yield WordPair(sentence, premise.name, "doc")
    for title in _BOLD.findall(text):
        if query := _one_line(title):
            yield WordPair(query, premise.name, "title")


def _of_headers(source: str, premises: Iterable[Premise]) -> Iterator[WordPair]:
    """What the items of a module's headers say, of the declarations that they begin with."""
    names: dict[str, list[str]] = {}
    for premise in premises:
        parts = premise.name.split(".")
        for at in range(len(parts)):
            names.setdefault(".".join(parts[at:]), []).append(premise.name)
    for header in _HEADER.findall(source):
        for name, text in _ITEM.findall(header):
            query = _one_line(_SENTENCE.split(text, maxsplit=1)[0])
            if query and len(found := names.get(name, ())) == 1:
                yield WordPair(query, found[0], "header")


def _one_line(text: str) -> str:
    """The text in one line without a full stop; empty if it says too little."""
    line = " ".join(text.split()).rstrip(".:")
    return line if sum(map(str.isalpha, line)) >= _FEWEST_LETTERS else ""


def write_pairs(
    records: Path, out: Path, sources: Path | None, without: Iterable[str], complaints: list[str]
) -> Counter[str]:
    """Write the pairs of a records file, whole or not at all; how many there are by origin. Raises BadRecords."""
    premises: list[Premise] = []
    headers: dict[str, str] = {}
    for record in read_records(records, complaints):
        if isinstance(record, Premise):
            premises.append(record)
        elif isinstance(record, Module) and sources is not None:
            file = sources.joinpath(*record.name.split(".")).with_suffix(".lean")
            headers[record.name] = (
                file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
            )
    pairs = list(word_pairs(premises, headers, HeldOut.of([premises], without)))
    with replacing(out) as stream:
        head = {
            "format": FORMAT,
            "version": VERSION,
            "revision": read_header(records).revision,
            "pairs": len(pairs),
        }
        for line in (head, *map(asdict, pairs)):
            stream.write(json.dumps(line, ensure_ascii=False) + "\n")
    return Counter(pair.origin for pair in pairs)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("records", type=Path, help="a records file (JSONL)")
    parser.add_argument("out", type=Path, help="the file to write (JSONL)")
    parser.add_argument(
        "--sources", type=Path, help="the folder of the library's sources, for modules' headers"
    )
    parser.add_argument("--without", type=Path, help="a file of names never to train on, one a line")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    with complaints_printed() as complaints:
        without = names_in(options.without)
        counts = write_pairs(options.records, options.out, options.sources, without, complaints)
    print("\n".join(f"{origin}: {count:,} pairs" for origin, count in sorted(counts.items())))
