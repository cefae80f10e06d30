"""Parses and applies translating attributes such as `to_additive (attr := simp) foo /-- doc -/`."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace

from lean_extract.records import Premise
from lean_extract.source.attributes.fixed_types import fixed_in
from lean_extract.source.attributes.translation import TRANSLATIONS, Translation
from lean_extract.source.grammar.declarations import Attribute, nested_attributes, option
from lean_extract.source.names.scopes import split_name
from lean_extract.syntax.brackets import close
from lean_extract.syntax.lexer import Tokens, is_identifier


@dataclass(frozen=True, slots=True)
class Request:
    """A parsed translating attribute."""

    translation: Translation
    target: str
    makes_new: bool
    nested: tuple[Attribute, ...]
    """The attributes of `(attr := ...)`."""
    doc: str | None
    fixed_types: frozenset[str] = frozenset()
    """The types of `(dont_translate := R)`."""

    def fixed(self, premise: Premise) -> frozenset[str]:
        """The variables of a statement whose types are not translated."""
        return fixed_in((*premise.context, premise.conclusion), self.fixed_types)


def parse_request(
    tokens: Tokens, attribute: Attribute, translations: Mapping[str, Translation] = TRANSLATIONS
) -> Request | None:
    """Parse a translating attribute, such as `to_additive (attr := simp) foo`; None for any other attribute.

    `translations` holds the translating attributes with the hints given so far in the file.
    """
    translation = translations.get(attribute.name.removesuffix("?"))
    if translation is None:
        return None
    texts = tokens.texts
    target, makes_new, doc = "", True, None
    index = attribute.begin + 1
    while index < attribute.end:
        text = texts[index]
        if text == "(":
            index = close(texts, index, attribute.end)
        elif text in ("existing", "self", "none"):
            makes_new = False
        elif text[:3] == "/--":
            doc = text[3:].removesuffix("-/").strip()
        elif text[:1] == '"':
            doc = text[1:-1]
        elif is_identifier(text):
            target = text
        index += 1
    fixed = frozenset((option(tokens, attribute, "dont_translate") or "").split())
    return Request(translation, target, makes_new, nested_attributes(tokens, attribute), doc, fixed)


def target_name(request: Request, source: str) -> str:
    """The name that the attribute gives to the translation of `source`.

    An explicit target with n components replaces the last n components.
    """
    parts = split_name(source)
    namespace = split_name(request.translation.name(".".join(parts[:-1]))) if len(parts) > 1 else []
    if not request.target:
        return ".".join([*namespace, request.translation.component(parts[-1])])
    return renamed(request.target, namespace)


def renamed(target: str, namespace: list[str]) -> str:
    """The full name for a name given in an attribute: with n components, it replaces the last n."""
    if target.startswith("_root_."):
        return target[7:]
    kept = namespace[: max(0, len(namespace) - (len(split_name(target)) - 1))]
    return ".".join([*kept, target])


def translated(request: Request, premise: Premise, fixed: Set[str]) -> Premise:
    """The declaration that the attribute generates from `premise`. `fixed`: as `Request.fixed` gives them."""
    translation = request.translation
    return replace(
        premise,
        name=target_name(request, premise.name),
        context=tuple([translation.statement(binder, fixed) for binder in premise.context]),
        conclusion=translation.statement(premise.conclusion, fixed),
        doc=request.doc,
        attributes=tuple([attribute.text for attribute in request.nested]),
        generated_by=translation.attribute,
        generated_from=premise.name,
    )
