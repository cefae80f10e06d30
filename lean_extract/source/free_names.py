"""Which of some names a piece of a term uses freely, that is, not bound inside it."""

from __future__ import annotations

from lean_extract.source.lexer import Tokens, is_identifier
from lean_extract.source.syntax import DEPTH

QUANTIFIERS = frozenset(
    (
        "∀", "∃", "∃!", "fun", "λ", "Σ", "Π", "∑", "∏", "⋃", "⋂", "⨆", "⨅", "∫", "∫⁻", "⨁", "⨂", "∐",
        "⋁", "⋀",
        "∑'", "∏'", "∀ᶠ", "∃ᶠ", "∀ᵐ", "∃ᵐ", "Σ'", "∑ᶠ", "∏ᶠ", "⨍", "⨍⁻", "∯", "∮", "forall", "exists",
    )
)  # fmt: skip
BINDING_ENDS = frozenset((",", "=>", "↦"))
_SET_MARKS = frozenset(("|", ":", "∈", "//"))


def free_names(texts: list[str], begin: int, end: int, candidates: frozenset[str]) -> frozenset[str]:
    """The candidates that occur in the tokens [begin, end) where nothing inside binds them.

    A quantifier binds from its own place to the end of the bracket that it stands in.
    """
    if candidates.isdisjoint(_bound_somewhere(texts, begin, end)):
        return candidates
    found: set[str] = set()
    bound: list[tuple[int, frozenset[str]]] = []
    depth = 0
    for index in range(begin, end):
        text = texts[index]
        step = DEPTH.get(text)
        if step is not None:
            depth += step
            while bound and bound[-1][0] > depth:
                bound.pop()
            if text == "{" and index + 2 < end and texts[index + 2] in _SET_MARKS:
                bound.append((depth, frozenset((texts[index + 1],))))
            continue
        if text in QUANTIFIERS:
            names, _ = binding_names(texts, index + 1, end)
            bound.append((depth, names))
            continue
        head = text.partition(".")[0]
        if head in candidates and not any(head in names for _, names in bound):
            found.add(head)
    return frozenset(found)


def _bound_somewhere(texts: list[str], begin: int, end: int) -> set[str]:
    bound: set[str] = set()
    for index in range(begin, end):
        text = texts[index]
        if text in QUANTIFIERS:
            bound |= binding_names(texts, index + 1, end)[0]
        elif text == "{" and index + 2 < end and texts[index + 2] in _SET_MARKS:
            bound.add(texts[index + 1])
    return bound


def binding_names(texts: list[str], begin: int, end: int) -> tuple[frozenset[str], int]:
    """The names that the binders from `begin` on bind, and the index of the `,`, `=>` or `↦` behind."""
    names: list[str] = []
    depth = 0
    in_type_below: int | None = None
    for index in range(begin, end):
        text = texts[index]
        step = DEPTH.get(text)
        if step is not None:
            depth += step
            if depth < 0:
                return frozenset(names), index
            if in_type_below is not None and depth < in_type_below:
                in_type_below = None
            continue
        if depth == 0 and text in BINDING_ENDS:
            return frozenset(names), index
        if in_type_below is None and text in _TYPE_MARKS:
            in_type_below = depth
        elif in_type_below is None and text != "_":
            names.append(text)
    return frozenset(names), end


_TYPE_MARKS = frozenset((":", "∈", "in", "<", "≤", ">", "≥", "⊆", "≠", ":=", "∉", "⊂", "∣"))


_INTRODUCERS = frozenset(
    ("intro", "intros", "rintro", "obtain", "rcases", "cases", "ext", "funext", "have", "let", "with",
     "next", "|",
     "rename_i", "induction", "set", "generalize", "case", "for", "mut")
)  # fmt: skip
_INTRODUCERS_END = frozenset((":=", ":", ";", "=>", "using", "at", "←", "from", "in"))


def names_bound_in_body(tokens: Tokens, begin: int, end: int) -> set[str]:
    """Names that a definition's body binds by patterns, tactics or `field x y := ...`, anywhere in it.

    Rough: a variable that is used freely and bound elsewhere in the same body counts as bound.
    """
    texts = tokens.texts
    firsts = set(tokens.firsts(begin, end))
    bound: set[str] = set()
    for index in range(begin, end):
        text = texts[index]
        if text == ":=":
            first = index - 1
            while first > begin and first not in firsts and is_identifier(texts[first]):
                first -= 1
            bound.update(texts[first + 1 : index])
        elif text in _INTRODUCERS:
            for place in range(index + 1, min(end, index + 40)):
                if texts[place] in _INTRODUCERS_END or (place in firsts and text != "|"):
                    break
                bound.add(texts[place])
    return bound
