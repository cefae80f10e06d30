"""An explanation as text for a terminal. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TextIO

from retriever.proof_matching.explanation.explain import Explanation, Weighted
from retriever.proof_matching.explanation.glyphs import glyph, spaced

_FOR = (230, 223, 216, 214, 208)
"""Orange backgrounds among a terminal's 256 colours, from the palest."""
_AGAINST = (195, 153, 117, 75, 69)
_MARGIN = 2


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
    parts = [headline(explanation)]
    if colour:
        legend = f"{_painted(' for ', _FOR[-2])} supports the match  {_painted(' against ', _AGAINST[-2])}"
        parts += [f"{legend} speaks against it, darker where it matters more", ""]
        parts += [f"{explanation.side}:", *_text(explanation, width), ""]
    parts += _listed(explanation.tokens[:most])
    if len(explanation.tokens) > most:
        parts.append(f"and {len(explanation.tokens) - most:,} more that matter less")
    return "\n".join([*parts, "", *sums(explanation)]) + "\n"


def headline(explanation: Explanation) -> str:
    """The score, and how it was explained."""
    return (
        f"match: probability {explanation.probability:.3f} (log-odds {explanation.score:+.2f}); "
        f"explained by the tokens of the {explanation.side}, {explanation.samples:,} samples, "
        f"R² {explanation.fit:.2f}"
    )


def sums(explanation: Explanation) -> list[str]:
    """Lines with what symbols and words add up to."""
    lines = [f"without any token {explanation.base:+.2f}"]
    for math, what in ((True, "symbols"), (False, "words")):
        support = explanation.total(math=math, supports=True)
        against = explanation.total(math=math, supports=False)
        lines.append(f"{what}: {support:+.2f} for, {against:+.2f} against")
    return lines


def strength(weight: float, explanation: Explanation) -> float:
    """How much a weight matters beside the largest, in [0, 1]."""
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
    for space, token in spaced(explanation.explained):
        shown = glyph(token)
        if used and used + len(space) + len(shown) > width - _MARGIN:
            lines.append(line)
            line, used, space = "", 0, ""
        line += space + _weighed(shown, weights[token], strength(weights[token], explanation))
        used += len(space) + len(shown)
    return [" " * _MARGIN + line for line in [*lines, line]]


def _weighed(text: str, weight: float, share: float) -> str:
    shades = _FOR if weight > 0 else _AGAINST
    step = round(share * len(shades))
    return _painted(text, shades[step - 1]) if step else text


def _painted(text: str, shade: int) -> str:
    # Black letters: all these backgrounds are pale enough, whatever the terminal's own colours are.
    return f"\x1b[38;5;16;48;5;{shade}m{text}\x1b[0m"
