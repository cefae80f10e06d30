"""MathML as tokens: the leaves of Presentation markup, depth first (section 3.3)."""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from retriever.documents.latex_names import listed
from retriever.proof_matching.schema import Kind, Token
from retriever.proof_matching.tokens import is_prose, kind_of, symbols, words

_LEAVES: dict[str, Kind] = {"mi": "identifier", "mo": "operator", "mn": "number"}
_TEXT = frozenset(("mtext", "ms"))
_NOTHING = frozenset(("annotation", "mspace", "none", "mprescripts", "malignmark", "maligngroup"))
_CONTENT = listed(
    """apply bind bvar ci cn csymbol cs cbytes cerror interval lambda list matrix piecewise reln set vector"""
)
_PRESENTATION = frozenset(("MathML-Presentation", "application/mathml-presentation+xml"))


@dataclass(slots=True)
class Formula:
    """What a `math` element holds."""

    tokens: list[Token] = field(default_factory=list)
    annotations: int = 0
    """Annotations in content markup, left out as the presentation is there."""
    lost: int = 0
    """Parts in content markup alone, left out."""


def local(tag: object) -> str:
    """An element's name without its namespace or prefix, in lower case; "" for a comment."""
    return tag.rpartition("}")[2].rpartition(":")[2].lower() if isinstance(tag, str) else ""


def linearise(math: Element) -> Formula:
    """The leaves of an element, in the order of the document.

    `mi`, `mo` and `mn` are identifiers, operators and numbers in the font of their `mathvariant`, or of the
    nearest `mstyle` or `math` around them that has one; text in a formula is words, or one name where it has
    no space (`mtext` of `Mod`). `mfenced` shows its brackets. Of `semantics` the presentation is taken. Text
    where none belongs is read as what it looks like. Never raises.
    """
    formula = Formula()
    todo: list[tuple[Element | str, str]] = [(math, "")]
    while todo:
        item, font = todo.pop()
        if isinstance(item, str):
            for piece in item.split():
                formula.tokens += symbols(piece, kind_of(piece), font)
            continue
        name = local(item.tag)
        font = item.get("mathvariant", font)
        if name in _LEAVES:
            formula.tokens += symbols("".join(item.itertext()), _LEAVES[name], font)
        elif name in _TEXT:
            formula.tokens += _text("".join(item.itertext()), font)
        elif name in _CONTENT:
            formula.lost += 1
        elif name == "annotation-xml":
            formula.annotations += 1
        elif name not in _NOTHING:
            todo += reversed([(part, font) for part in _parts(item, name, formula)])
    return formula


def _text(text: str, font: str) -> list[Token]:
    if not text.strip():
        return []
    return words(text) if is_prose(text) else symbols(text, "identifier", font)


def _parts(element: Element, name: str, formula: Formula) -> list[Element | str]:
    """What an element that is not a leaf has in it: children, and text between them."""
    if name == "semantics":
        shown = _presentation(element)
        formula.annotations += sum(
            local(one.tag) == "annotation-xml" and one is not shown and not _is_shown(one) for one in element
        )
        if shown is None:
            return []
        return [*shown] if local(shown.tag) == "annotation-xml" else [shown]
    parts: list[Element | str] = [element.text or ""]
    separators = "".join(element.get("separators", ",").split()) if name == "mfenced" else ""
    for number, child in enumerate(element):
        if number and separators:
            parts.append(separators[min(number, len(separators)) - 1])  # the last one goes on
        parts += (child, child.tail or "")
    if name == "mfenced":
        return [element.get("open", "("), *parts, element.get("close", ")")]
    return parts


def _presentation(semantics: Element) -> Element | None:
    """The child of `semantics` that is to be shown."""
    children = [child for child in semantics if local(child.tag)]
    first = children[0] if children else None
    if first is not None and _is_note(first):
        first = None
    if first is not None and local(first.tag) not in _CONTENT:
        return first
    return next(filter(_is_shown, children), first)


def _is_note(element: Element) -> bool:
    return local(element.tag).startswith("annotation")


def _is_shown(element: Element) -> bool:
    return local(element.tag) == "annotation-xml" and element.get("encoding", "") in _PRESENTATION
