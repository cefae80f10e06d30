"""Checks the text of a tactic before Lean sees it: whether it can be tried on its own at all. Pure functions.

Lean judges the tactics that are tried. This module rejects texts that are not one tactic (they end the
surrounding proof, run commands, or close brackets that they did not open), that prove nothing, or that are
unreadable.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import zip_longest

from lean_extract.syntax.brackets import PAIRS
from lean_extract.syntax.refused_words import (
    COMMANDS,
    GIVES_UP,
    GIVING_UP,
    HASH_COMMANDS,
    LAST_PARTS,
    TRUSTS,
    WORDS,
)
from lean_extract.syntax.tactic_tokens import OPEN_COMMENT as OPEN_COMMENT
from lean_extract.syntax.tactic_tokens import OPEN_STRING as OPEN_STRING
from lean_extract.syntax.tactic_tokens import (
    Token,
    block_end,
    tactic_tokens,
    uncertainty,
)

LONGEST = 10_000
"""Code points of a tactic. Nobody would read a longer one."""
_DEEPEST = 200
"""Levels of nested brackets in a tactic. With many more, Lean's parser would run out of stack."""
# Control characters, line breaks other than Lean's, and characters that change the writing direction.
_UNREADABLE = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff\ufffe\uffff]"
)
_SPLITS = frozenset(".'!?")
_HIDING = frozenset(("string", "comment", "block"))
_WORD = re.compile(rf"#(?:{'|'.join(HASH_COMMANDS)})\w*|[^\W\d]\w*")
_MAY_PROVE_NOTHING = re.compile("|".join(map(re.escape, [*WORDS, *LAST_PARTS, "native", "decide"])))
"""Found in every text that proves nothing: most texts need no closer look."""
_SORRY = re.compile(r"(?<![\w.'!?«])sorry(?![\w.'!?»])")
_NATIVE = re.compile(r"\+\s*+«?native\b|\bnative»?\s*+:=")
# `decide` with its options. If its configuration is not written out, that may switch `native` on.
_DECIDE = re.compile(
    r"(?<![\w.'!?«+-])decide(?:\s*+[+-]\s*+«?\w++»?|\s*+\(\s*+«?(?!config»?\s*+:=)\w++»?\s*+:=\s*+\w++\s*+\))*+"
    r"(?P<hidden>\s*+\(\s*+«?config»?\s*+:=(?!\s*+\{\s*+(?:\w++\s*+:=\s*+(?:true|false)\s*+(?:,\s*+)?+)*+\}\s*+\)))?"
)


def defect(tactic: str) -> str | None:
    """Why a tactic cannot be tried on its own, or None. Lean's own judgement comes later."""
    if not tactic.strip():
        return "there is no tactic"
    if len(tactic) > LONGEST:
        return f"it has more than {LONGEST:,} characters"
    if _UNREADABLE.search(tactic.replace("\r\n", "\n")):
        return "it contains a control character"
    text = tactic.replace("\r\n", "\n")
    tokens = list(tactic_tokens(text))
    reason = _refused(tokens) or proves_nothing(tactic) or _command(tokens) or uncertainty(text, tokens)
    if reason is not None:
        return reason
    problem, still_open, deepest = _balance(tokens)
    if problem is None and deepest > _DEEPEST:
        return f"its brackets are nested more than {_DEEPEST} levels deep"
    return problem or (f"`{still_open[-1]}` is not closed" if still_open else None)


def proves_nothing(tactic: str) -> str | None:
    """Why a tactic does not count as a proof, or None: it gives up, or trusts compiled code."""
    if _MAY_PROVE_NOTHING.search(tactic) is None:
        return None
    tokens = list(tactic_tokens(tactic))
    reason = _refused(tokens)
    if reason is not None and reason.endswith((GIVES_UP, TRUSTS)):
        return reason
    plain = _code(tokens)
    return f"its configuration {TRUSTS}, or may do so" if _may_trust(plain) else None


