"""The figures of Tables 3.2 and 3.3 for a set of pairs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np

from retriever.proof_matching.schema import StatementProofs, Token
from retriever.search.splits import SPLITS

_MOST = 13
"""Categories shown, as many as in Table 3.2."""


def tables(pairs: StatementProofs) -> str:
    """Tables 3.2 and 3.3 as Markdown, for a set with at least one pair."""
    return "\n\n".join(("\n".join(_corpus(pairs)), "\n".join(_lengths(pairs))))


def _corpus(pairs: StatementProofs) -> list[str]:
    articles: defaultdict[str, set[str]] = defaultdict(set)
    for pair in pairs.pairs:
        articles[pair.category or "-"].add(pair.source)
    by_category = Counter(pair.category or "-" for pair in pairs.pairs)
    kinds = Counter(pair.kind for pair in pairs.pairs)
    parts = Counter(pairs.splits[pair.key] for pair in pairs.pairs)
    sources = len({pair.source for pair in pairs.pairs})
    lines = [
        "| Table 3.2 | articles | pairs |",
        "|---|---|---|",
        f"| All | {sources:,} | {len(pairs.pairs):,} |",
        f"| Pairs an article | | {len(pairs.pairs) / max(sources, 1):.1f} |",
        f"| Categories | | {len(by_category):,} |",
    ]
    lines += [
        f"| {name} | {len(articles[name]):,} | {number:,} |"
        for name, number in by_category.most_common(_MOST)
    ]
    lines += [f"| *{name}* | | {number:,} |" for name, number in kinds.most_common()]
    return lines + [f"| part: {part} | | {parts[part]:,} |" for part in SPLITS]


def _lengths(pairs: StatementProofs) -> list[str]:
    lines = ["| Table 3.3 | min | max | mean ± SD |", "|---|---|---|---|"]
    spelled: tuple[set[str], set[str]] = (set(), set())
    for side in ("statement", "proof"):
        texts: list[Sequence[Token]] = [getattr(pair, side) for pair in pairs.pairs]
        math = np.array([sum(token.is_math for token in text) for text in texts])
        all_ = np.array([len(text) for text in texts])
        lines.append(f"| **{side.capitalize()}s** | | | |")
        for name, column in (("Text+math", all_), ("Text only", all_ - math), ("Math only", math)):
            lines.append(
                f"| {name} | {column.min():,} | {column.max():,} | {column.mean():.0f} ± {column.std():.0f} |"
            )
        share = 100 * math / np.maximum(all_, 1)
        mean = f"{share.mean():.0f}% ± {share.std():.0f}"
        lines.append(f"| Math proportion | {share.min():.1f}% | {share.max():.1f}% | {mean} |")
        for token in (token for text in texts for token in text):
            spelled[token.is_math].add(token.spelled)
    return [
        *lines,
        f"| Vocabulary: text | | | {len(spelled[0]):,} |",
        f"| Vocabulary: math | | | {len(spelled[1]):,} |",
    ]
