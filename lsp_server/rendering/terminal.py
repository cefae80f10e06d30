"""Answers as text for a terminal: a suggestion, a search, what a collection has. Pure."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from lsp_server.engine.schema import (
    AnsweredSorry,
    CollectionAnswer,
    SearchAnswer,
    Suggestion,
    UsesAnswer,
)
from lsp_server.engine.schema_items import (
    GoalPlace,
    IndexItem,
    PremiseItem,
    TacticItem,
    TacticsStatus,
    TacticVerdict,
)
from lsp_server.rendering.labels import (
    CLOSED,
    counted,
    deprecation_label,
    doubt_label,
    form_label,
    goal_heading,
    origin_label,
    reading_label,
    scope_label,
    searched,
    shorten,
    tactics_heading,
    target_line,
    timing_line,
    verdict,
)
from lsp_server.rendering.style import Style
from lsp_server.rendering.uses import uses_lists

_STATEMENT_LINES = 3
_GOAL_LINES = 40
_MOST_PROGRESS = 6
_GOALS_BELOW_TACTIC = 4
_NAMED_PREMISES = 3
_REPLACED = "  (its tactic fails or is unfinished; a suggestion replaces it)"
_ACCEPTED = (TacticVerdict.CLOSES, TacticVerdict.PROGRESS, TacticVerdict.UNJUDGED)


def suggestion_text(suggestion: Suggestion, style: Style) -> str:
    """The whole answer, for a terminal."""
    if suggestion.place == GoalPlace.CLOSED:
        return _with_remarks([style.bold(CLOSED)], suggestion.notes, suggestion.warnings, style)
    replaced = style.caution(_REPLACED) if suggestion.place == GoalPlace.BEFORE else ""
    parts = [style.bold(goal_heading(suggestion)) + replaced, _goal(suggestion.goal, style), ""]
    parts.append(style.bold("Premises") + style.dim(f"  ({searched(suggestion.index)})"))
    if not suggestion.premises:
        parts.append("  none fit")
    for rank, premise in enumerate(suggestion.premises, start=1):
        parts += _premise(rank, premise, style, with_doc=premise.why != "")
    if suggestion.tactics_status != TacticsStatus.NOT_ASKED:
        parts += ["", style.bold(tactics_heading(suggestion.tactics))]
        shown = [one for one in suggestion.tactics if one.status != "progress"]
        progress = [one for one in suggestion.tactics if one.status == "progress"]
        shown[_closing(shown) : _closing(shown)] = progress[:_MOST_PROGRESS]
        parts += [line for tactic in shown for line in _tactic(tactic, style)]
        if len(progress) > _MOST_PROGRESS:
            parts.append(style.dim(f"  and {len(progress) - _MOST_PROGRESS} more that leave goals"))
        if not suggestion.tactics:
            parts.append("  none of those tried")
    parts += ["", _freshness(suggestion.index, style), style.dim(timing_line(suggestion.timings_ms))]
    return _with_remarks(parts, suggestion.notes, suggestion.warnings, style)


def sorry_text(path: str, answered: AnsweredSorry, style: Style) -> str:
    """A `sorry` with its goal and the best tactic, for a terminal."""
    item, suggestion = answered.sorry, answered.suggestion
    parts = [style.bold(f"{path}:{item.line}:{item.column}") + f"  {item.declaration}".rstrip()]
    if suggestion is None:
        parts += textwrap.wrap(answered.error, style.width - 2, initial_indent="  ", subsequent_indent="  ")
    else:
        if suggestion.goal_count > 1:
            parts[0] += style.dim(f"  {goal_heading(suggestion).lower()}")
        parts.append(_goal(suggestion.goal, style))
        if suggestion.tactics_status != TacticsStatus.NOT_ASKED:
            parts += _best(suggestion, style)
    return "\n".join([*parts, "", ""])


def _best(suggestion: Suggestion, style: Style) -> Iterator[str]:
    """The best tactic that Lean accepts; if there is none, the first premises."""
    best = next((one for one in suggestion.tactics if one.status in _ACCEPTED), None)
    if best is not None:
        yield from _tactic(best, style)
        return
    names = ", ".join(one.name for one in suggestion.premises[:_NAMED_PREMISES])
    yield style.caution(shorten(f"  no tactic found; premises: {names or 'none'}", style.width))


def common_remarks(answered: Sequence[AnsweredSorry], style: Style) -> str:
    """The notes and warnings of several answers, each once."""
    suggestions = [one.suggestion for one in answered if one.suggestion is not None]
    notes = list(dict.fromkeys(note for one in suggestions for note in one.notes))
    warnings = list(dict.fromkeys(warning for one in suggestions for warning in one.warnings))
    return _with_remarks([], notes, warnings, style) if notes or warnings else ""


def search_text(answer: SearchAnswer, style: Style) -> str:
    """The answer to a search, for a terminal."""
    about = f"{searched(answer.index)}, {reading_label(answer.kind)}"
    parts = [style.bold("Premises") + style.dim(f"  ({about})")]
    if not answer.premises:
        parts.append("  none found")
    for rank, premise in enumerate(answer.premises, start=1):
        parts += _premise(rank, premise, style, with_doc=True)
    if answer.other_kind is not None:
        parts += [
            "",
            style.dim(f"It can also be {reading_label(answer.other_kind)}: --as {answer.other_kind.value}"),
        ]
    parts += ["", _freshness(answer.index, style)]
    return _with_remarks(parts, answer.notes, answer.warnings, style)


def uses_text(answer: UsesAnswer, style: Style) -> str:
    """Who uses a declaration and what it uses, for a terminal."""
    premise = answer.premise
    marks = filter(None, [premise.module, deprecation_label(premise)])
    parts = [style.bold(premise.name) + style.dim(f"  {' · '.join(marks)}")]
    parts += [f"  {line}" for line in textwrap.wrap(premise.statement, style.width - 2)[:_STATEMENT_LINES]]
    for heading, lines in uses_lists(answer):
        parts += ["", style.bold(heading), *(f"  {line}" for line in lines)]
    return _with_remarks([*parts, "", _freshness(answer.index, style)], answer.notes, answer.warnings, style)


def collection_text(found: CollectionAnswer, style: Style) -> str:
    """A collection's answer, for a terminal."""
    parts = [style.bold(found.collection) + style.dim(f"  ({found.backend}, of {found.documents:,})")]
    if not found.hits:
        parts.append("  none fit")
    for rank, hit in enumerate(found.hits, start=1):
        title = shorten(hit.title, style.width - 20)
        parts.append(f"{rank:>3}. {style.bold(title)}  {style.dim(f'{hit.score:.3f}  {hit.kind}')}")
        if hit.where:
            parts.append(style.dim(f"     {shorten(hit.where, style.width - 5)}"))
        lines = textwrap.wrap(" ".join(hit.body.split()), style.width - 5)
        shown = lines[:_STATEMENT_LINES]
        if len(lines) > len(shown):
            shown[-1] = shorten(f"{shown[-1]} …", style.width - 5)
        parts += [f"     {line}" for line in shown]
    return _with_remarks(parts, (), found.warnings, style)


