"""What the module docs of a file (`/-! ... -/`) say of its declarations: the list items and sentences that name them.

Pure, in time linear in the length of the text.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from lean_extract.doc_text import sentences
from lean_extract.limits import MAX_MODULE_DOC_CHARACTERS, MAX_MODULE_DOC_NAMES, MAX_SAID_CHARACTERS
from lean_extract.records import Premise
from lean_extract.syntax.lexer import Tokens, is_plain_name

_MARK = "/-!"
_CODE = re.compile(r"`([^`\n]+)`")
_ITEM = re.compile(r"\s*(?:[*+-]|\d+[.)])\s+")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_HEADING = re.compile(r"\s{0,3}#")
_NAMESAKES = 4
"""The most declarations that a name without its namespace may mean."""


def with_module_docs(tokens: Tokens, premises: Sequence[Premise]) -> tuple[Premise, ...]:
    """The premises of a file, each with what the module docs say of it (`Premise.module_doc`)."""
    said: dict[int, list[str]] = defaultdict(list)
    by_last: dict[str, list[int]] = defaultdict(list)
    left = MAX_MODULE_DOC_NAMES
    for name, text in _mentions(tokens):
        if not by_last:
            for index, premise in enumerate(premises):
                by_last[premise.name.rpartition(".")[2]].append(index)
        for index in _meant(name, premises, by_last):
            if text not in said[index]:
                said[index].append(text)
        left -= 1
        if not left:
            break
    result = list(premises)
    for index, texts in said.items():
        result[index] = replace(premises[index], module_doc="\n".join(texts)[:MAX_SAID_CHARACTERS])
    return tuple(result)


def _meant(name: str, premises: Sequence[Premise], by_last: dict[str, list[int]]) -> list[int]:
    """The declarations that a name means: those of this full name, else those that end with it, if these are few."""
    alike = by_last.get(name.rpartition(".")[2], [])
    full = [index for index in alike if premises[index].name == name]
    ending = full or [index for index in alike if premises[index].name.endswith(f".{name}")]
    return ending if len(ending) <= _NAMESAKES else []


def _mentions(tokens: Tokens) -> Iterator[tuple[str, str]]:
    """The names in all module docs, in order, each with the text about it."""
    for begin, end in zip(*tokens.comments, strict=True):
        if tokens.text.startswith(_MARK, begin):
            body = tokens.text[begin + len(_MARK) : min(end, begin + MAX_MODULE_DOC_CHARACTERS)]
            for block in _blocks(body.removesuffix("-/")):
                yield from _named_in(block)


def _named_in(block: str) -> Iterator[tuple[str, str]]:
    """The names of a block, each with the text about it: what an item says after its colon is of those before it."""
    if not _ITEM.match(block):
        for sentence in sentences(block):
            yield from ((name, sentence) for name in _names(sentence))
        return
    head, _, _ = _CODE.sub(lambda found: found[0].replace(":", " "), block).partition(":")
    text = block[:MAX_SAID_CHARACTERS].strip()
    yield from ((name, text) for name in _names(head) or _names(block))


def _names(text: str) -> list[str]:
    """The names in a text, which are marked as code."""
    return [name for name in map(str.strip, _CODE.findall(text)) if is_plain_name(name)]


def _blocks(text: str) -> Iterator[str]:
    """The paragraphs and list items of a Markdown text, without headings and blocks of code."""
    lines: list[str] = []
    in_code = False
    for line in text.split("\n"):
        is_fence = _FENCE.match(line) is not None
        in_code ^= is_fence
        is_text = not (is_fence or in_code or _HEADING.match(line)) and bool(line.strip())
        if (not is_text or _ITEM.match(line)) and lines:
            yield "\n".join(lines)
            lines = []
        if is_text:
            lines.append(line)
    if lines:
        yield "\n".join(lines)
