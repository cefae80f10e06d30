"""Converts JSON to lsprotocol's classes, with strict types."""

from __future__ import annotations

import re
from typing import Any

import cattrs
from pygls.protocol import JsonRPCRequestMessage, JsonRPCResponseMessage, default_converter

from lsp_server.limits import CAUSE_CHARACTERS


def plain_converter() -> cattrs.Converter:
    """pygls' converter, leaving the JSON of our own requests as it is.

    Numbers are not converted to text, nor text or fractions to whole numbers.
    """
    converter: cattrs.Converter = default_converter()  # type: ignore[no-untyped-call]
    converter.register_structure_hook(int, _whole_number)
    converter.register_structure_hook(str, _text)
    converter.register_structure_hook(
        JsonRPCRequestMessage, lambda message, cls: cls(**{"params": None, **message})
    )
    converter.register_structure_hook(
        JsonRPCResponseMessage, lambda message, cls: cls(**{"result": None, **message})
    )
    return converter


def what_is_wrong(error: Exception) -> str:
    """A short description of cattrs' error, and where in the parameters it is."""
    if not isinstance(error, cattrs.BaseValidationError):
        return "the parameters cannot be read"
    first = next(iter(cattrs.transform_error(error, path="$")), "the parameters cannot be read")
    return re.sub(r"_([a-z])", lambda match: match[1].upper(), first).replace(" @ $.", " at ")[
        :CAUSE_CHARACTERS
    ]


def _whole_number(value: Any, kind: type[int]) -> int:
    """In JSON, a number without a fraction is an integer, however it is written. Raises TypeError.

    cattrs calls this for the subclasses, too: bool and enumerations, which are converted as usual.
    """
    if kind is int and (isinstance(value, bool) or not isinstance(value, int | float) or value % 1):
        raise TypeError
    return kind(value)


def _text(value: Any, kind: type[str]) -> str:
    """A text, or the member of an enumeration with that value. Raises TypeError."""
    if kind is str and not isinstance(value, str):
        raise TypeError
    return kind(value)
