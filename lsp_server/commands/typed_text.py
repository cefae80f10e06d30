"""Text that is given on the command line or on standard input."""

from __future__ import annotations

import sys
from typing import cast

from lean_extract.common.errors import BadSource


def typed(text: str) -> str:
    """The given text, or standard input for `-`. Raises BadSource: it is not UTF-8."""
    if text == "-":
        return standard_input()
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BadSource(
            "The text on the command line is not UTF-8.", "Send it as UTF-8, or in a file."
        ) from error
    return text


def standard_input() -> str:
    """What is sent to standard input. Raises BadSource: it is closed, or not UTF-8."""
    if cast(object, sys.stdin) is None:  # as Python sets it where the caller has closed it (`<&-`)
        raise BadSource("Standard input is closed.", "Send the state there, or name a file.")
    return decoded(sys.stdin.buffer.read(), "Standard input")


def decoded(data: bytes, source: str) -> str:
    """The text of some bytes. Raises BadSource: they are not UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadSource(f"{source} is not UTF-8 text (byte {error.start}).", "Send it as UTF-8.") from error
