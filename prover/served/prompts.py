"""What a model is asked: forms of prompts, which are data (`prover/data/prompts`), filled within a budget."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

from lean_extract.common.errors import ModelError
from lean_extract.common.files.reading import read_regular_text
from lean_extract.common.terminal_text import shown
from lean_extract.goals import format_goal
from lean_extract.limits import MAX_SETTINGS_BYTES
from lean_extract.records import Goal, Hypothesis, NearStep, Premise
from prover.limits import CHARACTERS_OF_A_TOKEN
from prover.served.asked import Asked

Family = Literal["tactic", "proof", "repair"]
"""What is asked for: the next tactic, a whole proof, or one in place of what Lean refused."""
FOLDER = Path(__file__).parent.parent / "data" / "prompts"
"""The shipped forms."""
_PLACE = re.compile(r"\{\{(\w+)\}\}")
_NAMES = frozenset(("goal", "statement", "premises", "near", "context", "count", "proof", "errors"))
_SHARES = {"premises": 0.5, "near": 0.2, "errors": 0.3, "proof": 0.4}
"""The most that each may take of what the goal leaves; the context above the goal gets the rest."""
_LEFT_OUT = "({} more that fit less well are left out)"
_DOC_CHARACTERS = 200
_STATEMENT_CHARACTERS = 600


@dataclass(frozen=True, slots=True)
class PromptForm:
    """One way to ask."""

    name: str
    user: str
    system: str = ""
    models: tuple[str, ...] = ("",)
    """Parts of the names of the models that it is for, in small letters; an empty one: for all."""
    reads: Literal["tactics", "proof"] = "proof"
    """How the answer is read: as tactics for the next step, or as a whole proof."""
    endpoint: Literal["chat", "completions"] = "chat"
    temperature: float = 0.7
    stop: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Material:
    """What a prompt is filled with; premises and near steps best first."""

    goal: Goal
    premises: Sequence[Premise] = ()
    near: Sequence[NearStep] = ()
    context: str = ""
    """The file's text above the declaration with the goal."""
    count: int = 8
    """How many tactics are wanted."""
    proof: str = ""
    """What Lean refused."""
    errors: str = ""


def form_for(family: Family, model: str, own: str = "") -> PromptForm:
    """The form for a model's name: the user's own, from a file, or else the first that fits. Raises ModelError."""
    if own:
        forms = _own_forms(own)
        if family in forms:
            return forms[family]
    name = model.lower()
    return next(form for form in _shipped(family) if any(part in name for part in form.models))


def forms_digest(families: Sequence[Family], model: str, own: str = "") -> str:
    """A hash of the forms for a model's name. Raises ModelError."""
    forms = [form_for(family, model, own) for family in families]
    return hashlib.sha256(repr(forms).encode()).hexdigest()[:12]


def fill(form: PromptForm, material: Material, tokens: int) -> Asked:
    """The form, filled. What does not fit into so many tokens is cut: premises by rank, which is said; the
    context from its start.

    Raises ModelError: the goal alone is longer.
    """
    most = tokens * CHARACTERS_OF_A_TOKEN
    goal, statement = format_goal(material.goal), statement_of(material.goal)
    fixed = {"goal": goal, "statement": statement, "count": str(material.count)}
    left = most - len(filled(form.system + form.user, fixed | dict.fromkeys(_NAMES - fixed.keys(), "")))
    if left < 0:
        raise ModelError(
            f"The goal is too long for a prompt of {tokens:,} tokens.",
            "Raise `models.promptTokens` if the model reads more.",
        )
    wanted = set(_PLACE.findall(form.user + form.system))
    lists = {
        "premises": [_described(premise) for premise in material.premises],
        "near": [_near_line(step) for step in material.near],
        "proof": material.proof.split("\n"),
        "errors": material.errors.split("\n"),
    }
    texts: dict[str, str] = {}
    for name in ("errors", "proof", "premises", "near"):
        if name in wanted:
            taken = _first(lists[name], int(left * _SHARES[name]))
            if name == "premises" and len(taken) < len(lists[name]):
                taken.append(_LEFT_OUT.format(len(lists[name]) - len(taken)))
            texts[name] = "\n".join(taken) or "(none)"
            left -= len(texts[name])
    texts["context"] = _last(_squeezed(material.context.strip("\n").split("\n")), max(left, 0))
    values = fixed | texts
    return Asked(
        user=filled(form.user, values),
        system=filled(form.system, values),
        is_chat=form.endpoint == "chat",
        stop=form.stop,
        temperature=form.temperature,
    )


