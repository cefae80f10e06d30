"""The chance that Lean accepts a tactic and the proof keeps it, on one scale for all sources.

A logistic regression. Each source that proposes a tactic adds three numbers: a weight of its own, one times the
logit of its score, one times the logarithm of the tactic's place in its list. Each source, whether it proposes the
tactic or not, adds two for how much it expects the tactic's first word, and its form (`rw [..] at`): one times the
logarithm of the share of its scores that such tactics have. Further weights are those of the group of the first
word, of the tactic's length, and of how many further sources propose it.
`python -m prover fit-turns` fits the weights and writes `data/turns.json`, which says on which data.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from lean_extract.common.errors import ModelError
from lean_extract.syntax.complete_tactics import head
from prover.candidates import Candidate, is_unfinished, key_of
from prover.limits import SUGGESTION_SECONDS, SUGGESTION_TACTICS
from prover.tactic_words import MODULES

FILE = Path(__file__).with_name("data") / "turns.json"
"""The shipped weights."""
FORMAT = "premise-suggest-turns"
VERSION = 2

SOURCES = ("premise", "closer", "neighbour", "shapes", "generator")
"""The sources with weights of their own. Any other has the mean of theirs, as a neutral prior."""
_GROUPS: Mapping[str, frozenset[str]] = {
    "rewrite": frozenset(["rw", "rwa", "erw", "rewrite", "simp_rw", "nth_rw", "nth_rewrite"]),
    "simplify": frozenset(
        [
            "simp",
            "simp_all",
            "simpa",
            "simp_arith",
            "dsimp",
            "norm_num",
            "norm_cast",
            "push_cast",
            "push_neg",
            "field_simp",
            "unfold",
        ]
    ),
    "exact": frozenset(["exact", "exacts", "exact_mod_cast"]),
    "apply": frozenset(
        [
            "apply",
            "refine",
            "refine'",
            "convert",
            "use",
            "exists",
            "constructor",
            "ext",
            "funext",
            "congr",
            "left",
            "right",
            "existsi",
        ]
    ),
    "finish": frozenset(
        [
            "rfl",
            "trivial",
            "assumption",
            "contradiction",
            "decide",
            "omega",
            "linarith",
            "nlinarith",
            "ring",
            "ring_nf",
            "aesop",
            "tauto",
            "positivity",
            "infer_instance",
        ]
    ),
    "introduce": frozenset(["intro", "intros", "rintro"]),
    "split": frozenset(
        ["cases", "cases'", "rcases", "obtain", "induction", "induction'", "by_cases", "by_contra"]
    ),
    "state": frozenset(
        ["have", "haveI", "suffices", "let", "letI", "set", "show", "change", "replace", "specialize"]
    ),
}
"""First words of tactics that are kept about equally often."""
FEATURES = (
    "base",
    *(f"{source}{part}" for source in SOURCES for part in ("", " score", " place", " head", " form")),
    *(f"group {group}" for group in _GROUPS),
    "others",
    "words",
)
_GROUP_OF = {word: group for group, words in _GROUPS.items() for word in words}
KNOWN_WORDS = _GROUP_OF.keys() | MODULES.keys()
"""First words that are told apart where times of trials are kept."""
_LEAST, _MOST = 1e-4, 0.99
"""Scores are cut to this range before their logits are taken."""
_LEAST_SHARE = 1e-3
"""Keeps logarithms finite."""
_FORM = ("[", "←", " at ", " using ", " only")
"""What tells forms with one first word apart."""
_VARIED = 8
"""So many are tried first in an order that prefers first words that have not been tried."""


@dataclass(slots=True)
class Proposed:
    """A tactic, and what each source that proposes it says of it."""

    tactic: str
    source: str
    origin: str = ""
    by: dict[str, tuple[float, int]] | None = None
    """By source: its best score, and the best place in its list, from 1."""


@dataclass(frozen=True)
class AcceptanceModel:
    """The fitted numbers.

    `weights`: by feature. `seconds`: how long Lean takes for a trial, by first word; "" for any other.
    `expected`: by source, the mean chance of the tactic at each place of its list, best first; it is used for the
    list while the source is still working.
    """

    weights: Mapping[str, float]
    seconds: Mapping[str, float]
    expected: Mapping[str, tuple[float, ...]]

    @classmethod
    def load(cls, path: Path = FILE) -> AcceptanceModel:
        """The numbers in a file. Raises ModelError."""
        hint = "Write it with `python -m prover fit-turns`."
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
            if (values["format"], values["version"]) != (FORMAT, VERSION):
                raise ValueError(f"format {values['format']} {values['version']}")
            return cls.of_json(values)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise ModelError(f"{path} cannot be read: {error}.", hint) from error

    @classmethod
    def of_json(cls, values: Mapping[str, Any]) -> AcceptanceModel:
        """The numbers from JSON values. Raises KeyError, TypeError, ValueError."""
        if set(values["weights"]) != set(FEATURES):
            raise ValueError("its features are others than those of this version")
        weights = {name: float(weight) for name, weight in values["weights"].items()}
        seconds = {word: float(value) for word, value in values["seconds"].items()}
        expected = {name: tuple(map(float, chances)) for name, chances in values["expected"].items()}
        if not all(map(math.isfinite, weights.values())) or not min(seconds.values(), default=1.0) > 0:
            raise ValueError("a number is out of range")
        seconds[""]  # Trials of other first words take as long as this.
        return cls(weights, seconds, expected)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the numbers."""
        values = [sorted(self.weights.items()), sorted(self.seconds.items()), sorted(self.expected.items())]
        return hashlib.sha256(json.dumps(values).encode()).hexdigest()[:12]

    def weighed(self, lists: Iterable[Sequence[Candidate]]) -> list[Candidate]:
        """Each proposed tactic once, with its chance as score, likeliest first.

        Tactics that differ only in spacing are one, and unfinished proofs are dropped. The order of the lists does
        not matter.
        """
        found = [
            Candidate(one.tactic, self.chance(one, values), one.source, one.origin)
            for one, values in described(lists)
        ]
        return sorted(found, key=lambda one: (-one.score, one.tactic))

    def in_turn(self, lists: Iterable[Sequence[Candidate]], tried: Sequence[str] = ()) -> list[Candidate]:
        """What the sources propose in the order to try: by the expected value.

        Up to the eighth tactic, those `tried` included, the n-th with one first word counts for an n-th of it, so that
        each likely first word has a place.
        """
        ordered = sorted(self.weighed(lists), key=self.expected_value, reverse=True)
        done = set(map(key_of, tried))
        waiting: dict[str, list[Candidate]] = defaultdict(list)
        for one in reversed(ordered):
            if key_of(one.tactic) not in done:
                waiting[head(one.tactic)].append(one)
        counts = Counter(map(head, tried))
        chosen: list[Candidate] = []
        while waiting and len(tried) + len(chosen) < _VARIED:
            word = max(waiting, key=lambda w: self.expected_value(waiting[w][-1]) / (1 + counts[w]))
            counts[word] += 1
            chosen.append(waiting[word].pop())
            if not waiting[word]:
                del waiting[word]
        return [*chosen, *(one for one in ordered if one not in chosen)]

    def chance(self, proposed: Proposed, values: Mapping[str, float]) -> float:
        """The chance that Lean accepts the tactic and the proof keeps it, in (0, 1). `values`: its features."""
        logit = sum(self.weights.get(name, 0.0) * value for name, value in values.items())
        logit += sum(
            self._neutral(values, source) for source in sorted(proposed.by or {}) if source not in SOURCES
        )
        return 1 / (1 + math.exp(-min(max(logit, -30.0), 30.0)))

    def expected_value(self, weighed: Candidate) -> float:
        """The chance for what a trial uses up of a suggestion's budget: what to try first."""
        seconds = self.seconds.get(head(weighed.tactic), self.seconds[""])
        return weighed.score / (1 / SUGGESTION_TACTICS + seconds / SUGGESTION_SECONDS)

    def _neutral(self, values: Mapping[str, float], source: str) -> float:
        """What a source without weights of its own adds: the mean of those that have."""
        parts = (("", 1.0), (" score", values[f"{source} score"]), (" place", values[f"{source} place"]))
        sums = (self.weights[f"{known}{part}"] * value for known in SOURCES for part, value in parts)
        return sum(sums) / len(SOURCES)


