"""An explanation as people read it: as text for a terminal, or as one file of HTML without scripts. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import TextIO

from retriever.proof_matching.explanation.explain import Explanation, Text, Weighted
from retriever.proof_matching.schema import Token
from retriever.proof_matching.tokens import UNICODE_STYLES

_FOR = (230, 223, 216, 214, 208)
"""Orange backgrounds among a terminal's 256 colours, from the palest."""
_AGAINST = (195, 153, 117, 75, 69)
_MARGIN = 2
_STYLE = """
:root { color-scheme: light dark; font: 1rem/1.7 system-ui, sans-serif; }
body { max-width: 52rem; margin: 2rem auto; padding: 0 1rem; color: #1b1b1b; background: #fff; }
h1 { font-size: 1.3rem; } h2 { font-size: 1rem; margin: 1.5rem 0 .2rem; }
p.text { margin: 0; overflow-wrap: anywhere; font-family: Georgia, serif; }
mark { color: inherit; border-radius: .2em; padding: .05em .1em; }
.for { background: rgb(240 130 20 / var(--w)); } .against { background: rgb(40 120 230 / var(--w)); }
table { border-collapse: collapse; } td, th { text-align: left; padding: .1rem 1rem .1rem 0; }
td.weight { text-align: right; font-variant-numeric: tabular-nums; }
@media (prefers-color-scheme: dark) { body { color: #eee; background: #161616; } }
"""
_FAINT, _STRONG = 0.08, 0.75
"""Opacity of the colours: letters stay readable on the strongest, on white and on black."""


