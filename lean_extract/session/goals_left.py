"""How a tactic that leaves goals is written: with a `sorry` for each of them. Pure functions; Lean judges each form.

A text of several lines begins on the line below what opens its block.

Where the proof ends with the tactic, or the tactic replaces a `sorry`, every goal gets one: an alternative of
`induction` and `cases`, `case TAG x => sorry` where hypotheses have no names yet, a bullet, or, for one goal, a line.
Where other tactics follow, these go on with the last goal. Where no further line can go (after `<;>`), the tactic is
written alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lean_extract.limits import MAX_WRITTEN_GOALS
from lean_extract.records import Goal
from lean_extract.session.document import LeanDocument
from lean_extract.session.places import Place, hole_at, last_column, tactic_texts
from lean_extract.syntax.inaccessible import DAGGER, without_marks

_TAKES_ALTERNATIVES = re.compile(r"(?P<word>induction|cases)\s+(?!.*(?:\bwith\b|[;|\n]|<;>|=>))")
_IDENTIFIER = re.compile(r"[^\W\d][\w'!?]*+")
_ENDS_WITH_BY = re.compile(r"(?<![\w.'])by$")
_ANY_BY = re.compile(r"(?<![\w.'])by(?![\w.'])")
_ANY_WHERE = re.compile(r"(?<![\w.'])where(?![\w.'])")
_COMMENT = re.compile(r"/-.*?(?:-/|\Z)|--[^\n]*", re.DOTALL)
_CLOSES = re.compile(r"[)\]}⟩,]")
_TAKES_GOALS = re.compile(
    r"[·.]\s|(?:case'?|next|all_goals|any_goals|rotate_left|swap|pick_goal|on_goal)(?!\w)"
)
_UNNAMED_FIELD = "a"
"""The name that Lean gives to an argument without one."""


@dataclass(frozen=True, slots=True)
class Written:
    """A form of a tactic: where it goes, its text, and whether the goals that it leaves all have a `sorry`."""

    place: Place
    text: str
    is_whole: bool


def written_forms(
    document: LeanDocument,
    place: Place,
    declaration: tuple[int, int],
    tactic: str,
    left: Sequence[Goal],
    before: Goal | None,
) -> Iterator[Written]:
    """The forms of a tactic at a place, likeliest first; the last ones are the tactic alone.

    Args:
        document: the text.
        place: where the tactic goes.
        declaration: the offsets at which the declaration and the next command begin.
        tactic: the tactic alone.
        left: the goals that it leaves.
        before: the goal that it was tried on; None: not known.
    """
    if left and _takes_lines(document, place):
        yield from _with_sorries(document, place, declaration, tactic, left, before)
    elif "\n" in tactic and _takes_lines(document, place):
        yield _laid_out(document, place, declaration, tactic)
    for text in tactic_texts(document, place, tactic):
        yield Written(place, text, is_whole=not left)


def _with_sorries(
    document: LeanDocument,
    place: Place,
    declaration: tuple[int, int],
    tactic: str,
    left: Sequence[Goal],
    before: Goal | None,
) -> Iterator[Written]:
    follower = "" if _is_hole(document, place) else _follower(document, place, declaration[1])
    if not follower:
        for text in _closed_by_sorries(tactic, left, before):
            yield _laid_out(document, place, declaration, text)
    elif len(left) > 1 and not _TAKES_GOALS.match(follower) and len(left) <= MAX_WRITTEN_GOALS:
        text = _in_bullets(tactic, len(left) - 1)
        yield Written(place, tactic_texts(document, place, text)[0], is_whole=False)


def _closed_by_sorries(tactic: str, left: Sequence[Goal], before: Goal | None) -> Iterator[str]:
    """The texts of a tactic that leaves no goal without a `sorry`."""
    if len(left) > MAX_WRITTEN_GOALS:
        yield f"{tactic}\nall_goals sorry"
        return
    cases = alternatives(tactic, left, before)
    if cases is not None and takes_alternatives(tactic):
        yield _lines(f"{tactic} with", [f"| {name} => sorry" for name in cases])
        if any(" " in name for name in cases):  # a constructor with implicit arguments needs the `@`
            signed = [f"@{name}" if " " in name else name for name in cases]
            yield _lines(f"{tactic} with", [f"| {name} => sorry" for name in signed])
    if cases is not None and len(left) > 1 and any(" " in name for name in cases):
        yield _lines(tactic, [f"case {name} => sorry" for name in cases])
    yield f"{tactic}\nsorry" if len(left) == 1 else _in_bullets(tactic, len(left))


def takes_alternatives(tactic: str) -> bool:
    """Whether `with` and alternatives can follow a tactic."""
    return _TAKES_ALTERNATIVES.match(tactic) is not None


def _in_bullets(tactic: str, count: int) -> str:
    return _lines(tactic, ["· sorry"] * count)


def _lines(first: str, rest: Sequence[str]) -> str:
    return "\n".join([first, *rest])


def alternatives(tactic: str, left: Sequence[Goal], before: Goal | None) -> list[str] | None:
    """For each goal that `induction x` or the like leaves its tag and names for its new hypotheses; None if a tag is
    missing or not unique."""
    is_induction = tactic.startswith("induction")
    tags = [(goal.case or "").rpartition(".")[2] for goal in left]
    if len(set(tags)) < len(tags) or not all(map(_IDENTIFIER.fullmatch, tags)):
        return None
    named = (new_names(goal, before, is_induction=is_induction) for goal in left)
    return [" ".join([tag, *names]) for tag, names in zip(tags, named, strict=True)]


def new_names(goal: Goal, before: Goal | None, *, is_induction: bool) -> list[str]:
    """Names for the hypotheses that the tactic has brought without one, in their order."""
    nameless = [name for one in goal.hypotheses for name in one.names if DAGGER in name]
    known = 0 if before is None else sum(DAGGER in name for one in before.hypotheses for name in one.names)
    used = {name for one in goal.hypotheses for name in one.names}
    found: list[str] = []
    new = nameless[known:]
    for name in new:
        wish = without_marks(name)
        is_hypothesis = is_induction and (wish.endswith("_ih") or (wish == _UNNAMED_FIELD and bool(found)))
        if is_hypothesis and not any(without_marks(one).endswith("_ih") for one in new if one != name):
            wish = "ih"
        found.append(_fresh(wish, used))
        used.add(found[-1])
    return found


def _fresh(wish: str, used: set[str]) -> str:
    """The wish, with a number if it is used already; `_` if it is not a name that can be written."""
    if not _IDENTIFIER.fullmatch(wish):
        return "_"
    name, number = wish, 1
    while name in used:
        name, number = f"{wish}{number}", number + 1
    return name


def _is_hole(document: LeanDocument, place: Place) -> bool:
    """Whether a `sorry` or a hole is replaced: what follows expects that the goal is closed."""
    return place.start < place.end and hole_at(document, place.start) == (place.start, place.end)


def _rest_of_line(document: LeanDocument, place: Place) -> str:
    end = document.text.find("\n", place.end)
    rest = document.text[place.end : end if end >= 0 else len(document.text)]
    return rest.split("--", 1)[0].strip()


def _line_before(document: LeanDocument, place: Place) -> str:
    return document.text[document.text.rfind("\n", 0, place.start) + 1 : place.start]


def _takes_lines(document: LeanDocument, place: Place) -> bool:
    """Whether further lines can go below a tactic at a place."""
    if place.after:
        return "\n" in place.after
    rest = _rest_of_line(document, place)
    if _line_before(document, place).rstrip().endswith("<;>") or rest.startswith((";", "<;>")):
        return False
    return place.in_term or not rest or _CLOSES.match(rest) is not None


def _follower(document: LeanDocument, place: Place, end: int) -> str:
    """The tactic that follows a place in its block; empty if there is none."""
    if rest := _rest_of_line(document, place):
        return "" if _CLOSES.match(rest) else rest
    below = document.text.find("\n", place.end, end)
    if below < 0:
        return ""
    code = _COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), document.text[below:end])
    line = next((line for line in code.split("\n") if line.strip()), "")
    column = len(line) - len(line.lstrip())
    return line.strip() if column >= place.column(document.text) else ""


def _laid_out(document: LeanDocument, place: Place, declaration: tuple[int, int], text: str) -> Written:
    """A text of several lines: below the line of a `by` or `=>`, or else where the tactic begins."""
    block = _block(document, place, declaration[0])
    if block is not None:
        return Written(block, text, is_whole=True)
    return Written(place, tactic_texts(document, place, text)[0], is_whole=True)


def _block(document: LeanDocument, place: Place, start: int) -> Place | None:
    """The place on new lines after what opens a block; None where the block has begun above or at the place."""
    before = _line_before(document, place)
    bare = before.rstrip()
    if place.in_term:
        return _after_new_by(document, place, start)
    opened = document.text[: place.start].rstrip()
    if _ENDS_WITH_BY.search(bare) or bare.endswith("=>"):
        return replace(place, start=len(opened), before=_new_line(_body_column(document, start, len(opened))))
    if bare.endswith(";"):
        return replace(place, start=len(opened) - 1, before=_new_line(last_column(bare[:-1])))
    return None


def _after_new_by(document: LeanDocument, place: Place, start: int) -> Place:
    """The place after a `by` of our own, which goes to the line above if a `:=` ends it."""
    opened = document.text[: place.start].rstrip()
    if _line_before(document, place).strip() or opened.endswith(":="):
        body = _new_line(_body_column(document, start, len(opened)))
    else:
        body = _new_line(place.column(document.text) + 2)
    if not _line_before(document, place).strip() and opened.endswith(":="):
        return replace(place, start=len(opened), before=f" by{body}")
    if tactic_texts(document, place, "skip")[0].startswith("("):
        return replace(place, before=f"{place.before}(by{body}", after=")")
    return replace(place, before=f"{place.before}by{body}")


def _new_line(column: int) -> str:
    return f"\n{' ' * column}"


def _body_column(document: LeanDocument, start: int, end: int) -> int:
    """The column of a block that is opened at the end of a text: that of a declaration's body, or of a step's."""
    above = document.text[start:end]
    line = _ENDS_WITH_BY.sub("", document.text[document.text.rfind("\n", 0, end) + 1 : end]).rstrip()
    indent = document.position(start).column + len(above) - len(above.lstrip())
    own = last_column(line)
    is_first = not _ANY_BY.search(_ENDS_WITH_BY.sub("", above)) and not _ANY_WHERE.search(above)
    is_header = is_first and own >= indent + 4 and "=>" not in line
    return (indent if is_header else own) + 2
