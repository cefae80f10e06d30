"""Parses untrusted JSON. Every fault is reported as a ValueError."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, NoReturn

from lean_extract.common.files.reading import read_regular
from lean_extract.limits import MAX_SETTINGS_BYTES


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON text.

    Raises ValueError (or its subclasses JSONDecodeError and UnicodeDecodeError). This includes texts for which
    Python's parser raises RecursionError, and those that it accepts though they are not JSON: NaN, infinities,
    1e400.
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8-sig")
    try:
        return _DECODER.decode(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def read_json(path: Path, limit: int = MAX_SETTINGS_BYTES) -> Any:
    """The JSON value in a regular file of at most `limit` bytes. Raises ValueError, and OSError as `read_regular`."""
    return parse_json(read_regular(path, limit))


def shown(value: object, most: int = 40) -> str:
    """A value for use in a message, cut to `most` characters."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # nested too deeply, or a number with thousands of digits
        text = f"{type(value).__name__} too large to show"
    return text if len(text) <= most else f"{text[: most - 3]}..."


def finite(text: str) -> float:
    """The value of a JSON number. Raises ValueError if it is too large for a float."""
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text[:20]} is not a finite number")
    return number


def _no_number(text: str) -> NoReturn:
    """Raise ValueError for NaN and infinities, which are not JSON."""
    raise ValueError(f"{text} is not a finite number")


_DECODER = json.JSONDecoder(parse_float=finite, parse_constant=_no_number)
