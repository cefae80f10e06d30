"""Applies commands that add name hints to a translating attribute, such as `to_dual_name_hint Left Right`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from lean_extract.source.attributes.translation import Translation
from lean_extract.syntax.lexer import is_identifier

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