def has_colour(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Whether a stream is to be coloured: a terminal, and not against NO_COLOR (no-color.org)."""
    return stream.isatty() and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"


def render_terminal(
    explanation: Explanation, *, width: int = 100, colour: bool = False, most: int = 20
) -> str:
    """The explanation, for a terminal of `width` columns.

    With colour the explained side is shown as in Figure 7.1: tokens that support the match on orange, those
    against it on blue, darker where they matter more; then the `most` weightiest as a list. Without, only the
    list.
    """
    parts = [_headline(explanation)]
    if colour:
        legend = f"{_painted(' for ', _FOR[-2])} supports the match  {_painted(' against ', _AGAINST[-2])}"
        parts += [f"{legend} speaks against it, darker where it matters more", ""]
        parts += [f"{explanation.side}:", *_text(explanation, width), ""]
    parts += _listed(explanation.tokens[:most])
    if len(explanation.tokens) > most:
        parts.append(f"and {len(explanation.tokens) - most:,} more that matter less")
    return "\n".join([*parts, "", *_sums(explanation)]) + "\n"


def _headline(explanation: Explanation) -> str:
    """The score, and how it was explained."""
    return (
        f"match: probability {explanation.probability:.3f} (log-odds {explanation.score:+.2f}); "
        f"explained by the tokens of the {explanation.side}, {explanation.samples:,} samples, "
        f"R² {explanation.fit:.2f}"
    )


def _sums(explanation: Explanation) -> list[str]:
    """Lines with what symbols and words add up to."""
    lines = [f"without any token {explanation.base:+.2f}"]
    for math, what in ((True, "symbols"), (False, "words")):
        support = explanation.total(math=math, supports=True)
        against = explanation.total(math=math, supports=False)
        lines.append(f"{what}: {support:+.2f} for, {against:+.2f} against")
    return lines


def _strength(weight: float, explanation: Explanation) -> float:
    """How much a weight matters relative to the largest, in [0, 1]."""
    largest = abs(explanation.tokens[0].weight)
    return abs(weight) / largest if largest else 0.0


def _listed(tokens: tuple[Weighted, ...]) -> list[str]:
    wide = max(len(glyph(one.token)) for one in tokens)
    return [
        f"{one.weight:+8.3f}  {glyph(one.token):<{wide}}  {'symbol' if one.token.is_math else 'word'}"
        + (f", {one.count} times" if one.count > 1 else "")
        for one in tokens
    ]


def _text(explanation: Explanation, width: int) -> list[str]:
    weights = explanation.weights
    lines: list[str] = []
    line, used = "", 0
    for space, token in _spaced(explanation.explained):
        shown = glyph(token)
        if used and used + len(space) + len(shown) > width - _MARGIN:
            lines.append(line)
            line, used, space = "", 0, ""
        line += space + _weighed(shown, weights[token], _strength(weights[token], explanation))
        used += len(space) + len(shown)
    return [" " * _MARGIN + line for line in [*lines, line]]


def _weighed(text: str, weight: float, share: float) -> str:
    shades = _FOR if weight > 0 else _AGAINST
    step = round(share * len(shades))
    return _painted(text, shades[step - 1]) if step else text


def _painted(text: str, shade: int) -> str:
    # Black letters: all these backgrounds are pale enough, whatever the terminal's own colours are.
    return f"\x1b[38;5;16;48;5;{shade}m{text}\x1b[0m"


def render_html(explanation: Explanation, *, title: str = "What a match rests on", most: int = 30) -> str:
    """The explanation as XHTML-compatible HTML.

    Both texts are there, the explained one with its tokens coloured as in Figure 7.1 (orange supports the
    match, blue speaks against it) and each with its weight on hover, a legend, the sums of symbols and of
    words, and the `most` weightiest tokens.
    """
    weights = explanation.weights
    sides = "\n".join(
        f"<h2>{name}</h2>\n<p class='text'>{_marked(text, explanation, weights if explained else {})}</p>"
        for name, text, explained in (
            ("Statement", explanation.statement, explanation.side == "statement"),
            ("Proof", explanation.proof, explanation.side == "proof"),
        )
    )
    rows = "\n".join(
        f"<tr><td class='weight'>{one.weight:+.3f}</td>"
        f"<td>{_mark(one.token, one.weight, explanation)}</td>"
        f"<td>{'symbol' if one.token.is_math else 'word'}</td><td>{one.count}</td></tr>"
        for one in explanation.tokens[:most]
    )
    rest = len(explanation.tokens) - most
    return f"""<!DOCTYPE html>
<html lang="en" xmlns="http://www.w3.org/1999/xhtml">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<title>{escape(title)}</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>{escape(title)}</h1>
<p>{escape(_headline(explanation))}</p>
<p><mark class="for" style="--w: {_STRONG}">for</mark> supports the match,
<mark class="against" style="--w: {_STRONG}">against</mark> speaks against it;
the stronger the colour, the more it matters. Weights are in log-odds.</p>
{sides}
<h2>Sums</h2>
<ul>
{"".join(f"<li>{escape(line)}</li>" for line in _sums(explanation))}
</ul>
<h2>Tokens</h2>
<table>
<thead><tr><th>Weight</th><th>Token</th><th>Kind</th><th>Times</th></tr></thead>
<tbody>
{rows}
</tbody>
</table>
{f"<p>and {rest:,} more that matter less</p>" if rest > 0 else ""}
</body>
</html>
"""


def _marked(text: Text, explanation: Explanation, weights: dict[Token, float]) -> str:
    return "".join(
        space + (_mark(token, weights[token], explanation) if token in weights else _letters(token))
        for space, token in _spaced(text)
    )


def _mark(token: Token, weight: float, explanation: Explanation) -> str:
    share = _strength(weight, explanation)
    opacity = round(_STRONG * share, 3)
    if opacity < _FAINT:
        return f"<span title='{weight:+.3f}'>{_letters(token)}</span>"
    side = "for" if weight > 0 else "against"
    return f"<mark class='{side}' style='--w: {opacity}' title='{weight:+.3f}'>{_letters(token)}</mark>"


def _letters(token: Token) -> str:
    """A token's own text; a letter of a formula leans, as in print."""
    text = escape(glyph(token))
    return (
        f"<i>{text}</i>" if token.kind == "identifier" and not token.font and len(token.text) == 1 else text
    )


def glyph(token: Token) -> str:
    """A token in its font, where Unicode's mathematical alphabets have it: `ℝ`, `𝐱`, `𝓕`.

    What cannot be printed becomes a replacement character, so nothing here controls a terminal.
    """
    text = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in token.text)
    return "".join(_styled(char, token.font) for char in text)


def _spaced(tokens: Sequence[Token]) -> Iterator[tuple[str, Token]]:
    """The space before each token; "" at the start and where there should be none."""
    before: Token | None = None
    for token in tokens:
        yield "" if before is None or _joined(before, token) else " ", token
        before = token


def _joined(before: Token, token: Token) -> bool:
    if token.text in (",", ".", ";", ":", ")", "]", "?", "!"):
        return True
    return before.text in ("(", "[") or (before.is_math and token.is_math and token.text in ("(", "'"))


def _styled(char: str, font: str) -> str:
    """A character in another font; itself where Unicode has no such."""
    if font in ("", "normal"):
        return char
    style = UNICODE_STYLES.get(font, font.upper().replace("-", " "))
    letter = unicodedata.name(char, "").removeprefix("LATIN ").removeprefix("GREEK ").replace(" LETTER ", " ")
    for name in (f"{style} {letter}", f"{style} {letter}".replace("FRAKTUR", "BLACK-LETTER")):
        for whole in (f"MATHEMATICAL {name}", name):
            try:
                return unicodedata.lookup(whole)
            except KeyError:
                continue
    return char
