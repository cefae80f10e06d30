"""The import lines at the head of a Lean file. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

IMPORT_LINE = re.compile(r"(?:public[ ]+)?(?:meta[ ]+)?import[ ]+(?:all[ ]+)?[^\s]+")
"""An import line that may be added."""
_IMPORT = re.compile(r"(public\s+)?(meta\s+)?import\b")
_IMPORTED = re.compile(r"\s*(?:public\s+)?(?:meta\s+)?import\s+(?:all\s+)?(\S+)")


def _import_line_number(lines: Sequence[str]) -> int | None:
    """The line before which a further `import` goes, or None in a file headed `prelude`.

    It goes below the last import, or below the comments at the top.
    """
    depth, found, after_import = 0, 0, False
    for number, line in enumerate(lines):
        bare = line.strip()
        if depth or (bare.startswith("/-") and not bare.startswith(("/-!", "/--"))):
            depth += bare.count("/-") - bare.count("-/")
            if depth <= 0 and not after_import:
                found = number + 1
        elif not bare or bare.startswith("--"):
            continue
        elif bare == "prelude":
            return None
        elif bare == "module" or _IMPORT.match(bare):
            found, after_import = number + 1, True
        else:
            break
    return found


def imported_module(line: str) -> str | None:
    """The module that an import line names; None for any other line."""
    match = _IMPORTED.match(line)
    return match[1] if match else None


@dataclass(frozen=True, slots=True)
class ImportHeader:
    """The imports at the head of a file: the line before which another one goes (None: nowhere), and the modules."""

    number: int | None
    modules: frozenset[str]

    @classmethod
    def of(cls, lines: Sequence[str]) -> ImportHeader:
        """The head of a file with these lines."""
        number = _import_line_number(lines)
        return cls(number, frozenset(filter(None, map(imported_module, lines[: number or 0]))))
