"""The findings of `doctor`, and a time limit for reading an index in search of damage."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Literal

from lean_extract.common.files.reading import format_size
from lsp_server.limits import INDEX_CHECK_SECONDS
from lsp_server.rendering.style import Style

Status = Literal["ok", "note", "missing"]
_REPORT_SECONDS = 1.0
_MOST_STEPS = 3
"""How many things to do next are named."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was checked.

    `status`: a `note` is harmless, `missing` is not. `fix`: the command, or another way, to fix it.
    """

    name: str
    status: Status
    message: str
    fix: str = ""


class IndexReading:
    """Limits the time for reading an index in search of damage, and reports progress.

    Args:
        report: called with a sentence from time to time if it takes long.
        limit: seconds after which reading stops.
        every: seconds between two reports.
    """

    def __init__(
        self,
        report: Callable[[str], None],
        limit: float = INDEX_CHECK_SECONDS,
        every: float = _REPORT_SECONDS,
    ) -> None:
        self._report = report
        self._limit, self._every = limit, every
        self._began = self._reported = time.monotonic()
        self._read = 0
        self.is_whole = True
        """Whether everything was read."""

    def go_on(self, count: int) -> bool:
        """Count bytes that were read; returns whether there is time to read more."""
        self._read += count
        now = time.monotonic()
        if now - self._reported > self._every:
            self._reported = now
            self._report(f"Reading the index to find damage: {format_size(self._read)} ...")
        self.is_whole = self.is_whole and now - self._began < self._limit
        return self.is_whole


def report(findings: list[Finding], style: Style) -> str:
    """The findings as text for a person, and what to do next."""
    lines = [line for finding in findings for line in _lines(finding, style)]
    steps = [f"  {number}. {step}" for number, step in enumerate(_next_steps(findings), 1)]
    return "\n".join([*lines, "", "Next:", *steps]) + "\n"


def _next_steps(findings: list[Finding]) -> list[str]:
    """The three things to do next: fix what is missing, then use what works, then what could be better."""
    missing = [_step(finding) for finding in findings if finding.status == "missing" and finding.fix]
    notes = [_step(finding) for finding in findings if finding.status == "note" and finding.fix]
    use = [
        "see what your editor or agent needs: premise-suggest setup",
        "get suggestions for a goal: premise-suggest suggest --file F.lean --line L --tactics",
        "or for a goal that you paste: premise-suggest suggest --state -",
    ]
    return list(dict.fromkeys([*missing, *use, *notes]))[:_MOST_STEPS]


def _step(finding: Finding) -> str:
    return f"{finding.name}: {finding.fix}"


def _lines(finding: Finding, style: Style) -> Iterator[str]:
    mark = {"ok": style.good("ok     "), "note": style.caution("note   ")}.get(
        finding.status, style.caution("MISSING")
    )
    yield f"{mark}  {style.bold(finding.name)}: {finding.message}"
    if finding.fix:
        yield f"         to fix it: {finding.fix}"


def to_json(findings: list[Finding]) -> list[dict[str, str]]:
    """The findings as plain JSON values."""
    return [asdict(finding) for finding in findings]