def statement_of(goal: Goal) -> str:
    """The goal as a theorem without a proof, as far as its print says; only for a model to read."""
    binders = " ".join(_binder(one) for one in goal.hypotheses)
    name = f"this_goal {binders}".strip()
    return f"theorem {name} : {goal.target} := by\n  sorry"


def _binder(hypothesis: Hypothesis) -> str:
    names = " ".join(name.replace("✝", "") for name in hypothesis.names)
    value = "" if hypothesis.value is None else f" := {hypothesis.value}"
    left, right = ("[", "]") if not names or names.startswith("inst") else ("(", ")")
    return f"{left}{f'{names} : ' if names else ''}{hypothesis.type}{value}{right}"


def _described(premise: Premise) -> str:
    """A premise on a line: its name, its statement, and its doc string."""
    line = f"{premise.written} {premise.statement[:_STATEMENT_CHARACTERS]}".rstrip()
    doc = " ".join((premise.doc or "").split())[:_DOC_CHARACTERS]
    return shown(f"{line}  -- {doc}" if doc else line, longest=0)


def _near_line(step: NearStep) -> str:
    """A known step on a line, with the goal that it was for, as in the proof of a theorem."""
    return shown(
        f"{step.tactic}  -- as in {step.theorem}, for {step.goal.target}", longest=2 * _STATEMENT_CHARACTERS
    )


def _first(lines: Iterable[str], characters: int) -> list[str]:
    found: list[str] = []
    for line in lines:
        characters -= len(line) + 1
        if characters < 0:
            break
        found.append(line)
    return found


def _last(lines: Sequence[str], characters: int) -> str:
    return "\n".join(reversed(_first(reversed(lines), characters)))


def _squeezed(lines: Sequence[str]) -> list[str]:
    """The lines without spaces at their ends, and with one empty line in place of several."""
    bare = [line.rstrip() for line in lines]
    return [line for before, line in zip(["", *bare], bare, strict=False) if before or line]


def filled(form: str, values: Mapping[str, str]) -> str:
    """A form with its places filled."""
    # In one pass, so that a text that is filled in is never taken for a place.
    return _PLACE.sub(lambda found: values.get(found[1], ""), form).strip("\n")


@cache
def _shipped(family: Family) -> tuple[PromptForm, ...]:
    path = FOLDER / f"{family}.toml"
    return tuple(_parse(path, values) for values in tomllib.loads(path.read_text(encoding="utf-8"))["form"])


def _own_forms(name: str) -> dict[str, PromptForm]:
    """The forms in a user's file, by family. Raises ModelError."""
    path = Path(name).expanduser()
    try:
        values = tomllib.loads(read_regular_text(path, MAX_SETTINGS_BYTES))
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or shown(error)
        raise ModelError(
            f"The prompts in {path} cannot be read: {reason}.",
            "Correct the file, or the setting `models.prompts`.",
        ) from error
    known = [family for family in ("tactic", "proof", "repair") if isinstance(values.get(family), dict)]
    if not known:
        raise ModelError(f"{path} has no prompts.", "It needs a table [tactic], [proof] or [repair].")
    return {family: _parse(path, values[family]) for family in known}


def _parse(path: Path, values: dict[str, Any]) -> PromptForm:
    """A form. Raises ModelError: a key is unknown, missing or of the wrong kind."""
    lists = {name: tuple(values[name]) for name in ("models", "stop") if isinstance(values.get(name), list)}
    try:
        form = PromptForm(**{"name": path.stem, **values, **lists})
    except TypeError as error:
        raise _bad_form(path, str(error).rpartition(" ")[2]) from None
    choices = {"reads": ("tactics", "proof"), "endpoint": ("chat", "completions")}
    texts = (form.name, form.user, form.system, *form.models, *form.stop)
    if not all(isinstance(one, str) for one in texts) or not isinstance(form.temperature, int | float):
        raise _bad_form(path, "a value of the wrong kind")
    for name, allowed in choices.items():
        if getattr(form, name) not in allowed:
            raise _bad_form(path, f"{name}, which is one of {', '.join(allowed)}")
    unknown = set(_PLACE.findall(form.user + form.system)) - _NAMES
    if unknown:
        raise _bad_form(path, f"{{{{{min(unknown)}}}}}; the places are {', '.join(sorted(_NAMES))}")
    return replace(form, system=form.system.strip("\n"))


def _bad_form(path: Path, what: str) -> ModelError:
    return ModelError(f"A form of prompts in {path} is wrong: {shown(what)}.", "docs/models.md describes it.")
