"""Declarations that attributes make, nested or not: `to_additive`, `to_fun`, `simps`, `reassoc`, `ext`, …"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from lean_extract.records import Premise
from lean_extract.source.attributes.nested_attributes import nested_attributes
from lean_extract.source.attributes.related import RELATED, TYPES, related
from lean_extract.source.attributes.simps import Projection, simps_lemmas
from lean_extract.source.attributes.translation import TRANSLATIONS, Translation
from lean_extract.source.attributes.translation_requests import Request, parse_request, translated
from lean_extract.source.grammar.declarations import Attribute
from lean_extract.syntax.lexer import Tokens

_MOST_DEPTH = 5
"""How deep attributes nest: each level may double what there is. Mathlib has two."""
_MOST = 200
"""Declarations that the attributes of one declaration make; Mathlib has no more than forty."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What attributes are given to: a declaration, and what they need to know of it."""

    premise: Premise
    fields: tuple[str, ...] = ()
    """Of a structure: its own fields."""
    projections: tuple[Projection, ...] = ()
    """Of a definition: what `simps` tells of it."""

    def translated(self, request: Request) -> Subject:
        """The declaration that a translating attribute makes, or names as there already."""
        translation = request.translation
        return Subject(
            translated(request, self.premise),
            tuple([translation.component(name) for name in self.fields]),
            tuple([projection.translated(translation) for projection in self.projections]),
        )


def generate(
    tokens: Tokens,
    subject: Subject,
    attributes: Sequence[Attribute],
    translations: Mapping[str, Translation] = TRANSLATIONS,
) -> Iterator[Premise]:
    """Everything that the attributes of a declaration make of it, as far as the text tells.

    All of it is told as made from the declaration that carries the attributes. The translation of a
    structure or inductive type is always written out in the source; only what else its attributes make
    is given.
    """
    generator = _Generator(tokens, translations)
    made = (premise for attribute in attributes for premise in generator.made(attribute, subject, 0))
    for premise in islice(made, _MOST):
        yield replace(premise, generated_from=subject.premise.name)


@dataclass(frozen=True, slots=True)
class _Generator:
    tokens: Tokens
    translations: Mapping[str, Translation]

    def made(self, attribute: Attribute, subject: Subject, depth: int) -> Iterator[Premise]:
        """What one attribute makes of one declaration."""
        request = parse_request(self.tokens, attribute, self.translations)
        if request is not None:
            yield from self._translate(request, subject, depth)
            return
        if attribute.name.removesuffix("?").removesuffix("!") == "simps":
            new = simps_lemmas(self.tokens, subject.premise, attribute, subject.projections)
        else:
            new = related(self.tokens, subject.premise, attribute, subject.fields)
        yield from new
        # `reassoc (attr := simp)` gives `simp` to both; `simps (attr := ...)` to its lemmas alone
        both = [subject] if attribute.name in RELATED else []
        yield from self._nested(
            nested_attributes(self.tokens, attribute), [*both, *map(Subject, new)], depth + 1
        )

    def _nested(
        self, attributes: Sequence[Attribute], subjects: Sequence[Subject], depth: int
    ) -> Iterator[Premise]:
        if depth > _MOST_DEPTH:
            return
        for attribute in attributes:
            for subject in subjects:
                yield from self.made(attribute, subject, depth)

    def _translate(self, request: Request, subject: Subject, depth: int) -> Iterator[Premise]:
        """The translation; what is nested is given to the declaration and to every translation of it."""
        twin = subject.translated(request)
        is_new = twin.premise.name != subject.premise.name
        if is_new and request.makes_new and subject.premise.kind not in TYPES:
            yield twin.premise
        subjects = [subject, twin] if is_new else [subject]
        others: list[Attribute] = []
        for attribute in request.nested:
            inner = parse_request(self.tokens, attribute, self.translations)
            if inner is None or inner.translation is not request.translation:
                others.append(attribute)
            elif is_new and depth < _MOST_DEPTH:
                # `to_additive (attr := to_additive)`: the translation is translated once more
                yield from self._translate(inner, twin, depth + 1)
                subjects.append(twin.translated(inner))
        yield from self._nested(others, subjects, depth + 1)
