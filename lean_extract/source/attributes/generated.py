"""Generates the declarations that attributes make, nested or not: `to_additive`, `simps`, `reassoc`, `ext`, …

Parses translating attributes such as `to_additive (attr := simp) foo /-- doc -/`, and applies commands that add name
hints to them, such as `to_dual_name_hint Left Right`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import islice
from types import MappingProxyType

from lean_extract.limits import MAX_ATTRIBUTE_DEPTH, MAX_GENERATED
from lean_extract.records import Premise
from lean_extract.source.attributes.fixed_types import fixed_in
from lean_extract.source.attributes.related import RELATED, TYPES, related, renamed
from lean_extract.source.attributes.simps import Projection, simps_lemmas
from lean_extract.source.attributes.translation import TRANSLATIONS, Translation
from lean_extract.source.grammar.declarations import Attribute, nested_attributes, option
from lean_extract.source.names.scopes import split_name
from lean_extract.syntax.brackets import close
from lean_extract.syntax.lexer import Tokens, is_identifier

HINT_WORDS = frozenset(("to_dual_name_hint", "to_additive_name_hint", "insert_to_additive_translation"))


def hinted(
    translations: Mapping[str, Translation], texts: list[str], begin: int, end: int
) -> Mapping[str, Translation]:
    """The translations after the command in the tokens [begin, end). A hint holds for the rest of the file."""
    word = texts[begin]
    names = [text for text in texts[begin + 1 : end] if is_identifier(text)]
    attribute = "to_dual" if word == "to_dual_name_hint" else "to_additive"
    translation = translations[attribute]
    for source, target in zip(names[::2], names[1::2], strict=False):
        if word == "insert_to_additive_translation":
            translation = translation.with_namespace(source, target)
            continue
        translation = translation.with_hint(source, target)
        if attribute == "to_dual":
            translation = translation.with_hint(target, source)
    return MappingProxyType({**translations, attribute: translation})


@dataclass(frozen=True, slots=True)
class _Request:
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


def _parse_request(
    tokens: Tokens, attribute: Attribute, translations: Mapping[str, Translation] = TRANSLATIONS
) -> _Request | None:
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
    return _Request(translation, target, makes_new, nested_attributes(tokens, attribute), doc, fixed)


def _target_name(request: _Request, source: str) -> str:
    """The name that the attribute gives to the translation of `source`.

    An explicit target with n components replaces the last n components.
    """
    parts = split_name(source)
    namespace = split_name(request.translation.name(".".join(parts[:-1]))) if len(parts) > 1 else []
    if not request.target:
        return ".".join([*namespace, request.translation.component(parts[-1])])
    return renamed(request.target, namespace)


def _translated(request: _Request, premise: Premise, fixed: Set[str]) -> Premise:
    """The declaration that the attribute generates from `premise`. `fixed`: as `Request.fixed` gives them."""
    translation = request.translation
    return replace(
        premise,
        name=_target_name(request, premise.name),
        context=tuple([translation.statement(binder, fixed) for binder in premise.context]),
        conclusion=translation.statement(premise.conclusion, fixed),
        doc=request.doc,
        attributes=tuple([attribute.text for attribute in request.nested]),
        generated_by=translation.attribute,
        generated_from=premise.name,
    )


@dataclass(frozen=True, slots=True)
class Subject:
    """A declaration to which attributes are applied, with what they need to know about it."""

    premise: Premise
    fields: tuple[str, ...] = ()
    """For a structure: its own fields."""
    projections: tuple[Projection, ...] = ()
    """For a definition: the projections for which `simps` generates lemmas."""

    def translated(self, request: _Request) -> Subject:
        """The declaration that a translating attribute generates, or names as an existing one."""
        translation = request.translation
        fixed = request.fixed(self.premise)
        return Subject(
            _translated(request, self.premise, fixed),
            tuple([translation.component(name) for name in self.fields]),
            tuple([projection.translated(translation, fixed) for projection in self.projections]),
        )


def generate(
    tokens: Tokens,
    subject: Subject,
    attributes: Sequence[Attribute],
    translations: Mapping[str, Translation] = TRANSLATIONS,
) -> Iterator[Premise]:
    """All declarations that the attributes of a declaration generate, as far as the text determines them.

    Each has the declaration that carries the attributes as its `generated_from`. The translation of a structure
    or inductive type is always written out in the source, so it is not generated here; what its other
    attributes make of it is.
    """
    generator = _Generator(tokens, translations)
    made = (premise for attribute in attributes for premise in generator.made(attribute, subject, 0))
    for premise in islice(made, MAX_GENERATED):
        yield replace(premise, generated_from=subject.premise.name)


@dataclass(frozen=True, slots=True)
class _Generator:
    tokens: Tokens
    translations: Mapping[str, Translation]

    def made(self, attribute: Attribute, subject: Subject, depth: int) -> Iterator[Premise]:
        """The declarations that one attribute generates from one declaration."""
        request = _parse_request(self.tokens, attribute, self.translations)
        if request is not None:
            yield from self._translate(request, subject, depth)
            return
        if attribute.name.removesuffix("?").removesuffix("!") == "simps":
            new = simps_lemmas(self.tokens, subject.premise, attribute, subject.projections)
        else:
            new = related(self.tokens, subject.premise, attribute, subject.fields)
        yield from new
        # `reassoc (attr := simp)` applies `simp` to both; `simps (attr := ...)` applies it to its lemmas only
        both = [subject] if attribute.name in RELATED else []
        yield from self._nested(
            nested_attributes(self.tokens, attribute), [*both, *map(Subject, new)], depth + 1
        )

    def _nested(
        self, attributes: Sequence[Attribute], subjects: Sequence[Subject], depth: int
    ) -> Iterator[Premise]:
        if depth > MAX_ATTRIBUTE_DEPTH:
            return
        for attribute in attributes:
            for subject in subjects:
                yield from self.made(attribute, subject, depth)

    def _translate(self, request: _Request, subject: Subject, depth: int) -> Iterator[Premise]:
        """The translation. Nested attributes apply to the declaration and to every translation of it."""
        twin = subject.translated(request)
        is_new = twin.premise.name != subject.premise.name
        if is_new and request.makes_new and subject.premise.kind not in TYPES:
            yield twin.premise
        subjects = [subject, twin] if is_new else [subject]
        others: list[Attribute] = []
        for attribute in request.nested:
            inner = _parse_request(self.tokens, attribute, self.translations)
            if inner is None or inner.translation is not request.translation:
                others.append(attribute)
            elif is_new and depth < MAX_ATTRIBUTE_DEPTH:
                # `to_additive (attr := to_additive)`: the translation is translated once more
                yield from self._translate(inner, twin, depth + 1)
                subjects.append(twin.translated(inner))
        yield from self._nested(others, subjects, depth + 1)
