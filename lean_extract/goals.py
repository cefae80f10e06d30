"""Convert printed goals to records and back.

Lean prints a goal as an optional `case` line, one line per hypothesis (`a b : T`, `x : T := v`), and a line
that begins with `⊢` (`|` inside `conv`). `|-`, the ASCII form, is also read. Long lines continue on the next
line, indented by two spaces. Types, values and targets keep these line breaks but not the two spaces, so that
a goal prints exactly as it was read. A type that Lean prints entirely below its name begins with a line break.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from lean_extract.common.errors import BadState, NoGoalHere
from lean_extract.records import Goal, Hypothesis, ProofState

_NO_GOALS = "no goals"
_HINT = "Write a state as Lean prints it: one hypothesis per line, then a line that begins with `⊢`."
_INDENT = "  "
_TARGET_MARKS = ("⊢", "|-", "|")
_HEADING = re.compile(r"(\d+ goals?|tactic state|(.*\b)?unsolved goals|goals? \(\d+\)):?$", re.IGNORECASE)
_DONE = re.compile(r"no goals\.?$|goals accomplished\b.*$", re.IGNORECASE)
_CASE = re.compile(r"case\s+(?!:\s)(\S.*)")
_NAME = r"(?:«[^«»]*»|[^\s«»:])+"
_NAMES = re.compile(rf"({_NAME}(?:\s+{_NAME})*)\s*:(?!=)")
_NAME_PART = re.compile(_NAME)
# The tokens that matter for finding the `:=` of a let value: brackets, strings and quoted names that may
# contain brackets, and terms that have a `:=` of their own.
_TYPE_TOKEN = re.compile(
    r'"(?:[^"\\]|\\.?)*(?:"|\Z)'
    r"|«[^»]*(?:»|\Z)"
    r"|(?<![\w'!?])'(?:[^'\\\n]|\\.[^'\n]*)'"
    r"|(?P<open>[(\[{⟨⦃])|(?P<close>[)\]}⟩⦄])"
    r"|(?P<binder>(?<![\w.'])(?:let|have|letI|haveI|let_fun)(?![\w'!?]))"
    r"|(?P<assign>:=)",
    re.DOTALL,
)


@dataclass(slots=True)
class _ContextBlock:
    """A printed line with its continuation lines, and its line number, from 1."""

    number: int
    lines: list[str]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


@dataclass(slots=True)
class _Draft:
    """A goal of which some lines have been read."""

    case: str | None = None
    hypotheses: list[Hypothesis] = field(default_factory=list)
    first_line: int | None = None


def parse_goal(text: str) -> Goal:
    """The main goal of a printed state.

    Raises:
        BadState: the text is empty, has no line with `⊢`, or states that there are no goals.
    """
    state = parse_state(text)
    if not state.goals:
        raise BadState(
            "The state has no goals: there is nothing left to prove.", "Give a state with a `⊢` line."
        )
    return state.goals[0]


def parse_state(text: str) -> ProofState:
    """All goals of a printed state, in order. Takes time linear in the length of the text.

    Accepts what Lean, its language server and the infoview print: `case` tags, "no goals", headings such
    as `2 goals`, fenced code, Windows line ends, and a state that is indented as a whole.

    Raises:
        BadState: the text is empty, a goal has no `⊢` or nothing after it, or a line is not a hypothesis.
    """
    goals: list[Goal] = []
    draft = _Draft()
    is_done = False
    for block in _blocks(_clean(text)):
        head = block.lines[0]
        if head.startswith(_TARGET_MARKS):
            goals.append(_goal(draft, block))
            draft = _Draft()
        elif _DONE.match(head):
            is_done = True
        elif not _HEADING.match(head):
            _read_context_line(draft, block)
    if draft.first_line is not None:
        raise BadState(f"The goal that begins in line {draft.first_line} has no `⊢` line.", _HINT)
    if not goals and not is_done:
        raise BadState("The proof state is empty.", _HINT)
    return ProofState(tuple(goals))


def find_goals(text: str) -> tuple[Goal, ...]:
    """The goals found in a text that also contains other words, each once. Takes linear time.

    A goal is a `⊢` line with the hypotheses directly above it. Never raises; the result may be empty.
    """
    goals: dict[Goal, None] = {}
    draft = _Draft()
    for block in _blocks(_clean(text)):
        try:
            if block.lines[0].startswith(_TARGET_MARKS):
                goals[_goal(draft, block)] = None
                draft = _Draft()
            elif _HEADING.match(block.lines[0]) or _DONE.match(block.lines[0]):
                draft = _Draft()
            else:
                _read_context_line(draft, block)
        except BadState:  # prose, not a hypothesis: the lines above it do not belong to a goal below
            draft = _Draft()
    return tuple(goals)


def parse_plain_goal(response: object) -> ProofState:
    """The goals of a response to `$/lean/plainGoal`: `{"rendered": str, "goals": [str, ...]}` or null.

    Raises:
        NoGoalHere: the response is null.
        BadState: the response has another shape, or a goal in it cannot be read.
    """
    if response is None:
        raise NoGoalHere("Lean has no goal here.", "Put the cursor on a tactic or on `sorry`.")
    if isinstance(response, Mapping):
        goals = response.get("goals")
        if isinstance(goals, list | tuple) and all(isinstance(goal, str) for goal in goals):
            return ProofState(tuple(parse_goal(goal) for goal in goals))
        rendered = response.get("rendered")
        if isinstance(rendered, str):
            return parse_state(rendered)
    raise BadState(
        "The goal is not in the form of Lean's `$/lean/plainGoal`.", 'Send {"rendered": ..., "goals": [...]}.'
    )


def format_goal(goal: Goal) -> str:
    """The goal as Lean prints it; `parse_goal` reads it back as the same record."""
    lines = [f"case {goal.case}"] if goal.case is not None else []
    lines += [_indent(_format_hypothesis(hypothesis)) for hypothesis in goal.hypotheses]
    lines.append(_indent(f"⊢ {goal.target}"))
    return "\n".join(lines)


def format_state(state: ProofState) -> str:
    """The goals as Lean prints them, separated by blank lines; `no goals` if there are none."""
    return "\n\n".join(map(format_goal, state.goals)) or _NO_GOALS


def _clean(text: str) -> str:
    """The text with Unix line ends, without a byte order mark or common indentation."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    return textwrap.dedent(text) if text[:1].isspace() else text


