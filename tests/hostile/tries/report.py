"""What was tried, and what went wrong."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

HANG_SECONDS = 2.0
"""CPU time of one piece of work beyond which it counts as a hang."""
TRACEBACK = "Traceback (most recent call last)"

SLOW = "hangs over 2 s"
LEFT = "processes left"
UNANSWERED = "unanswered requests"
TRACED = "tracebacks"
OUTSIDE = "files read outside"
WRONG = "broken promises"
KINDS = (SLOW, LEFT, UNANSWERED, TRACED, OUTSIDE, WRONG)


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is tried: `quick` for two minutes, else up to an hour; the same seed tries the same."""

    quick: bool
    seed: int = 0

    @property
    def patience(self) -> float:
        """What limits of time are multiplied with: the quick run is a test, on machines that others use."""
        return 5.0 if self.quick else 1.0

    def of(self, quick: int, whole: int) -> int:
        """A number of tries."""
        return quick if self.quick else whole

    def random(self, part: str) -> random.Random:
        """A source of chance for a part, the same in every run."""
        return random.Random(f"{self.seed} {part}")


@dataclass(slots=True)
class Report:
    """Counts of tries, findings by kind, and figures by name."""

    tries: Counter[str] = field(default_factory=Counter)
    findings: list[dict[str, str]] = field(default_factory=list)
    figures: dict[str, float] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    def tried(self, part: str, count: int = 1) -> None:
        """Count tries."""
        self.tries[part] += count

    def found(self, kind: str, part: str, what: str) -> None:
        """Note what went wrong; `kind` is one of KINDS."""
        self.findings.append({"kind": kind, "part": part, "what": what})

    def check_log(self, part: str, text: str) -> None:
        """Look for tracebacks in what a process wrote."""
        for _ in range(text.count(TRACEBACK)):
            self.found(TRACED, part, text.partition(TRACEBACK)[2][-600:])

    def count(self, kind: str) -> int:
        """How many findings of a kind."""
        return sum(finding["kind"] == kind for finding in self.findings)

    def to_json(self) -> dict[str, Any]:
        """The report as a document."""
        return {
            "tries": dict(self.tries),
            "seconds": {part: round(taken, 1) for part, taken in self.seconds.items()},
            "figures": self.figures,
            "counts": {kind: self.count(kind) for kind in KINDS},
            "findings": self.findings,
        }

    def timed(self, part: str, run: Callable[[], None]) -> None:
        """Run a part; what it raises is a finding, and the other parts go on."""
        started = time.monotonic()
        try:
            run()
        except Exception as error:  # noqa: BLE001  a part that breaks must not hide the others' findings
            self.found(WRONG, part, f"the try itself ended with {type(error).__name__}: {error}")
        self.seconds[part] = time.monotonic() - started
