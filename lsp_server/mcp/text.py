"""The answers as text, for agents that read no structured content. Pure."""

from __future__ import annotations

from textwrap import indent

from lsp_server.engine.schema import (
    DeclarationAnswer,
    IndexStatusAnswer,
    SearchAnswer,
    SorryGoals,
    SorryGoalsAnswer,
    Suggestion,
    TrialsAnswer,
    UsesAnswer,
)
from lsp_server.engine.schema_items import (
    EditItem,
    GoalPlace,
    IndexItem,
    IndexState,
    PremiseItem,
    TacticItem,
    TacticsStatus,
    TacticVerdict,
)
from lsp_server.engine.schema_proofs import ProofAnswer, RepairAnswer, RepairedError, RepairKind
from lsp_server.mcp.tools import Answer
from lsp_server.rendering.labels import (
    CLOSED,
    deprecation_label,
    doubt_label,
    form_label,
    goal_heading,
    reading_label,
    scope_label,
    shorten,
    verdict,
)
from lsp_server.rendering.proofs import result_label
from lsp_server.rendering.repairs import REPAIR_LABELS, repair_totals
from lsp_server.rendering.uses import uses_lists
from retriever.lean.words.english import READ_BY_RULES

_INDENT = "    "
_TARGET = "⊢"
_PREMISES_IF_CLOSED = 3
"""Premises that are listed where a tactic closes the goal."""
_LEFT = " (of the goals they leave, hypotheses that stay as they are are not repeated)"
_DOC = 100
"""Characters of a doc string: agents pay for every line."""


def answer_text(answer: Answer) -> str:
    """All that a reader needs of an answer."""
    match answer:
        case Suggestion():
            return _suggestion(answer)
        case ProofAnswer():
            return _proof(answer)
        case RepairAnswer():
            return _repair(answer)
        case SearchAnswer():
            read = f"The query was {reading_label(answer.kind)}."
            if answer.other_kind is not None:
                read += f" With as={answer.other_kind.value} it is {reading_label(answer.other_kind)}."
            return _text(
                [_premises(answer.premises), read, _index(answer.index), *answer.warnings, *answer.notes]
            )
        case TrialsAnswer():
            tactics = "\n".join(_tactic(one, answer.goal) for one in answer.tactics)
            return _text([f"Goal\n{answer.goal}", tactics, *answer.warnings, *answer.notes])
        case DeclarationAnswer():
            return _declaration(answer)
        case UsesAnswer():
            lists = ["\n".join([heading, *lines]) for heading, lines in uses_lists(answer)]
            remarks = [*answer.warnings, *answer.notes]
            return _text([_premise(answer.premise), *lists, _index(answer.index), *remarks])
        case SorryGoalsAnswer():
            more = answer.count - len(answer.sorries)
            said = [f"and {more:,} more"] if more else [] if answer.count else ["The file has no `sorry`."]
            return _text([*map(_sorry, answer.sorries), *said])
        case IndexStatusAnswer():
            return _text([_index(answer.index), *answer.warnings])


def _text(parts: list[str]) -> str:
    return "\n\n".join(filter(None, parts))


def _suggestion(answer: Suggestion) -> str:
    if answer.place == GoalPlace.CLOSED:
        return _text([CLOSED, _index(answer.index), *answer.warnings, *answer.notes])
    tactics = "\n".join(_tactic(one, answer.goal) for one in answer.tactics)
    closes = any(one.status == TacticVerdict.CLOSES for one in answer.tactics)
    premises = answer.premises[:_PREMISES_IF_CLOSED] if closes else answer.premises
    return _text(
        [
            f"{goal_heading(answer)}\n{answer.goal}",
            f"Tactics that Lean accepts{_LEFT}\n{tactics}" if tactics else _no_tactics(answer.tactics_status),
            f"Premises\n{_premises(premises)}",
            _index(answer.index),
            *answer.warnings,
            *answer.notes,
        ]
    )


def _proof(answer: ProofAnswer) -> str:
    """The verdict and the edits; where it is not proved, the goal and the reason."""
    checked = ", checked by a new Lean" if answer.checked else ""
    return _text(
        [
            f"{result_label(answer)} ({answer.seconds:.1f} s{checked})",
            answer.message,
            f"Goal\n{answer.goal}" if not answer.edits else "",
            *map(_edit, answer.edits),
            *answer.warnings,
        ]
    )


