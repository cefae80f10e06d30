"""Names for the nameless hypotheses of a goal, which tactics can then mention. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count

from lean_extract.records import Goal, Hypothesis
from lean_extract.syntax.inaccessible import DAGGER, MARK
from prover.limits import MAX_RENAMED_HYPOTHESES

_NAMELESS = re.compile(rf"[^\W\d][\w'!?]*{MARK}")
_INSTANCE = f"inst{DAGGER}"


def named(goal: Goal, tactic: str) -> tuple[str, Goal]:
    """The `rename_i` that names the nameless hypotheses of a goal, as far as they come after all instances, and the
    goal after it; an empty text if there are none, or too many.

    Args:
        tactic: what led to the goal.
    """
    nameless = list(_last_nameless(goal))
    if not 0 < len(nameless) <= MAX_RENAMED_HYPOTHESES:
        return "", goal
    used = {name for hypothesis in goal.hypotheses for name in hypothesis.names}
    anonymous = "ih" if tactic.startswith("induction") else "h"
    names: dict[str, str] = {}
    for old in nameless:
        base = old.partition(DAGGER)[0]
        wish = anonymous if base in ("a", "this") else "ih" if base.endswith("_ih") else base
        name = next(one for one in _numbered(wish) if one not in used)
        used.add(name)
        names[old] = name

    def renamed(text: str) -> str:
        return _NAMELESS.sub(lambda found: names.get(found[0], found[0]), text)

    hypotheses = tuple(
        Hypothesis(
            tuple(names.get(name, name) for name in one.names),
            renamed(one.type),
            None if one.value is None else renamed(one.value),
        )
        for one in goal.hypotheses
    )
    return f"rename_i {' '.join(names.values())}", Goal(hypotheses, renamed(goal.target), goal.case)


def _last_nameless(goal: Goal) -> Iterator[str]:
    """The nameless hypotheses after the last instance, in their order."""
    names = [name for hypothesis in goal.hypotheses for name in hypothesis.names]
    last = max((place for place, name in enumerate(names) if name.startswith(_INSTANCE)), default=-1)
    return (name for name in names[last + 1 :] if DAGGER in name)


def _numbered(wish: str) -> Iterator[str]:
    yield wish
    yield from (f"{wish}{number}" for number in count(1))
