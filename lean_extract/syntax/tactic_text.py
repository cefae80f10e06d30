"""Checks the text of a tactic before Lean sees it: whether it can be tried on its own at all. Pure functions.

Lean judges the tactics that are tried. This module rejects texts that are not one tactic (they end the
surrounding proof, run commands, or close brackets that they did not open), that prove nothing, or that are
unreadable.
"""

from __future__ import annotations

import re

from lean_extract.syntax.brackets import PAIRS

UNPROVED = frozenset({"sorryAx", "ofReduceBool", "ofReduceNat", "trustCompiler"})
"""Last components of axioms that do not count as a proof: a gap, or trust in compiled code."""
OPEN_COMMENT, OPEN_STRING = "a comment in it is not closed", "a string in it is not closed"
LONGEST = 10_000
"""Code points of a tactic. Nobody would read a longer one."""
_DEEPEST = 200
"""Levels of nested brackets in a tactic. With many more, Lean's parser would run out of stack."""
_COMMENT_MARK = re.compile(r"/-|-/")
_TOKEN = re.compile(
    r"""(?P<comment>--[^\n]*)|(?P<block>/-)|(?P<raw>(?<![\w'!?.✝»])r#*")|(?P<string>(?P<holes>[smf]!)?"(?:[^"\\]|\\.)*(?P<closed>"?))"""
    r"""|«[^«»\n]*»|(?<![\w'!?✝])'(?:[^'\\\n]|\\[^\n][^'\n]*)'|(?P<open>[(\[{⟨⦃])|(?P<close>[)\]}⟩⦄])""",
    re.DOTALL,
)
# Control characters, line breaks other than Lean's, and characters that change the writing direction.
_UNREADABLE = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff\ufffe\uffff]"
)
_GIVES_UP = re.compile(
    r"(?<![\w.'!?«])(?:sorry|admit|stop|sorry_if_sorry|plausible|slim_check|(?:apply|rw|have|refine|observe)\?)"
    r"(?![\w'!?»])"
    r"|(?<![\w'!?])sorryAx(?![\w'!?])"
)
_TRUSTS = re.compile(
    r"(?<![\w.'!?«])(?:native_decide|bv_decide)(?![\w'!?»])"
    r"|\+\s*«?native\b|\bnative»?\s*:="
    r"|(?<![\w'!?])(?:ofReduceBool|ofReduceNat|reduceBool|reduceNat|trustCompiler)(?![\w'!?])"
)
# If a configuration is not written out, it may switch `native` on.
_HIDES_CONFIGURATION = re.compile(
    r"(?<![\w.'!?«+-])decide(?:\s*[+-]\s*«?\w+»?|\s*\(\s*«?\w+»?\s*:=\s*\w+\s*\))*"
    r"\s*\(\s*«?config»?\s*:=(?!\s*\{\s*(?:\w+\s*:=\s*(?:true|false)\s*(?:,\s*)?)*\}\s*\))"
)
# After an error Lean continues at the next of these commands and executes it: `#eval` would run.
_COMMANDS = (
    "theorem|lemma|def|abbrev|instance|example|axiom|opaque|structure|class|inductive|coinductive|namespace|section"
    "|end|variable|universe|set_option|attribute|mutual|macro|macro_rules|syntax|declare_syntax_cat|notation"
    "|infix|infixl|infixr|prefix|postfix|elab|elab_rules|initialize|builtin_initialize|import|export|run_cmd"
    "|run_elab|run_meta|private|protected|noncomputable|partial|unsafe|suppress_compilation|init_quot"
)
_COMMAND = re.compile(
    rf"(?<![\w.'!?«])(?:(?P<word>{_COMMANDS})(?![\w'!?»])"
    r"|(?P<hash>#(?:eval|exit|print|check|reduce|synth|exec)\w*))"
)
_RUNS_CODE = re.compile(r"(?<![\w.'!?«])(?:run_tac|run_conv|by_elab|eval%|polyrith)(?![\w'!?»])")
# Lean may read the first four as an operator followed by a sign, in which case no comment begins. The last two
# begin a doc string, which has rules of its own.
_NO_COMMENT = re.compile(r"<--|\|--|//-|\\/-|/--|/-!")


