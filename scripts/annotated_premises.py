"""Which annotated premises of traced proofs the source reader finds, and why it misses the others.

    python scripts/annotated_premises.py RECORDS ROOT DATA.jsonl ...

RECORDS is what `python -m lean_extract extract ROOT RECORDS` wrote of the library's text at the commit that
was traced, ROOT that text, DATA the steps with their `premises` (shared/data/leandojo-benchmark4).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from lean_extract.records import Premise, read_records
from lean_extract.source.names.scopes import split_name

_PRIVATE = re.compile(r"_private\.(?>(?:(?!_private\.|\.0\.).)*)\.0\.")
_CLASSES = ("the row was traced at another commit", "the text declares no such name", "other")


@dataclass
class Found:
    """Mentions of premises by whether they are found; missed ones by why."""

    found: Counter[str] = field(default_factory=Counter)
    here: int = 0
    """How many of the found mentions stand in tactics that the text has."""
    missed: dict[str, Counter[str]] = field(default_factory=lambda: {name: Counter() for name in _CLASSES})

    def add(self, name: str, reason: str | None, is_here: bool) -> None:
        """Count one mention; without a reason it is found."""
        self.here += reason is None and is_here
        (self.found if reason is None else self.missed[reason])[name] += 1


def plain(name: str) -> str:
    """A private name as it is written in its file."""
    return _PRIVATE.sub("", name)


def judge(rows: Iterable[dict[str, object]], names: set[str], root: Path) -> Found:
    """Look up every mention of a premise."""

    @cache
    def text(path: str) -> str:
        file = root / path
        return " ".join(file.read_text(encoding="utf-8").split()) if file.is_file() else ""

    lasts = {split_name(name)[-1] for name in names}
    found = Found()
    for row in rows:
        premises = row["premises"]
        for name in premises if isinstance(premises, list) else ():
            wanted = plain(name)
            is_here = " ".join(str(row["tactic"]).split()) in text(str(row["file"]))
            if wanted in names:
                reason = None
            elif not is_here:
                reason = _CLASSES[0]
            else:
                reason = _CLASSES[2] if split_name(wanted)[-1] in lasts else _CLASSES[1]
            found.add(wanted, reason, is_here)
    return found


def lines(found: Found) -> Iterator[str]:
    """The figures as lines of text."""
    missed: Counter[str] = Counter()
    for counter in found.missed.values():
        missed += counter
    total, names = found.found.total() + missed.total(), len(found.found | missed)
    yield f"mentions found  {found.found.total():,} of {total:,} ({100 * found.found.total() / total:.2f}%)"
    yield f"names found     {len(found.found):,} of {names:,} ({100 * len(found.found) / names:.2f}%)"
    own = found.here + missed.total() - found.missed[_CLASSES[0]].total()
    yield f"in tactics that the text has  {found.here:,} of {own:,} ({100 * found.here / own:.2f}%)"
    for reason, counter in found.missed.items():
        yield f"missed, {reason}: {counter.total()} mentions of {len(counter)} names"
        yield "  " + ", ".join(f"{name} {count}" for name, count in sorted(counter.items()))


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("records", type=Path)
    parser.add_argument("root", type=Path)
    parser.add_argument("data", type=Path, nargs="+")
    arguments = parser.parse_args()
    names = {record.name for record in read_records(arguments.records) if isinstance(record, Premise)}
    rows: list[dict[str, object]] = []
    for path in arguments.data:
        data = path.read_bytes()
        print(f"{path.name}  sha256 {hashlib.sha256(data).hexdigest()[:16]}")
        rows += [json.loads(line) for line in data.splitlines()]
    for line in lines(judge(rows, names, arguments.root)):
        print(line)


if __name__ == "__main__":
    main()
