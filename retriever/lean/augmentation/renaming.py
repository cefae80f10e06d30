"""Other names for the bound variables of a goal: the same statement, as somebody else would have written it.

Bound are the hypotheses' names and what binders inside the texts introduce: `fun x ↦`, `∀ x,`, `∃ x,`,
`∑ x ∈ s,`, `{x | …}`, `(x : α) → …`, `let x := …`. One name gets one new name in the whole goal and no two
the same, so scopes keep their meaning; only a name that is bound here and constant there is renamed in both.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random

from lean_extract.records import Goal, Hypothesis
from lean_extract.syntax.binder_words import SYMBOLS
from lean_extract.syntax.brackets import PAIRS, closing
from lean_extract.syntax.inaccessible import without_marks
from lean_extract.syntax.keywords import TERM_WORDS
from lean_extract.syntax.lexer import is_identifier, raw_tokens

_INSTANCE = re.compile(r"inst(?:[A-Z_]\w*|\d*)?\Z")
_WORDS = TERM_WORDS | {"fun", "if", "at"}
_NEVER = _WORDS | {"is", "as", "this", "_"}
_BINDERS = SYMBOLS | {"let", "have", "if", "fun"}
_SET_MARKS = frozenset(("|", "//", ":", "∈", "≠", "≤", "<", ">", "≥", "⊆"))
_SUBSCRIPTS = "₁₂₃₄₅₆₇₈₉"
_KINDS = (
    string.ascii_lowercase,
    string.ascii_uppercase,
    "αβγδεζηθικμνξρστφχψω",
    "𝕂𝔽𝕜𝔸𝔹𝓐𝓑𝓒𝓓𝓔𝓕",
)


def renamed(goal: Goal, random: Random) -> Goal:
    """The goal with every bound variable under a new name that stood nowhere in it."""
    return rename(goal, new_names(goal, random))


def new_names(goal: Goal, random: Random) -> dict[str, str]:
    """For each bound name of a goal another of its kind (letter case, alphabet, `h…` for facts)."""
    taken = {part for text in _texts(goal) for token in _tokens(text) for part in token.split(".")}
    taken |= {name for hypothesis in goal.hypotheses for name in _names(hypothesis)} | _NEVER
    chosen: dict[str, str] = {}
    for name in bound_names(goal):
        chosen[name] = next(new for new in _proposals(name, random) if new not in taken)
        taken.add(chosen[name])
    return chosen


def bound_names(goal: Goal) -> list[str]:
    """The names that the goal binds, in order; instances' names are not among them, no model reads those."""
    found = [name for hypothesis in goal.hypotheses for name in _names(hypothesis)]
    for text in _texts(goal):
        found += _binder_names(_tokens(text))
    return list(dict.fromkeys(name for name in found if _is_variable(name)))


def rename(goal: Goal, names: Mapping[str, str]) -> Goal:
    """The goal with these names for those, where they stand for variables."""
    found = goal.rewritten(lambda text: _rename_text(text, names))
    hypotheses = tuple(
        replace(one, names=tuple(_renamed_name(name, names) for name in one.names))
        for one in found.hypotheses
    )
    return replace(found, hypotheses=hypotheses)


def _rename_text(text: str, names: Mapping[str, str]) -> str:
    """A text with these names for those: not in `Nat.x`, `h.x` and `(x := …)`, where `x` is not a variable."""
    raw = raw_tokens(text)
    tokens = [token.rstrip() for token in raw]
    for position, token in enumerate(tokens):
        head, dot, rest = token.partition(".")
        if head in names and not _is_argument_name(tokens, position):
            raw[position] = names[head] + dot + rest + raw[position][len(token) :]
    return "".join(raw)


def _binder_names(tokens: Sequence[str]) -> Iterator[str]:
    """The names that the binders among a text's tokens introduce, as they come."""
    for position, token in enumerate(tokens):
        if token in ("⋃", "⋂") and tokens[position + 1 : position + 2] == ["₀"]:
            continue  # ⋃₀ S binds nothing
        if token in _BINDERS:
            yield from _binder_run(tokens, _behind_marks(tokens, position + 1))
        elif token == "{":
            yield from _set_variable(tokens, position)
        if token in ("(", "{", "⦃"):
            yield from _pi_variables(tokens, position)


