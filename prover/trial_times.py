"""How long Lean takes for a trial in one project, by the first words of tactics. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping

from lean_extract.syntax.complete_tactics import head
from prover.odds import KNOWN_WORDS

_ALL = ""
"""All words together, which stand for those that are not known."""
_MOST = 200.0
"""As many trials of a word count at most, so that a mean follows what has changed."""
_PRIOR = 8.0
"""As many trials the usual time counts."""
_NOTICED = 0.25
"""Means below this many seconds do not count: beside the cost of a trial they are small, and vary with the machine's
load."""


class TrialTimes:
    """Running means of the seconds of trials.

    Args:
        means: by first word, the number of trials that count and their mean in seconds; what is not known or no such
            number is left out.
    """

    def __init__(self, means: Mapping[str, tuple[float, float]]) -> None:
        self._means = {
            word: (min(count, _MOST), mean)
            for word, (count, mean) in means.items()
            if word in KNOWN_WORDS | {_ALL} and all(math.isfinite(one) and one > 0 for one in (count, mean))
        }

    @property
    def means(self) -> Mapping[str, tuple[float, float]]:
        """What is known, as the constructor takes it."""
        return self._means

    def note(self, tactic: str, seconds: float) -> None:
        """Note how long a trial took."""
        for word in {head(tactic) if head(tactic) in KNOWN_WORDS else _ALL, _ALL}:
            count, mean = self._means.get(word, (0.0, seconds))
            count = min(count + 1, _MOST)
            self._means[word] = count, mean + (seconds - mean) / count

    def seconds(self, usual: Mapping[str, float]) -> dict[str, float]:
        """The seconds of a trial by first word, under "" of any other. `usual`: what is known without a project."""
        found = dict(usual)
        for word, (count, mean) in self._means.items():
            expected = usual.get(word, usual[_ALL])
            mean = (count * mean + _PRIOR * expected) / (count + _PRIOR)
            if mean >= _NOTICED:
                found[word] = mean
        return found
