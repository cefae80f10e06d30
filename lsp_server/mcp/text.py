"""The answers as text, for agents that read no structured content. Pure."""

from __future__ import annotations

from textwrap import indent

from lsp_server.engine.schema import (
    DeclarationAnswer,
    IndexStatusAnswer,
    SearchAnswer,
    Suggestion,
    TrialsAnswer,
)
from lsp_server.engine.schema_items import (
    EditItem,
    GoalPlace,
    IndexItem,
    IndexState,
    PremiseItem,
    TacticItem,
    TacticsStatus,
)
from lsp_server.engine.schema_proofs import ProofAnswer
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

_INDENT = "    "
_DOC = 100
"""Characters of a doc string: agents pay for every line."""


def answer_text(answer: Answer) -> str:
    """All that a reader needs of an answer."""
    match answer:
        case Suggestion():
            return _suggestion(answer)
        case ProofAnswer():
            return _proof(answer)
        case SearchAnswer():
            read = f"The query was {reading_label(answer.kind)}."
            if answer.other_kind is not None:
                read += f" With as={answer.other_kind.value} it is {reading_label(answer.other_kind)}."
            return _text(
                [_premises(answer.premises), read, _index(answer.index), *answer.warnings, *answer.notes]
            )
        case TrialsAnswer():
            tactics = "\n".join(map(_tactic, answer.tactics))
            return _text([f"Goal\n{answer.goal}", tactics, *answer.warnings, *answer.notes])
        case DeclarationAnswer():
            return _declaration(answer)
        case IndexStatusAnswer():
            return _text([_index(answer.index), *answer.warnings])


def _text(parts: list[str]) -> str:
    return "\n\n".join(filter(None, parts))


def _suggestion(answer: Suggestion) -> str:
    if answer.place == GoalPlace.CLOSED:
        return _text([CLOSED, _index(answer.index), *answer.warnings, *answer.notes])
    tactics = "\n".join(map(_tactic, answer.tactics))
    return _text(
        [
            f"{goal_heading(answer)}\n{answer.goal}",
            f"Tactics that Lean accepts\n{tactics}" if tactics else _no_tactics(answer.tactics_status),
            f"Premises\n{_premises(answer.premises)}",
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


def _tactic(tactic: TacticItem) -> str:
    result = verdict(tactic)
    message = "" if tactic.message == result else tactic.message
    below = "\n".join(filter(None, [message, *tactic.remaining_goals]))
    return f"{tactic.tactic}  -- {result}" + (f"\n{indent(below, _INDENT)}" if below else "")


def _declaration(answer: DeclarationAnswer) -> str:
    where = f"{answer.path}:{answer.line}" if answer.path and answer.line else answer.path or ""
    text = answer.source or answer.doc or answer.premise.doc
    return _text([_premise(answer.premise), where, answer.premise.doc_url or "", text])


def _index(index: IndexItem) -> str:
    missing = "" if index.state == IndexState.CONSULTED else f" ({index.state.meaning})"
    return f"Searched: {index.line}{missing}"