def _repair(answer: RepairAnswer) -> str:
    """The edits, the last in the file first, then the errors that are left."""
    repaired = sorted((one for one in answer.errors if one.edits), key=_first_edit, reverse=True)
    left = [one for one in answer.errors if one.kind == RepairKind.NONE]
    edits = ["\n".join([_error(one), *map(_edit, one.edits)]) for one in repaired]
    reasons = ["\n".join([_error(one), one.message, one.reason]) for one in left]
    return _text(["\n".join(repair_totals(answer)), *edits, *reasons])


def _first_edit(error: RepairedError) -> tuple[int, int]:
    return error.edits[0].line, error.edits[0].column


def _error(error: RepairedError) -> str:
    return f"line {error.line} {error.declaration}".rstrip() + f": {REPAIR_LABELS[error.kind]}"


def _sorry(one: SorryGoals) -> str:
    place = f"{one.sorry.line}:{one.sorry.column} {one.sorry.declaration}".rstrip()
    return "\n".join([place, one.error or "\n\n".join(one.goals) or CLOSED])


def _edit(edit: EditItem) -> str:
    start, end = f"{edit.line}:{edit.column}", f"{edit.end_line}:{edit.end_column}"
    place = f"Insert at {start}" if start == end else f"Replace {start} to {end} by"
    return f"{place}\n{edit.text.rstrip()}"


def _no_tactics(status: TacticsStatus) -> str:
    return "Lean accepts none of the tactics that were tried." if status == TacticsStatus.TRIED else ""


def _premises(premises: list[PremiseItem]) -> str:
    return "\n".join(f"{_premise(one)}{_sentence(one)}" for one in premises) or "none fit"


def _sentence(premise: PremiseItem) -> str:
    return f"  -- {shorten(premise.doc, _DOC)}" if premise.doc else ""


def _premise(premise: PremiseItem) -> str:
    statement = f" {premise.statement}" if premise.statement else ""
    place = ", ".join(filter(None, [premise.module, scope_label(premise), deprecation_label(premise)]))
    labels = "; ".join(filter(None, [premise.kind, place, doubt_label(premise), form_label(premise)]))
    return f"{premise.name}{statement}  [{labels}]"


def _tactic(tactic: TacticItem, goal: str) -> str:
    result = verdict(tactic)
    message = "" if tactic.message == result else tactic.message
    left = [_changes(goal, one) for one in tactic.remaining_goals]
    below = "\n".join(filter(None, [message, *left]))
    return f"{tactic.tactic}  -- {result}" + (f"\n{indent(below, _INDENT)}" if below else "")


def _changes(before: str, after: str) -> str:
    """A goal without the hypotheses that it shares with another one, and the names of those that it lacks."""
    known, here = _hypotheses(before), _hypotheses(after)
    target = "\n".join(here.pop(_TARGET, []))
    left = {name for names in here for name in names.split()}
    had = (name for names in known if not names.startswith((_TARGET, "case ")) for name in names.split())
    gone = [name for name in had if name not in left]
    new = ["\n".join(lines) for name, lines in here.items() if known.get(name) != lines]
    return "\n".join([*new, *([f"without {', '.join(gone)}"] if gone else []), target])


def _hypotheses(goal: str) -> dict[str, list[str]]:
    """The lines of a printed goal by what is before the colon; those from the turnstile on are its target."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in goal.split("\n"):
        if name != _TARGET and not line.startswith(" "):
            name = _TARGET if line.startswith(_TARGET) else line.partition(" :")[0]
        found.setdefault(name, []).append(line)
    return found


def _declaration(answer: DeclarationAnswer) -> str:
    where = f"{answer.path}:{answer.line}" if answer.path and answer.line else answer.path or ""
    reading = f"{READ_BY_RULES} {answer.reading}" if answer.reading else ""
    text = answer.source or answer.doc or answer.premise.doc
    return _text([_premise(answer.premise), where, answer.premise.doc_url or "", reading, text])


def _index(index: IndexItem) -> str:
    missing = "" if index.state == IndexState.CONSULTED else f" ({index.state.meaning})"
    return f"Searched: {index.line}{missing}"
