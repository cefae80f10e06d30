"""A statement in English, made by rules: "if f is continuous and K is compact, then ..." for `Continuous f → ...`.

It is for people who do not read Lean fluently, and for text to search in. It is not a translation: hypotheses on
types that the table does not know, and the types of variables, are left out. Every face says that rules made it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from lean_extract.common.lru import kept_if_short
from lean_extract.records import Premise
from lean_extract.syntax.canonical import canonical
from lean_extract.syntax.statement_syntax import read_words, words_of
from lean_extract.syntax.terms import SyntaxNode, is_complete, nests_within
from retriever.lean.words.clauses import ARTICLES, Reader
from retriever.lean.words.phrasing import NO_CLAUSE, Clause, conditional, is_type, listing
from retriever.limits import MAX_READING_CHARACTERS, MAX_READING_DEPTH, MAX_READING_SUBJECTS
from retriever.models.text import binder_parts

READ_BY_RULES = "Read by rules:"
"""What precedes a reading wherever people see it."""
_STATEMENTS = frozenset(("theorem", "lemma", "axiom"))
_MEMBERS = frozenset(("instance", "field"))
"""Kinds that are statements only if their form shows it."""
_INSTANCE_NAME = re.compile(r"\A[\w']+ : ")
_LEFT_OUT = Clause("(More is assumed of the types.)")
"""Ends the reading of a statement with classes that the table does not know, or too many."""
_SILENT = (
    "Decidable",
    "Add ",
    "Mul ",
    "Zero ",
    "One ",
    "Sub ",
    "Neg ",
    "Inv ",
    "SMul ",
    "VAdd ",
    "LE ",
    "LT ",
)
"""Classes that say no more than that a statement can be written."""
_FIRST_WORDS = ("if ", "the ", "for ", "there ", "it ", "eventually", "frequently", "almost ", "let ")
_UNREAD = re.compile(r"[≤<≥>~]\[|=[OoΘ]|[∑∏]'?\[|∘(?!ₗ?\s)\S|!\[|[⟂∥]\S")
"""Notation that the syntax does not know and would take for another: `≤[i]`, `=O[l]`, `∘L`."""
_AFTER = ("of ", "with ", "acted ", "the ")
"""How what follows a noun begins."""
_IMPLIED = ("additive group", "additive monoid")
"""How what a module or a normed space is anyway ends."""


def english(premise: Premise) -> str:
    """The statement of a declaration in one or two sentences.

    Empty where it states nothing, where a part cannot be read, where it would be long, and where it would say
    only what is written.
    """
    longest = max(map(len, (*premise.context, premise.conclusion)), default=0)
    is_statement = premise.kind in _STATEMENTS
    if not (is_statement or premise.kind in _MEMBERS) or longest > MAX_READING_CHARACTERS:
        return ""
    if any(_UNREAD.search(text) for text in (*premise.context, premise.conclusion)):
        return ""
    binders = [binder_parts(binder) for binder in premise.context]
    variables = {name: kind.endswith("Prop") for names, kind in binders for name in names}
    conclusion = _clause(premise.conclusion, variables, is_fact=is_statement)
    hypotheses = list(_hypotheses(premise.context, variables))
    if not conclusion or not conclusion.text or None in hypotheses:
        return ""
    read = [one for one in dict.fromkeys(hypotheses) if one and one.text and one != _LEFT_OUT]
    if not read and conclusion.text == canonical(premise.conclusion):
        return ""
    sentence = _sentence(conditional(read, conclusion.text))
    described = list(filter(None, map(_described, premise.context)))
    setting = _setting(described)
    if _LEFT_OUT in hypotheses or (described and not setting):
        sentence += f" {_LEFT_OUT.text}"
    text = setting + sentence
    return text if len(text) <= MAX_READING_CHARACTERS else ""


def _hypotheses(context: Iterable[str], variables: Mapping[str, bool]) -> Iterator[Clause | None]:
    """What the binders assume: without text for variables, None where one cannot be read."""
    for binder in context:
        names, kind = binder_parts(binder)
        if names and (" " in kind or "." in kind or variables.get(kind, False)):
            yield _clause(kind, variables, is_fact=binder.startswith("(h"))
        elif not names and not _described(binder):
            fact = _INSTANCE_NAME.sub("", kind, count=1)
            if fact.startswith("Fact "):
                yield _clause(fact.removeprefix("Fact "), variables, is_fact=True)
            elif (found := _clause(fact, variables, is_fact=False)) and found.text not in (
                "",
                canonical(fact),
            ):
                yield found
            elif not fact.startswith(_SILENT):
                yield _LEFT_OUT


def _clause(text: str, variables: Mapping[str, bool], *, is_fact: bool) -> Clause | None:
    """A proposition as a clause; None if it cannot be read; without text if nothing shows that it is one.

    `is_fact`: it is one unless its form shows that it is a type.
    """
    found = _read(text, variables)
    if found is None:
        return None if is_fact else NO_CLAUSE
    reader, node = found
    is_stated = is_fact and not is_type(node, variables)
    return reader.clause(node) if is_stated or reader.is_proposition(node) else NO_CLAUSE


def _read(text: str, variables: Mapping[str, bool]) -> tuple[Reader, SyntaxNode] | None:
    words = words_of(canonical(text).partition(" := ")[0])
    node = read_words(words)
    if not words or not is_complete(node, len(words)) or not nests_within(node, MAX_READING_DEPTH):
        return None
    return Reader(words, variables), node


@kept_if_short(8192)
def _described(binder: str) -> tuple[str, str] | None:
    """(X, what X is) for an instance that says so in words."""
    names, kind = binder_parts(binder)
    read = None if names else _read(_INSTANCE_NAME.sub("", kind, count=1), {})
    return read and read[0].described(read[1])


def _setting(described: Iterable[tuple[str, str]]) -> str:
    """`Let R be a commutative ring.`: what the instances say that the table knows; empty if there is too much."""
    known: dict[str, list[str]] = {}
    for name, what in described:
        known.setdefault(name, []).append(what)
    if not 0 < len(known) <= MAX_READING_SUBJECTS:
        return ""
    (first, what), *others = ((name, _complement(what)) for name, what in known.items())
    parts = [f"{first} be {what}", *map(" ".join, others)]
    return _sentence(f"let {listing(parts)}") + " "


def _complement(described: Sequence[str]) -> str:
    """`a compact topological space` for `a topological space` and `compact`."""
    nouns = [one for one in described if one.startswith(ARTICLES)]
    after = [one for one in described if one.startswith(_AFTER)]
    adjectives = [one for one in described if one not in (*nouns, *after)]
    if any(" over " in noun for noun in nouns):
        nouns = [noun for noun in nouns if not noun.endswith(_IMPLIED)]
    nouns = [noun for noun in nouns if not any(one.endswith(noun[1:]) for one in nouns if one != noun)]
    if not nouns:
        return listing([*adjectives, *after])
    first = " ".join([*adjectives, nouns[0].partition(" ")[2]])
    return listing([f"{'an' if first[0] in 'aeio' else 'a'} {first}", *nouns[1:], *after])


def _sentence(text: str) -> str:
    return (text[0].upper() + text[1:] if text.startswith(_FIRST_WORDS) else text) + "."
