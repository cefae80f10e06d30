"""What a tactic does to the names of the context: those it introduces, and those whose type it changes.

Only names are read from the text here; `propositions` finds their types if the text determines them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lean_extract.source.names.variables import binding_positions
from lean_extract.source.proofs.propositions import top_level
from lean_extract.syntax.binder_words import QUANTIFIERS
from lean_extract.syntax.brackets import BINDER_PAIRS
from lean_extract.syntax.keywords import KEYWORDS
from lean_extract.syntax.lexer import Tokens, is_identifier, raw_tokens
from lean_extract.syntax.tactic_words import ARROWS, FACTS, FUNCTIONS, LETS

UNKNOWN = "_"
"""The type of a bound name if nothing is known about it."""
_PATTERN_FIRST = frozenset(
    ("intro", "intros", "rintro", "ext", "ext1", "funext", "choose", "choose!", "rename_i", "by_contra",
     "by_contra'", "by_contra!", "obtain")
)  # fmt: skip
"""Words that a pattern follows."""
_PATTERN_AFTER_WITH = frozenset(
    ("rcases", "cases'", "induction'", "filter_upwards", "set", "generalize", "injection", "rsuffices",
     "contrapose!", "peel", "split_ifs", "injections")
)  # fmt: skip
_TAKEN_APART = frozenset(("rcases", "cases", "cases'", "obtain", "induction", "induction'", "subst"))
"""Words that use up the hypothesis that they are given."""
_DROPPING = frozenset(("clear", "revert"))
_CHANGING = frozenset(("specialize", "lift", "norm_cast", "push_cast", "replace"))
"""Words before a hypothesis whose statement they change."""
_GOING_ON = frozenset(("refine", "refine'", "apply", "convert", "use", "suffices", "rsuffices", "exact"))
"""Words of a term with holes, in which functions may introduce names."""
_PATTERN_ENDS = frozenset((":=", ":", "using", "at", "generalizing", "with", ";", "<;>", "from", "|", "by"))
_AFTER_WITH_ENDS = frozenset(("using", "at", "generalizing", ";", "<;>", "=>", "by", ":="))
_AT_ENDS = frozenset(("with", "using", ";", "<;>", "⊢", "|-", "*", "by"))
_HOLES = frozenset(("_", "?"))
_MOST_TOKENS = 400
"""Tokens of a step that are looked at."""


@dataclass(frozen=True, slots=True)
class NameChanges:
    """Names that a step binds, in order; those not listed below have no type in the text."""

    bound: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    """Hypotheses whose statement changes."""
    typed: tuple[tuple[str, str], ...] = ()
    """Bound names with their types."""
    like: tuple[str, str] | None = None
    """A bound name, and the number whose predecessor it is: `induction' n with k ih`."""

    @property
    def is_nothing(self) -> bool:
        """Whether the step does nothing to names."""
        return not (self.bound or self.dropped or self.changed)


def name_changes(tokens: Tokens, begin: int, stop: int) -> NameChanges:
    """What the step of the tokens [begin, stop) does to names."""
    texts = tokens.texts
    stop = min(stop, begin + _MOST_TOKENS)
    word = texts[begin]
    major = _major(texts, begin, stop)
    bound = tuple(dict.fromkeys(_bound(tokens, word, begin, stop)))
    dropped: tuple[str, ...] = ()
    if word in _DROPPING:
        dropped = tuple(_names(texts, begin + 1, stop, _PATTERN_ENDS))
    elif word in _TAKEN_APART and major and major not in bound:
        dropped = (major,)
    changed = (major,) if word in _CHANGING and major and word not in FACTS else ()
    like = (bound[0], major) if word in ("cases'", "induction'") and major and bound else None
    typed = _stated_type(tokens, begin, stop)
    return NameChanges(bound, dropped, (*changed, *_at(texts, begin, stop)), typed, like)


def _stated_type(tokens: Tokens, begin: int, stop: int) -> tuple[tuple[str, str], ...]:
    """`let x : T := v`, `set x : T := v`."""
    texts = tokens.texts
    if texts[begin] not in LETS | {"set"} or texts[begin + 2 : begin + 3] != [":"]:
        return ()
    after = tokens.brackets.stop(begin + 3, stop, frozenset((":=",)))
    type_ = tokens.source(begin + 3, after)
    return ((texts[begin + 1], type_),) if type_ and _is_name(texts[begin + 1]) else ()


def _bound(tokens: Tokens, word: str, begin: int, stop: int) -> list[str]:
    texts = tokens.texts
    if word in _PATTERN_FIRST:
        return _names(texts, begin + 1, stop, _PATTERN_ENDS)
    found: list[str] = []
    if word in LETS or word in FACTS or word in ("set", "by_cases", "suffices", "rsuffices", "generalize"):
        found += _first_name(texts, begin, stop)
    if word in _PATTERN_AFTER_WITH:
        after = _find(texts, begin + 1, stop, "with")
        found += _names(texts, after + 1, stop, _AFTER_WITH_ENDS)
    if word == "generalize":
        last = texts[stop - 1]
        found += [last] if _is_name(last) and texts[stop - 2] == "=" else []
    if word == "lift":
        after = _find(texts, begin + 1, stop, "with")
        found += _names(texts, after + 1, stop, _AFTER_WITH_ENDS)
    if word in _GOING_ON:
        found += _names_before_holes(tokens, begin, stop)
    return found


def _first_name(texts: list[str], begin: int, stop: int) -> list[str]:
    """The name or pattern between the word and `:`, `:=` or binders; `this` where there is none."""
    word, position = texts[begin], begin + 1
    if position >= stop:
        return []
    if texts[position] in (":", ":="):
        return ["this"] if word in FACTS or word in LETS or word == "suffices" else []
    if texts[position] in ("⟨", "("):
        return _names(texts, position, stop, _PATTERN_ENDS)
    if not _is_name(texts[position]):
        return []
    is_named = word != "generalize" and word != "by_cases"
    is_named = is_named or texts[position + 1 : position + 2] == [":"]
    return [texts[position]] if is_named else []


def _names_before_holes(tokens: Tokens, begin: int, stop: int) -> list[str]:
    """The names bound by the functions of a term whose bodies contain a hole: `refine ⟨fun x h => ?_, foo⟩`."""
    texts = tokens.texts
    found: list[str] = []
    for index in range(begin + 1, stop):
        if texts[index] not in FUNCTIONS:
            continue
        positions, arrow = binding_positions(tokens, index + 1, stop)
        body = tokens.brackets.stop(arrow, stop, frozenset((",",)))
        if arrow < stop and not _HOLES.isdisjoint(texts[arrow:body]):
            found += [texts[position] for position in positions if _is_name(texts[position])]
    return found


def names_on_the_way(tokens: Tokens, begin: int, token: int) -> list[str]:
    """What `fun x =>`, `| succ n ih =>`, `case inl h =>` between two tokens bind for the second one."""
    texts, lines = tokens.texts, tokens.lines
    found: list[str] = []
    for index in range(max(begin, token - _MOST_TOKENS), token):
        text = texts[index]
        if text not in FUNCTIONS and text not in ("|", "case", "next"):
            continue
        line = index
        while line > begin and not tokens.is_first(line):
            line -= 1
        if lines.next_within(line + 1, token + 1, tokens.column(line)) <= token:
            continue
        if text in FUNCTIONS:
            found += [texts[position] for position in binding_positions(tokens, index + 1, token)[0]]
        else:
            arrow = _arrow(texts, index, token)
            found += texts[index + 1 + (text != "next") : arrow] if arrow else []
    return [name for name in dict.fromkeys(found) if _is_name(name)]


def _arrow(texts: list[str], begin: int, end: int) -> int | None:
    return next((index for index in range(begin, min(end, begin + 40)) if texts[index] in ARROWS), None)


def _names(texts: list[str], begin: int, stop: int, ends: frozenset[str]) -> list[str]:
    """The names of a pattern; types in parentheses are skipped."""
    found: list[str] = []
    depth = 0
    typed: int | None = None
    for index in range(begin, stop):
        text = texts[index]
        if text in ("(", "⟨", "[", "{"):
            depth += 1
        elif text in (")", "⟩", "]", "}"):
            depth -= 1
            typed = None if typed is not None and depth < typed else typed
        elif text == ":" and depth:
            typed = depth if typed is None else typed
        elif text != "|" and ((depth == 0 and text in ends) or (typed is None and text in QUANTIFIERS)):
            break
        elif typed is None and _is_name(text):
            found.append(text)
    return found


def _is_name(text: str) -> bool:
    return is_identifier(text) and "." not in text and text not in ("_", "rfl") and text not in KEYWORDS


def _find(texts: list[str], begin: int, stop: int, word: str) -> int:
    """The last of a word in some tokens; `stop` where there is none."""
    return next((index for index in range(stop - 1, begin - 1, -1) if texts[index] == word), stop)


def _major(texts: list[str], begin: int, stop: int) -> str:
    """The hypothesis that a step works on, if it is a plain name."""
    if texts[begin] == "obtain":
        position = _find(texts, begin, stop, ":=") + 1
        return texts[position] if position == stop - 1 and _is_name(texts[position]) else ""
    if begin + 1 >= stop or not _is_name(texts[begin + 1]):
        return ""
    if texts[begin] == "specialize":
        return texts[begin + 1]
    following = texts[begin + 2] if begin + 2 < stop else ""
    ends = ("", "with", "using", "generalizing", "to")
    return texts[begin + 1] if following in ends else ""


def _at(texts: list[str], begin: int, stop: int) -> list[str]:
    """The hypotheses after the last `at` of a step."""
    found: list[str] = []
    for index in range(_find(texts, begin, stop, "at") + 1, stop):
        if texts[index] in _AT_ENDS or not is_identifier(texts[index]):
            break
        found.append(texts[index])
    return [name for name in found if _is_name(name)]


def declared(context: Iterable[str]) -> set[str]:
    """The names that binders as text declare."""
    return {name for binder in context for name in _parts(binder)[0]}


def after_changes(context: tuple[str, ...], changes: NameChanges, fresh: set[str]) -> tuple[str, ...]:
    """The context after a step.

    Args:
        fresh: bound names whose types are already in the context.
    """
    bound = [name for name in changes.bound if name not in fresh]
    changed = [name for name in changes.changed if name not in fresh and name in declared(context)]
    is_number = changes.like is not None and _is_number(context, changes.like[1])
    lost = {*changes.dropped, *changed, *bound} - fresh
    if lost:
        context = _without(context, lost)
    types = dict(changes.typed)
    if changes.like and is_number:
        types[changes.like[0]] = "ℕ"
    names = dict.fromkeys([*changed, *bound])
    return (*context, *[f"({name} : {types.get(name, UNKNOWN)})" for name in names])


def _is_number(context: tuple[str, ...], name: str) -> bool:
    for binder in reversed(context):
        names, rest = _parts(binder)
        if name in names:
            return rest.removeprefix(":").strip() in ("ℕ", "Nat")
    return False


def _without(context: tuple[str, ...], names: set[str]) -> tuple[str, ...]:
    """The binders less some names; a group loses only those."""
    kept: list[str] = []
    for binder in context:
        own, rest = _parts(binder)
        left = [name for name in own if name not in names]
        if len(left) == len(own):
            kept.append(binder)
        elif left:
            kept.append(f"{binder[0]}{' '.join(left)} {rest}{binder[-1]}")
    return tuple(kept)


def _parts(binder: str) -> tuple[list[str], str]:
    """The names of a binder as text, and what follows them (`: T`)."""
    if binder[:1] not in BINDER_PAIRS:
        return [binder], ""
    inner = binder[1:-1]
    head, *typed = top_level(inner, ":")
    if not typed:
        return ([], "") if binder[:1] == "[" else (head.split(), "")
    return [token.strip() for token in raw_tokens(head)], inner[inner.index(":", len(head.rstrip())) :]
