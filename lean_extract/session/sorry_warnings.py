"""Makes Lean warn of `sorry` in copies of a file, where an option tells it not to.

Lean's warning is what shows that a definition above, or a tactic, leaves something to `sorry`.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from lean_extract.common.errors import BadSource
from lean_extract.common.files.settings_files import settings_text
from lean_extract.session.document import LeanDocument
from lean_extract.source.projects.packages import LAKEFILES

_HIDDEN = re.compile(r"(set_option\s+warn\.sorry\s+)false(?![\w.'])")
_SHOWN = "set_option warn.sorry true"
_BLANK_LINE = re.compile(r"[ \t]*(?:--[^\n]*)?\n[ \t]*(?=\n)")


def with_warnings(document: LeanDocument, project: Path) -> LeanDocument:
    """The document with the option switched on, in the file and, if a lakefile names it, below the imports.

    All else keeps its line and column. Below the imports there has to be a blank line.
    """
    text = unhidden(document.text)
    header = document.header.removesuffix("\n")
    blank = _BLANK_LINE.match(text, len(header))
    if blank is not None and _is_in_lakefile(project):
        text = f"{text[: blank.end()]}{_SHOWN}{text[blank.end() :]}"
    return document if text == document.text else LeanDocument(text)


def unhidden(text: str) -> str:
    """A text whose own options hide no warning; all else keeps its place."""
    return _HIDDEN.sub(r"\1true ", text)


def _is_in_lakefile(project: Path) -> bool:
    within = (os.path.realpath(project),)
    for name in LAKEFILES:
        with suppress(BadSource):  # Lake itself would report it
            if "warn.sorry" in settings_text(project / name, within):
                return True
    return False
