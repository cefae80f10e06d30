"""An explanation as a page: one file without scripts that needs no other. Pure."""

from __future__ import annotations

from html import escape

from retriever.proof_matching.explanation.explain import Explanation, Text
from retriever.proof_matching.explanation.glyphs import glyph, spaced
from retriever.proof_matching.explanation.text import headline, strength, sums
from retriever.proof_matching.schema import Token

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


def render_html(explanation: Explanation, *, title: str = "What a match rests on", most: int = 30) -> str:
    """The explanation as XHTML-compatible HTML.

    Both texts are there, the explained one with its tokens coloured as in Figure 7.1 (orange supports the
    match, blue speaks against it) and each with its weight on hover, a legend, the sums of symbols and of
    words, and the `most` weightiest tokens.
    """
    weights = explanation.weights
    sides = "\n".join(
        f"<h2>{name}</h2>\n<p class='text'>{_text(text, explanation, weights if explained else {})}</p>"
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
<p>{escape(headline(explanation))}</p>
<p><mark class="for" style="--w: {_STRONG}">for</mark> supports the match,
<mark class="against" style="--w: {_STRONG}">against</mark> speaks against it;
the stronger the colour, the more it matters. Weights are in log-odds.</p>
{sides}
<h2>Sums</h2>
<ul>
{"".join(f"<li>{escape(line)}</li>" for line in sums(explanation))}
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


def _text(text: Text, explanation: Explanation, weights: dict[Token, float]) -> str:
    return "".join(
        space + (_mark(token, weights[token], explanation) if token in weights else _letters(token))
        for space, token in spaced(text)
    )


def _mark(token: Token, weight: float, explanation: Explanation) -> str:
    share = strength(weight, explanation)
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
