"""Names and paths that a misspelled one may mean, for hints: `Did you mean --tactics?`"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher, get_close_matches
from itertools import islice
from pathlib import Path

from lean_extract.common.terminal_text import shown
from lean_extract.limits import NEAREST_CHARACTERS, NEAREST_ENTRIES

_MOST = 3
_MARGIN = 0.25
"""How much less alike than the nearest one another may be, as a share of the letters."""


def nearest(word: str, candidates: Iterable[str]) -> list[str]:
    """The candidates that a word may be a misspelling of, best first; at most three."""
    if len(word) > NEAREST_CHARACTERS:
        return []
    by_lower: dict[str, list[str]] = {}
    for candidate in islice(candidates, NEAREST_ENTRIES):
        by_lower.setdefault(candidate[:NEAREST_CHARACTERS].lower(), []).append(candidate)
    close = get_close_matches(word.lower(), by_lower, _MOST)
    alike = [SequenceMatcher(None, one, word.lower()).ratio() for one in close]
    close = [one for one, share in zip(close, alike, strict=True) if share >= alike[0] - _MARGIN]
    return [candidate for lower in close for candidate in by_lower[lower]][:_MOST]


def question(names: Sequence[str]) -> str:
    """`Did you mean A, B or C?`; empty without names."""
    *others, last = names or ("",)
    alternatives = f"{', '.join(others)} or {last}" if others else last
    return f"Did you mean {alternatives}?" if alternatives else ""


def nearest_path(path: Path) -> Path | None:
    """The path that is there and differs from this one, which is not, by a misspelling of each of some parts."""
    found = Path(path.anchor)
    for part in path.parts[1:] if path.anchor else path.parts:
        if os.path.lexists(found / part):
            found /= part
            continue
        suffix = Path(part).suffix  # counts for itself: short names with the same one are not near
        stems = (name.removesuffix(suffix) for name in _entries(found) if name.endswith(suffix))
        close = nearest(part.removesuffix(suffix), stems)
        if not close:
            return None
        found /= close[0] + suffix
    return found


def path_meant(path: Path) -> str:
    """`Did you mean Lib?`, of a path that is not there; empty if none is near."""
    near = nearest_path(path)
    return question([shown(near)]) if near is not None else ""


def _entries(folder: Path) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            yield from islice((entry.name for entry in entries), NEAREST_ENTRIES)
    except OSError:
        return
