"""Free text: a name or a part of one, words, or a statement.

Words are looked for in names, doc strings and statements (`retriever.lean.word_ranking`), a name in names and, less,
in statements. A statement is ranked as a goal's target, after the names that have it as typed. A notation alone finds
the statements with it or its constant. `retriever.lean.words.reading` decides which it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lean_extract.common.arrays import Floats
from lean_extract.common.errors import UserError
from lean_extract.records import Goal, Premise
from lean_extract.syntax.dotted import undotted
from lean_extract.syntax.symbol_terms import GRAMMAR
from lean_extract.syntax.terms import SyntaxNode, read_term
from retriever.lean.eligibility import Allowed, RankedPremise, RankRequest
from retriever.lean.goal_context import GoalContext, notations_at
from retriever.lean.listing import SPARE, listed
from retriever.lean.search_pool import SearchPool, search_pool
from retriever.lean.service import PremiseService
from retriever.lean.snapshot import Snapshot
from retriever.lean.tokens import VARIABLE, premise_tokens, raw_tokens, text_tokens
from retriever.lean.word_ranking import RankedWords, rank_words
from retriever.lean.words.fields import WordTable, words_of
from retriever.lean.words.name_search import NameQuery, NameSearch, score
from retriever.lean.words.near_names import nearest, pieces
from retriever.lean.words.query import ASKED
from retriever.lean.words.reading import Reading, has_symbols, readings, without_ticks
from retriever.lean.words.splitting import SMALL_WORDS
from retriever.limits import MAX_NEAR_NAMES, MAX_QUERY_CHARACTERS, MAX_TEXT_CHARACTERS
from retriever.search.top import top

_WORD = re.compile(r"[\w.']+")
_BY_TEXT = 0.1
"""The largest weight of a premise's statement, relative to its name."""


def search(
    service: PremiseService,
    text: str,
    where: GoalContext | None = None,
    k: int = 32,
    *,
    allowed: Allowed | None = None,
    reading: Reading | None = None,
    explain: bool = False,
) -> list[RankedPremise]:
    """The k premises, of any kind, that fit a text, best first; scores can be compared within one answer.

    None for several words that nothing fits well. `reading`: what the text is (None: as it looks; a goal is a
    statement).
    `explain`: whether those for words say what their scores come from. Raises as `PremiseService.rank`.
    """
    text = _encodable(without_ticks(text))
    if k <= 0 or not text:
        return []
    with service.reading() as snapshot:
        offer = search_pool(snapshot, where, allowed, text)
        if constant := _constant_of(snapshot, where, text):
            query = NameQuery.of(constant)
            scores = _by_words(offer, query, text_tokens(text)) + _BY_TEXT * _by_name(offer, query)
            return listed(_best(offer, scores, k + SPARE), where)[:k]
        query = NameQuery.of(text)
        way = reading or readings(text)[0]
        is_goal = way is Reading.GOAL
        named = _named(offer, _applied_name(text), k) if is_goal or not has_symbols(text) else []
        if not is_goal and not named:
            if query.is_name and reading is not Reading.WORDS:
                scores = _by_name(offer, query) + _BY_TEXT * _by_words(offer, query)
                return listed(_best(offer, scores, k + SPARE), where)[:k]
            ranked = words_ranked(offer, text)
            return _in_words(offer, where, ranked, k, explain) if ranked.fit_well else []
        found = named
        if not named and " " not in text:
            found = _best(offer, _by_name(offer, replace(query, concepts=())), k + SPARE)
        if len(found) < k and service.relates_to(Goal((), text), where):
            meant = service.rank(RankRequest(Goal((), text), where, k, "all", allowed))
            found = _one_list(found, meant, k + SPARE)
        return listed(found, where)[:k]


