"""A suggestion as text for a terminal and as Markdown for an editor. Pure."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TextIO

from lsp_server.engine.schema import CollectionAnswer, IndexItem, PremiseItem, Suggestion, TacticItem

_NARROWEST, _WIDEST = 60, 120
_STATEMENT_LINES = 3
_GOAL_LINES = 40
_MOST_PROGRESS = 6
SORRY_LABEL = "rests on sorry"
_GOALS_BELOW_TACTIC = 4
_MOST_TARGETS, _NARROWEST_TARGET = 12, 12


@dataclass(frozen=True, slots=True)
class Style:
    """How wide the text may be (in columns) and whether it may be coloured."""

    width: int = 100
    colour: bool = False

    @classmethod
    def of(cls, stream: TextIO, environment: Mapping[str, str], columns: int) -> Style:
        """The style for a stream: colour only on a terminal, and not against NO_COLOR (no-color.org)."""
        colour = stream.isatty() and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"
        return cls(max(_NARROWEST, min(columns, _WIDEST)), colour)

    def bold(self, text: str) -> str:
        """A heading or a name."""
        return self._paint("1", text)

    def dim(self, text: str) -> str:
        """What matters less."""
        return self._paint("2", text)

    def good(self, text: str) -> str:
        """What went well."""
        return self._paint("32", text)

    def caution(self, text: str) -> str:
        """What needs a look."""
        return self._paint("33", text)

    def _paint(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour else text


def suggestion_text(suggestion: Suggestion, style: Style, *, tactics_asked: bool) -> str:
    """The whole answer, for a terminal."""
    of = suggestion.goal_count
    heading = "Goal" if of == 1 else f"Goal {suggestion.goal_number} of {of}"
    parts = [style.bold(heading), _goal(suggestion.goal, style), ""]
    parts.append(style.bold("Premises") + style.dim(f"  ({searched(suggestion.index)})"))
    if not suggestion.premises:
        parts.append("  none fit")
    for rank, premise in enumerate(suggestion.premises, start=1):
        parts += _premise(rank, premise, style)
    if tactics_asked:
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
    parts += [style.caution(f"note: {note}") for note in suggestion.notes]
    parts += [style.caution(f"warning: {warning}") for warning in suggestion.warnings]
    return "\n".join(parts) + "\n"


def collection_text(found: CollectionAnswer, style: Style) -> str:
    """What a collection answered, for a terminal."""
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
    parts += [style.caution(f"warning: {warning}") for warning in found.warnings]
    return "\n".join(parts) + "\n"


def _closing(tactics: list[TacticItem]) -> int:
    return sum(tactic.status == "closes" for tactic in tactics)


def searched(index: IndexItem) -> str:
    """Among how many premises was searched."""
    return f"of {sum(source.premises for source in index.sources):,}"


def _freshness(index: IndexItem, style: Style) -> str:
    line = shorten(f"index: {index.line}", style.width)
    return style.caution(line) if index.stale_files else style.dim(line)


def counted(number: int, noun: str) -> str:
    """`1 file`, `2,000 files`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def tactics_heading(tactics: list[TacticItem]) -> str:
    """What the listed tactics have in common."""
    failing = any(one.status in ("fails", "timeout") for one in tactics)
    return "Tactics tried" if failing else "Tactics that Lean accepts"


def timing_line(timings: Mapping[str, float]) -> str:
    """The time each part took."""
    return ", ".join(f"{name} {milliseconds:.0f} ms" for name, milliseconds in timings.items())


def _goal(goal: str, style: Style) -> str:
    lines = goal.splitlines()
    shown = lines if len(lines) <= _GOAL_LINES else [*lines[:_GOAL_LINES], f"… {len(lines)} lines in all"]
    return "\n".join(f"  {shorten(line, 4 * style.width)}" for line in shown)


def _premise(rank: int, premise: PremiseItem, style: Style) -> Iterator[str]:
    label = scope_label(premise)
    left = f"{rank:>3}. {premise.name}"
    right = f"{premise.score:.3f}" + (f"  {label}" if label else "")
    gap = max(2, style.width - len(left) - len(right))
    painted = style.good(label) if premise.in_scope else style.caution(label)
    number = style.dim(f"{premise.score:.3f}")
    yield f"{rank:>3}. {style.bold(premise.name)}{' ' * gap}{number}" + (f"  {painted}" if label else "")
    if premise.statement:
        folded = textwrap.wrap(premise.statement, style.width - 5) or [""]
        if len(folded) > _STATEMENT_LINES:
            folded = [*folded[: _STATEMENT_LINES - 1], shorten(folded[_STATEMENT_LINES - 1], 70) + " …"]
        yield from (f"     {line}" for line in folded)
    place = " · ".join(part for part in (premise.kind, premise.module) if part)
    yield style.dim(f"     {place}") + (style.caution(f" · {SORRY_LABEL}") if premise.rests_on_sorry else "")
    if premise.doc_url:
        yield style.dim(f"     {premise.doc_url}")


