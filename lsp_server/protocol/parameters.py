"""Checks the parameters of our own requests; an error names the parameter."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NoReturn, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from lean_extract.common.typed import Misfit, read_value

Token = int | str
_Kind = TypeVar("_Kind", bound=StrEnum)


class Parameters:
    """The parameters of a request. Every reader raises JsonRpcInvalidParams."""

    def __init__(self, request: str, values: Any, names: frozenset[str]) -> None:
        self._request = request
        if not isinstance(values, Mapping):
            self.refuse("the parameters must be an object")
        if unknown := set(values) - names:
            first = sorted(map(str, unknown))[0]
            self.refuse(f"{first!r} is not a parameter; the names are {', '.join(sorted(names))}")
        self._values = {name: value for name, value in values.items() if value is not None}

    def has(self, name: str) -> bool:
        """Whether there is a value of this name."""
        return name in self._values

    def uri(self) -> str:
        """`textDocument.uri`."""
        return str(self._typed(self._member("textDocument", "uri"), str, "textDocument.uri must be a string"))

    def position(self) -> types.Position:
        """`position`, as LSP counts."""
        line, character = self._member("position", "line"), self._member("position", "character")
        if not (_is_count(line) and _is_count(character)):
            self.refuse("position must be {line, character}, both whole numbers from 0")
        return types.Position(line, character)

    def text(self, name: str, what: str, default: str = "") -> str:
        """A string; `what` describes it."""
        return str(self._read(name, str, f"a string: {what}", default))

    def needed(self, name: str, what: str) -> str:
        """A string that must not be missing or empty."""
        value = self.text(name, what)
        if not value.strip():
            self.refuse(f"{name} must be a string: {what}")
        return value

    def one_of(self, name: str, kinds: type[_Kind]) -> _Kind | None:
        """One of the values of an enumeration, or None."""
        value = self._values.get(name)
        if value is not None and value not in [*kinds]:
            self.refuse(f"{name} must be {', '.join(kinds)}")
        return None if value is None else kinds(value)

    def number(self, name: str) -> int | None:
        """A whole number above 0, or None."""
        value = self._values.get(name)
        if value is not None and (not _is_count(value) or value == 0):
            self.refuse(f"{name} must be a whole number above 0")
        return value

    def version(self) -> int | None:
        """A document's version, or None."""
        found: int | None = self._read("version", int | None, "a whole number")
        return found

    def amount(self, name: str, low: float, high: float, default: float) -> float:
        """A number within bounds."""
        value = float(self._read(name, float, "a number", default))
        if not low <= value <= high:
            self.refuse(f"{name} must be a number from {low:g} to {high:g}")
        return value

    def flag(self, name: str, *, default: bool = False) -> bool:
        """True or false."""
        return bool(self._read(name, bool, "true or false", default))

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of strings; empty where it is missing."""
        found: tuple[str, ...] = self._read(name, tuple[str, ...], "a list of strings", [])
        return found

    def token(self, name: str) -> Token | None:
        """A progress token, or None."""
        found: Token | None = self._read(name, Token | None, "a string or a whole number")
        return found

    def _read(self, name: str, hint: Any, wanted: str, default: Any = None) -> Any:
        return self._typed(self._values.get(name, default), hint, f"{name} must be {wanted}")

    def _typed(self, value: Any, hint: Any, problem: str) -> Any:
        try:
            return read_value(hint, value)
        except Misfit:
            self.refuse(problem)

    def refuse(self, what: str) -> NoReturn:
        """Raise the error for a wrong parameter."""
        raise JsonRpcInvalidParams(f"{self._request}: {what}.")

    def _member(self, outer: str, inner: str) -> Any:
        value = self._values.get(outer)
        return value.get(inner) if isinstance(value, Mapping) else None


def _is_count(value: object) -> bool:
    """Whether a value is a whole number from 0 that LSP's `uinteger` holds."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31
