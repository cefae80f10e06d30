"""Lean-aware tokens of goals and premises, as BM25 counts them.

Tokens follow Mathlib's naming convention: an operator becomes the word that names use for it, so `a + b`,
`HAdd.hAdd a b` and the name `add_comm` share the token `add`. Variables are left out (they differ from
statement to statement) except in one token for the shape of the whole conclusion, where they are
numbered by first occurrence: `n + m = m + n` and `a + b = b + a` have the same shape.

The tokens are those of one regular expression, which is about four times as fast as the words that terms are parsed
from (`lean_extract.syntax.statement_syntax`); indexes hold their hashes.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence

from lean_extract.common.lru import kept_if_short
from lean_extract.records import Goal, Premise
from lean_extract.syntax.brackets import PAIR_DEPTH
from lean_extract.syntax.canonical import normal_form
from lean_extract.syntax.dotted import undotted
from lean_extract.syntax.inaccessible import DAGGER, SUPERSCRIPTS
from lean_extract.syntax.operators import CORE
from lean_extract.syntax.words import NOISE, SYMBOLS, WORDS
from retriever.limits import MAX_TEXT_CHARACTERS
from retriever.models.text import binder_parts

_LETTER = "A-Za-z_α-κμ-ωΑ-ΟΡΤ-Ωϊ-ϻἀ-῾℀-⅏𝒜-𝖟À-ÖØ-öø-ÿĀ-ſ"
_PART = rf"(?:«[^«»]*»|[{_LETTER}][{_LETTER}0-9'!?₀-₉ₐ-ₜᵢ-ᵪ]*)"
_TOKEN = re.compile(
    rf"(?:Type|Sort)\*|{_PART}(?:\.(?:{_PART}|[0-9]+))*|[0-9]+|"
    + "|".join(re.escape(symbol) for symbol in sorted(SYMBOLS, key=len, reverse=True))
    + r"|\S"
)
_IDENTIFIER = re.compile(_PART)
VARIABLE = re.compile(r"[A-Za-zα-ωΑ-Ω𝒜-𝖟][0-9'₀-₉ₐ-ₜᵢ-ᵪ]*\Z")
"""What looks like a variable, whether or not a binder introduces it."""
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^A-Za-z0-9]+")
_LONGEST_SHAPE = 48
SHAPE = "≡"
"""Begins the terms that are hashes of statements' shapes."""
_ALL = 1 << 10
"""More namespaces than a name has."""


def goal_tokens(goal: Goal) -> list[str]:
    """The tokens of a goal: target, hypotheses, and the target's shape in every spelling that an index may have."""
    bound = _bound_by(goal)
    tokens = _tokens_to_find(goal.target, bound)
    for hypothesis in goal.hypotheses:
        tokens += _tokens_to_find(hypothesis.type, bound)
    return tokens + _shapes_to_find(goal.target, bound)


def target_tokens(goal: Goal) -> list[str]:
    """The tokens of a goal's target alone, without its shape."""
    return _tokens_to_find(goal.target, _bound_by(goal))


def _tokens_to_find(text: str, bound: frozenset[str]) -> list[str]:
    """The tokens of a text, and each full name without its first namespaces: statements are written inside them."""
    tokens = text_tokens(text, bound)
    return tokens + [suffix for token in tokens if "." in token for suffix in _suffixes(token)]


def _suffixes(name: str) -> list[str]:
    """`B.c` of `A.B.c`; one word alone is a token of the name anyway."""
    parts = name.split(".") if "«" not in name else []
    return [".".join(parts[start:]) for start in range(1, len(parts) - 1)]


def _bound_by(goal: Goal) -> frozenset[str]:
    """The names of a goal's hypotheses, without the marks of inaccessible ones."""
    return frozenset(
        name.rstrip(DAGGER + SUPERSCRIPTS) for hypothesis in goal.hypotheses for name in hypothesis.names
    )


def premise_tokens(premise: Premise) -> list[str]:
    """The tokens of a premise: the name's parts, binders, conclusion, and the conclusion's shape."""
    bound = frozenset(bound_names(premise.context))
    tokens = list(name_parts(premise.name))
    for binder in premise.context:
        tokens += text_tokens(binder_parts(binder)[1], bound)
    tokens += text_tokens(premise.conclusion, bound)
    return tokens + shape_tokens(premise.conclusion, bound)


