"""The edits that Lean has judged, so that what is inserted is what was shown."""

from __future__ import annotations

from lean_extract.common.lru import Cache
from lean_extract.records import Edit, TacticOutcome
from lsp_server.documents.goal_positions import declaration_key
from lsp_server.engine.items import shown_tactic
from prover.verify import GoalPosition

_KEPT = 2_000


class JudgedEdits:
    """Edits by document, position and tactic, for the text up to the end of the declaration."""

    def __init__(self) -> None:
        self._known: Cache[Edit] = Cache(_KEPT)
        self._in_term: Cache[bool] = Cache(_KEPT)

    def keep(self, position: GoalPosition, outcome: TacticOutcome) -> None:
        """Keep the edit of an outcome."""
        if outcome.edit is not None and outcome.status in ("closes", "progress", "unjudged"):
            key = declaration_key(position)
            self._known.put((key, shown_tactic(outcome)), outcome.edit)
            self._in_term.put(key, outcome.in_term)

    def get(self, position: GoalPosition, tactic: str) -> Edit | None:
        """The edit that was judged for a tactic as it is shown; None if there is none."""
        return self._known.get((declaration_key(position), tactic))

    def in_term(self, position: GoalPosition) -> bool | None:
        """Whether a term is replaced at a position; None if nothing was judged there."""
        return self._in_term.get(declaration_key(position))
