"""Free text: premises whose names match it come first, behind them what the text says.

A text of plain words is looked for word by word (BM25 over names and statements: the model reads Lean, not
English); one with Lean's symbols is read as a goal's target and ranked like a goal.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lean_extract.records import Goal, Premise
from retriever.allowed import Allowed
from retriever.fusion import top
from retriever.index.neighbours import Bools
from retriever.lexical import premise_tokens, text_tokens
from retriever.name_search import Matches, NameQuery, NameTable
from retriever.offer import RankedPremise, offered_premises, own_premises, scope_of, told, told_indexed
from retriever.place import Where
from retriever.service import PremiseService
from retriever.snapshot import Snapshot

LONGEST = 20_000
"""Of a longer text the end is not read."""
_STATEMENT = re.compile(r"[^\w\s.,;:'’\"`«»?!-]")
_SMALL_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a all an and any are as at be by each every for from has have if in is it its of on or that the "
        "then there this to which with",
    )
)


@dataclass(frozen=True, slots=True)
class _Offer:
    """What may be found: premises of the open file, and those of the index (bool[n]) with their scope."""

    snapshot: Snapshot
    own: Sequence[Premise]
    offered: Bools
    scope: Bools | None

    def told(self, number: int, score: float) -> RankedPremise:
        """A premise by its number: the open file's first, those of the index behind them."""
        if number < len(self.own):
            return told(self.own[number], "", score, None if self.scope is None else True)
        indexed = number - len(self.own)
        in_scope = None if self.scope is None else bool(self.scope[indexed])
        return told_indexed(self.snapshot, indexed, score, in_scope)


def search(
    service: PremiseService,
    text: str,
    where: Where | None = None,
    k: int = 32,
    *,
    allowed: Allowed | None = None,
) -> list[RankedPremise]:
    """The k premises, of any kind, that a text asks for, best first; scores compare within one answer.

    Raises what `PremiseService.rank` raises.
    """
    text = text.strip()[:LONGEST]
    if k <= 0 or not text:
        return []
    offer = _offer(service.snapshot(), where, allowed)
    found = by_name(offer, text, k)
    if len(found) < k:
        if is_statement(text):
            meant = service.rank(Goal((), text), where, k, kinds="all", allowed=allowed)
        else:
            meant = by_words(offer, text, k)
        found = _one_list(found, meant, k)
    return found


def is_statement(text: str) -> bool:
    """Whether a text has symbols of Lean's in it, and not words and names alone."""
    return bool(_STATEMENT.search(text))


def by_name(offer: _Offer, text: str, k: int) -> list[RankedPremise]:
    """The k premises whose names match best; scores fall from 1 towards 0.

    Where no name has all the words, small words (`of`, `the`) and the ends of plurals are let go.
    """
    if is_statement(text) and " " in text:
        return []  # names have no such symbols
    for asked in dict.fromkeys((text, plain(text))):
        query = NameQuery.of(asked)
        matches = _matches(offer, query) if query is not None else None
        if matches is not None and len(matches.ids):
            own = len(offer.own)
            uses = np.where(matches.ids < own, 0, offer.snapshot.view.uses[np.maximum(matches.ids - own, 0)])
            numbers = matches.ids[matches.best(k, uses)].tolist()
            return [offer.told(number, 1.0 / (1.0 + rank)) for rank, number in enumerate(numbers)]
    return []


def by_words(offer: _Offer, text: str, k: int) -> list[RankedPremise]:
    """The k premises whose names and statements share most with the text's words, by BM25."""
    bm25 = offer.snapshot.bm25
    tokens = text_tokens(plain(text)) + text_tokens(" ".join(_words(text)))
    own = bm25.score_texts(tokens, [premise_tokens(premise) for premise in offer.own])
    scores = np.concatenate([own, np.where(offer.offered, bm25.scores(tokens), 0.0)])
    return [offer.told(number, float(scores[number])) for number in top(scores, k, scores > 0).tolist()]


def plain(text: str) -> str:
    """The words of a text that tell something, in the singular."""
    return " ".join(
        word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
        for word in _words(text)
    )


def _words(text: str) -> list[str]:
    return [word for word in re.findall(r"[\w.']+", text) if word.lower() not in _SMALL_WORDS]


def _offer(snapshot: Snapshot, where: Where | None, allowed: Allowed | None) -> _Offer:
    own = own_premises(where, "all", allowed)
    offered = offered_premises(snapshot, where, "all", len(own), allowed)
    return _Offer(snapshot, own, offered, scope_of(snapshot, where))


def _matches(offer: _Offer, query: NameQuery) -> Matches:
    here = NameTable.of_names([premise.name for premise in offer.own]).find(query)
    indexed = offer.snapshot.find_named(query, offer.offered)
    return Matches(
        np.concatenate([here.ids, indexed.ids + len(offer.own)]),
        np.concatenate([here.penalties, indexed.penalties]),
    )


def _one_list(first: list[RankedPremise], then: list[RankedPremise], k: int) -> list[RankedPremise]:
    """One list of different names, the scores of the first part lifted above those of the second."""
    known = {one.premise.name for one in first}
    rest = [one for one in then if one.premise.name not in known][: k - len(first)]
    ceiling = max([one.score for one in rest], default=0.0)
    return [*(replace(one, score=ceiling + one.score) for one in first), *rest]
