"""What stands around a place in a Lean document: an unfinished tactic, a `sorry`, the import lines. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from lean_extract.records import Position, Span
from lean_extract.source.lexer import unread_at
from lsp_server.documents.term_positions import Slot, holes, slot_at

Use = Literal["term", "rewrite", "rewrite_back", "simp", "slot"]

_WORD = re.compile(r"[\w.'!?«»₀-₉]+")
_PREFIX = re.compile(r"[\w.'!?«»₀-₉]*$")
_TERM = re.compile(
    r"(?:^|(?<=[\s(\[{⟨·;>|]))(?:exact|apply|refine|refine'|exact_mod_cast|apply_mod_cast|exacts)[ \t]+$"
)
_LIST = re.compile(
    r"(?:^|(?<=[\s(\[{⟨·;>|]))"
    r"(rw|rewrite|rwa|erw|rw_mod_cast|simp_rw|nth_rw|nth_rewrite|simp|simp_all|simpa|dsimp|simp!|simp\?)"
    r"(?![\w'])[^\[\]\n;]*$"
)
_ARROW = re.compile(r"^\s*(←|<-|↑|↓|-)?\s*$")
_REWRITES = frozenset({"rw", "rewrite", "rwa", "erw", "rw_mod_cast", "simp_rw", "nth_rw", "nth_rewrite"})
_OPEN, _CLOSE = "([{⟨", ")]}⟩"
_LONGEST_NAME = 300
_REACH = 4000
"""How many characters before the place are looked at."""
_BEFORE_TACTIC = re.compile(r"(?:^|\bby|\bdo|\bthen|\belse|<;>|=>|:=|[·.;({⟨|])\s*$")
_IMPORT = re.compile(r"(public\s+)?(meta\s+)?import\b")
_COMMANDS = frozenset(
    re.findall(
        r"\w+",
        "theorem lemma def example instance abbrev structure class inductive namespace section end open "
        "variable import public private protected noncomputable mutual universe attribute set_option macro "
        "syntax notation prelude module axiom opaque deriving where",
    )
)
_SORRY = re.compile(r"(?<![\w.'«])sorry(?![\w.'!?»])")
_LAST_BY = re.compile(r"(?<![\w.'])by\s*$")


@dataclass(frozen=True, slots=True)
class CompletionPlace:
    """Where a premise's name is being typed.

    `name` is the span that a name replaces; `tactic` the whole unfinished tactic, and in a term's `slot` what
    is typed of the term; `rules` the finished rewrite rules before the name, as written.
    """

    use: Use
    prefix: str
    name: Span
    tactic: Span
    rules: str = ""
    slot: Slot | None = None


def offset_of(lines: Sequence[str], place: Position) -> int:
    """How many characters stand before the place, lines joined by one newline each."""
    return sum(len(line) + 1 for line in lines[: place.line]) + place.column


def place_of(text: str, offset: int) -> Position:
    """The position of an offset; the inverse of `offset_of`."""
    start = text.rfind("\n", 0, offset) + 1
    return Position(text.count("\n", 0, offset), offset - start)


def completion_place(text: str, place: Position) -> CompletionPlace | None:
    """What is being completed at the place, or None. `text` has `\\n` line ends."""
    offset = offset_of(text.split("\n"), place)
    first = max(0, offset - _REACH)
    before = text[first:offset]
    prefix = _PREFIX.search(before[-_LONGEST_NAME:])
    typed = prefix[0] if prefix else ""
    head = before[: len(before) - len(typed)]
    found = _after_keyword(head) or _in_list(head)
    is_slot = found is None and is_term_place(text, offset - len(typed))
    if (found is None and not is_slot) or unread_at(text, offset):
        return None
    word = _WORD.match(text, offset)
    end = word.end() if word else offset
    name = Span(place_of(text, offset - len(typed)), place_of(text, end))
    if found is None:
        slot = slot_at(text, (offset - len(typed), end))
        return CompletionPlace("slot", typed, name, name, slot=slot) if slot is not None else None
    use, tactic, rules = found
    start = first + tactic
    span = Span(place_of(text, start), place_of(text, _tactic_end(text, start, end)))
    return CompletionPlace(use, typed, name, span, rules)


def _after_keyword(head: str) -> tuple[Use, int, str] | None:
    match = _TERM.search(head)
    return ("term", match.start(), "") if match else None


def _in_list(head: str) -> tuple[Use, int, str] | None:
    """The rewriting or simplifying tactic whose `[` is still open at the end of `head`."""
    bracket = _open_bracket(head)
    if bracket is None:
        return None
    inner = head[bracket + 1 :]
    comma = _last_comma(inner)
    arrow = _ARROW.match(inner[comma + 1 :])
    match = _LIST.search(head[:bracket])
    if arrow is None or match is None:
        return None
    if match[1] not in _REWRITES:
        return "simp", match.start(), ""
    use: Use = "rewrite_back" if arrow[1] in ("←", "<-") else "rewrite"
    return use, match.start(), inner[: max(comma, 0)].strip()


def _open_bracket(head: str) -> int | None:
    depth = 0
    for index in range(len(head) - 1, -1, -1):
        if head[index] in _CLOSE:
            depth += 1
        elif head[index] in _OPEN:
            if depth == 0:
                return index if head[index] == "[" else None
            depth -= 1
    return None


def _last_comma(inner: str) -> int:
    depth, found = 0, -1
    for index, character in enumerate(inner):
        depth += (character in _OPEN) - (character in _CLOSE)
        if character == "," and depth == 0:
            found = index
    return found


def _tactic_end(text: str, start: int, offset: int) -> int:
    """Where the unfinished tactic ends: at the line's end, a separator, or the bracket that encloses it."""
    column = start - (text.rfind("\n", 0, start) + 1)
    depth = 0
    for index in range(start, len(text)):
        character = text[index]
        depth += (character in _OPEN) - (character in _CLOSE)
        if depth < 0 and index >= offset:
            return len(text[:index].rstrip(" "))
        ended = character == "\n" and (depth <= 0 or not _continues(text, index, column))
        separated = depth == 0 and (character == ";" or text.startswith(("<;>", " --"), index))
        if index >= offset and (ended or separated):
            return max(offset, len(text[:index].rstrip()))
    return len(text)


