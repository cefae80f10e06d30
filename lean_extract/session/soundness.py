"""Copies that show whether a proof rests on `sorry`: what `#print axioms` says in them. Pure functions.

A declaration with an unfinished or failed proof can be used like any other, and Lean warns only about the
declaration in which the `sorry` stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lean_extract.session.tactic_sites import Inserted, TacticSite, end_of
from lean_extract.source.open_file import resting_on_sorry
from lean_extract.source.reader import read_module
from lean_extract.syntax.axioms import SORRY_AXIOM, axioms_in
from lean_extract.syntax.lexer import is_identifier, tokenize
from lean_extract.syntax.tactic_text import code, has_sorry

# As long as `sorry` and `admit`, so that nothing after it moves. Lean's search does not find such names.
_FILLING = "sorr_"
_FILLER = (
    "axiom _premise_suggest_filling.{u} (α : Sort u) : α"
    f' macro "{_FILLING}" : tactic => `(tactic| exact _premise_suggest_filling _)'
    f' macro "{_FILLING}" : term => `(_premise_suggest_filling _)\n'
)
_UNNAMED = re.compile(
    r"(?<![\w.'])(?:(?P<example>example)|instance(?:\s*\(priority\s*:=[^)\n]*\))?)(?![\w'])"
)
_NAME = "_premise_suggest_named"
_NAMED = re.compile(r"'(?P<name>[^\n]+?)' depends on axioms")
_MOST_NAMES = 32


def print_axioms(names: Iterable[str]) -> str:
    """The commands that list the axioms of declarations."""
    return "".join(f"#print axioms {name}\n" for name in names)


def is_named_and_whole(site: TacticSite) -> bool:
    """Whether the axioms of the declaration are those of the proof: it has a name, and no other `sorry`."""
    return bool(site.name) and not has_sorry(site.declaration)


def filled(site: TacticSite, written: str | None) -> Inserted | None:
    """The document with a name for the declaration and an axiom in place of its other `sorry`s, and its axioms.

    Args:
        site: where the tactic goes.
        written: what the edit writes there; None: the same axiom.

    Returns: the copy; None if a `sorry` cannot be replaced, or the declaration cannot be named.
    """
    text, place, first = site.document.text, site.place, site.command
    edit = site.edit(_FILLING if written is None else written)
    before, after = _filled(text[first : place.start]), _filled(text[place.end : site.end])
    named = (before, site.name) if site.name else _with_name(before, site.start - first)
    if named is None or has_sorry(before) or has_sorry(after):
        return None
    head = f"{text[:first]}{_FILLER}{named[0]}{edit.text}"
    gap = "" if after.endswith("\n") else "\n"
    start = end_of(head[: len(head) - len(edit.text)])
    whole = f"{head}{after}{gap}"
    return Inserted(whole + print_axioms([named[1]]), start, end_of(head), site.line + 1, end_of(whole))


def axioms_of_names(site: TacticSite, tactic: str) -> str | None:
    """The document up to the declaration, with the axioms of each name in a tactic; None if there is no name."""
    names = _names_in(tactic)
    above = site.document.text[: site.command]
    return f"{above}\n{print_axioms(names)}" if names else None


def unfinished_by_text(site: TacticSite, tactic: str) -> tuple[str, ...]:
    """The declarations above that a tactic names and that rest on `sorry`, as their text shows."""
    source = read_module(site.document.text[: site.command], "", "")
    words = _names_in(tactic)
    resting = resting_on_sorry(source)
    return tuple(sorted(name for name in resting if any(_may_mean(word, name) for word in words)))


def unfinished_names(diagnostics: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The declarations of which `#print axioms` says that they rest on `sorry`."""
    found = []
    for item in diagnostics:
        message = str(item.get("message", ""))
        axioms, named = axioms_in(message), _NAMED.match(message)
        if named is not None and axioms is not None and SORRY_AXIOM in axioms:
            found.append(named["name"])
    return tuple(dict.fromkeys(found))


def _names_in(tactic: str) -> list[str]:
    texts = tokenize(code(tactic)).texts
    return list(dict.fromkeys(token for token in texts if is_identifier(token)))[:_MOST_NAMES]


def _may_mean(word: str, name: str) -> bool:
    """Whether a name as written may mean a declaration, or a field of it."""
    word = word.removeprefix("_root_.")
    return f".{name}".endswith(f".{word}") or word.startswith(f"{name}.")


def _with_name(text: str, start: int) -> tuple[str, str] | None:
    """A declaration without a name, with one; None if it is of another kind."""
    found = _UNNAMED.search(text, start)
    if found is None:
        return None
    keyword = "def" if found["example"] else found[0]
    return f"{text[: found.start()]}{keyword} {_NAME}{text[found.end() :]}", _NAME


def _filled(text: str) -> str:
    raw = tokenize(text)
    parts, offset = [], 0
    for token, start in zip(raw.texts, raw.starts, strict=True):
        if token in ("sorry", "admit"):
            parts += [text[offset:start], _FILLING]
            offset = start + len(token)
    return "".join([*parts, text[offset:]])
