"""Reads what Lean says where Lake could not prepare a file: the command, and below it all that Lake printed."""

from __future__ import annotations

import re
from dataclasses import dataclass

OUT_OF_DATE = "Imports are out of date"
"""How Lean begins its message where Lake would have to build what a file imports."""

_COMMAND = re.compile(r"(?P<unread>Invalid output from )?`(?=[^`\n]*+`)[^`\n]*\bsetup-file [^`\n]*+`")
_ERROR = re.compile(r"^error: (?P<reason>.+)", re.MULTILINE)
_UNHELPFUL = re.compile(r"build failed$|.*: package configuration has errors$")
_NEEDS_RESTART = (
    "Please restart the server after fixing the error above",
    "Please restart the server after fixing the Lake configuration file",
)
_NOT_LOADED = "Failed to load the Lake workspace"


@dataclass(frozen=True, slots=True)
class LakeFailure:
    """Why Lake could not prepare a file.

    `reason` is one line. `is_configuration`: the project's configuration cannot be loaded. `needs_restart`: the server
    keeps failing, even when that has been mended.
    """

    reason: str
    is_configuration: bool = False
    needs_restart: bool = False


def lake_failure(message: str) -> LakeFailure | None:
    """What a message of Lean about a file's header says of Lake; None where it is about something else."""
    command = _COMMAND.match(message)
    if command is None:
        return None
    if command["unread"]:
        return LakeFailure("Lake gave an answer that this Lean does not understand")
    needs_restart = any(text in message for text in _NEEDS_RESTART)
    return LakeFailure(_reason(message), needs_restart or _NOT_LOADED in message, needs_restart)


def _reason(message: str) -> str:
    """Lake's last error that says what is wrong, or else its last line."""
    errors = [found["reason"].strip() for found in _ERROR.finditer(message)]
    telling = [one for one in errors if not _UNHELPFUL.match(one)] or errors
    printed = [line.strip() for line in message.splitlines()[1:] if line.strip() not in ("", "stderr:")]
    return next(iter([*telling[-1:], *printed[-1:]]), "Lake gives no reason").rstrip(" .:")