def _continues(text: str, newline: int, column: int) -> bool:
    """Whether the line after `newline` is indented deeper than the tactic, so may belong to it."""
    end = text.find("\n", newline + 1)
    line = text[newline + 1 : end if end >= 0 else len(text)]
    return bool(line.strip()) and len(line) - len(line.lstrip()) > column


@dataclass(frozen=True, slots=True)
class GoalQuestion:
    """A document to show to Lean, and where; `is_term`: what is expected of the `sorry` there is asked."""

    text: str
    place: Position
    is_term: bool


def questions(text: str, place: CompletionPlace) -> Iterator[GoalQuestion]:
    """What to ask Lean for the goal at the place: the first that has an answer counts.

    The unfinished tactic gives way to `sorry`. Rewrite rules that are already written are kept, so that the
    goal is the one after them; where they do not rewrite, the goal before them is the next best.
    """
    if place.slot is not None:
        for patched, offset in holes(text, place.slot):
            yield GoalQuestion(patched, place_of(patched, offset), is_term=True)
        if place.slot.tactic is not None:
            start = place.slot.tactic
            yield _without_tactic(text, start, _tactic_end(text, start, place.slot.name[1]), "")
        return
    lines = text.split("\n")
    start, end = offset_of(lines, place.tactic.start), offset_of(lines, place.tactic.end)
    if place.rules:
        yield _without_tactic(text, start, end, " ".join(place.rules.split()))
    yield _without_tactic(text, start, end, "")