def _binder_run(tokens: Sequence[str], position: int) -> Iterator[str]:
    """Names and groups in brackets, up to the first token that is neither."""
    while position < len(tokens):
        token = tokens[position]
        if token in PAIRS and token != "[":
            end = closing(tokens, position)
            yield from _group(tokens[position + 1 : end])
            position = end
        elif _is_variable(token):
            yield token
        elif token not in ("_", "["):
            return
        elif token == "[":
            position = closing(tokens, position)
        position += 1


def _group(tokens: Sequence[str]) -> Iterator[str]:
    """The names of `x y : T`, `x ∈ s`, `x, y` and `x, (y, z)`."""
    for token in tokens:
        if _is_variable(token):
            yield token
        elif token not in (",", "_", "(", ")", "⟨", "⟩"):
            return


def _set_variable(tokens: Sequence[str], position: int) -> Iterator[str]:
    """`x` of `{x | …}`, `{x : T | …}`, `{x ∈ s | …}`, `{x // …}`."""
    end = closing(tokens, position)
    inner = tokens[position + 1 : end]
    divides = any(token == "|" or inner[at : at + 2] == ["/", "/"] for at, token in enumerate(inner))
    if len(inner) < 3 or not divides:
        return
    if inner[0] in ("(", "⟨"):
        close = closing(inner, 0)
        if close + 1 < len(inner) and inner[close + 1] in _SET_MARKS:
            yield from _group(inner[1:close])
    elif _is_variable(inner[0]) and (inner[1] in _SET_MARKS or inner[1] == "/"):
        yield inner[0]


def _pi_variables(tokens: Sequence[str], position: int) -> Iterator[str]:
    """`x y` of `(x y : T) → …`."""
    end = closing(tokens, position)
    if end + 1 < len(tokens) and tokens[end + 1] == "→":
        names = list(_group(tokens[position + 1 : end]))
        if tokens[position + 1 + len(names)] == ":":
            yield from names


def _behind_marks(tokens: Sequence[str], position: int) -> int:
    """Past what belongs to the binder's symbol: `∀ᶠ`, `∃!`, `∑'`, `∫⁻`."""
    while position < len(tokens) and tokens[position] in ("ᶠ", "ᵐ", "!", "'", "⁻", "₀", "''"):
        position += 1
    return position


def _is_argument_name(tokens: Sequence[str], position: int) -> bool:
    follows = tokens[position + 1] if position + 1 < len(tokens) else ""
    return follows == ":=" and position > 0 and tokens[position - 1] in ("(", "{", ",")


def _is_variable(token: str) -> bool:
    plain = is_identifier(token) and "." not in token and token not in _NEVER
    return plain and not token.endswith("*") and not _INSTANCE.match(token)


def _proposals(name: str, random: Random) -> Iterator[str]:
    """Names of the same kind, those of one letter first where this one is; never ends."""
    letter = name[0]
    kind = next((kind for kind in _KINDS if letter in kind), string.ascii_lowercase)
    if len(name.rstrip("0123456789'₀₁₂₃₄₅₆₇₈₉!?")) > 1:
        while True:
            first = "h" if letter == "h" else random.choice(kind)
            yield first + random.choice(string.ascii_lowercase) + random.choice(["", *_SUBSCRIPTS])
    letters = random.sample(kind, len(kind))
    yield from letters
    while True:
        yield random.choice(letters) + "".join(random.choices(_SUBSCRIPTS, k=random.randint(1, 3)))


def _names(hypothesis: Hypothesis) -> list[str]:
    return [without_marks(name) for name in hypothesis.names]


def _renamed_name(name: str, names: Mapping[str, str]) -> str:
    bare = without_marks(name)
    return names.get(bare, bare) + name[len(bare) :]


def _tokens(text: str) -> list[str]:
    return [token.rstrip() for token in raw_tokens(text)]


def _texts(goal: Goal) -> Iterable[str]:
    for hypothesis in goal.hypotheses:
        yield hypothesis.type
        if hypothesis.value is not None:
            yield hypothesis.value
    yield goal.target
