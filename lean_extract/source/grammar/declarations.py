"""Splits a declaration into its parts: modifiers, attributes and their options, name, binders, type and value."""

from __future__ import annotations

from dataclasses import dataclass, field

from lean_extract.source.names.binders import Binder, parse_binders
from lean_extract.syntax.brackets import DEPTH, close
from lean_extract.syntax.keywords import DECLARATION_WORDS, MODIFIERS, TYPE_WORDS
from lean_extract.syntax.lexer import Tokens, is_identifier
from lean_extract.syntax.tactic_words import LETS


@dataclass(frozen=True, slots=True)
class Attribute:
    """One entry of `@[...]`: its first word, its text, and its tokens [begin, end)."""

    name: str
    text: str
    begin: int
    end: int


@dataclass(slots=True)
class Prefix:
    """What precedes a command's keyword."""

    doc: str | None = None
    attributes: list[Attribute] = field(default_factory=list)
    modifiers: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Declaration:
    """A declaration split into parts that are not interpreted. The integers are token indices."""

    keyword: str
    name: str
    prefix: Prefix
    begin: int
    end: int
    name_index: int
    binders: list[Binder]
    header_begin: int
    """The first token after the name."""
    type_begin: int
    type_end: int
    """The type is empty if `type_begin == type_end`."""
    value_begin: int
    """The `:=`, `where`, `|` or `extends` token; `end` if there is no value."""


def parse_prefix(tokens: Tokens, begin: int, end: int) -> tuple[Prefix, int]:
    """The doc comment, attributes and modifiers from `begin` on, and the index after them."""
    texts = tokens.texts
    prefix = Prefix()
    index = begin
    while index < end:
        word = texts[index]
        if word[:3] == "/--":
            prefix.doc = _clean_doc(word)
            index += 1
        elif word == "@[":
            after = close(texts, index, end) + 1
            prefix.attributes += parse_attributes(tokens, index + 1, after - 1)
            index = after
        elif word in MODIFIERS:
            prefix.modifiers.add(word)
            index += 1
            if word in ("scoped", "local") and index < end and texts[index] == "[":
                index = close(texts, index, end) + 1
        else:
            break
    return prefix, index


def _clean_doc(comment: str) -> str:
    """The text of a doc comment without its delimiters and surrounding white space."""
    return comment[3:].removesuffix("-/").strip()


def parse_attributes(tokens: Tokens, begin: int, end: int) -> list[Attribute]:
    """The comma-separated entries between the brackets of `@[...]` or `attribute [...]`."""
    texts = tokens.texts
    attributes: list[Attribute] = []
    depth = 0
    start = begin
    for index in range(begin, end + 1):
        if index == end or (depth == 0 and texts[index] == ","):
            if attribute := _attribute(tokens, start, index):
                attributes.append(attribute)
            start = index + 1
        else:
            depth += DEPTH.get(texts[index], 0)
    return attributes


def _attribute(tokens: Tokens, begin: int, end: int) -> Attribute | None:
    texts = tokens.texts
    while begin < end and texts[begin] in ("scoped", "local", "-"):
        begin += 1
    if begin >= end:
        return None
    return Attribute(texts[begin], tokens.source(begin, end), begin, end)


def parse_declaration(
    tokens: Tokens, prefix: Prefix, begin: int, keyword_index: int, end: int
) -> Declaration | None:
    """The declaration whose keyword is at `keyword_index`; None if that is not a keyword of declarations."""
    texts = tokens.texts
    keyword = texts[keyword_index]
    if keyword not in DECLARATION_WORDS:
        return None
    index = keyword_index + 1
    if keyword == "class" and index < end and texts[index] in ("inductive", "abbrev"):
        keyword = f"class {texts[index]}"
        index += 1
    if (
        keyword == "instance"
        and index < end
        and texts[index] == "("
        and _is_option(texts, index, end, keyword)
    ):
        index = close(texts, index, end) + 1
    name, name_index, index = _name(texts, index, end, keyword)
    binders, after = parse_binders(tokens, index, end)
    type_begin = type_end = value_begin = after
    if after < end and texts[after] == ":":
        type_begin = after + 1
        type_end = value_begin = _type_end(tokens, type_begin, end, keyword)
    return Declaration(
        keyword, name, prefix, begin, end, name_index, binders, index, type_begin, type_end, value_begin
    )


_OPTIONS = {"instance": ("priority", "name", "prio"), "irreducible_def": ("lemma",)}


def _is_option(texts: list[str], index: int, end: int, keyword: str) -> bool:
    """Whether `(priority := ...)` or `(lemma := ...)`, which are not binders, begins here."""
    return index + 2 < end and texts[index + 1] in _OPTIONS.get(keyword, ()) and texts[index + 2] == ":="


def _name(texts: list[str], index: int, end: int, keyword: str) -> tuple[str, int, int]:
    """The name (may be empty), its index, and the index after the name and its universes."""
    if index >= end or keyword == "example":
        return "", index, index
    name_index = index
    name = ""
    if is_identifier(texts[index]) and texts[index] not in ("where", "extends"):
        name = texts[index]
        index += 1
        if index < end and texts[index] == ".{":
            index = close(texts, index, end) + 1
    if index < end and texts[index] == "(" and _is_option(texts, index, end, keyword):
        index = close(texts, index, end) + 1
    return name, name_index, index


_LETS = LETS | {"let_fun", "let_delayed"}


def _type_end(tokens: Tokens, begin: int, end: int, keyword: str) -> int:
    """The end of the type that begins at `begin`: the `:=`, `where`, `|`, ... that follows it, or `end`."""
    texts = tokens.texts
    depth = 0
    lets = 0
    in_match = False
    for index in range(begin, end):
        text = texts[index]
        step = DEPTH.get(text)
        if step is not None:
            depth += step
            continue
        if depth > 0 or text not in _TYPE_STOPS:
            continue
        if text == ":=":
            if not lets:
                return index
            lets -= 1
        elif text in _LETS:
            lets += 1
        elif text == "match":
            in_match = True
        elif text == "|":
            if keyword in TYPE_WORDS or keyword == "class inductive":
                return index
            if not in_match and tokens.is_first(index) and _is_alternative(tokens, index + 1, end):
                return index
        elif text in ("where", "deriving", "extends", "termination_by", "decreasing_by"):
            return index
    return end


_TYPE_STOPS = _LETS | frozenset(
    (":=", "|", "where", "deriving", "extends", "match", "termination_by", "decreasing_by")
)


def _is_alternative(tokens: Tokens, begin: int, end: int) -> bool:
    """Whether `| ... =>` (not `|x|`) begins here."""
    index = tokens.brackets.stop(begin, end, _ALTERNATIVE_MARKS)
    return index < end and tokens.texts[index] in ("=>", "↦")


_ALTERNATIVE_MARKS = frozenset(("=>", "↦", ":=", "fun", "∀", "∃"))


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
