"""Parses the header of a file: `module`, `prelude` and the imports."""

from __future__ import annotations

from lean_extract.records import Import
from lean_extract.syntax.lexer import Tokens, is_identifier

_IMPORT_WORDS = frozenset(("import", "public", "meta", "private", "all"))


def parse_header(tokens: Tokens) -> tuple[tuple[Import, ...], bool, bool]:
    """The imports, whether the file is in the module system, and whether it is a `prelude` file."""
    texts = tokens.texts
    imports: list[Import] = []
    in_module_system = is_prelude = False
    index = 0
    while index < len(texts):
        word = texts[index]
        if word == "module":
            in_module_system = True
            index += 1
        elif word == "prelude":
            is_prelude = True
            index += 1
        else:
            words, name_index = _import_words(texts, index)
            if "import" not in words or name_index >= len(texts) or not is_identifier(texts[name_index]):
                break
            imports.append(Import(texts[name_index], "public" in words, "meta" in words, "all" in words))
            index = name_index + 1
    return tuple(imports), in_module_system, is_prelude


def _import_words(texts: list[str], index: int) -> tuple[set[str], int]:
    words: set[str] = set()
    while index < len(texts) and texts[index] in _IMPORT_WORDS:
        words.add(texts[index])
        index += 1
    return words, index
