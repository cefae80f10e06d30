"""Generates the declarations that attributes make, nested or not: `to_additive`, `simps`, `reassoc`, `ext`, …"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from lean_extract.records import Premise
from lean_extract.source.attributes.related import RELATED, TYPES, related
from lean_extract.source.attributes.simps import Projection, simps_lemmas
from lean_extract.source.attributes.translation import TRANSLATIONS, Translation
from lean_extract.source.attributes.translation_requests import Request, parse_request, translated
from lean_extract.source.grammar.declarations import Attribute, nested_attributes
from lean_extract.syntax.lexer import Tokens

_MOST_DEPTH = 5
"""Levels of nested attributes. Each level may double the number of declarations. Mathlib has two levels."""
_MOST = 200
"""Declarations that the attributes of one declaration generate. Mathlib has at most forty."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A declaration to which attributes are applied, with what they need to know about it."""

    premise: Premise
    fields: tuple[str, ...] = ()
    """For a structure: its own fields."""
    projections: tuple[Projection, ...] = ()
    """For a definition: the projections for which `simps` generates lemmas."""

    def translated(self, request: Request) -> Subject:
        """The declaration that a translating attribute generates, or names as an existing one."""
        translation = request.translation
        fixed = request.fixed(self.premise)
        return Subject(
            translated(request, self.premise, fixed),
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
    for premise in islice(made, _MOST):
        yield replace(premise, generated_from=subject.premise.name)


@dataclass(frozen=True, slots=True)
class _Generator:
    tokens: Tokens
    translations: Mapping[str, Translation]

    def made(self, attribute: Attribute, subject: Subject, depth: int) -> Iterator[Premise]:
        """The declarations that one attribute generates from one declaration."""
        request = parse_request(self.tokens, attribute, self.translations)
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
        if depth > _MOST_DEPTH:
            return
        for attribute in attributes:
            for subject in subjects:
                yield from self.made(attribute, subject, depth)

    def _translate(self, request: Request, subject: Subject, depth: int) -> Iterator[Premise]:
        """The translation. Nested attributes apply to the declaration and to every translation of it."""
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
