"""The terms and rewrite rules of accepted tactics, as completions of the tactic that is being typed. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lean_extract.records import TacticOutcome
from lean_extract.session.places import WORD
from lsp_server.documents.completion_context import CompletionContext
from lsp_server.documents.positions import offset_of

_RULES = frozenset({"rewrite", "rewrite_back", "simp"})
_FIRST_RULE = re.compile(r"\S+\s*\[\s*")
_BACK = "← "


def keyword_at(text: str, context: CompletionContext) -> str:
    """The keyword of the typed tactic, if an accepted tactic may complete it: nothing follows what is typed."""
    lines = text.split("\n")
    start, end = offset_of(lines, context.tactic.start), offset_of(lines, context.tactic.end)
    rest = text[offset_of(lines, context.name.end) : end].strip()
    word = WORD.match(text, start)
    completes = context.use == "term" or context.use in _RULES
    if context.use == "simp":  # with other lemmas, or `only`, it has not been tried
        completes = _FIRST_RULE.fullmatch(text, start, offset_of(lines, context.name.start)) is not None
    return word[0] if word is not None and completes and rest in ("", "]") else ""


def verified_terms(
    keyword: str, context: CompletionContext, outcomes: Iterable[TacticOutcome]
) -> Iterator[tuple[str, TacticOutcome]]:
    """What follows the keyword in accepted tactics that begin with it, in their order, each with its outcome."""
    for outcome in outcomes:
        word, _, rest = outcome.shown.partition(" ")
        is_whole = outcome.edit is not None and outcome.edit.text.startswith(outcome.shown)
        if word != keyword or "\n" in rest or not is_whole or outcome.status not in ("closes", "progress"):
            continue
        if context.use in _RULES:
            if not (rest.startswith("[") and rest.endswith("]")):
                continue
            rest = rest[1:-1]
            if context.use == "rewrite_back":
                if not rest.startswith(_BACK):
                    continue
                rest = rest.removeprefix(_BACK)
        yield rest, outcome
