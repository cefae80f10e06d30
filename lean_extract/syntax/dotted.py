"""Undoes generalised field notation: `n.Even` is read as `Even n`, and `(m + n).Even` as `Even (m + n)`.

Lean prints `Nat.Even n` as `n.Even` if `n` is the first explicit argument. Code that looks at a text's tokens would
take that for a name. It works on tokens in one pass, not on trees, since indexes hold hashes
of its results. Time is linear but for copies of what is put in brackets.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from lean_extract.syntax.brackets import CLOSERS, OPENERS
from lean_extract.syntax.keywords import TERM_WORDS
from lean_extract.syntax.term_grammar import is_word

_NO_FUNCTIONS = TERM_WORDS | {"fun", "λ", "if", "match", "at"}
"""Words that are not applied to what follows them."""


def undotted(tokens: Sequence[str], local: Set[str] = frozenset()) -> tuple[str, ...]:
    """The tokens with each application in dot notation as an ordinary one; namespaces are not added.

    Args:
        tokens: each dotted name is one token (`n.succ`); after a bracket the dot is a token of its own.
        local: names of hypotheses and variables. Other names that begin with a small letter count as local, too,
            since namespaces begin with capitals.
    """
    if not any("." in token for token in tokens):
        return tuple(tokens)
    return _Rewriting(local).of(tokens)


def fields_apart(token: str, local: Set[str] = frozenset()) -> list[str]:
    """`n` and `succ` of `n.succ`; a token that is no name, or begins with a namespace, alone. `local`: see above."""
    first, *fields = token.split(".") if "«" not in token else [token]
    is_local = first in local or first[:1].islower()
    return [first, *fields] if fields and is_local and all(fields) else [token]


class _Rewriting:
    """One pass from left to right."""

    def __init__(self, local: Set[str]) -> None:
        self._local = local
        self._written: list[str] = []
        self._openers: list[int] = []
        """The position of each open bracket in what is written."""
        self._atom = 0
        """Where the last atom begins, which ends with what is written; after the end if that ends with none."""
        self._is_piece = True
        """Whether the last atom is one token or one pair of brackets, perhaps with projections by number."""

    def of(self, tokens: Sequence[str]) -> tuple[str, ...]:
        at = 0
        while at < len(tokens):
            token = tokens[at]
            is_after_atom = self._atom < len(self._written)
            if token == "." and is_after_atom and at + 1 < len(tokens) and is_word(tokens[at + 1]):
                at += 1
                self._apply(tokens[at].split("."))
            else:
                self._write(token)
            at += 1
        return tuple(self._written)

    def _write(self, token: str) -> None:
        end = len(self._written)
        self._atom = end + 1
        self._is_piece = True
        if token in OPENERS:
            self._openers.append(end)
        elif token in CLOSERS:
            self._atom = self._openers.pop() if self._openers else end + 1
        elif _is_atom_end(token):
            self._atom = end
            first, *fields = fields_apart(token, self._local)
            if fields:
                self._written.append(first)
                self._apply(fields)
                return
        self._written.append(token)

    def _apply(self, fields: Sequence[str]) -> None:
        """Apply each field to the last atom. A projection by number stays a part of the name before it."""
        term = self._written[self._atom :]
        before: list[str] = []  # in the order of writing, from the term outwards
        after: list[str] = []
        for field in fields:
            if not self._is_piece:
                before.append("(")
                after.append(")")
            self._is_piece = field.isdigit()
            if not self._is_piece:
                before.append(field)
            else:
                after += [".", field]
        if len(term) == 1:
            count = next((at for at, text in enumerate(after) if text == ")"), len(after))
            term, after = ["".join([*term, *after[:count]])], after[count:]
        if not self._is_piece and self._is_argument():
            before.append("(")
            after.append(")")
            self._is_piece = True
        self._written[self._atom :] = [*reversed(before), *term, *after]

    def _is_argument(self) -> bool:
        """Whether the last atom follows what is applied to it."""
        token = self._written[self._atom - 1] if self._atom else ""
        return bool(token) and (_is_atom_end(token) or token in "↑⇑↥@")


def _is_atom_end(token: str) -> bool:
    return token in CLOSERS or (is_word(token) and token not in _NO_FUNCTIONS)
