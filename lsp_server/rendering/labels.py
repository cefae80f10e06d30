"""Short texts for people that terminal, editor and pages share: labels, verdicts, targets. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from lsp_server.engine.schema import Suggestion
from lsp_server.engine.schema_items import IndexItem, PremiseItem, QueryKind, TacticItem, TacticVerdict

_SORRY_LABEL = "rests on sorry"
_MOST_TARGETS, _NARROWEST_TARGET = 12, 12
_NEXT_STEP = re.compile(r"\n(?![\s|·])")


def counted(number: int, noun: str) -> str:
    """`1 file`, `2,000 files`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def shorten(text: str, width: int) -> str:
    """The text cut to `width` columns, with `…` where it was cut."""
    return text if len(text) <= width else text[: max(width - 1, 0)] + "…"


def on_one_line(tactic: str) -> str:
    """A tactic as one line; between steps that stand below each other is a semicolon."""
    return " ".join(_NEXT_STEP.sub("; ", tactic).split())


def searched(index: IndexItem) -> str:
    """How many premises were searched."""
    return f"of {sum(source.premises for source in index.sources):,}"


def reading_label(kind: QueryKind) -> str:
    """`read as a goal`."""
    return f"read as {'' if kind is QueryKind.WORDS else 'a '}{kind.value}"


def scope_label(premise: PremiseItem) -> str:
    """`in scope`, `needs import M`, or nothing if there is no file."""
    if premise.in_scope is None:
        return ""
    if premise.in_scope:
        return "in scope"
    return f"needs {premise.import_line}" if premise.import_line else "out of scope"


def doubt_label(premise: PremiseItem) -> str:
    """`has an error` or `rests on sorry`, or nothing if neither is known of the premise."""
    if premise.has_error:
        return "has an error"
    return _SORRY_LABEL if premise.rests_on_sorry else ""


def deprecation_label(premise: PremiseItem) -> str:
    """`deprecated: use NAME`, or nothing if it is not."""
    if not premise.deprecated:
        return ""
    return f"deprecated: use {premise.replaced_by}" if premise.replaced_by else "deprecated"


def form_label(premise: PremiseItem) -> str:
    """The tactic that its statement suggests, or nothing if that only applies it."""
    return "" if premise.form in (f"apply {premise.name}", f"exact {premise.name}") else premise.form


_REJECTED = {TacticVerdict.TIMEOUT: "takes too long", TacticVerdict.UNTRIED: "not tried"}


CLOSED = "The goal is closed here."


def goal_heading(answer: Suggestion) -> str:
    """`Goal`, `Goal 1 of 2`, `Goal before line 9`."""
    number = f" {answer.goal_number} of {answer.goal_count}" if answer.goal_count > 1 else ""
    place = f" before line {answer.replaces.line}" if answer.replaces is not None else ""
    return f"Goal{number}{place}"


def verdict(tactic: TacticItem) -> str:
    """Lean's verdict in a few words."""
    count = len(tactic.remaining_goals)
    if tactic.status == "unjudged":
        return tactic.message
    if tactic.status == "closes":
        sorry = _sorry_label(tactic) if tactic.rests_on_sorry else ""
        return ", ".join(filter(None, ["closes the goal", sorry, import_label(tactic)]))
    if tactic.status == "progress":
        return f"leaves {counted(count, 'goal')}"
    return _REJECTED.get(tactic.status, "fails")


def _sorry_label(tactic: TacticItem) -> str:
    """`rests on sorry (NAME)`, with the declarations that are not proved, as far as they are known."""
    return f"{_SORRY_LABEL} ({', '.join(tactic.unfinished)})" if tactic.unfinished else _SORRY_LABEL


def import_label(tactic: TacticItem) -> str:
    """`adds import M` for a tactic that needs it."""
    return f"adds {tactic.import_line}" if tactic.import_line else ""


def origin_label(tactic: TacticItem) -> str:
    """`as in NAME` for a tactic that is taken from a known proof."""
    return f"as in {tactic.origin}" if tactic.origin else ""


def tactics_heading(tactics: list[TacticItem]) -> str:
    """The heading of the listed tactics."""
    failing = any(one.status in ("fails", "timeout") for one in tactics)
    return "Tactics tried" if failing else "Tactics that Lean accepts"


def timing_line(timings: Mapping[str, float]) -> str:
    """The time each part took."""
    return ", ".join(f"{name} {milliseconds:.0f} ms" for name, milliseconds in timings.items())


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