@cache
def shipped_odds() -> AcceptanceModel:
    """The shipped numbers, read once. Raises ModelError."""
    return AcceptanceModel.load()


def together(lists: Iterable[Sequence[Candidate]]) -> dict[str, Proposed]:
    """What the sources propose, by the tactic's key (`key_of`). Lists are best first."""
    found: dict[str, Proposed] = {}
    for one in lists:
        places: dict[str, int] = {}
        for candidate in one:
            key = key_of(candidate.tactic)
            if not key or is_unfinished(candidate.tactic):
                continue
            place = places[candidate.source] = places.get(candidate.source, 0) + 1
            _note(found, key, candidate, place)
    return found


def _note(found: dict[str, Proposed], key: str, candidate: Candidate, place: int) -> None:
    proposed = found.setdefault(key, Proposed(candidate.tactic, candidate.source, candidate.origin, {}))
    by = proposed.by if proposed.by is not None else {}
    score, first = by.get(candidate.source, (0.0, place))
    by[candidate.source] = max(score, candidate.score), min(first, place)
    # Whatever the order of arrival: the least text, and the origin that comes first in the alphabet.
    proposed.tactic = min(proposed.tactic, candidate.tactic)
    proposed.source = min(by, key=lambda source: (by[source][1], -by[source][0], source))
    proposed.origin = min(filter(None, (proposed.origin, candidate.origin)), default="")


