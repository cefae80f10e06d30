"""What an index keeps of a Lean file beside its premises: its imports, and the notations that it declares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from lean_extract.records import Import
from lean_extract.source.grammar.notations import FORMS, Notation
from lean_extract.source.names.scopes import ROOT
from retriever.lean.scope import ModuleNode
from retriever.search.index.source_file import IndexedFile

_NOTATION = 8
"""The flag of an entry that is no import. An older version takes it for one of a module that is not there."""
_MOST_NOTATIONS = 200
_LONGEST_SYMBOL, _LONGEST_TARGET = 16, 200


def kept_of(
    imports: Iterable[Import], in_module_system: bool, notations: Iterable[Notation] = ()
) -> tuple[Any, ...]:
    """`IndexedFile.more` of a Lean file: entries [name, flags], and 1 in Lean's module system.

    The entries are its imports and the notations that other files may use, as "SYMBOL FORM PRECEDENCE CONSTANT".
    """
    listed = [[one.module, one.is_public + 2 * one.is_meta + 4 * one.is_all] for one in imports]
    kept = islice((one for one in notations if _is_kept(one)), _MOST_NOTATIONS)
    declared = [[f"{one.symbol} {one.form} {one.precedence} {one.target}", _NOTATION] for one in kept]
    return ([*listed, *declared], int(in_module_system))


def _is_kept(notation: Notation) -> bool:
    symbol = notation.symbol
    is_short = 0 < len(symbol) <= _LONGEST_SYMBOL and len(notation.target) <= _LONGEST_TARGET
    return is_short and not notation.is_local and not any(map(str.isspace, symbol))


def node_of(file: IndexedFile) -> ModuleNode:
    """The imports of `kept_of`. Raises ValueError or TypeError."""
    entries, in_module_system = file.more
    imports = [(str(name), flags) for name, flags in entries if not flags & _NOTATION]
    found = tuple(Import(name, bool(f & 1), bool(f & 2), bool(f & 4)) for name, f in imports)
    return ModuleNode(found, bool(in_module_system))


def notations_of(file: IndexedFile) -> Iterator[Notation]:
    """The notations of `kept_of`, their constants as written. Raises ValueError or TypeError."""
    entries, _ = file.more
    for entry, flags in entries:
        if flags & _NOTATION:
            symbol, written, precedence, constant = str(entry).split(" ", 3)
            form = next((form for form in FORMS if form == written), FORMS[-1])
            yield Notation(symbol, constant, ROOT, form, int(precedence))