def _with_remarks(parts: list[str], notes: Sequence[str], warnings: Sequence[str], style: Style) -> str:
    remarks = [*(f"note: {note}" for note in notes), *(f"warning: {warning}" for warning in warnings)]
    return "\n".join([*parts, *map(style.caution, remarks)]) + "\n"


def _closing(tactics: list[TacticItem]) -> int:
    return sum(tactic.status == "closes" for tactic in tactics)


def _freshness(index: IndexItem, style: Style) -> str:
    line = shorten(f"index: {index.line}", style.width)
    return style.caution(line) if index.stale_files else style.dim(line)


def _goal(goal: str, style: Style) -> str:
    lines = goal.splitlines()
    shown = lines if len(lines) <= _GOAL_LINES else [*lines[:_GOAL_LINES], f"… {len(lines)} lines in all"]
    return "\n".join(f"  {shorten(line, 4 * style.width)}" for line in shown)


def _premise(rank: int, premise: PremiseItem, style: Style, *, with_doc: bool) -> Iterator[str]:
    label = scope_label(premise)
    right = f"{premise.score:.3f}" + (f"  {label}" if label else "")
    shown = _as_used(premise, style.width - len(right) - 7)
    gap = max(2, style.width - 5 - len(shown) - len(right))
    painted = style.good(label) if premise.in_scope else style.caution(label)
    number = style.dim(f"{premise.score:.3f}")
    named = shown.replace(premise.name, style.bold(premise.name), 1)
    yield f"{rank:>3}. {named}{' ' * gap}{number}" + (f"  {painted}" if label else "")
    if premise.statement:
        folded = textwrap.wrap(premise.statement, style.width - 5) or [""]
        if len(folded) > _STATEMENT_LINES:
            folded = [*folded[: _STATEMENT_LINES - 1], shorten(folded[_STATEMENT_LINES - 1], 70) + " …"]
        yield from (f"     {line}" for line in folded)
    if premise.doc and with_doc:
        yield f"     {shorten(premise.doc, style.width - 5)}"
    if premise.why:
        yield from (f"     {line}" for line in textwrap.wrap(f"why: {premise.why}", style.width - 5))
    origin = " · ".join(part for part in (premise.kind, premise.module) if part)
    marks = filter(None, [doubt_label(premise), deprecation_label(premise)])
    yield style.dim(f"     {origin}") + "".join(style.caution(f" · {mark}") for mark in marks)
    if premise.doc_url:
        yield style.dim(f"     {premise.doc_url}")


def _as_used(premise: PremiseItem, width: int) -> str:
    """The form of a premise, if it has its name and fits; else the name."""
    form = form_label(premise)
    return form if premise.name in form and len(form) <= width else premise.name


def _tactic(tactic: TacticItem, style: Style) -> Iterator[str]:
    result = verdict(tactic)
    is_good = tactic.status == "closes" and not tactic.rests_on_sorry
    paint = style.good if is_good else style.caution
    first, *below = tactic.tactic.split("\n")
    gap = max(2, style.width - 3 - len(first) - len(result))
    yield f"  {style.bold(first)}{' ' * gap}{paint(result)}"
    yield from (f"  {style.bold(line)}" for line in below)
    if tactic.origin:
        yield style.dim(f"      {shorten(origin_label(tactic), style.width - 6)}")
    for goal in tactic.remaining_goals[:_GOALS_BELOW_TACTIC]:
        yield style.dim(f"      {target_line(goal, style.width - 6)}")
    more = len(tactic.remaining_goals) - _GOALS_BELOW_TACTIC
    if more > 0:
        yield style.dim(f"      and {counted(more, 'more goal')}")
