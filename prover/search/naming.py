"""Names for the nameless hypotheses of a goal, which tactics can then mention. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lean_extract.records import Goal, Hypothesis
from lean_extract.session.goals_left import new_names
from lean_extract.syntax.inaccessible import DAGGER, MARK
from prover.limits import MAX_RENAMED_HYPOTHESES

RENAME = "rename_i "
"""How a tactic begins that only gives names."""
_NAMELESS = re.compile(rf"(?<![\w'!?])[^\W\d][\w'!?]*+{MARK}")
_INSTANCE = f"inst{DAGGER}"


def named(goal: Goal, tactics: Sequence[str]) -> tuple[str, Goal]:
    """The `rename_i` that names the nameless hypotheses of a goal, as far as they come after all instances, and the
    goal after it; an empty text if there are none, or too many.

    Args:
        tactics: what led to the goal.
    """
    hypotheses = goal.hypotheses
    instances = [place for place, one in enumerate(hypotheses) if one.names[-1].startswith(_INSTANCE)]
    above = Goal(hypotheses[: instances[-1] + 1] if instances else (), "")
    nameless = [name for one in hypotheses[len(above.hypotheses) :] for name in one.names if DAGGER in name]
    given = new_names(goal, above, is_induction=any(one.startswith("induction") for one in tactics))
    if not 0 < len(nameless) <= MAX_RENAMED_HYPOTHESES:
        return "", goal
    names = {old: new for old, new in zip(nameless, given, strict=True) if new != "_"}

    def renamed(text: str) -> str:
        return _NAMELESS.sub(lambda found: names.get(found[0], found[0]), text)

    found = tuple(
        Hypothesis(
            tuple(names.get(name, name) for name in one.names),
            renamed(one.type),
            None if one.value is None else renamed(one.value),
        )
        for one in hypotheses
    )
    return f"{RENAME}{' '.join(given)}", Goal(found, renamed(goal.target), goal.case)
