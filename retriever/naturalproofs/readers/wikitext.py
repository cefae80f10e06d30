"""MediaWiki's markup as far as statements and proofs need it: sections, links, what other pages include.

Not mwparserfromhell: its nodes do not say where in the text they are, and it takes ten times as long a page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_HEADING = re.compile(r"^(={1,6})(.+?)\1[ \t]*$", re.MULTILINE)
_LINK = re.compile(r"\[\[([^\[\]|\n]*)(?:\|([^\[\]\n]*))?\]\]")
_INCLUDED = re.compile(r"<onlyinclude>(.*?)(?:</onlyinclude>|\Z)", re.DOTALL)
_UNREAD = re.compile(r"<!--.*?(?:-->|\Z)|<nowiki>", re.DOTALL)
_NOWIKI_END = "</nowiki>"
_INVISIBLE = str.maketrans("", "", "\u200e\u2062")
_NOT_NEWLINE = re.compile(r"[^\n]")


@dataclass(frozen=True, slots=True)
class WikiLink:
    """`[[title|words]]`."""

    title: str
    position: int
    """In the text that it was looked for in, in code points."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a page."""

    text: str
    start: int
    """Where it starts in the page's text."""


def visible(text: str) -> str:
    """A page's text without comments, `<nowiki>` parts and invisible marks; lines stay."""
    parts: list[str] = []
    done = at = 0
    last_end = text.rfind(_NOWIKI_END)
    while (match := _UNREAD.search(text, at)) is not None:
        at = match.end()
        if match[0] == "<nowiki>":
            if at > last_end:  # never closed, so it hides nothing
                continue
            at = text.index(_NOWIKI_END, at) + len(_NOWIKI_END)
        parts += (text[done : match.start()], _NOT_NEWLINE.sub("", text[match.start() : at]))
        done = at
    return ("".join(parts) + text[done:]).translate(_INVISIBLE)


def section(text: str, title: str, subsections: bool = True) -> Passage | None:
    """The first section with a title, up to the next heading of the same or a higher level.

    Where the section has an `<onlyinclude>`, that part alone; otherwise, without `subsections`, up to the
    next heading of any depth.
    """
    headings = list(_HEADING.finditer(text))
    for number, heading in enumerate(headings):
        if heading[2].strip() != title:
            continue
        stop = next((one.start() for one in headings[number + 1 :] if len(one[1]) <= len(heading[1])), None)
        body = text[heading.end() : stop]
        included = _INCLUDED.search(body)
        if included:
            return Passage(included[1], heading.end() + included.start(1))
        if not subsections and number + 1 < len(headings):
            body = text[heading.end() : min(headings[number + 1].start(), heading.end() + len(body))]
        return Passage(body, heading.end())
    return None


def links(text: str) -> Iterator[WikiLink]:
    """The links of a text in order; links within the page are left out."""
    for match in _LINK.finditer(text):
        title = title_of(match[1])
        if title:
            yield WikiLink(title, match.start())


def title_of(text: str) -> str:
    """A title as pages have it: no `#place`, no underscores, the first letter a capital."""
    plain = " ".join(text.partition("#")[0].replace("_", " ").translate(_INVISIBLE).split())
    return plain[:1].upper() + plain[1:]


def categories(text: str) -> tuple[str, ...]:
    """The categories that a page is put into, each once."""
    named = (link.title for link in links(text))
    return tuple(
        dict.fromkeys(title_of(one.partition(":")[2]) for one in named if one.startswith("Category:"))
    )


def shown(text: str) -> tuple[str, ...]:
    """The lines that are not blank, links as the words that a reader sees (section 3)."""
    lines = (_LINK.sub(_words, line).rstrip() for line in text.split("\n"))
    return tuple(line for line in lines if line.strip())


def _words(match: re.Match[str]) -> str:
    if match[1].strip().startswith("Category:"):
        return ""
    return match[1].strip() if match[2] is None else match[2]