def name_tokens(premise: Premise) -> list[str]:
    """What an index without statements holds of a premise: its name's parts and its shape's hash."""
    shape = shape_tokens(premise.conclusion, bound_names(premise.context))
    return [*name_parts(premise.name), *shape]


def bound_names(context: Iterable[str]) -> set[str]:
    """The variables that binders as written introduce."""
    return {name for binder in context for name in binder_parts(binder)[0]}


def text_tokens(text: str, bound: Iterable[str] = ()) -> list[str]:
    """The tokens of a statement's text without variables and punctuation."""
    bound = frozenset(bound)
    tokens: list[str] = []
    for raw in raw_tokens(text):
        tokens += _expand(raw, bound)
    return tokens


def shape_tokens(text: str, bound: Iterable[str] = ()) -> list[str]:
    """At most one token: a hash of the text with its variables numbered, or none if it is long or plain.

    Leading `∀ …,` are left out: they say what binders say. Names lose their namespaces, and `n.succ` is `succ n`.
    """
    bound = frozenset(bound)
    return _shape(undotted(_without_binders(raw_tokens(text)), bound), bound, _ALL)


def _shapes_to_find(text: str, bound: frozenset[str]) -> list[str]:
    """The shapes of a text. Those with names and dots as written, and with the operators of `CORE` as single
    characters, are in indexes that an older version wrote."""
    raw = _without_binders(raw_tokens(text))
    apart = tuple(piece for token in raw for piece in (token if token in CORE else (token,)))
    spelled = (undotted(raw, bound), undotted(apart, bound), raw)
    ways = [(tokens, left_out) for tokens in spelled for left_out in (_ALL, 0, 1, 2)]
    found = dict.fromkeys(shape for tokens, left_out in ways for shape in _shape(tokens, bound, left_out))
    return list(found)


def _shape(tokens: Sequence[str], bound: frozenset[str], left_out: int) -> list[str]:
    """The shape of tokens, whose constants lose this many namespaces."""
    if not 3 <= len(tokens) <= _LONGEST_SHAPE:
        return []
    numbers: dict[str, str] = {}
    shape = []
    for token in tokens:
        if token in bound or (VARIABLE.match(token) and token not in WORDS):
            shape.append(numbers.setdefault(token, f"?{len(numbers)}"))
        else:
            shape.append(_word(token, left_out))
    return [SHAPE + hashlib.blake2s(" ".join(shape).encode(), digest_size=4).hexdigest()]


def _word(token: str, left_out: int) -> str:
    if token not in WORDS and token[:1].isupper() and "«" not in token:
        parts = token.split(".")
        token = ".".join(parts[min(left_out, len(parts) - 1) :])
    return WORDS.get(token, token)


@kept_if_short(65536)
def name_parts(name: str) -> tuple[str, ...]:
    """A dotted name's words in lower case: at dots, underscores and humps. `Nat.add_comm`: nat, add, comm."""
    parts: list[str] = []
    for word in re.split(r"[._«»]+", name):
        humps = [hump.lower() for hump in _CAMEL.findall(word) if hump.strip("' ")]
        parts += [word.lower(), *humps] if len(humps) > 1 else humps
    return tuple(parts)


@kept_if_short(8192)
def raw_tokens(text: str) -> tuple[str, ...]:
    """Identifiers, numbers and operators in the text's canonical spelling."""
    return tuple(_TOKEN.findall(normal_form(text[:MAX_TEXT_CHARACTERS])))


def _without_binders(raw: tuple[str, ...]) -> tuple[str, ...]:
    start = depth = 0
    for index, token in enumerate(raw):
        if index == start and token != "∀":
            break
        depth += PAIR_DEPTH.get(token, 0)
        if token == "," and depth == 0:
            start = index + 1
    return raw[start:]


def _expand(raw: str, bound: frozenset[str]) -> list[str]:
    if raw in bound:
        return []
    word = WORDS.get(raw)
    if word is not None:
        return [word]
    if raw in NOISE:
        return []
    if raw in CORE:
        return [raw, *name_parts(CORE[raw].constant)]
    if not _IDENTIFIER.match(raw):
        return [raw]
    head, dot, rest = raw.partition(".")
    if head in bound or VARIABLE.match(head):
        return list(name_parts(rest)) if dot else []
    parts = list(name_parts(raw))
    return parts if parts == [raw.lower()] else [raw, *parts]