def _may_trust(plain: str) -> bool:
    return _NATIVE.search(plain) is not None or any(found["hidden"] for found in _DECIDE.finditer(plain))


def without_sorry(tactic: str) -> str:
    """A tactic with `skip` in place of `sorry`, to see what else is in it."""
    return _SORRY.sub("skip", tactic)


def has_sorry(text: str) -> bool:
    """Whether a text contains `sorry` or another way to give up, outside comments and strings."""
    return any(
        token.text in GIVING_UP or LAST_PARTS.get(_last_part(token.text)) == GIVES_UP
        for token in tactic_tokens(text)
        if token.kind == "name"
    )


def _refused(tokens: Sequence[Token]) -> str | None:
    """The first word that is refused, with the reason. In a string with braces there may be code."""
    for token, after in zip_longest(tokens, tokens[1:]):
        if token.kind == "string" and "{" in token.text:
            inner = _refused(list(tactic_tokens(token.text[1:].replace('"', " "))))
            if inner is not None:
                return inner
        if token.kind == "name":
            is_longer = after is not None and after.text == "%"  # as in `eval%`
            word = f"{token.text}%" if is_longer and f"{token.text}%" in WORDS else token.text
            reason = WORDS.get(word) or LAST_PARTS.get(_last_part(word))
            if reason is not None:
                return f"`{word}` {reason}"
    return None


def _command(tokens: Sequence[Token]) -> str | None:
    """The first command in a text, as a reason; None if there is none.

    After an error Lean goes on one character further, which may be in the middle of a string, or after the first
    letter of a name. So what strings and comments contain counts, too, and the rest of `h.end`.
    """
    before = ""
    for token in tokens:
        words = [token.text]
        if token.kind in _HIDING:
            words = _WORD.findall(token.text)
        elif token.kind == "name":
            words = [
                f"{before}{token.text}",
                token.text,
                token.text[2:] if token.text[1:2] in _SPLITS else "",
            ]
        for word in words:
            if word in COMMANDS or (word[:1] == "#" and word[1:].startswith(HASH_COMMANDS)):
                return f"it contains the command `{word}`"
        before = "#" if token.text == "#" else ""
    return None


def _last_part(name: str) -> str:
    return name.rpartition(".")[2].strip("«»")


def brackets(text: str) -> tuple[str | None, list[str]]:
    """What is wrong with a text's brackets, strings or comments (None: nothing), and the brackets left open."""
    problem, still_open, _ = _balance(list(tactic_tokens(text)))
    return problem, still_open


def _balance(tokens: Sequence[Token]) -> tuple[str | None, list[str], int]:
    """As `brackets`, and the deepest level of nested brackets."""
    still_open: list[str] = []
    deepest = 0
    for token in tokens:
        if token.kind == "raw":
            return "it contains a raw string", still_open, deepest
        if token.kind in ("block", "string") and not token.is_closed:
            return OPEN_COMMENT if token.kind == "block" else OPEN_STRING, still_open, deepest
        if token.kind == "open":
            still_open.append(token.text)
            deepest = max(deepest, len(still_open))
        elif token.kind == "close":
            if not still_open or PAIRS[still_open[-1]] != token.text:
                return f"`{token.text}` closes nothing", still_open, deepest
            still_open.pop()
    return None, still_open, deepest


def code(text: str) -> str:
    """The text without comments and strings. Strings with braces, which may contain code, are kept."""
    return _code(tactic_tokens(text))


def _code(tokens: Iterable[Token]) -> str:
    parts = []
    for token in tokens:
        if token.is_comment:
            parts.append(" ")
        elif token.kind != "string" or "{" in token.text:
            parts.append(token.text)
    return "".join(parts)


def comment_end(text: str, start: int) -> int:
    """The end of the block comment that begins at `start`; the end of the text if it is left open."""
    end = block_end(text, start)
    return len(text) if end is None else end
