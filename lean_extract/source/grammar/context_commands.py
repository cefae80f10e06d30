"""Parses the header of a file, and the commands that change the scope: `open`, `variable`, `include`, `omit`,
`namespace`, `end`."""

from __future__ import annotations

from lean_extract.records import Import
from lean_extract.source.names.binders import parse_binders
from lean_extract.source.names.scopes import Open, ScopeStack
from lean_extract.syntax.keywords import COMMAND_WORDS
from lean_extract.syntax.lexer import Tokens, is_identifier


def parse_open(tokens: Tokens, begin: int, end: int, within: str) -> tuple[list[Open], int]:
    """The namespaces that `open ...` opens, and the index after it. `begin` is the token after `open`.

    `open scoped` opens no names. Every form may be followed by `in`.
    """
    texts = tokens.texts
    index = begin
    scoped = index < end and texts[index] == "scoped"
    if scoped:
        index += 1
    opened: list[Open] = []
    while index < end:
        word = texts[index]
        if word == "(" and opened:
            after = tokens.brackets.close(index, end) + 1
            only = tuple(name for name in texts[index + 1 : after - 1] if is_identifier(name))
            opened[-1] = Open(opened[-1].namespace, within, only)
            index = after
        elif word == "hiding" and opened:
            hidden, index = _names(texts, index + 1, end)
            opened[-1] = Open(opened[-1].namespace, within, None, tuple(hidden))
        elif word == "renaming" and opened:
            renaming, index = _renaming(texts, index + 1, end)
            opened[-1] = Open(opened[-1].namespace, within, (), (), renaming)
        elif is_identifier(word) and word not in COMMAND_WORDS and word != "in":
            opened.append(Open(word, within))
            index += 1
        else:
            break
    return ([] if scoped else opened), index


def _names(texts: list[str], index: int, end: int) -> tuple[list[str], int]:
    names: list[str] = []
    while index < end and is_identifier(texts[index]) and texts[index] not in COMMAND_WORDS | {"in"}:
        names.append(texts[index])
        index += 1
    return names, index


def _renaming(texts: list[str], index: int, end: int) -> tuple[tuple[tuple[str, str], ...], int]:
    pairs: list[tuple[str, str]] = []
    while index + 2 < end and texts[index + 1] in ("→", "->"):
        pairs.append((texts[index], texts[index + 2]))
        index += 3
        if index < end and texts[index] == ",":
            index += 1
    return tuple(pairs), index


def enter(
    stack: ScopeStack, word: str, tokens: Tokens, index: int, end: int, *, is_public: bool
) -> tuple[bool, int]:
    """Enter `namespace N`, `section N` or `mutual`. Returns whether the name is allowed, and the index after it.

    `is_public`: whether it is a `public section`.
    """
    name, index = _optional_name(tokens, index, end)
    fits = True
    if word == "namespace":
        if name:
            fits = stack.enter_namespace(name)
    elif word == "section":
        stack.enter_section(name, is_public=is_public)
    else:
        stack.enter_section()
    return fits, index


def leave(stack: ScopeStack, tokens: Tokens, index: int, end: int) -> tuple[bool, int]:
    """Leave with `end N`. Returns whether it matched, and the index after it."""
    name, index = _optional_name(tokens, index, end)
    return stack.leave(name), index


def _optional_name(tokens: Tokens, index: int, end: int) -> tuple[str, int]:
    texts = tokens.texts
    if index < end and is_identifier(texts[index]) and texts[index] not in COMMAND_WORDS:
        return texts[index], index + 1
    return "", index


def declare_variables(stack: ScopeStack, tokens: Tokens, index: int, end: int) -> int:
    """Declare `variable (x : T) [C x]`. Returns the index after it."""
    binders, index = parse_binders(tokens, index, end, with_mentions=True)
    stack.top.variables = stack.top.variables.declare(binders)
    return index


def include(stack: ScopeStack, tokens: Tokens, index: int, end: int) -> int:
    """Apply `include x y`. Returns the index after it."""
    names, index = _names(tokens.texts, index, end)
    stack.include(names)
    return index


def omit(stack: ScopeStack, tokens: Tokens, index: int, end: int) -> int:
    """Apply `omit x [Group G]`. Returns the index after it."""
    texts = tokens.texts
    omitted: list[str] = []
    while index < end:
        if texts[index] == "[":
            after = tokens.brackets.close(index, end) + 1
            binders, _ = parse_binders(tokens, index, after)
            omitted += [name for binder in binders for name in binder.names or (binder.type,)]
            index = after
        elif is_identifier(texts[index]) and texts[index] not in COMMAND_WORDS | {"in"}:
            omitted.append(texts[index])
            index += 1
        else:
            break
    stack.omit(omitted)
    return index


def find_in(tokens: Tokens, begin: int, end: int) -> int | None:
    """The index of the `in` that ends a command such as `set_option ... in`; None if there is none."""
    index = tokens.brackets.stop(begin, end, _IN)
    return index if index < end and tokens.texts[index] == "in" else None


_IN = frozenset(("in",))


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