def _without_tactic(text: str, start: int, end: int, rules: str) -> GoalQuestion:
    before = f"(rewrite [{rules}]; " if rules else ""
    patched = text[:start] + before + "sorry" + (")" if before else "") + text[end:]
    return GoalQuestion(patched, place_of(patched, start + len(before)), is_term=False)


def tactic_word(line: str, column: int) -> tuple[str, int] | None:
    """The tactic keyword (or `sorry`) under a column of a line, and the column where it begins."""
    for match in _WORD.finditer(line):
        if match.start() <= column <= match.end():
            word, start = match[0], match.start()
            if word == "sorry":
                return word, start
            starts_tactic = bool(_BEFORE_TACTIC.search(line[:start])) and "--" not in line[:start]
            plausible = word[0].islower() and "." not in word and word not in _COMMANDS
            return (word, start) if starts_tactic and plausible else None
    return None


def sorry_near(lines: Sequence[str], start: Position, end: Position) -> Span | None:
    """The `sorry` that a selection touches; for a bare cursor also the only one on its line."""
    on_line: list[Span] = []
    for number in range(start.line, min(end.line + 1, len(lines))):
        for match in _SORRY.finditer(_without_comment(lines[number])):
            span = Span(Position(number, match.start()), Position(number, match.end()))
            if span.start <= end and start <= span.end:
                return span
            on_line.append(span)
    return on_line[0] if start == end and len(on_line) == 1 else None


def is_term_place(text: str, offset: int) -> bool:
    """Whether a term stands at the offset rather than a tactic, so that a tactic needs `by` before it."""
    before = text[max(0, offset - _REACH) : offset]
    line = before[before.rfind("\n") + 1 :]
    bare = before.rstrip()
    if bare.endswith("=>"):
        return _is_term_behind_arrow(before, line)
    if re.search(r"=>\s*\($", bare):  # what stands in the bracket is what would stand in its place
        return _is_term_behind_arrow(before, line)
    if bare.endswith((":=", ",", "⟨", "[", "(")):
        return not re.search(r"(?:^|\bby|[·;>|])\s*\($", line)
    if not line.strip() or bare.endswith(("·", ";", "<;>", "{", "|")):
        return False
    return not re.search(r"(?<![\w.'])(by|then|else|do)$", bare)


def _is_term_behind_arrow(before: str, line: str) -> bool:
    """Whether `=>` at the end is a function's, not an alternative's of `induction` and its like."""
    if re.search(r"(?<![\w.'])(fun|λ)(?![\w'])[^;]*$", line):
        return True
    return not re.search(r"(?<![\w.'])(induction|cases|rcases|case|next|conv)(?![\w'])", before)


def first_place(lines: Sequence[str], number: int) -> Position:
    """Where a line's goal is without a column: at its `sorry`, a `by` at its end, its first character."""
    line = lines[number]
    bare = _without_comment(line)
    match = _SORRY.search(bare) or _LAST_BY.search(bare)
    column = match.start() if match else len(line) - len(line.lstrip())
    return Position(number, column)


def _without_comment(line: str) -> str:
    return line.split("--", 1)[0]


def import_line_number(lines: Sequence[str]) -> int | None:
    """The line before which a further `import` goes, or None in a file headed `prelude`.

    That is behind the last import, or behind the comments at the top.
    """
    depth, place, behind_import = 0, 0, False
    for number, line in enumerate(lines):
        bare = line.strip()
        if depth or (bare.startswith("/-") and not bare.startswith(("/-!", "/--"))):
            depth += bare.count("/-") - bare.count("-/")
            if depth <= 0 and not behind_import:
                place = number + 1
        elif bare == "prelude":
            return None
        elif bare == "module" or _IMPORT.match(bare):
            place, behind_import = number + 1, True
        elif bare and not bare.startswith("--"):
            break
    return place
    return place