def _blocks(text: str) -> Iterator[_ContextBlock]:
    """Each line with the indented lines below it. Blank lines, code fences and rulers separate blocks."""
    block: _ContextBlock | None = None
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip() or line.startswith(("```", "---")):
            is_break = True
        elif line[0].isspace() and block is not None:
            block.lines.append(line[len(_INDENT) :] if line.startswith(_INDENT) else line.lstrip())
            continue
        else:
            is_break = False
        if block is not None:
            yield block
        block = None if is_break else _ContextBlock(number, [line.strip() if line[0].isspace() else line])
    if block is not None:
        yield block


def _after_mark(text: str) -> str:
    mark = next(mark for mark in _TARGET_MARKS if text.startswith(mark))
    return text.removeprefix(mark).removeprefix(" ")


def _goal(draft: _Draft, block: _ContextBlock) -> Goal:
    """The goal that a `⊢` line completes. Raises BadState: nothing follows the `⊢`."""
    target = _after_mark(block.text)
    if not target.strip():
        raise BadState(f"There is nothing to prove after the `⊢` in line {block.number}.", _HINT)
    return Goal(tuple(draft.hypotheses), target, draft.case)


def _read_context_line(draft: _Draft, block: _ContextBlock) -> None:
    if draft.first_line is None:
        draft.first_line = block.number
        case = _CASE.match(block.lines[0])
        if case and len(block.lines) == 1:
            draft.case = case.group(1)
            return
    draft.hypotheses.append(_parse_hypothesis(block))


def _parse_hypothesis(block: _ContextBlock) -> Hypothesis:
    text = block.text
    if text[0] == "[":
        return Hypothesis((), text)
    if text[0] == ":":
        names: tuple[str, ...] = ()
        rest = text[1:]
    elif match := _NAMES.match(text):
        names = tuple(_NAME_PART.findall(match.group(1)))
        rest = text[match.end() :]
    else:
        shown = block.lines[0] if len(block.lines[0]) <= 60 else block.lines[0][:60] + "…"
        raise BadState(f"Line {block.number} of the state is not a hypothesis `name : type`: {shown}", _HINT)
    split = _find_value(rest)
    if split is None:
        return Hypothesis(names, rest.removeprefix(" "))
    return Hypothesis(
        names, rest[:split].removeprefix(" ").removesuffix(" "), rest[split + 2 :].removeprefix(" ")
    )


def offset_in_print(goal: Goal, offset: int) -> int:
    """The offset in `format_goal(goal)` of an offset in the goal's target."""
    after = goal.target[offset:]
    return len(format_goal(goal)) - len(after) - len(_INDENT) * after.count("\n")


def _find_value(text: str) -> int | None:
    """The offset of the `:=` that gives a hypothesis its value: outside brackets, and not that of a `let`."""
    if ":=" not in text:
        return None
    depth = pending = 0
    for token in _TYPE_TOKEN.finditer(text):
        kind = token.lastgroup
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth = max(0, depth - 1)
        elif depth == 0 and kind == "binder":
            pending += 1
        elif depth == 0 and kind == "assign":
            if pending == 0:
                return token.start()
            pending -= 1
    return None


def _format_hypothesis(hypothesis: Hypothesis) -> str:
    if not hypothesis.names and hypothesis.type.startswith("["):
        return hypothesis.type
    head = f"{' '.join(hypothesis.names)} " if hypothesis.names else ""
    value = "" if hypothesis.value is None else f" :={_led(hypothesis.value)}"
    return f"{head}:{_led(hypothesis.type)}{value}"


def _led(text: str) -> str:
    return text if text.startswith("\n") else f" {text}"


def _indent(text: str) -> str:
    return text.replace("\n", "\n" + _INDENT)
