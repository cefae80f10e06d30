r"""How a query is read: as words, a name, a goal or a pattern.

English stays English whatever brackets, quotes, names, LaTeX or formulas it holds. A goal has a turnstile, is a
declaration with its `:=`, or is one whole term of a statement's form; a pattern has a hole in a term.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from itertools import pairwise

from lean_extract.pasted import TURNSTILE, is_statement
from lean_extract.syntax.brackets import PAIR_DEPTH
from lean_extract.syntax.dotted import undotted
from lean_extract.syntax.lexer import is_plain_name
from lean_extract.syntax.operators import OPERATORS
from lean_extract.syntax.symbol_terms import GRAMMAR
from lean_extract.syntax.terms import SyntaxNode, read_term
from lean_extract.syntax.words import WORDS
from retriever.lean.patterns.query import is_pattern
from retriever.lean.tokens import VARIABLE, raw_tokens
from retriever.limits import MAX_QUERY_CHARACTERS


class Reading(StrEnum):
    """What a query is."""

    WORDS = "words"
    NAME = "name"
    GOAL = "goal"
    PATTERN = "pattern"


def _any_of(words: str) -> str:
    return "|".join(words.split())


_SMALL = """
all an and any are as be between but can does each every has holds iff implies into is its not of on only or over some
such than that the their there these this to under when which whose
"""
_ENGLISH = frozenset(_SMALL.split())
"""Words that hold sentences together, and that terms of Lean do not have but as names."""
_SYMBOL = re.compile(r"[^\w\s.,;:'’\"“”`«»?!‐–—-]")
_LATEX = re.compile(r"\\[A-Za-z]{2,}|\$[^$]+\$")
_PAIR = re.compile(r"(?<![\w.'«])(?=([^\W\d_]{2,})[\s,]+([^\W\d_]{2,})(?![\w.'»]))")
_RUN = re.compile(r"(?<![\w.'`«])[a-z]{3,}(?:[ \-]+[a-z]{3,})+(?![\w.'»])")
_LONE = re.compile(r"(?<![\w.'])[^\W\d_](?![^\W\d_])")
_LETTERS = re.compile(r"[^\W\d_]")
_LATIN_OR_GREEK = re.compile(r"[\u0000-\u03ff\u1d00-\u2bff\U0001d400-\U0001d7ff]")
_ASKING = """
4 a am an any are can could do does find fact for give have how i i'm in is know lean lean's lean4 lemmas? let's like
looking mathlib mathlib's me name need of one please search show some tell the theorems? there to us want we what
where which would you
"""
_ASKED = "corollary definition facts? lemmas? proof propositions? results? statements? theorems?"
_LINKING = """
about asserting called claiming for of on proving saying says? showing shows? stating states? that which with :
"""
_SHOWING = "define express prove represent say show state write"
_PREAMBLE = re.compile(
    rf"\W*+(?:(?:(?:{_any_of(_ASKING)})[\s,:]++){{0,12}}(?:{_any_of(_ASKED)})(?:\s*+\b(?:{_any_of(_LINKING)})(?!\w)){{1,3}}"
    rf"|how (?:can|could|do|to|would)(?: i| one| we| you)?(?: (?:{_any_of(_SHOWING)}))?(?: that)?)\s",
    re.IGNORECASE,
)
"""What introduces a question: `is there a lemma that says that`."""
_OF_RELATIONS = 50
"""The precedence of relations."""
_JOINING = "≃ ≅ ∼ ↔ → ∧ ∨ ¬ ∀ ∃ ∃! ⊣ ⟶"
_STATING = {*_JOINING.split(), *(sign for sign, one in OPERATORS.items() if one.precedence == _OF_RELATIONS)}
"""What the term of a statement begins with, or is joined by."""
_BINDING = frozenset("([{⦃")


def readings(text: str) -> tuple[Reading, ...]:
    """How a query may be read, the likeliest way first; one way, or two where it is doubtful. Takes bounded time."""
    has_ticks = "`" in text
    text = without_ticks(text)
    start = text[:MAX_QUERY_CHARACTERS]
    if _LATEX.search(start) and TURNSTILE not in text:
        return (Reading.WORDS,)
    is_english = "`" in start or _is_english(start)
    if is_pattern(text):
        doubtful = (Reading.PATTERN, Reading.WORDS) if has_ticks else (Reading.PATTERN,)
        return (Reading.WORDS, Reading.PATTERN) if is_english else doubtful
    if has_goal(text):
        return (Reading.GOAL, Reading.WORDS) if is_english else (Reading.GOAL,)
    if is_plain_name(text):
        return (Reading.NAME,) if _is_spelt_as_name(text) else (Reading.WORDS, Reading.NAME)
    if is_english or len(text) > MAX_QUERY_CHARACTERS or not has_symbols(text):
        return (Reading.WORDS,)
    return _of_formula(text)


def has_goal(text: str) -> bool:
    """Whether a text has a turnstile, or a declaration with its `:=`."""
    return TURNSTILE in text or is_statement(text)


def has_symbols(text: str) -> bool:
    """Whether a text has more than words, names and punctuation."""
    return _SYMBOL.search(text) is not None


def without_ticks(text: str) -> str:
    """A text without white space, and without backticks around it."""
    bare = text.strip().strip("`")
    return text.strip() if "`" in bare else bare.strip()


def without_preamble(text: str) -> str:
    """A text in words without what only says that it is a question: `is there a lemma that says that`."""
    start = _PREAMBLE.match(text)
    return text[start.end() :] if start and text[start.end() :].strip() else text


def has_foreign_letters(text: str) -> bool:
    """Whether a text has letters that neither English nor formulas have."""
    return any(not _LATIN_OR_GREEK.match(letter) for letter in _LETTERS.findall(text[:MAX_QUERY_CHARACTERS]))


def _is_english(text: str) -> bool:
    """Whether it is a sentence or a part of one: it has a word that holds them together, or words in a row."""
    if has_foreign_letters(text):
        return True
    if any(word.lower() in _ENGLISH for pair in _PAIR.findall(text) for word in pair):
        return True
    runs = [re.split(r"[ \-]+", run) for run in _RUN.findall(text)]
    has_variable = bool(_LONE.search(text))
    return any(len([word for word in run if word not in WORDS]) > 1 + has_variable for run in runs)


def _is_spelt_as_name(text: str) -> bool:
    """Whether it is a name that no word of English is: it has a dot, an underscore, a digit, or a hump."""
    return not text.isalpha() or any(one.islower() and other.isupper() for one, other in pairwise(text))


def _of_formula(text: str) -> tuple[Reading, ...]:
    tokens = undotted(raw_tokens(text))
    tokens = tokens[_after_binders(tokens) :]
    node = read_term(tokens, GRAMMAR)
    if node.end < len(tokens) or not _states(node, tokens):
        return (Reading.WORDS, Reading.GOAL)
    return (Reading.GOAL, Reading.WORDS) if _RUN.search(text) else (Reading.GOAL,)


def _after_binders(tokens: Sequence[str]) -> int:
    """The place after the colon of `(a b : α) [Group α] : p`; 0 where there are no binders."""
    depth = 0
    for place, token in enumerate(tokens):
        if depth == 0 and token not in _BINDING:
            return place + 1 if place and token == ":" else 0
        depth += PAIR_DEPTH.get(token, 0)
    return 0


def _states(node: SyntaxNode, tokens: Sequence[str]) -> bool:
    """Whether a term says something, as a statement does."""
    while node.kind == "brackets" and len(node.parts) == 1 and tokens[node.start] == "(":
        node = node.parts[0]
    if node.kind == "applied" and node.parts[0].kind == "name":
        return node.parts[0].text.rpartition(".")[2][:1].isupper() and any(map(VARIABLE.match, tokens))
    return node.text in _STATING and any(token.isalnum() for token in tokens)
