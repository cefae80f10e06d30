"""The automation of the user's own Lean (`grind`, `simp`, `aesop`, `exact?`, `try?`): what is tried when. Pure.

Each is run in the form that reports what it used: `grind?` is shown as `grind only [..]` (`session.suggested`).
`grind` is given the best premises, `simp` all that may simplify the goal, with the hypotheses. The quick ones are
tried alongside the learned list, one at a time. The slow ones wait until all others have been tried, and are left out
once the goal is closed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

from lean_extract.records import TacticOutcome
from prover.candidates import Candidate
from prover.limits import MAX_REFUSED_PREMISES, QUICK_AUTOMATION_SECONDS

SOURCE = "automation"
NAMED = 10
"""How many of the best premises `grind` is given."""
SIMPLIFYING = 16
"""How many rules `simp` is given."""
_HYPOTHESES = "*"
_SCORE = 0.0
"""They come last among equals: a named lemma is more informative and costs Lean less."""
_GRIND, _SUGGESTED = "grind?", "grind? +suggestions"
_WITH = re.compile(r"(?P<tactic>grind|simp)\? \[(?P<names>[^\[\]]*+)\](?P<place> at \S++)?")
_TOO_MUCH = re.compile(r"timeout|maximum (?:recursion depth|number of steps)")
"""Lean's words where rules rewrite without end."""

QUICK = (_GRIND, "simp_all", "aesop")
"""Tactics that take a second or less."""
SLOW = ("exact?", _SUGGESTED, "grind", "try?")
"""Tactics that search a library or try much. In some versions plain `grind` searches differently from `grind?`."""
_CANNOT = re.compile(
    r"(?:<input>:\d++:\d++: )?(?:unknown tactic|unexpected |expected |[Ii]nvalid configuration option"
    r"|\S++ is not a field of structure|No library suggestions engine)"
)


def quick(named: Sequence[str]) -> list[str]:
    """The quick ones, cheapest first. `named`: those with premises."""
    return [*QUICK[:2], *named, *QUICK[2:]]


class FileTactics(Protocol):
    """Which tactics a file has."""

    def can_run(self, tactic: str) -> bool:
        """Whether a tactic is worth a trial."""
        ...

    def hear(self, outcome: TacticOutcome) -> None:
        """Note Lean's verdict on a tactic."""
        ...


class Automation:
    """The automation left to try at one goal, revised after each of Lean's verdicts.

    Args:
        wanted: the quick ones (`quick`), in the order to try.
        slow: those for the end.
        here: what the file has.
        seconds: the time for all tactics together, which a slow one may use up.
    """

    def __init__(self, wanted: Sequence[str], slow: Sequence[str], here: FileTactics, seconds: float) -> None:
        self._quick = list(filter(here.can_run, wanted))
        self._slow = list(filter(here.can_run, slow))
        self._slow_seconds = seconds
        self._here = here
        self._shortened = 0

    def next_quick(self) -> Candidate | None:
        """The next quick tactic, if any."""
        return self._candidate(self._quick)

    def next_slow(self) -> Candidate | None:
        """The next slow tactic; None if there is none left or needed."""
        return self._candidate(self._slow)

    def seconds(self, tactic: str, usual: float) -> float:
        """The time for one tactic. `usual`: that for any other."""
        if tactic in SLOW:
            return max(usual, self._slow_seconds)
        is_quick = tactic in QUICK or _WITH.fullmatch(tactic) is not None
        return min(usual, QUICK_AUTOMATION_SECONDS) if is_quick else usual

    def hear(self, outcome: TacticOutcome) -> None:
        """Note Lean's verdict on any tactic of the round."""
        self._here.hear(outcome)
        if outcome.status == "closes" and not outcome.rests_on_sorry:
            self._slow = []
            if outcome.tactic == _GRIND:  # with premises it would close the goal, too
                self._quick = [tactic for tactic in self._quick if not tactic.startswith(f"{_GRIND} [")]
        shorter = with_fewer(outcome)
        if shorter and self._shortened < MAX_REFUSED_PREMISES:
            self._shortened += 1
            self._quick.insert(0, shorter)

    @staticmethod
    def _candidate(left: list[str]) -> Candidate | None:
        return Candidate(left.pop(0), _SCORE, SOURCE) if left else None


def cannot_run(outcome: TacticOutcome) -> str | None:
    """The tactic, if it is one of these and Lean or the imports lack it in this form."""
    is_ours = outcome.tactic in QUICK or outcome.tactic in SLOW
    is_missing = outcome.status == "fails" and _CANNOT.match(outcome.message) is not None
    return outcome.tactic if is_ours and is_missing else None


def with_fewer(outcome: TacticOutcome) -> str:
    """The tactic with fewer premises: without one that it refuses, or if they are too much for it, with half of them
    and without the hypotheses. Empty if that does not help.

    Lean stops at the first one that is unknown, or gives `grind` no pattern. If the verdict has no
    position, the premise that the message names is removed.
    """
    found = _WITH.fullmatch(outcome.tactic)
    if found is None or outcome.status not in ("fails", "timeout"):
        return ""
    names = found["names"].split(", ")
    if outcome.status == "timeout" or _TOO_MUCH.search(outcome.message):
        kept = [name for name in names if name != _HYPOTHESES][: len(names) // 2]
    else:
        refused = _at(names, outcome, found.start("names"))
        kept = names[:refused] + names[refused + 1 :] if refused is not None else []
    return _with(f"{found['tactic']}?", kept, found["place"] or "")


def _at(names: Sequence[str], outcome: TacticOutcome, start: int) -> int | None:
    """The place in the list of the name at the error."""
    if outcome.error_at is None:
        return next((place for place, name in enumerate(names) if f"`{name}`" in outcome.message), None)
    end = start
    for place, name in enumerate(names):
        end += len(name)
        if end - len(name) <= outcome.error_at <= end:
            return place
        end += len(", ")
    return None


def with_names(names: Sequence[str]) -> str:
    """`grind?` with the first of these premises. Empty without premises."""
    return _with(_GRIND, names[:NAMED])


def simplifying(rules: Sequence[str], place: str = "") -> str:
    """`simp?` with the first of these rules and, for the goal, the hypotheses; empty without rules.

    `place`: a hypothesis that is simplified in place of the goal.
    """
    hypotheses = [] if place else [_HYPOTHESES]
    return (
        _with("simp?", [*rules[:SIMPLIFYING], *hypotheses], f" at {place}" if place else "") if rules else ""
    )


def is_simplifying(tactic: str) -> bool:
    """Whether a tactic is `simp?` with rules."""
    found = _WITH.fullmatch(tactic)
    return found is not None and found["tactic"] == "simp"


def _with(tactic: str, names: Sequence[str], place: str = "") -> str:
    return f"{tactic} [{', '.join(names)}]{place}" if names else ""
