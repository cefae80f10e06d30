"""Files of pairs, one JSON object a line: read, checked, written.

    python -m retriever match-check FILE

reports everything that is wrong with a file, with its line, and then exits with 1. FILE may also
be a folder of the authors' release. The first line names the format, and how many pairs follow; the others
are

    {"key": ..., "part": "train", "kind": "lemma", "category": ..., "source": ..., "place": ...,
     "statement": "let $i:x be", "proof": "..."}

with a space between two tokens (`retriever.proof_matching.tokens`).
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
from pathlib import Path

from lean_extract.common.errors import BadRecords
from lean_extract.common.files.atomic import replacing
from lean_extract.common.files.json_text import parse_json
from lean_extract.common.files.reading import open_regular
from retriever.documents.layout import is_text
from retriever.documents.store import check_sound
from retriever.proof_matching.readers.released import read_released
from retriever.proof_matching.schema import StatementProof, StatementProofs, Token
from retriever.proof_matching.tokens import decode, encode
from retriever.search.splits import SPLITS, Split

FORMAT = "match-pairs"
VERSION = 1
_FIELDS = ("key", "part", "kind", "category", "source", "place", "statement", "proof")
_AGAIN = "Build it with `python -m retriever match-build`."
_PIECE = 1 << 20


def read_pairs(
    path: Path, complaints: list[str] | None = None, *, level: str = "conservation"
) -> StatementProofs:
    """The pairs of a file, or of a folder of the authors' release at a level of symbol replacement.

    With `complaints`, what is wrong is described there with file and line, and left out. Raises BadRecords
    when there is nothing to be read, when the file is of another format or version, or, without
    `complaints`, when anything in it is wrong.
    """
    problems: list[str] = []
    pairs = read_released(path, level, problems) if path.is_dir() else _read(path, problems)
    if complaints is not None:
        complaints.extend(problems)
    else:
        check_sound(path, problems, "match-check")
    return pairs


def write_pairs(path: Path, pairs: StatementProofs) -> None:
    """Write a file of pairs; it appears whole. Raises OSError."""
    with replacing(path) as stream:
        stream.write(json.dumps({"format": FORMAT, "version": VERSION, "pairs": len(pairs.pairs)}) + "\n")
        for pair in pairs.pairs:
            plain = {
                "key": pair.key,
                "part": pairs.splits[pair.key],
                "kind": pair.kind,
                "category": pair.category,
                "source": pair.source,
                "place": pair.location,
                "statement": encode(pair.statement),
                "proof": encode(pair.proof),
            }
            stream.write(json.dumps(plain, ensure_ascii=False) + "\n")


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


def _read(path: Path, problems: list[str]) -> StatementProofs:
    pairs: list[StatementProof] = []
    parts: dict[str, Split] = {}
    try:
        with open_regular(path) as stream:
            lines = iter(io.TextIOWrapper(stream, encoding="utf-8"))
            expected = _check_header(path, next(lines, ""))
            number = 1
            for number, line in enumerate(lines, 2):
                try:
                    pair, part = _pair(line)
                    if pair.key in parts:
                        raise ValueError(f"has the key {pair.key!r} a second time")
                except ValueError as error:
                    problems.append(f"{path}:{number}: {error}")
                else:
                    pairs.append(pair)
                    parts[pair.key] = part
            if expected not in (None, number - 1):
                problems.append(f"{path}:{number}: ends after {number - 1:,} of {expected:,} pairs")
    except OSError as error:
        raise BadRecords(f"{path} cannot be read: {error.strerror}.", _AGAIN) from error
    except UnicodeDecodeError as error:
        raise BadRecords(f"{path} is not text: {error.reason}.", _AGAIN) from error
    return StatementProofs(tuple(pairs), parts)


def _check_header(path: Path, line: str) -> int | None:
    """How many pairs follow; None in a file of the first builds, which did not say."""
    try:
        header = parse_json(line)
    except ValueError:
        header = None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise BadRecords(f"{path}, line 1, is not the head of a file of pairs.", _hint(line))
    if header.get("version") != VERSION:
        raise BadRecords(
            f"{path} is of version {header.get('version')!r}; this program reads version {VERSION}.", _AGAIN
        )
    count = header.get("pairs")
    return count if isinstance(count, int) else None


def _hint(line: str) -> str:
    if line.strip().isdecimal():
        return "It looks like a file of the authors' release: name the folder that it is in."
    if line.startswith(",") and "theory" in line:
        return "It looks like the CSV of the authors' scripts: name the folder of what it was made from."
    return _AGAIN


def _pair(line: str) -> tuple[StatementProof, Split]:
    """The pair of a line. Raises ValueError with what is wrong with it."""
    try:
        plain = parse_json(line)
    except ValueError as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else error
        raise ValueError(f"is not JSON: {reason}") from error
    if not isinstance(plain, dict):
        raise ValueError("is not a JSON object")
    for name in _FIELDS:
        if not isinstance(plain.get(name), str):
            raise ValueError(f"has no text as {name!r}")
        if not is_text(plain[name]):
            raise ValueError(f"has half a character (a lone surrogate) in {name!r}")
    part = next((part for part in SPLITS if part == plain["part"]), None)
    if part is None:
        raise ValueError(f"has the part {plain['part']!r}, which is not one of {', '.join(SPLITS)}")
    pair = StatementProof(
        key=plain["key"],
        statement=_side(plain, "statement"),
        proof=_side(plain, "proof"),
        kind=plain["kind"],
        category=plain["category"],
        source=plain["source"],
        location=plain["place"],
    )
    return pair, part


def _side(plain: dict[str, str], side: str) -> tuple[Token, ...]:
    try:
        tokens = decode(plain[side])
    except ValueError as error:
        raise ValueError(f"has a {side} in which {error}") from error
    if not tokens:
        raise ValueError(f"has an empty {side}")
    return tokens


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("file", type=Path, help="a file of pairs, or a folder of the authors' release")
    parser.add_argument("--level", default="conservation", help="of symbol replacement, in a release")


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    problems: list[str] = []
    read_pairs(options.file, problems, level=options.level)
    for line in problems:
        print(line)
    return int(bool(problems))