def search_words(service: PremiseService, text: str, k: int, *, explain: bool = False) -> list[RankedPremise]:
    """The k premises for a text that is read as words, whatever it looks like and however little fits it.

    Raises as `search`.
    """
    with service.reading() as snapshot:
        offer = search_pool(snapshot, None, None, text)
        return _in_words(offer, None, words_ranked(offer, text), k, explain)


def _in_words(
    offer: SearchPool, where: GoalContext | None, ranked: RankedWords, k: int, explain: bool
) -> list[RankedPremise]:
    scores = np.zeros(len(offer.may_be_found), dtype=np.float32)
    scores[ranked.ids] = ranked.scores
    scores = offer.internal_last(scores)
    best = ranked.ids[top(scores[ranked.ids], k + SPARE)].tolist()
    found = offer.ranked_premises(best, scores)
    if explain:
        whys = ranked.explanations(best)
        found = [replace(one, explanation=why) for one, why in zip(found, whys, strict=True)]
    return listed(found, where)[:k]


_LIKE = 300
"""How many candidates the vectors and the words of a premise give."""
_WORDS_OF_LIKE = 0.3
"""The weight of shared words, relative to the cosine."""


def search_like(
    service: PremiseService,
    name: str,
    where: GoalContext | None = None,
    k: int = 32,
    *,
    allowed: Allowed | None = None,
) -> list[RankedPremise]:
    """The k indexed premises most like one of this name, by vectors and by words. Raises UserError: none has it."""
    with service.reading() as snapshot:
        (number,) = snapshot.names.find_names([name]).tolist()
        if number < 0:
            raise UserError(
                f"There is no declaration `{name}` in the index.", "Search for a part of its name."
            )
        offer = replace(search_pool(snapshot, where, allowed, name), own=())
        near = snapshot.search.query(snapshot.view.vector(number))
        words = dict.fromkeys(words_of(snapshot.view.premise(number)), 1.0)
        shared = snapshot.word_fields.matches(words, WordTable.none()).scores
        ids = np.union1d(near.top(_LIKE, offer.offered), top(shared, _LIKE, offer.offered))
        ids = ids[ids != number]
        scores = np.zeros(len(offer.offered), dtype=np.float32)
        scores[ids] = near.scores(ids) + _WORDS_OF_LIKE * shared[ids]
        return listed(_best(offer, scores, k + SPARE), where)[:k]


def _encodable(text: str) -> str:
    """The beginning of a text, without lone surrogates."""
    return text[:MAX_TEXT_CHARACTERS].encode(errors="replace").decode()


def words_ranked(offer: SearchPool, text: str) -> RankedWords:
    """The candidates for a text that is read as words."""
    return rank_words(offer.snapshot, offer.own, offer.may_be_found, offer.scope, text)


def search_names(service: PremiseService, text: str, k: int) -> list[RankedPremise]:
    """The k premises, of any kind, whose names fit a text, best first. Raises as `search`."""
    text = _encodable(text.strip())
    if k <= 0 or not text:
        return []
    with service.reading() as snapshot:
        offer = search_pool(snapshot, None, None, text)
        return listed(_best(offer, _by_name(offer, NameQuery.of(text)), k + SPARE), None)[:k]


@dataclass(frozen=True, slots=True)
class NearPremise:
    """A premise whose name has nearly the letters of a typed one, or, if `is_same`, is it."""

    premise: Premise
    is_same: bool


def near_premises(service: PremiseService, typed: str, where: GoalContext, k: int) -> list[NearPremise]:
    """The k usable premises whose names are nearest to a typed one (`near_names`).

    Raises what `PremiseService.rank` raises.
    """
    parts = pieces(typed)
    if not parts:
        return []
    with service.reading() as snapshot:
        offer = search_pool(snapshot, where, None, typed)
        usable = offer.offered if offer.scope is None else offer.offered & offer.scope
        held = [np.zeros(0, dtype=np.bool_)]
        for names in snapshot.searched_names:
            held.append(np.logical_or.reduce([names.holding(part) for part in parts]))
        numbers = np.flatnonzero(np.concatenate(held) & usable)[:MAX_NEAR_NAMES] + len(offer.own)
        known = ((number, offer.name(number)) for number in [*range(len(offer.own)), *numbers.tolist()])
        return [NearPremise(offer.premise(one.number), one.is_same) for one in nearest(typed, known, k)]


