"""Determines which section variables become arguments of a declaration, by Lean's rules since 4.12."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass

from lean_extract.source.names.binders import Binder, heads
from lean_extract.source.names.free_names import free_names, names_bound_in_body
from lean_extract.syntax.binder_words import QUANTIFIERS
from lean_extract.syntax.lexer import Tokens

_MAY_BIND = QUANTIFIERS | {"{"}

MAX_VARIABLES = 300
"""Groups of variables in scope at once. A declaration may include all of them. Mathlib has up to about 70."""
MAX_NAMES = 1000
"""Names in these groups."""


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
        return len(self.groups) >= MAX_VARIABLES or len(self.names) >= MAX_NAMES

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
        room = MAX_NAMES - len(self.names)
        for binder in binders:
            room -= len(binder.names)
            if len(groups) >= MAX_VARIABLES or room < 0:
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
            used |= in_body - names_bound_in_body(tokens, header_end, end)
    return used


def _free(tokens: Tokens, begin: int, end: int, names: frozenset[str]) -> frozenset[str]:
    texts = set(tokens.texts[begin:end])
    used = heads(texts) & names
    if used and not texts.isdisjoint(_MAY_BIND):
        return free_names(tokens, begin, end, used)
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
