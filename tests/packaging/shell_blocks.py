"""The shell blocks of a page of the manual, and which of them can be run where there is nothing but the wheel."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(
    r"(?:^<!-- not run: (?P<reason>[^\n]*) -->\n)?^```(?P<kind>\w*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
REASONS = frozenset({"a clone", "a corpus", "a synopsis", "another program", "Mathlib", "the network"})
"""What a block may need that a container with the wheel does not have. The reader does not see it."""


@dataclass(frozen=True, slots=True)
class ShellBlock:
    """A block of a page."""

    kind: str
    """`sh`: commands. `console`: a command after `$ ` and what it prints. Others are not for a shell."""
    text: str
    reason: str
    """Why it is not run; empty where it is."""

    @property
    def lines(self) -> list[str]:
        """The commands, without their comments and prompts."""
        joined = self.text.replace("\\\n", " ")
        if self.kind == "console":
            return [line.removeprefix("$ ") for line in joined.splitlines() if line.startswith("$ ")]
        bare = (re.sub(r"(?:^|\s+)#.*", "", line) for line in joined.splitlines())
        return [line for line in bare if line.strip()]

    @property
    def printed(self) -> list[str]:
        """What the command of a transcript prints."""
        return self.text.splitlines()[1:]


def blocks_of(page: Path) -> list[ShellBlock]:
    """The blocks of a page in their order."""
    found = _BLOCK.finditer(page.read_text(encoding="utf-8"))
    return [ShellBlock(one["kind"], one["text"], one["reason"] or "") for one in found]
