"""Proof states as people paste them: copied from the infoview with its headings, from source text or from
comments, typed on one line, or without the `⊢`.

Once the surrounding text is removed, `goals.parse_state` is tried first; it reads what Lean itself prints.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lean_extract.common.errors import BadState
from lean_extract.goals import find_goals, parse_state
from lean_extract.one_line import hypotheses_apart
from lean_extract.records import Goal, ProofState
from lean_extract.source.proofs.sequents import goal_of
from lean_extract.source.reader import read_module

TURNSTILE = "⊢"
NO_TARGET = "_"
"""The target where only hypotheses were given: a hole, as Lean writes it."""

_FOLD = re.compile(r"^[ \t]*[▼▽▾▶▷▸►][ \t]*")
_SECTION = re.compile(
    r"(?:(?P<state>tactic state)|(?P<expected>expected type)|(?P<messages>(?:all )?messages?(?: \(\d+\))?))"
    r"\s*:?$",
    re.IGNORECASE,
)
_POSITION = re.compile(r"\S+\.lean:\d+:\d+:?$")
_MESSAGE = re.compile(
    r"(?:\S+:)?\d+:\d+(?:-\d+:\d+)?:(?:\s|$)|(?:error|warning|info|information)(?:\([^()\n]*\))?:"
)
_SOURCE = re.compile(
    r"^[ \t]*(?:@\[[^\]\n]*\]\s*)?(?:(?:private|protected|public|nonrec|noncomputable)[ \t]+)*"
    r"(?P<word>theorem|lemma|example)(?![\w.'])(?!\s*:=)",
    re.MULTILINE,
)
_TYPED = re.compile(rf"(?<=\S)[ \t]*{TURNSTILE}")


def is_statement(text: str) -> bool:
    """Whether a text contains a declaration as in a source file: a keyword such as `theorem`, and a `:=`."""
    return _SOURCE.search(text) is not None and ":=" in text


def read_pasted(text: str) -> ProofState:
    """The proof state in a pasted text. Takes time linear in the length of the text.

    Several hypotheses on one line are separated (`lean_extract.one_line`).

    Accepts whatever `parse_state` accepts; the same with the infoview's headings, positions and messages around
    it; goals in comments; declarations (the binders become hypotheses, the statement the target); `h : p ⊢ q`
    on one line; and hypotheses alone, whose target is then `NO_TARGET`.

    Raises BadState: the text has none of these forms. The message is that of `parse_state`.
    """
    return ProofState(tuple([hypotheses_apart(goal).goal for goal in _read(text).goals]))


def doubts(text: str) -> list[str]:
    """Sentences on what is in doubt about how a pasted text was read. Raises BadState as `read_pasted` does."""
    names = dict.fromkeys(name for goal in _read(text).goals for name in hypotheses_apart(goal).doubtful)
    if not names:
        return []
    shown = ", ".join(f"`{name}`" for name in names)
    return [
        f"It is not certain where {shown} begins, since several hypotheses are on one line: only the last word "
        "before the colon was read as a name. Put each hypothesis on a line of its own."
    ]


def _read(text: str) -> ProofState:
    """The state as it was printed: a line is one hypothesis."""
    text = _uncommented(text)
    if TURNSTILE not in text and _SOURCE.search(text):
        goals = _stated(text)
        if goals:
            return ProofState(goals)
    sections = list(_sections(text))
    for kind in ("state", "expected", "messages"):
        pieces = [piece for of, piece in sections if of == kind]
        found = _read_section("\n".join(pieces), framed=len(sections) > 1) if pieces else None
        if found is not None:  # each message shows its goals, perhaps the same ones
            return ProofState(tuple(dict.fromkeys(found.goals))) if kind == "messages" else found
    return parse_state(text)


def _uncommented(text: str) -> str:
    """The text of the comments if goals occur in comments only, otherwise the text unchanged."""
    if TURNSTILE not in text:
        return text
    lines = text.splitlines()
    inside = [line.strip() for line in lines if line.lstrip().startswith("--") and line.strip("- \t")]
    if any(TURNSTILE in line for line in inside):
        outside = (line for line in lines if not line.lstrip().startswith("--"))
        return text if any(TURNSTILE in line for line in outside) else "\n".join(map(_bare, inside))
    begin = text.find("/-")
    end = text.find("-/", begin + 2)
    if begin < 0 or TURNSTILE not in text[begin : end if end >= 0 else len(text)]:
        return text
    if TURNSTILE in text[:begin] or (end >= 0 and TURNSTILE in text[end:]):
        return text
    return text[begin + 2 : end if end >= 0 else len(text)].lstrip("-!").lstrip(" \t").rstrip()


def _bare(line: str) -> str:
    return line.lstrip("-").removeprefix(" ")


def _stated(text: str) -> tuple[Goal, ...]:
    """The goals that the theorems in a piece of source text start from."""
    named = _SOURCE.sub(_with_name, text)
    module = read_module(named, "Pasted", "the pasted text")
    return tuple(
        goal_of(premise.context, premise.conclusion)
        for premise in module.premises
        if premise.kind in ("theorem", "lemma") and premise.conclusion and premise.generated_by is None
    )


def _with_name(match: re.Match[str]) -> str:
    """Turn an `example` into a theorem, since the reader ignores examples."""
    return match[0].removesuffix("example") + "theorem _example" if match["word"] == "example" else match[0]


def _sections(text: str) -> Iterator[tuple[str, str]]:
    """The sections of an infoview, as (kind, text). A text without headings is one section of kind `state`."""
    kind, lines = "state", list[str]()
    for line in text.split("\n"):
        bare = _FOLD.sub("", line).rstrip()
        heading = _SECTION.match(bare)
        is_message = _MESSAGE.match(bare) is not None
        if heading or is_message:
            if any(one.strip() for one in lines):
                yield kind, "\n".join(lines)
            kind, lines = (heading.lastgroup or "state") if heading else "messages", []
        if not (heading or is_message or _POSITION.match(bare)):
            lines.append(bare if bare != line.rstrip() else line)
    if any(one.strip() for one in lines) or kind == "state":
        yield kind, "\n".join(lines)


def _read_section(text: str, *, framed: bool) -> ProofState | None:
    """The goals in the sections of one kind; None if there are none but other sections may have some.

    Raises BadState: there is no other section, and this one cannot be read.
    """
    try:
        return parse_state(text)
    except BadState:
        goals = find_goals(text) if framed else ()
        if goals:
            return ProofState(goals)
        found = _typed(text) or _hypotheses(text)
        if found is None and not framed:
            raise
        return found


def _typed(text: str) -> ProofState | None:
    """`h : p ⊢ q` on one line."""
    spread = _TYPED.sub(f"\n{TURNSTILE}", text)
    if spread == text:
        return None
    try:
        return parse_state(spread)
    except BadState:
        return None


def _hypotheses(text: str) -> ProofState | None:
    """The state of a text that has hypotheses but no `⊢`; None if it is not one."""
    if TURNSTILE in text:
        return None
    try:
        state = parse_state(f"{text}\n\n{TURNSTILE} {NO_TARGET}")
    except BadState:
        return None
    return state if len(state.goals) == 1 and state.goals[0].hypotheses else None