def scope_label(premise: PremiseItem) -> str:
    """`in scope`, `needs import M`, or nothing where there is no file to judge by."""
    if premise.in_scope is None:
        return ""
    if premise.in_scope:
        return "in scope"
    return f"needs {premise.import_line}" if premise.import_line else "out of scope"


def verdict(tactic: TacticItem) -> str:
    """What Lean said, in a few words."""
    count = len(tactic.remaining_goals)
    if tactic.status == "unjudged":
        return tactic.message
    if tactic.status == "closes":
        return "closes the goal"
    if tactic.status == "progress":
        return f"leaves {counted(count, 'goal')}"
    return "takes too long" if tactic.status == "timeout" else "fails"


def _tactic(tactic: TacticItem, style: Style) -> Iterator[str]:
    said = verdict(tactic)
    paint = style.good if tactic.status == "closes" else style.caution
    gap = max(2, style.width - 3 - len(tactic.tactic) - len(said))
    yield f"  {style.bold(tactic.tactic)}{' ' * gap}{paint(said)}"
    for goal in tactic.remaining_goals[:_GOALS_BELOW_TACTIC]:
        yield style.dim(f"      {target_line(goal, style.width - 6)}")
    more = len(tactic.remaining_goals) - _GOALS_BELOW_TACTIC
    if more > 0:
        yield style.dim(f"      and {counted(more, 'more goal')}")


def target_line(goal: str, width: int) -> str:
    """The `⊢` line of a printed goal, in at most `width` columns."""
    _, mark, target = goal.rpartition("⊢")
    return shorten("⊢ " + " ".join(target.split()) if mark else goal, width)


def targets_line(goals: Sequence[str], width: int) -> str:
    """The `⊢` lines of all printed goals in one of about `width` columns; equal ones once, with their number.

    Short ones are left whole, long ones share the room that remains; those after `_MOST_TARGETS` are counted.
    """
    times = Counter(target_line(goal, len(goal) + 2) for goal in goals)
    targets = [text if count == 1 else f"{text} ({count} times)" for text, count in times.items()]
    named = targets[:_MOST_TARGETS]
    cut = [shorten(text, room) for text, room in zip(named, _shares(named, width), strict=True)]
    return "; ".join([*cut, f"and {len(targets) - len(named)} more"] if len(targets) > len(named) else cut)


def _shares(texts: Sequence[str], width: int) -> list[int]:
    """How many of `width` columns each text gets: what it needs, as far as the others leave it."""
    shares, left = [0] * len(texts), width
    shortest_first = sorted(range(len(texts)), key=lambda at: len(texts[at]))
    for position, at in enumerate(shortest_first):
        fair = max(left // (len(texts) - position), _NARROWEST_TARGET)
        shares[at] = min(len(texts[at]), fair)
        left -= shares[at]
    return shares


def shorten(text: str, width: int) -> str:
    """The text cut to `width` columns, with `…` where it was cut."""
    return text if len(text) <= width else text[: max(width - 1, 0)] + "…"


def premises_markdown(premises: list[PremiseItem], index: IndexItem, notes: Sequence[str] = ()) -> str:
    """Premises as Markdown, for a hover, with what was searched and what was not read below them."""
    parts = ["**Premises that fit this goal**", ""]
    for premise in premises:
        name = f"[`{premise.name}`]({premise.doc_url})" if premise.doc_url else f"`{premise.name}`"
        label = f" — needs `{premise.import_line}`" if premise.import_line else ""
        label += f" — {SORRY_LABEL}" if premise.rests_on_sorry else ""
        parts.append(f"- {name}{label}")
        if premise.statement:
            parts += ["", "  ```lean", f"  {shorten(premise.statement, 300)}", "  ```"]
    parts += [line for note in notes for line in ("", f"*note: {note}*")]
    parts += ["", f"*index: {index.line}*"]
    return "\n".join(parts)
