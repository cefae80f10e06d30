"""The category graph of ProofWiki (appendix A.2)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping

_ROOT = "proofs by topic"
_MOST_ABOVE = 200
"""So many categories of a statement are looked at, the nearest first; ProofWiki's have a few dozen."""


class Topics:
    """The categories, each with those that it is put into. It may have cycles."""

    def __init__(self, parents: Mapping[str, Iterable[str]]) -> None:
        self._parents = {name: tuple(above) for name, above in parents.items()}
        children: dict[str, list[str]] = {}
        for name, above in self._parents.items():
            for one in above:
                children.setdefault(one, []).append(name)
        roots = [name for name in children if name.casefold() == _ROOT]
        self._top = frozenset(name for root in roots for name in children[root])
        self._below = _flood(self._top, children) - set(roots)

    def toplevel(self, categories: Iterable[str]) -> tuple[str, ...]:
        """Those right under *Proofs by Topic* that lie above categories, by name."""
        return tuple(sorted(self._above(categories) & self._top))

    def recursive(self, categories: Iterable[str]) -> tuple[str, ...]:
        """The categories and all above them that lie under *Proofs by Topic*, by name."""
        return tuple(sorted(self._above(categories) & self._below))

    def _above(self, categories: Iterable[str]) -> set[str]:
        own = (name for name in categories if name in self._below)
        return _flood(own, self._parents, _MOST_ABOVE)


def _flood(start: Iterable[str], edges: Mapping[str, Iterable[str]], most: int | None = None) -> set[str]:
    """What can be reached; of more than `most`, the nearest."""
    reached = set(start)
    waiting = deque(reached)
    while waiting:
        for name in edges.get(waiting.popleft(), ()):
            if name not in reached:
                if len(reached) == most:
                    return reached
                reached.add(name)
                waiting.append(name)
    return reached
