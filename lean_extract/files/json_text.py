"""JSON that others wrote. Whatever is wrong with it is a ValueError that says so."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, NoReturn

from lean_extract.files.reading import MAX_SETTINGS, read_regular


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON text.

    Raises ValueError (JSONDecodeError, UnicodeDecodeError among them) also where Python's reader raises
    RecursionError, and for what is no JSON though that reader takes it: NaN, infinities, 1e400.
    """
    if isinstance(text, bytes):
        text = text.decode("utf-8-sig")
    try:
        return _DECODER.decode(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def read_json(path: Path, limit: int = MAX_SETTINGS) -> Any:
    """The value in a regular file of at most `limit` bytes. Raises OSError as `read_regular`, ValueError."""
    return parse_json(read_regular(path, limit))


def shown(value: object, most: int = 40) -> str:
    """A value in a message, cut where it is long."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # nested too deeply; a number of thousands of digits
        text = f"{type(value).__name__} too large to show"
    return text if len(text) <= most else f"{text[: most - 3]}..."


def finite(text: str) -> float:
    """A number as JSON has it. Raises ValueError where it is too large for any."""
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text[:20]} is not a finite number")
    return number


def no_number(text: str) -> NoReturn:
    """For what JSON does not have: NaN and infinities. Raises ValueError."""
    raise ValueError(f"{text} is not a finite number")


_DECODER = json.JSONDecoder(parse_float=finite, parse_constant=no_number)
