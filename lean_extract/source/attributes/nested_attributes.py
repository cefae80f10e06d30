"""Parses the parts of one attribute: its arguments, its options, and the attributes nested in it."""

from __future__ import annotations

from lean_extract.source.grammar.declarations import Attribute, parse_attributes
from lean_extract.syntax.brackets import close
from lean_extract.syntax.lexer import Tokens, is_identifier


def nested_attributes(tokens: Tokens, attribute: Attribute) -> tuple[Attribute, ...]:
    """The attributes in `(attr := ...)`, which may occur several times."""
    texts = tokens.texts
    found: list[Attribute] = []
    for opener, closer in _groups(texts, attribute):
        if closer - opener > 2 and texts[opener + 1] == "attr" and texts[opener + 2] == ":=":
            found += parse_attributes(tokens, opener + 3, closer)
    return tuple(found)


def option(tokens: Tokens, attribute: Attribute, name: str) -> str | None:
    """The value of the option `(name := value)`; None if it is not given."""
    texts = tokens.texts
    for opener, closer in _groups(texts, attribute):
        if closer - opener > 2 and texts[opener + 1] == name and texts[opener + 2] == ":=":
            return tokens.source(opener + 3, closer)
    return None


def arguments(tokens: Tokens, attribute: Attribute) -> list[str]:
    """The identifiers and numbers outside brackets, without flags (`-isSimp`, `+to_dual`)."""
    texts = tokens.texts
    found: list[str] = []
    index = attribute.begin + 1
    while index < attribute.end:
        text = texts[index]
        if text == "(":
            index = close(texts, index, attribute.end)
        elif text in ("-", "+"):
            index += 1
        elif is_identifier(text) or text.isdigit():
            found.append(text)
        index += 1
    return found


def _groups(texts: list[str], attribute: Attribute) -> list[tuple[int, int]]:
    """The bracketed options: the indices of each opening bracket and its closing bracket."""
    groups: list[tuple[int, int]] = []
    index = attribute.begin + 1
    while index < attribute.end:
        if texts[index] == "(":
            closer = close(texts, index, attribute.end)
            groups.append((index, closer))
            index = closer
        index += 1
    return groups
