"""Which tactics a file has: what its imports bring, and what its Lean refused as unknown."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from lean_extract.common.lru import Cache
from lean_extract.records import TacticOutcome
from prover.automation import cannot_run
from prover.tactic_words import heads, unknown_word

KEPT = 64
"""Headers."""

Refused = Cache[frozenset[str]]
"""What Lean refused as unknown, by the running Lean and the imports. Each costs one trial."""


@dataclass(frozen=True, slots=True)
class TacticsHere:
    """The tactics at one goal. What the file declares itself is tried in any case.

    `key`: the running Lean and the imports. `missing`: words of tactics that the imports do not bring. `text`: that of
    the file, up to the goal.
    """

    refused: Refused
    key: Hashable
    missing: frozenset[str]
    text: str

    def can_run(self, tactic: str) -> bool:
        """Whether a tactic is worth a trial."""
        unknown = self.missing | self._known()
        return not any(f'"{word}' not in self.text for word in unknown & (heads(tactic) | {tactic}))

    def hear(self, outcome: TacticOutcome) -> None:
        """Note Lean's verdict on a tactic."""
        found = frozenset(filter(None, (unknown_word(outcome), cannot_run(outcome))))
        if not found <= self._known():
            self.refused.put(self.key, self._known() | found)

    def _known(self) -> frozenset[str]:
        return self.refused.get(self.key) or frozenset()
