"""Which section variables become arguments of a declaration (Lean's rules since 4.12)."""

from __future__ import annotations

from collections.abc import Container, Iterable

from lean_extract.source.binders import Binder, heads
from lean_extract.source.free_names import QUANTIFIERS, free_names
from lean_extract.source.lexer import Tokens
from lean_extract.source.scopes import Frame


def declare(frame: Frame, binders: Iterable[Binder]) -> None:
    """The command `variable`: new variables, or new brackets for old ones (`variable {x}`).

    `variable (x)` with no type updates `x` where a variable of that name is in force.
    """
    for binder in binders:
        if binder.type or binder.is_instance:
            frame.variables += (binder,)
            continue
        known = {name for variable in frame.variables for name in variable.names}
        updated = [name for name in binder.names if name in known]
        fresh = [name for name in binder.names if name not in known]
        for name in updated:
            frame.variables = _rebound(frame.variables, name, binder.bracket)
        if fresh:
            frame.variables += (binder.only(fresh),)


def _rebound(variables: tuple[Binder, ...], name: str, bracket: str) -> tuple[Binder, ...]:
    """The same variables, the latest one called `name` now bound by `bracket`."""
    for index in range(len(variables) - 1, -1, -1):
        variable = variables[index]
        if name not in variable.names:
            continue
        if variable.bracket == bracket:
            return variables
        place = variable.names.index(name)
        parts = [
            variable.only(variable.names[:place]),
            variable.only((name,)).with_bracket(bracket),
            variable.only(variable.names[place + 1 :]),
        ]
        middle = tuple(part for part in parts if part.names)
        return variables[:index] + middle + variables[index + 1 :]
    return variables


def include(frame: Frame, names: Iterable[str]) -> None:
    """The command `include`."""
    wanted = frozenset(names)
    frame.included |= wanted
    frame.omitted -= wanted


def omit(frame: Frame, names: Iterable[str], instances: Iterable[str]) -> None:
    """The command `omit`: by name, or by the type of an instance (`omit [Group G]`)."""
    wanted = frozenset(names)
    frame.included -= wanted
    frame.omitted |= wanted | frozenset(instances)


def mentioned(tokens: Tokens, begin: int, end: int, frame: Frame, own: Iterable[Binder]) -> set[str]:
    """The variables that the tokens use, where neither `own` binders nor others inside bind the name."""
    texts = set(tokens.texts[begin:end])
    names = {name for variable in frame.variables for name in variable.names}
    used = heads(texts) & names
    used -= {name for binder in own for name in binder.names}
    if used and not texts.isdisjoint(QUANTIFIERS | {"{"}):
        return free_names(tokens.texts, begin, end, used)
    return set(used)


def included(frame: Frame, mentions: Container[str]) -> list[Binder]:
    """The variables that a declaration takes, in the order they were declared.

    Args:
        frame: the frame in force.
        mentions: the variables that the declaration's header uses (its body too, unless it is a theorem).
    """
    variables = frame.variables
    if not variables:
        return []
    latest = {name: index for index, variable in enumerate(variables) for name in variable.names}
    chosen = {(index, name) for name, index in latest.items() if name in mentions or name in frame.included}
    _close_over_types(variables, chosen)
    _add_instances(frame, variables, chosen)
    return [binder for index, variable in enumerate(variables) if (binder := _part(variable, index, chosen))]


def _before(variables: tuple[Binder, ...], index: int, name: str) -> int | None:
    """The variable that `name` means in the type of the variable at `index`."""
    for place in range(index - 1, -1, -1):
        if name in variables[place].names:
            return place
    return None


def _close_over_types(variables: tuple[Binder, ...], chosen: set[tuple[int, str]]) -> None:
    """Add the variables that the types of the chosen ones mention."""
    names = {name for variable in variables for name in variable.names}
    waiting = [index for index, _ in chosen]
    seen: set[int] = set()
    while waiting:
        index = waiting.pop()
        if index in seen:
            continue
        seen.add(index)
        for name in variables[index].mentions & names:
            place = _before(variables, index, name)
            if place is not None and (place, name) not in chosen:
                chosen.add((place, name))
                waiting.append(place)


def _add_instances(frame: Frame, variables: tuple[Binder, ...], chosen: set[tuple[int, str]]) -> None:
    """Add the instance-implicit variables all of whose dependencies are chosen."""
    names = {name for variable in variables for name in variable.names}
    for index, variable in enumerate(variables):
        if not variable.is_instance or variable.type in frame.omitted:
            continue
        if any(name in frame.omitted for name in variable.names):
            continue
        needed = [(_before(variables, index, name), name) for name in variable.mentions & names]
        if all(place is None or (place, name) in chosen for place, name in needed):
            chosen.add((index, variable.names[0] if variable.names else ""))


def _part(variable: Binder, index: int, chosen: set[tuple[int, str]]) -> Binder | None:
    if not variable.names:
        return variable if (index, "") in chosen else None
    kept = [name for name in variable.names if (index, name) in chosen]
    return variable.only(kept) if kept else None