def described(lists: Iterable[Sequence[Candidate]]) -> list[tuple[Proposed, dict[str, float]]]:
    """What the sources propose, each with its features that are not zero, by name."""
    found = [(one, _form(one.tactic)) for one in together(lists).values()]
    scores: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for one, form in found:
        for source, (score, _) in (one.by or {}).items():
            for key in ((source,), (source, form[0]), (source, *form)):
                scores[key].append(score)
    sums = {key: math.fsum(each) for key, each in scores.items()}
    return [(one, _features(one, form, sums)) for one, form in found]


def _form(tactic: str) -> tuple[str, ...]:
    """The first word, and which signs of a form the tactic has."""
    return head(tactic), *(sign for sign in _FORM if sign in tactic)


def _features(
    proposed: Proposed, form: tuple[str, ...], sums: Mapping[tuple[str, ...], float]
) -> dict[str, float]:
    """The features of a tactic. `sums`: of each source's scores, of all and of those with one first word or form."""
    by = dict(sorted((proposed.by or {}).items()))  # so that sums do not depend on the order of arrival
    values = {"base": 1.0, "others": float(len(by) - 1), "words": math.log(1 + len(proposed.tactic.split()))}
    for source, (score, place) in by.items():
        values[source] = 1.0
        values[f"{source} score"] = logit(score)
        values[f"{source} place"] = math.log(place)
    for source in SOURCES:
        if whole := sums.get((source,)):
            for part, key in (("head", form[:1]), ("form", form)):
                values[f"{source} {part}"] = math.log(sums.get((source, *key), 0.0) / whole + _LEAST_SHARE)
    group = _GROUP_OF.get(form[0])
    return values | ({f"group {group}": 1.0} if group else {})


def logit(score: float) -> float:
    """The logarithm of the odds of a score, which is cut to a range where it is finite."""
    cut = min(max(score, _LEAST), _MOST)
    return math.log(cut / (1 - cut))
