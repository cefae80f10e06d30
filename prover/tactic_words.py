"""The words with which tactics begin, and the modules that bring those that are not Lean's own. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from lean_extract.records import TacticOutcome

MODULES: Mapping[str, str] = {
    "aesop": "Aesop.Frontend.Tactic",
    "abel": "Mathlib.Tactic.Abel",
    "apply_fun": "Mathlib.Tactic.ApplyFun",
    "bound": "Mathlib.Tactic.Bound",
    "cases'": "Mathlib.Tactic.Cases",
    "choose": "Mathlib.Tactic.Choose",
    "congr!": "Mathlib.Tactic.CongrExclamation",
    "continuity": "Mathlib.Tactic.Continuity",
    "contrapose": "Mathlib.Tactic.Contrapose",
    "contrapose!": "Mathlib.Tactic.Contrapose",
    "convert": "Mathlib.Tactic.Convert",
    "convert_to": "Mathlib.Tactic.Convert",
    "field_simp": "Mathlib.Tactic.FieldSimp",
    "fin_cases": "Mathlib.Tactic.FinCases",
    "finiteness": "Mathlib.Tactic.Finiteness",
    "fun_prop": "Mathlib.Tactic.FunProp",
    "gcongr": "Mathlib.Tactic.GCongr.Core",
    "group": "Mathlib.Tactic.Group",
    "induction'": "Mathlib.Tactic.Cases",
    "inhabit": "Mathlib.Tactic.Inhabit",
    "interval_cases": "Mathlib.Tactic.IntervalCases",
    "lift": "Mathlib.Tactic.Lift",
    "linarith": "Mathlib.Tactic.Linarith.Frontend",
    "linear_combination": "Mathlib.Tactic.LinearCombination",
    "measurability": "Mathlib.Tactic.Measurability",
    "module": "Mathlib.Tactic.Module",
    "nlinarith": "Mathlib.Tactic.Linarith.Frontend",
    "nontriviality": "Mathlib.Tactic.Nontriviality.Core",
    "norm_num": "Mathlib.Tactic.NormNum.Core",
    "positivity": "Mathlib.Tactic.Positivity.Core",
    "push_neg": "Mathlib.Tactic.PushNeg",
    "qify": "Mathlib.Tactic.Qify",
    "rify": "Mathlib.Tactic.Rify",
    "ring": "Mathlib.Tactic.Ring.RingNF",
    "ring_nf": "Mathlib.Tactic.Ring.RingNF",
    "rsuffices": "Mathlib.Tactic.RSuffices",
    "set": "Mathlib.Tactic.Set",
    "simp_rw": "Mathlib.Tactic.SimpRw",
    "split_ifs": "Mathlib.Tactic.SplitIfs",
    "tauto": "Mathlib.Tactic.Tauto",
    "use": "Mathlib.Tactic.Use",
    "wlog": "Mathlib.Tactic.WLOG",
    "zify": "Mathlib.Tactic.Zify",
}
"""Where Mathlib and Aesop declare the syntax of tactics. A module that the index does not know says nothing."""
_WORD = r"[^\W\d][\w'!?]*+"
_PART = re.compile(rf"{_WORD}|<;>|=>|\S")
_BEGINS = frozenset(
    ("<;>", ";", "(", "|", "·", "=>", "by", "try", "first", "repeat", "all_goals", "any_goals")
)
_UNKNOWN = re.compile(r"(?:<input>:1:(?P<column>\d++): )?unknown tactic")


def heads(tactic: str) -> frozenset[str]:
    """The words of a text that may be the first of a tactic."""
    parts = _PART.findall(tactic)
    return frozenset(part for before, part in zip(["by", *parts], parts, strict=False) if before in _BEGINS)


def unknown_word(outcome: TacticOutcome) -> str | None:
    """The word that Lean does not know as a tactic; None if that is not why it refused the text."""
    unknown = _UNKNOWN.match(outcome.message) if outcome.status == "fails" else None
    at = outcome.error_at
    if at is None and unknown is not None and unknown["column"]:
        at = int(unknown["column"])
    if unknown is None or at is None:
        return None
    found = re.finditer(_WORD, outcome.tactic)
    return next((word[0] for word in found if word.start() <= at <= word.end()), None)
