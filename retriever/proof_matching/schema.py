"""Statement-proof pairs in memory (thesis, chapter 3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from retriever.search.splits import Split

Kind = Literal["word", "identifier", "operator", "number"]
Level = Literal["conservation", "partial", "full", "transposition"]
"""Levels of symbol replacement (section 4.2)."""
LEVELS: tuple[Level, ...] = ("conservation", "partial", "full", "transposition")
Modality = Literal["both", "text", "math"]
"""Which tokens a model reads (section 7.2.2)."""
MODALITIES: tuple[Modality, ...] = ("both", "text", "math")
FONTS = (
    "",
    "normal",
    "bold",
    "italic",
    "bold-italic",
    "double-struck",
    "script",
    "bold-script",
    "fraktur",
    "bold-fraktur",
    "sans-serif",
    "bold-sans-serif",
    "sans-serif-italic",
    "sans-serif-bold-italic",
    "monospace",
)
"""The fonts of a math token, as MathML's `mathvariant` names them. "" is the one that a symbol has by itself:
a single letter is italic, all else upright. So `normal` is on single letters only, `italic` on names."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word of the text, or a symbol of a formula."""

    text: str
    """Never empty, without white space; a word is in lower case."""
    kind: Kind
    """`word` is text, also prose inside a formula; an identifier is a letter or a name (`Hom`)."""
    font: str = ""
    """One of FONTS; of a word always ""."""

    @property
    def is_math(self) -> bool:
        """Whether it belongs to a formula's symbols."""
        return self.kind != "word"

    @property
    def spelled(self) -> str:
        r"""The entry of the vocabulary: `let` for a word, `$x` and `$double-struck:R` for symbols.

        The two vocabularies are disjoint, and a symbol in two fonts is two entries (section 3.3): a word is
        a run of letters or of digits, or one other character, so none is a dollar sign followed by something.
        """
        if self.kind == "word":
            return self.text
        return f"${self.font}:{self.text}" if self.font else f"${self.text}"


@dataclass(frozen=True, slots=True)
class StatementProof:
    """A statement and its proof."""

    key: str
    """Unique in the set, and the same whenever the source is read again."""
    statement: tuple[Token, ...]
    proof: tuple[Token, ...]
    kind: str
    """What the source calls the statement: theorem, lemma and so on."""
    category: str
    """The topic, such as math.AG; "" where the source has none."""
    source: str
    """The article, or the chapter of a book: what `unmixed` keeps in one part."""
    location: str
    """File, and line where the source has lines."""


@dataclass(frozen=True, slots=True)
class StatementProofs:
    """Pairs, and the part of each."""

    pairs: tuple[StatementProof, ...]
    splits: Mapping[str, Split]
    """By key; every pair has one."""

    def part(self, name: Split) -> tuple[StatementProof, ...]:
        """The pairs of a part, in their order."""
        return tuple(pair for pair in self.pairs if self.splits[pair.key] == name)
