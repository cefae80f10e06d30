"""The table of names and their phrases; the head of `phrases.txt` describes it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from retriever.lean.words.splitting import split

_TABLE = Path(__file__).with_name("phrases.txt")
_HOLE = re.compile(r"\{(\d)\}")
_NOUN_LIST = """
algebra atom basis category coatom cocone colimit cone cover equivalence field filter functor graph group groupoid
homomorphism ideal lattice limit localization magma map measure metric module monoid morphism order partition point
poset pullback pushout ring scheme semiring sheaf space structure subgroup topology tree walk
"""
_NOUNS = frozenset(_NOUN_LIST.split())
"""Last words of names that say what a thing is, not how it is."""
_VERBS = (
    (" is ", " is not "),
    (" are ", " are not "),
    (" has ", " does not have "),
    (" holds ", " does not hold "),
    (" can ", " cannot "),
)
"""The first verb of a template, and its negation."""
SIGNS = {
    ("0", "<"): "positive",
    ("0", "≤"): "nonnegative",
    (">", "0"): "positive",
    ("≥", "0"): "nonnegative",
    ("<", "0"): "negative",
    ("≤", "0"): "nonpositive",
}
"""What a relation to zero is in one word."""
OFTEN = {"∀ᶠ": "eventually", "∃ᶠ": "frequently", "∀ᵐ": "almost everywhere"}
"""How often `∀ᶠ x in f, p` says that p holds."""
PLACES = {"atTop": "infinity", "atBot": "minus infinity"}
"""Where filters are that are at no point of the space."""
_AT = (("WithinAt", 3, " within {1} at {2}"), ("On", 2, " on {1}"), ("At", 2, " at {1}"))
"""Endings of names of predicates, with the number of arguments with which they mean this."""


class Row(NamedTuple):
    """A template, and which argument the `x` of `x.name` is."""

    template: str
    receiver: int = 0


Section = Mapping[tuple[str, int], Row]
"""By the name and the number of its explicit arguments."""


@lru_cache(maxsize=1)
def table() -> Mapping[str, Section]:
    """The sections of the table."""
    found: dict[str, dict[tuple[str, int], Row]] = {}
    section: dict[tuple[str, int], Row] = {}
    for line in _TABLE.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            section = found.setdefault(line.strip("[]"), {})
        elif line and not line.startswith("# "):
            key, _, template = line.rpartition("|")
            name, _, receiver = key.partition("@")
            holes = [int(number) for number in _HOLE.findall(template)]
            count = 2 if "{*}" in template else max(holes, default=-1) + 1
            section[name, count] = Row(template, int(receiver or 0))
    return found


def row(section: str, name: str, count: int) -> Row | None:
    """The row of a name with so many arguments: of the whole name, else of its last part."""
    rows = table()[section]
    return rows.get((name, count)) or rows.get((name.rpartition(".")[2], count))


@lru_cache(maxsize=4096)
def predicate(name: str, count: int) -> Row | None:
    """The row of a predicate; where the table has none, what the parts of its name say; None if they say nothing."""
    if (found := row("predicates", name, count)) is not None:
        return found
    last = name.rpartition(".")[2]
    if not last.isascii() or not last.isalpha() or not last[0].isupper():
        return None
    for ending, arguments, place in _AT:
        stem = last.removesuffix(ending)
        if count == arguments and stem not in ("", last):
            inner = row("predicates", stem, 1)
            return inner and Row(inner.template + place)
    return _by_parts(split(last)) if count == 1 else None


def _by_parts(words: list[str]) -> Row | None:
    verb = words[0]
    rest = words[1:] if verb in ("is", "has") else words
    if not rest or (verb == "has" and rest[-1] in ("of", "at")):
        return None
    article = ("an " if rest[0][0] in "aeiou" else "a ") if rest[-1] in _NOUNS else ""
    return Row(f"{{0}} {'has' if verb == 'has' else 'is'} {article}{' '.join(rest)}")


def negated(template: str) -> str:
    """The template with its first verb negated."""
    at, verb, negation = min(
        ((at, verb, negation) for verb, negation in _VERBS if (at := template.find(verb)) >= 0),
        default=(-1, "", ""),
    )
    if at < 0:
        return f"it is not true that {template}"
    return template[:at] + negation + template[at + len(verb) :]
