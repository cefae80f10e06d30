"""The section variables that become arguments of a declaration, by Lean's rules since 4.12, and the names that occur
free in a part of a term."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable
from dataclasses import dataclass

from lean_extract.limits import MAX_INNER_QUANTIFIERS, MAX_VARIABLE_GROUPS, MAX_VARIABLE_NAMES
from lean_extract.source.names.binders import Binder, heads
from lean_extract.syntax.binder_words import BINDING_ENDS, QUANTIFIERS
from lean_extract.syntax.brackets import DEPTH
from lean_extract.syntax.lexer import Tokens, is_identifier

_SET_MARKS = frozenset(("|", ":", "∈", "//"))


def _free_names(tokens: Tokens, begin: int, end: int, candidates: frozenset[str]) -> frozenset[str]:
    """The candidates that occur free in the tokens [begin, end).

    A quantifier binds from its own token to the end of the enclosing bracket.
    """
    texts = tokens.texts
    if candidates.isdisjoint(_bound_somewhere(tokens, begin, end)):
        return candidates
    found: set[str] = set()
    bound: list[tuple[int, frozenset[str]]] = []
    in_force: Counter[str] = Counter()
    depth = 0
    for index in range(begin, end):
        text = texts[index]
        step = DEPTH.get(text)
        if step is not None:
            depth += step
            while bound and bound[-1][0] > depth:
                in_force.subtract(bound.pop()[1])
            if text == "{" and index + 2 < end and texts[index + 2] in _SET_MARKS:
                bound.append((depth, frozenset((texts[index + 1],))))
                in_force.update(bound[-1][1])
            continue
        if text in QUANTIFIERS:
            bound.append((depth, _binding_names(tokens, index + 1, end) & candidates))
            in_force.update(bound[-1][1])
            continue
        head = text.partition(".")[0]
        if head in candidates and not in_force[head]:
            found.add(head)
    return frozenset(found)


def _bound_somewhere(tokens: Tokens, begin: int, end: int) -> set[str]:
    texts = tokens.texts
    bound: set[str] = set()
    for index in range(begin, end):
        text = texts[index]
        if text in QUANTIFIERS:
            bound |= _binding_names(tokens, index + 1, end)
        elif text == "{" and index + 2 < end and texts[index + 2] in _SET_MARKS:
            bound.add(texts[index + 1])
    return bound


def binding_positions(tokens: Tokens, begin: int, end: int) -> tuple[list[int], int]:
    """The indices of the names bound by the binders from `begin` on, and that of the `,`, `=>` or `↦` after them.

    Types are skipped. Binders end early if they contain more than `MAX_INNER_QUANTIFIERS` quantifiers.
    """
    texts, brackets = tokens.texts, tokens.brackets
    positions: list[int] = []
    opened: list[int] = []
    within = 0
    index = begin
    while index < end:
        text = texts[index]
        step = DEPTH.get(text)
        if step is not None:
            if step > 0:
                opened.append(index)
            elif not opened:
                return positions, index
            else:
                opened.pop()
        elif not opened and text in BINDING_ENDS:
            return positions, index
        elif text in _TYPE_MARKS:
            if not opened:
                return positions, brackets.stop(index, end, BINDING_ENDS)
            index = brackets.close(opened.pop(), end)
        elif text in QUANTIFIERS and (within := within + 1) > MAX_INNER_QUANTIFIERS:
            return positions, index
        elif text != "_":
            positions.append(index)
        index += 1
    return positions, end


def _binding_names(tokens: Tokens, begin: int, end: int) -> frozenset[str]:
    return frozenset([tokens.texts[position] for position in binding_positions(tokens, begin, end)[0]])


_TYPE_MARKS = frozenset((":", "∈", "in", "<", "≤", ">", "≥", "⊆", "≠", ":=", "∉", "⊂", "∣"))


_INTRODUCERS = frozenset(
    ("intro", "intros", "rintro", "obtain", "rcases", "cases", "ext", "funext", "have", "let", "with",
     "next", "|",
     "rename_i", "induction", "set", "generalize", "case", "for", "mut")
)  # fmt: skip
_INTRODUCERS_END = frozenset((":=", ":", ";", "=>", "using", "at", "←", "from", "in"))


def _names_bound_in_body(tokens: Tokens, begin: int, end: int) -> set[str]:
    """The names that a definition's body binds anywhere, by patterns, tactics or `field x y := ...`.

    This is approximate: a variable that occurs free and is bound elsewhere in the same body counts as bound.
    """
    texts = tokens.texts
    firsts = set(tokens.firsts(begin, end))
    bound: set[str] = set()
    for index in range(begin, end):
        text = texts[index]
        if text == ":=":
            first = index - 1
            while first > begin and first not in firsts and is_identifier(texts[first]):
                first -= 1
            bound.update(texts[first + 1 : index])
        elif text in _INTRODUCERS:
            for position in range(index + 1, min(end, index + 40)):
                if texts[position] in _INTRODUCERS_END or (position in firsts and text != "|"):
                    break
                bound.add(texts[position])
    return bound


_MAY_BIND = QUANTIFIERS | {"{"}


@dataclass(frozen=True, slots=True, eq=False)
class Variables:
    """The variables in scope, in order, with their dependencies, which are computed once.

    A variable is given as `(index of its group, name)`.
    """

    groups: tuple[Binder, ...] = ()
    latest: tuple[tuple[str, int], ...] = ()
    """Each name with the group that it refers to now (a later variable hides an earlier one)."""
    names: frozenset[str] = frozenset()
    needs: tuple[tuple[tuple[int, str], ...], ...] = ()
    """For each group, the variables that its type mentions."""

    @property
    def is_full(self) -> bool:
        """Whether no more variables are accepted."""
        return len(self.groups) >= MAX_VARIABLE_GROUPS or len(self.names) >= MAX_VARIABLE_NAMES

    def _with(self, groups: tuple[Binder, ...]) -> Variables:
        """These variables followed by other groups, whose dependencies are computed."""
        latest = dict(self.latest)
        needs = list(self.needs)
        for index, group in enumerate(groups, start=len(self.groups)):
            needs.append(tuple([(latest[name], name) for name in group.mentions if name in latest]))
            latest.update(dict.fromkeys(group.names, index))
        return Variables(self.groups + groups, tuple(latest.items()), frozenset(latest), tuple(needs))

    def declare(self, binders: Iterable[Binder]) -> Variables:
        """Apply the command `variable`: new variables, or new brackets for old ones (`variable {x}`).

        `variable (x)` without a type updates `x` if a variable of that name is in scope. Variables above the
        limits are left out.
        """
        groups = self.groups
        is_longer = True
        room = MAX_VARIABLE_NAMES - len(self.names)
        for binder in binders:
            room -= len(binder.names)
            if len(groups) >= MAX_VARIABLE_GROUPS or room < 0:
                break
            if binder.type or binder.is_instance:
                groups += (binder,)
                continue
            known = {name for group in groups for name in group.names}
            for name in binder.names:
                if name in known:
                    groups = _rebound(groups, name, binder.bracket)
                    is_longer = False
            fresh = [name for name in binder.names if name not in known]
            if fresh:
                groups += (binder.only(fresh),)
        if is_longer:
            return self._with(groups[len(self.groups) :])
        return NO_VARIABLES._with(groups)


NO_VARIABLES = Variables()


def _rebound(groups: tuple[Binder, ...], name: str, bracket: str) -> tuple[Binder, ...]:
    """The same variables, with `bracket` as the bracket of the latest one called `name`."""
    for index in range(len(groups) - 1, -1, -1):
        group = groups[index]
        if name not in group.names:
            continue
        if group.bracket == bracket:
            return groups
        position = group.names.index(name)
        parts = [
            group.only(group.names[:position]),
            group.only((name,)).with_bracket(bracket),
            group.only(group.names[position + 1 :]),
        ]
        return (*groups[:index], *[part for part in parts if part.names], *groups[index + 1 :])
    return groups


def mentioned(
    tokens: Tokens, begin: int, header_end: int, end: int, variables: Variables, own: Iterable[Binder]
) -> frozenset[str]:
    """The variables that occur free in a declaration and are not bound by its `own` binders.

    The header is [begin, header_end). The body, which counts for definitions only, is [header_end, end).
    """
    own_names = {name for binder in own for name in binder.names}
    used = _free(tokens, begin, header_end, variables.names - own_names)
    if header_end < end and (unused := variables.names - own_names - used):
        in_body = _free(tokens, header_end, end, unused)
        if in_body:
            used |= in_body - _names_bound_in_body(tokens, header_end, end)
    return used


def _free(tokens: Tokens, begin: int, end: int, names: frozenset[str]) -> frozenset[str]:
    texts = set(tokens.texts[begin:end])
    used = heads(texts) & names
    if used and not texts.isdisjoint(_MAY_BIND):
        return _free_names(tokens, begin, end, used)
    return used


def included(
    variables: Variables,
    mentions: Container[str],
    include: frozenset[str] = frozenset(),
    omit: frozenset[str] = frozenset(),
) -> list[Binder]:
    """The variables that a declaration includes, in the order in which they were declared.

    Args:
        variables: the variables in scope.
        mentions: the variables that the declaration's header uses (its body too, unless it is a theorem).
        include: the names given to `include`.
        omit: the names, and types of instances, given to `omit`.
    """
    chosen = {(index, name) for name, index in variables.latest if name in mentions or name in include}
    waiting = list(chosen)
    while waiting:
        index, _ = waiting.pop()
        for position in variables.needs[index]:
            if position not in chosen:
                chosen.add(position)
                waiting.append(position)
    result: list[Binder] = []
    for index, group in enumerate(variables.groups):
        if group.is_instance:
            if _is_wanted(group, omit, chosen, variables.needs[index], index):
                chosen.update((index, name) for name in group.names)
                result.append(group)
        elif kept := [name for name in group.names if (index, name) in chosen]:
            result.append(group.only(kept))
    return result


def _is_wanted(
    group: Binder,
    omit: frozenset[str],
    chosen: set[tuple[int, str]],
    needs: tuple[tuple[int, str], ...],
    index: int,
) -> bool:
    """Whether an instance is included: it is mentioned, or all its dependencies are and it is not omitted."""
    if group.names and (index, group.names[0]) in chosen:
        return True
    if group.type in omit or any(name in omit for name in group.names):
        return False
    return all(position in chosen for position in needs)
