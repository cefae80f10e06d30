"""Splits a file's tokens into commands."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from lean_extract.syntax.brackets import DEPTH
from lean_extract.syntax.keywords import COMMAND_WORDS, CONTINUATIONS, MODIFIERS, STRONG_COMMAND_WORDS
from lean_extract.syntax.lexer import Tokens, is_identifier

_LONGEST_ATTRIBUTES = 2000


class Command(NamedTuple):
    """The tokens [begin, end) of a command, including its doc comment and attributes."""

    begin: int
    end: int


_DANGLING = frozenset(
    (
        ":",
        ":=",
        "=>",
        "↦",
        ",",
        "→",
        "↔",
        "=",
        "∧",
        "∨",
        "|",
        "by",
        "from",
        "<|",
        "←",
        "≤",
        "<",
        "fun",
        "∀",
        "∃",
    )
)
"""Tokens that a term must follow, so that no command can begin there."""


def split_commands(tokens: Tokens) -> list[Command]:
    """The commands of a file, in order. Together they contain every token from the first command on."""
    starts = _starts(tokens)
    starts.append(len(tokens.texts))
    return [Command(begin, end) for begin, end in pairwise(starts)]


def _starts(tokens: Tokens) -> list[int]:
    texts, offsets, text = tokens.texts, tokens.starts, tokens.text
    starts: list[int] = []
    prefixes = _Prefixes(tokens)
    covered = -1
    quoted = _quotations(tokens)
    for index in tokens.line_first:
        while quoted and quoted[-1][1] < index:
            quoted.pop()
        if index <= covered or (quoted and quoted[-1][0] < index):
            continue
        word = texts[index]
        at_margin = offsets[index] == 0 or text[offsets[index] - 1] == "\n"
        if index and texts[index - 1] == "in":
            covered = prefixes.end(index) + 1
            continue
        if at_margin:
            if not _may_start(tokens, index, prefixes):
                continue
        elif (
            word not in STRONG_COMMAND_WORDS and word not in MODIFIERS and word not in ("@[", "/--")
        ) or not _starts_indented(texts, index, prefixes):
            continue
        starts.append(index)
        covered = prefixes.end(index) + 1
    return starts


def _quotations(tokens: Tokens) -> list[tuple[int, int]]:
    """The first and last tokens of all quotations `` `( ... ) ``, the last quotation first: they hold no commands."""
    texts, starts = tokens.texts, tokens.starts
    found: list[tuple[int, int]] = []
    for index in range(len(texts) - 1):
        if texts[index] == "`" and texts[index + 1] == "(" and starts[index + 1] == starts[index] + 1:
            last = tokens.brackets.close(index + 1, len(texts))
            is_closed = tokens.brackets.opener(last, 0) == index + 1
            if is_closed and not (found and last <= found[-1][1]):
                found.append((index, last))
    return found[::-1]


def _documents_command(tokens: Tokens, index: int, prefixes: _Prefixes) -> bool:
    """Whether a doc comment at the margin belongs to a command, not to an indented field."""
    after = prefixes.end(index) + 1
    if after >= len(tokens.texts) or tokens.texts[after] in COMMAND_WORDS:
        return True
    return not is_identifier(tokens.texts[after]) or tokens.column(after) == 0 or after != index + 1


def _may_start(tokens: Tokens, index: int, prefixes: _Prefixes) -> bool:
    """Whether a token at the margin begins a command."""
    texts = tokens.texts
    word = texts[index]
    if word in COMMAND_WORDS:
        return word != "deriving" or (index + 1 < len(texts) and texts[index + 1] == "instance")
    if word[:3] == "/--":
        return _documents_command(tokens, index, prefixes)
    if word in ("@[", "#"):
        return True
    if word in CONTINUATIONS or not is_identifier(word) or "." in word:
        return False
    return index == 0 or (texts[index - 1] not in _DANGLING and texts[index - 1] not in _OPENING)


def governing_ins(tokens: Tokens) -> list[int]:
    """The indices of the `in`s that a command may follow: before a line, or before a word that begins a command."""
    texts = tokens.texts
    firsts = frozenset(tokens.line_first)
    return [
        index
        for index, text in enumerate(texts[:-1])
        if text == "in" and (index + 1 in firsts or _begins_command(texts[index + 1]))
    ]


def _begins_command(word: str) -> bool:
    return word in STRONG_COMMAND_WORDS or word in MODIFIERS or word == "@[" or word[:3] == "/--"


_OPENING = frozenset(text for text, step in DEPTH.items() if step > 0)


def _starts_indented(texts: list[str], index: int, prefixes: _Prefixes) -> bool:
    """Whether an indented token begins a command (in a namespace whose body is indented)."""
    if index and (texts[index - 1] == "|" or texts[index - 1] in _OPENING):
        return False
    after = prefixes.end(index) + 1
    return after < len(texts) and texts[after] in STRONG_COMMAND_WORDS


class _Prefixes:
    """Finds where the prefixes of commands end. It caches results, since a long prefix is looked up on each line."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._ends: dict[int, int] = {}

    def end(self, index: int) -> int:
        """The last token of the doc comment, attributes and modifiers that begin at `index`.

        `index - 1` if there are none.
        """
        texts = self._tokens.texts
        passed: list[int] = []
        while index < len(texts) and index not in self._ends:
            word = texts[index]
            passed.append(index)
            if word[:3] == "/--" or word in MODIFIERS:
                index += 1
            elif word == "@[":
                index = self._tokens.brackets.close(index, min(len(texts), index + _LONGEST_ATTRIBUTES)) + 1
            else:
                passed.pop()
                break
        found = self._ends.get(index, index - 1)
        self._ends.update(dict.fromkeys(passed, found))
        return found
