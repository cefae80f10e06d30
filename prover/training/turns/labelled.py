"""Goals with what the sources propose there, and which of it is right."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from lean_extract.common.typed import read_typed
from prover.candidates import Candidate, key_of
from prover.training.measuring import last_parts
from prover.training.steps import WantedStep


@dataclass(frozen=True, slots=True)
class Trial:
    """Lean's verdict on a tactic, and how long it took."""

    tactic: str
    status: str
    milliseconds: float


@dataclass(frozen=True, slots=True)
class LabelledGoal:
    """A goal, what the sources propose there, and Lean's verdicts, if there is a Lean.

    `own`: the tactic of the goal's own proof; empty where it is proved by a term.
    """

    theorem: str
    own: str
    lists: tuple[tuple[Candidate, ...], ...]
    trials: tuple[Trial, ...] = ()
    is_tried: bool = False
    verdicts: Mapping[str, Trial] = field(default_factory=dict, compare=False)

    def is_kept(self, tactic: str) -> bool:
        """Whether it closes the goal, or is the proof's own and Lean, if it tried it, accepts it."""
        if not self.is_tried:
            return self.is_own(tactic)
        verdict = self.verdicts.get(key_of(tactic))
        return self.closes(tactic) or (
            verdict is not None and verdict.status == "progress" and self.is_own(tactic)
        )

    def closes(self, tactic: str) -> bool:
        """Whether Lean said that it closes the goal."""
        return self.was_tried(tactic) and self.verdicts[key_of(tactic)].status == "closes"

    def was_tried(self, tactic: str) -> bool:
        """Whether Lean tried it."""
        return key_of(tactic) in self.verdicts

    def is_own(self, tactic: str) -> bool:
        """Whether it is the proof's own tactic, compared by the last parts of names."""
        return bool(self.own) and last_parts(tactic) == last_parts(self.own)


def labelled(
    step: WantedStep, lists: Sequence[Sequence[Candidate]], trials: Sequence[Trial] | None = None
) -> LabelledGoal:
    """The goal of a step with what was found; `trials` is None where there is no Lean."""
    found = tuple(tuple(one) for one in lists)
    return _with_verdicts(
        LabelledGoal(step.theorem, step.tactic, found, tuple(trials or ()), trials is not None)
    )


def to_plain(one: LabelledGoal) -> dict[str, Any]:
    """As JSON values."""
    values = asdict(one)
    del values["verdicts"]
    return values


def of_plain(values: Mapping[str, Any]) -> LabelledGoal:
    """From JSON values. Raises TypeError, ValueError, KeyError."""
    lists = tuple(tuple(read_typed(Candidate, each) for each in one) for one in values["lists"])
    trials = tuple(read_typed(Trial, each) for each in values["trials"])
    return _with_verdicts(LabelledGoal(values["theorem"], values["own"], lists, trials, values["is_tried"]))


def _with_verdicts(one: LabelledGoal) -> LabelledGoal:
    verdicts = {key_of(trial.tactic): trial for trial in one.trials}
    return LabelledGoal(one.theorem, one.own, one.lists, one.trials, one.is_tried, verdicts)


def key_of_step(step: WantedStep) -> str:
    """What names a step from one run to the next."""
    text = f"{step.theorem}\0{step.goal}\0{step.tactic}"
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:16]