def defect(tactic: str) -> str | None:
    """Why a tactic cannot be tried on its own, or None. Lean's own judgement comes later."""
    if not tactic.strip():
        return "there is no tactic"
    if len(tactic) > LONGEST:
        return f"it has more than {LONGEST:,} characters"
    if _UNREADABLE.search(tactic.replace("\r\n", "\n")):
        return "it contains a control character"
    plain = code(tactic)
    reason = proves_nothing(tactic)
    if reason is not None:
        return reason
    command = _COMMAND.search(plain)
    if command is not None:
        return f"it contains the command `{command['word'] or command['hash']}`"
    if _RUNS_CODE.search(plain):
        return "it runs code, or contacts another machine"
    if _NO_COMMENT.search(tactic):
        return "it is not certain where its comments begin"
    problem, still_open, deepest = _balance(tactic)
    if problem is None and deepest > _DEEPEST:
        return f"its brackets are nested more than {_DEEPEST} levels deep"
    return problem or (f"`{still_open[-1]}` is not closed" if still_open else None)


def proves_nothing(tactic: str) -> str | None:
    """Why a tactic does not count as a proof, or None: it gives up, or trusts compiled code."""
    plain = code(tactic)
    if _GIVES_UP.search(plain):
        return "it leaves the goal to `sorry`"
    if _TRUSTS.search(plain) or _HIDES_CONFIGURATION.search(plain):
        return "it trusts compiled code"
    return None


def has_sorry(text: str) -> bool:
    """Whether a text contains `sorry` or another way to give up, outside comments and strings."""
    return _GIVES_UP.search(code(text)) is not None


def brackets(text: str) -> tuple[str | None, list[str]]:
    """What is wrong with a text's brackets, strings or comments (None: nothing), and the brackets left open."""
    problem, still_open, _ = _balance(text)
    return problem, still_open


def _balance(text: str) -> tuple[str | None, list[str], int]:
    """As `brackets`, and the deepest level of nested brackets."""
    still_open: list[str] = []
    position = deepest = 0
    while match := _TOKEN.search(text, position):
        position = match.end()
        if match["raw"]:
            return "it contains a raw string", still_open, deepest
        if match["block"]:
            end = _closed_comment(text, match.start())
            if end is None:
                return OPEN_COMMENT, still_open, deepest
            position = end
        elif match["string"] and not match["closed"]:
            return OPEN_STRING, still_open, deepest
        elif match["open"]:
            still_open.append(match["open"])
            deepest = max(deepest, len(still_open))
        elif match["close"]:
            if not still_open or PAIRS[still_open[-1]] != match["close"]:
                return f"`{match['close']}` closes nothing", still_open, deepest
            still_open.pop()
    return None, still_open, deepest


def code(text: str) -> str:
    """The text without comments and strings. Interpolated strings, which may contain code, are kept."""
    parts: list[str] = []
    position = 0
    while match := _TOKEN.search(text, position):
        parts.append(text[position : match.start()])
        position = comment_end(text, match.start()) if match["block"] else match.end()
        if match["block"] or match["comment"]:
            parts.append(" ")
        elif match["holes"] or not match["string"]:
            parts.append(match.group())
    return "".join([*parts, text[position:]])


def comment_end(text: str, start: int) -> int:
    """The end of the block comment that begins at `start`; the end of the text if it is left open."""
    end = _closed_comment(text, start)
    return len(text) if end is None else end


def _closed_comment(text: str, start: int) -> int | None:
    depth = 0
    for mark in _COMMENT_MARK.finditer(text, start):
        depth += 1 if mark.group() == "/-" else -1
        if depth == 0:
            return mark.end()
    return None
