"""Finds what is being completed at a position, and what to ask Lean for the goal there. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from lean_extract.records import Position, Span
from lean_extract.session.document import LeanDocument
from lean_extract.session.places import HOLE, REACH, WORD, is_term_position
from lean_extract.session.tactic_spans import Change, Copy, WrittenTactics
from lean_extract.syntax.brackets import TERM_DEPTH
from lean_extract.syntax.lexer import unread_at
from lsp_server.documents.positions import offset_of, position_at
from lsp_server.documents.term_positions import Slot, holes, slot_at
from lsp_server.limits import TYPED_NAME_CHARACTERS
from retriever.lean.callers import Caller, location_of
from retriever.lean.case_splits import SPLITTING

_Use = Literal["term", "rewrite", "rewrite_back", "simp", "unfold", "slot"]
_CALLERS: dict[_Use, Caller] = {
    "term": "apply",
    "slot": "apply",
    "rewrite": "rewrite",
    "rewrite_back": "rewrite",
    "simp": "simplify",
    "unfold": "unfold",
}

_PREFIX = re.compile(r"(?<![\w.'!?«»₀-₉])[\w.'!?«»₀-₉]*+\Z")
_TERM = re.compile(
    r"(?:^|(?<=[\s(\[{⟨·;>|]))(?:exact|apply|refine|refine'|exact_mod_cast|apply_mod_cast|exacts|convert)"
    r"[ \t]+$"
)
_UNFOLD = re.compile(
    r"(?:^|(?<=[\s(\[{⟨·;>|]))(?:unfold|delta)(?>(?:[ \t]+(?!at[ \t])[\w.'!?«»₀-₉]+)*)[ \t]++"
)
_LIST = re.compile(
    r"(?:^|(?<=[\s(\[{⟨·;>|]))"
    r"(rw|rewrite|rwa|erw|rw_mod_cast|simp_rw|nth_rw|nth_rewrite|simp|simp_all|simp_arith|simpa|dsimp|simp!|simp\?"
    r"|simpa!|simpa\?|norm_num|norm_num1|field_simp|push_cast)"
    r"(?![\w'])[^\[\]\n;]*+(?:\n[ \t]*+)?"
)
_ARROW = re.compile(r"\s*+(←|<-|↑|↓|-)?\s*+\Z")
_REWRITES = frozenset({"rw", "rewrite", "rwa", "erw", "rw_mod_cast", "simp_rw", "nth_rw", "nth_rewrite"})


@dataclass(frozen=True, slots=True)
class CompletionContext:
    """The context of a premise's name that is being typed.

    `name` is the span that a name replaces; `tactic` the whole unfinished tactic, or, in a term's `slot`, the
    part of the term that is typed; `rules` the finished rewrite rules before the name, as written; `location` the
    hypothesis that the tactic changes, empty where it changes the target.
    """

    use: _Use
    prefix: str
    name: Span
    tactic: Span
    rules: str = ""
    slot: Slot | None = None
    location: str = ""
    splits_cases: bool = False
    """Whether the tactic takes apart what the name states: `obtain ⟨x, h⟩ := name`."""

    @property
    def caller(self) -> Caller:
        """The group of the tactic that will use the name; a term is given to be applied."""
        return _CALLERS[self.use]


def completion_at(text: str, position: Position) -> CompletionContext | None:
    """What is being completed at the position, or None. `text` must have `\\n` line ends."""
    offset = offset_of(text.split("\n"), position)
    first = max(0, offset - REACH)
    before = text[first:offset]
    prefix = _PREFIX.search(before[-TYPED_NAME_CHARACTERS:])
    typed = prefix[0] if prefix else ""
    head = before[: len(before) - len(typed)]
    found = _after_keyword(head) or _in_list(head)
    is_slot = found is None and is_term_position(text, offset - len(typed))
    if (found is None and not is_slot) or unread_at(text, offset):
        return None
    word = WORD.match(text, offset)
    end = word.end() if word else offset
    name = Span(position_at(text, offset - len(typed)), position_at(text, end))
    if found is None:
        slot = slot_at(text, (offset - len(typed), end))
        if slot is None:
            return None
        opening = text[slot.tactic : offset].split(maxsplit=1)[0] if slot.tactic is not None else ""
        return CompletionContext("slot", typed, name, name, slot=slot, splits_cases=opening in SPLITTING)
    use, tactic, rules = found
    start = first + tactic
    span = Span(position_at(text, start), position_at(text, _tactic_end(text, start, end)))
    location = location_of(text[end : offset_of(text.split("\n"), span.end)])
    return CompletionContext(use, typed, name, span, rules, location=location)


def _after_keyword(head: str) -> tuple[_Use, int, str] | None:
    if match := _TERM.search(head):
        return "term", match.start(), ""
    match = _last(_UNFOLD, head)
    return ("unfold", match.start(), "") if match else None


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """The match that extends to the end of a text. A `$` in the pattern would be tried from each beginning."""
    return next((match for match in pattern.finditer(text) if match.end() == len(text)), None)


def _in_list(head: str) -> tuple[_Use, int, str] | None:
    """The rewriting or simplifying tactic whose `[` is still open at the end of `head`."""
    bracket = _open_bracket(head)
    if bracket is None:
        return None
    inner = head[bracket + 1 :]
    comma = _last_comma(inner)
    arrow = _ARROW.match(inner[comma + 1 :])
    match = _last(_LIST, head[:bracket])
    if arrow is None or match is None:
        return None
    if match[1] not in _REWRITES:
        return "simp", match.start(), ""
    use: _Use = "rewrite_back" if arrow[1] in ("←", "<-") else "rewrite"
    return use, match.start(), inner[: max(comma, 0)].strip()


def _open_bracket(head: str) -> int | None:
    depth = 0
    for index in range(len(head) - 1, -1, -1):
        step = TERM_DEPTH.get(head[index], 0)
        if step < 0:
            depth += 1
        elif step > 0:
            if depth == 0:
                return index if head[index] == "[" else None
            depth -= 1
    return None


def _last_comma(inner: str) -> int:
    depth, found = 0, -1
    for index, character in enumerate(inner):
        depth += TERM_DEPTH.get(character, 0)
        if character == "," and depth == 0:
            found = index
    return found


def _tactic_end(text: str, start: int, offset: int) -> int:
    """The end of the unfinished tactic that begins at `start`, at least `offset`."""
    return max(offset, WrittenTactics(LeanDocument(text), start).beginning(start).end)


@dataclass(frozen=True, slots=True)
class GoalQuestion:
    """A document to show to Lean, and a position in it.

    `is_term`: ask for the expected type of the `sorry` there, not for the goal.
    """

    text: str
    position: Position
    is_term: bool


def questions(text: str, context: CompletionContext) -> Iterator[GoalQuestion]:
    """The questions to ask Lean for the goal at the position; the first one with an answer counts.

    The unfinished tactic is replaced by `sorry`. Rewrite rules that are already written are kept, so that the
    goal is the one after them; if they do not rewrite, the goal before them is the next best.
    """
    if context.slot is not None:
        for patched, offset in holes(text, context.slot):
            yield GoalQuestion(patched, position_at(patched, offset), is_term=True)
        if context.slot.tactic is not None:
            start = context.slot.tactic
            yield _without_tactic(text, start, _tactic_end(text, start, context.slot.name[1]))
        return
    lines = text.split("\n")
    start, end = offset_of(lines, context.tactic.start), offset_of(lines, context.tactic.end)
    if context.rules:
        rules = " ".join(context.rules.split())
        at = f" at {context.location}" if context.location else ""
        yield _without_tactic(text, start, end, f"(rewrite [{rules}]{at}; {HOLE})")
    yield _without_tactic(text, start, end)


def _without_tactic(text: str, start: int, end: int, written: str = HOLE) -> GoalQuestion:
    copy = Copy(LeanDocument(text), Change(start, end, written))
    return GoalQuestion(copy.document.text, copy.hole, is_term=False)