def _applied_name(text: str) -> str:
    """The function of an application such as `ConvergesTo s a`; empty if a text is not one, but perhaps words."""
    tokens = undotted(raw_tokens(text))
    node = read_term(tokens, GRAMMAR)
    is_application = node.kind == "applied" and node.end == len(tokens) and node.parts[0].kind == "name"
    if not is_application or VARIABLE.match(node.parts[0].text):
        return ""
    return node.parts[0].text if all(map(_is_argument, node.parts[1:])) else ""


def _is_argument(node: SyntaxNode) -> bool:
    if node.kind != "name":
        return node.kind != "unread"
    return node.text == "_" or node.text[0].isdigit() or bool(VARIABLE.match(node.text.partition(".")[0]))


def _named(offer: SearchPool, name: str, k: int) -> list[RankedPremise]:
    """At most k premises of this name, in any namespace; none for an empty one."""
    if not name:
        return []
    found = _best(offer, _by_name(offer, replace(NameQuery.of(name), concepts=())), k + SPARE)
    return [one for one in found if f".{one.premise.name}".endswith(f".{name}")][:k]


def _by_name(offer: SearchPool, query: NameQuery) -> Floats:
    """float32: how well each name of what may be found fits the query; 0: not at all."""
    own = NameSearch.of_names(premise.name for premise in offer.own)
    uses = np.concatenate([np.zeros(len(own), dtype=np.int32), offer.snapshot.view.uses])
    return score([own, *offer.snapshot.searched_names], query, uses)


def _constant_of(snapshot: Snapshot, where: GoalContext | None, text: str) -> str:
    """The constant of a text that is a notation and nothing else; empty for other texts."""
    found = (constant for known in notations_at(snapshot, where) for constant in known.constants(text))
    return next(found, "")


def _by_words(offer: SearchPool, query: NameQuery, more: Sequence[str] = ()) -> Floats:
    """float32: how much of the words, and of more tokens, each name and statement has, in [0, 1], by BM25."""
    bm25 = offer.snapshot.bm25
    tokens = [*_tokens(query), *more]
    own = bm25.score_texts(tokens, [premise_tokens(premise) for premise in offer.own])
    scores = np.concatenate([own, bm25.scores(tokens)])
    return np.asarray(scores / max(float(scores.max(initial=0.0)), 1e-9), dtype=np.float32)


def _tokens(query: NameQuery) -> list[str]:
    """What statements have for a text's words: themselves, and the words of names for them."""
    words = _WORD.findall(query.text[:MAX_QUERY_CHARACTERS])
    written = [
        way[0]
        for concept in query.concepts
        for way, closeness in concept.ways
        if len(way) == 1 and closeness == ASKED
    ]
    return [*text_tokens(" ".join(word for word in words if word.lower() not in SMALL_WORDS)), *written]


def _best(offer: SearchPool, scores: Floats, k: int) -> list[RankedPremise]:
    """The k premises with the best scores above 0."""
    scores = offer.internal_last(scores)
    best = top(scores, k, offer.may_be_found & (scores > 0))
    return offer.ranked_premises(best.tolist(), scores)


def _one_list(first: list[RankedPremise], then: list[RankedPremise], k: int) -> list[RankedPremise]:
    """One list of different names, the scores of the first part lifted above those of the second."""
    known = {one.premise.name for one in first}
    rest = [one for one in then if one.premise.name not in known][: k - len(first)]
    ceiling = max([one.score for one in rest], default=0.0)
    return [*(replace(one, score=ceiling + one.score) for one in first), *rest]
