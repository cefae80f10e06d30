"""The tokens of Lean, as one regular expression that reads any text in linear time."""

from __future__ import annotations

import re
from functools import cache

_START = (
    r"A-Za-z_\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017f\u0391-\u039f\u03a1\u03a2\u03a4-\u03a9"
    r"\u03b1-\u03ba\u03bc-\u03fb\u1f00-\u1ffe\u2100-\u214f\U0001d49c-\U0001d59f"
)
_REST = _START + r"0-9'!?\u2080-\u2089\u2090-\u209c\u1d62-\u1d6a\u2c7c"
LONGEST_QUOTED = 240
"""Characters between `«` and `»` in a name. The limit bounds how far the lexer looks ahead."""
_ATOM = rf"(?:[{_START}][{_REST}]*+|«[^«»\n]{{0,{LONGEST_QUOTED}}}+»)"
IDENTIFIER = rf"{_ATOM}(?:\.{_ATOM})*+"


def _comment(depth: int) -> str:
    """The expression of a block comment with up to `depth` levels nested inside it."""
    inner = f"|{_comment(depth - 1)}" if depth else ""
    return rf"/-(?>(?:[^-/]++|-(?!/)|/(?!-){inner})*)-/"


# Atomic groups instead of the equivalent `(...)*+`, which Python before 3.11.5 gets wrong (gh-106052).
_INSIDE = {
    'r###"': r'(?>(?:[^"]++|"(?!###))*)',
    'r##"': r'(?>(?:[^"]++|"(?!##))*)',
    'r#"': r'(?>(?:[^"]++|"(?!#))*)',
    'r"': r'[^"]*+',
    '"': r'(?>(?:[^"\\]++|\\[\s\S]?)*)',
}
"""The contents of a string, by the mark that opens it."""
OPENERS = frozenset(_INSIDE) | {"/-"}
"""The marks that begin a token which extends to a closing mark."""
_CHARACTER = r"'(?:\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[^xu])|[^\\'\n])'"
_NUMBER = r"0[xX][0-9a-fA-F]++|0[bB][01]++|\d++(?:\.\d++)?(?:[eE][+-]?\d++)?"
_OPERATOR = (
    r"<;>|<\|>|<\|(?!\|)|\|>|:=|=>|::|\.\.\.?|<->|<-|->|!=|==|<=|>=|&&|\|\||\+\+|\\/|/\\"
    r"|@\[|#\[|\.\{|⁻¹'?|[→≃][*+ₗₐₜᵢₙᵐₛᵤ₀-₉]++"
)


@cache
def lexing(openers: frozenset[str]) -> re.Pattern[str]:
    """The expression of a token and the white space after it. Only the marks in `openers` begin a string.

    A string or comment that does not end within the text extends to the end of the text, and so does a comment
    that is nested too deeply for the expression. The end of any other token depends on at most the
    `LONGEST_QUOTED + 16` characters after it.
    """
    strings = [
        rf"{opener}{inside}(?:\"{opener[1:-1]}|\Z)|"
        for opener, inside in _INSIDE.items()
        if opener in openers
    ]
    plain = strings.pop() if '"' in openers else ""
    return re.compile(
        rf"(?:{''.join(strings)}(?:Type|Sort)\*|{IDENTIFIER}|--[^\n]*+|{_comment(3)}|/-(?s:.*+)|{plain}''"
        rf"|{_CHARACTER}|{_NUMBER}"
        rf"|\.\d++|\.{IDENTIFIER}|{_OPERATOR}|``?{IDENTIFIER}|\s|\S)\s*+"
    )


_START_RANGES = re.findall(r"(.)(?:-(.))?", _START.encode().decode("unicode_escape"))
NAME_STARTS = frozenset(
    chr(code) for low, high in _START_RANGES for code in range(ord(low), ord(high or low) + 1)
) | {"«"}
"""The characters that begin an identifier. Hot loops test this set directly, to save the call of `is_identifier`."""
