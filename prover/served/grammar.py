"""A grammar (GBNF, as llama.cpp reads it) by which a model can only write premises that exist. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from lean_extract.records import Goal, Premise
from prover.served.prompts import FOLDER, filled

_NO_NAME = "this"


def grammar_for(goal: Goal, premises: Sequence[Premise]) -> str:
    """The grammar of tactics for a goal, over these premises and the goal's hypotheses."""
    local, known = names_of(goal, premises)
    return filled(_form(), {"locals": _alternatives(local), "premises": _alternatives(known or local)})


def names_of(goal: Goal, premises: Sequence[Premise]) -> tuple[list[str], list[str]]:
    """The names of hypotheses that can be written, and those of premises; each once."""
    local = [name for hypothesis in goal.hypotheses for name in hypothesis.names if "✝" not in name]
    return [*dict.fromkeys(local)], [*dict.fromkeys(premise.written for premise in premises)]


def _alternatives(names: Iterable[str]) -> str:
    known = dict.fromkeys(name for name in names if name.isprintable()) or {_NO_NAME: None}
    return " | ".join('"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"' for name in known)


@cache
def _form() -> str:
    return Path(FOLDER / "tactic.gbnf").read_text(encoding="utf-8")
