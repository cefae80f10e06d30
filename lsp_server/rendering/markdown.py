"""A goal's closing tactic and its premises as Markdown for an editor. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from lsp_server.engine.schema import Suggestion
from lsp_server.engine.schema_items import PremiseItem
from lsp_server.rendering.labels import deprecation_label, doubt_label, shorten
from retriever.lean.words.english import READ_BY_RULES

_MARKS = re.compile(r"[\\`*_\[\]<&~]")
"""Characters that mean something within a line of Markdown."""


def hover_markdown(answer: Suggestion, readings: Mapping[str, str], closing: str = "", link: str = "") -> str:
    """A closing tactic, if there is one, and the premises, followed by what was searched and what was not read.

    Args:
        answer: with the premises.
        readings: the statements of premises without doc strings in English (`english`), by their names.
        closing: the tactic.
        link: what inserts it (`command_link`).
    """
    parts = (
        [f"**Closes the goal**{f' · [Insert]({link})' if link else ''}", "", *_code(closing), ""]
        if closing
        else []
    )
    parts += ["**Premises that fit this goal**", ""]
    for premise in answer.premises:
        parts += _premise(premise, readings.get(premise.name, ""))
    parts += [line for note in answer.notes for line in ("", f"*note: {note}*")]
    parts += ["", f"*index: {answer.index.line}*"]
    return "\n".join(parts)


def command_link(command: str, arguments: Mapping[str, Any]) -> str:
    """The address of a link that runs a command, in clients that have such links."""
    return f"command:{command}?{quote(json.dumps([arguments]), safe='')}"


def _premise(premise: PremiseItem, reading: str) -> Iterator[str]:
    name = f"[`{premise.name}`]({premise.doc_url})" if premise.doc_url else f"`{premise.name}`"
    form = f" · `{shorten(premise.form, 100)}`" if premise.form else ""
    needs = f"needs `{premise.import_line}`" if premise.import_line else ""
    labels = filter(None, [needs, doubt_label(premise), deprecation_label(premise)])
    yield f"- {name}{form}" + "".join(f" — {one}" for one in labels)
    if premise.statement:
        yield from ("", *(f"  {line}" for line in _code(shorten(premise.statement, 300))))
    if premise.doc:
        yield from ("", f"  {as_text(premise.doc)}")
    if reading:
        yield from ("", f"  {READ_BY_RULES} {as_text(reading)}")
    if premise.why:
        yield from ("", f"  *{premise.why}*")


def as_text(text: str) -> str:
    """Markdown that shows a line of text as it is: no HTML, no link, no image."""
    return _MARKS.sub(r"\\\g<0>", text)


def _code(text: str) -> list[str]:
    return ["```lean", *text.split("\n"), "```"]
