"""What may be meant by a name that Lean does not know any more: what replaced it, what states the same, near names."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence

from lean_extract.common.errors import BadState, NoGoalHere
from lean_extract.records import Goal, Premise
from lsp_server.engine.engine import Engine
from lsp_server.engine.project_index import ProjectIndex
from lsp_server.engine.repair_before import Before
from lsp_server.engine.requests import main_goal, parse_goal
from prover.refusals import UnknownName
from prover.verify import GoalPosition
from retriever.lean.declared import described
from retriever.lean.eligibility import RankRequest
from retriever.lean.goal_context import GoalContext
from retriever.lean.listing import replacements
from retriever.lean.snapshot import Snapshot

_NEAR = 6
_SAME = 8
"""Premises that are looked at for one with the statement of a name that the index had before."""
_FITTING = 24
"""Premises for the goal of which one may be meant."""
_PROJECTIONS = frozenset(
    (
        "symm",
        "mp",
        "mpr",
        "trans",
        "le",
        "lt",
        "ne",
        "ne'",
        "elim",
        "left",
        "right",
        "not_le",
        "not_lt",
        "1",
        "2",
    )
)


class MeantNames:
    """Finds names.

    Args:
        engine: has the index as it is now.
        before: what the index knew before the library changed.
    """

    def __init__(self, engine: Engine, before: Before) -> None:
        self._engine = engine
        self._before = before
        self._learned: dict[str, str] = {}

    def learn(self, unknown: UnknownName, name: str) -> None:
        """Take in that a name was meant by an unknown one: it is tried first the next time."""
        self._learned[unknown.full] = f"{unknown.space}{name}" if name.startswith(".") else name

    async def exact(self, unknown: UnknownName, at: GoalPosition) -> list[str]:
        """The names that replace a deprecated one, according to its declaration."""
        index = await self._engine.project_index()
        found = await asyncio.to_thread(self._replacing, index, at, unknown)
        return await self._spelled(at, None, found)

    async def meant(self, unknown: UnknownName, at: GoalPosition, goal: Goal | None) -> list[str]:
        """What may be written in place of an unknown name at a position, the likeliest first.

        Args:
            unknown: the name; that of a field is replaced by another field.
            at: where it is used.
            goal: the goal there; None: not known.

        Raises BadSource, and what the index raises.
        """
        index = await self._engine.project_index()
        learned = self._learned.get(unknown.full, "")
        if learned and unknown.written.startswith("."):
            learned = learned.removeprefix(unknown.space) if learned.startswith(f"{unknown.space}.") else ""
        found = [learned] if learned else []
        found += await asyncio.to_thread(self._from_index, index, at, unknown, goal)
        return await self._spelled(at, goal, found) if unknown.written[:1] != "." else found

    async def _spelled(self, at: GoalPosition, goal: Goal | None, found: Sequence[str]) -> list[str]:
        local = [name for one in goal.hypotheses for name in one.names] if goal is not None else []
        short = await self._engine.spellings(at, found, local)
        return list(dict.fromkeys(way for name in found for way in (short.get(name, name), name)))

    async def declaring(self, unknown: UnknownName, at: GoalPosition) -> list[str]:
        """The module that declares a name, if a file can import it and does not; none if nothing has that name."""
        index = await self._engine.project_index()
        return await asyncio.to_thread(self._declaring, index, at, unknown.full)

    async def moved(self, module: str, at: GoalPosition) -> list[str]:
        """The modules that a file can import and that declare now what a module did, that with the most first."""
        index = await self._engine.project_index()
        return await asyncio.to_thread(_unimported, index, at, self._before.modules.get(module, ()))

    def _declaring(self, index: ProjectIndex, at: GoalPosition, name: str) -> list[str]:
        where = index.context_at(at)
        with index.service.reading() as snapshot:
            found = _declared(where, name, lambda full: _described(snapshot, full))
        return [] if found is None else _unimported(index, at, [found.module])

    def _replacing(self, index: ProjectIndex, at: GoalPosition, unknown: UnknownName) -> list[str]:
        where = index.context_at(at)
        found = self._old(where, unknown.full)
        return (
            [] if found is None else [name for name in replacements(found) if index.described(name, None)[0]]
        )

    def _from_index(
        self, index: ProjectIndex, at: GoalPosition, unknown: UnknownName, goal: Goal | None
    ) -> list[str]:
        if unknown.written.startswith(".") and unknown.full not in self._before.premises:
            # Lean has unfolded the type, and searched in another namespace.
            olds = (one for one in self._before.premises if one.endswith(unknown.written))
            unknown = UnknownName(unknown.written, next(olds, unknown.full))
        where = index.context_at(at)
        parts = unknown.full.split(".")
        found: list[str] = []
        for count in range(len(parts), max(len(parts) - 2, 0), -1):
            rest = "".join(f".{part}" for part in parts[count:])
            if rest and parts[-1] not in _PROJECTIONS:
                break
            head = ".".join(parts[:count])
            names = dict.fromkeys(self._of_head(index, at, where, head, goal))
            if unknown.written[:1] == ".":
                prefix = f"{head.rpartition('.')[0]}."
                found += [f".{name.removeprefix(prefix)}" for name in names if name.startswith(prefix)]
            else:
                found += [f"{name}{rest}" for name in names]
        return found

    def _of_head(
        self, index: ProjectIndex, at: GoalPosition, where: GoalContext, head: str, goal: Goal | None
    ) -> Iterator[str]:
        old = self._old(where, head)
        stated = _alike(index, where, old) if old is not None else []
        if old is not None:
            yield from replacements(old)
            yield from (one.written for one in stated if one.statement == old.statement)
        for near in index.near(head, at, _NEAR):
            yield from replacements(near.premise) if near.is_same else (near.premise.written,)
        if goal is not None:
            fitting = index.rank(RankRequest(goal, where, _FITTING))
            usable = [one.premise for one in fitting if one.in_scope is not False]
            yield from _by_words(head, usable)
        yield from (one.written for one in stated)

    def _old(self, where: GoalContext, name: str) -> Premise | None:
        """The premise of a name as it was before."""
        return _declared(where, name, self._before.premises.get)


def _unimported(index: ProjectIndex, at: GoalPosition, modules: Sequence[str]) -> list[str]:
    """Those of these modules that a file can import, and does not."""
    where, missing = index.context_at(at), index.unreached(at, modules)
    is_newer = where.source is not None and where.source.module.in_module_system
    with index.service.reading() as snapshot:
        return [
            one
            for one in modules
            if one in missing and snapshot.can_import(where.module, one, in_module_system=is_newer)
        ]


def _described(snapshot: Snapshot, name: str) -> Premise | None:
    found = described(snapshot, name, None)
    return None if found is None else found[0].premise


def _declared(where: GoalContext, name: str, find: Callable[[str], Premise | None]) -> Premise | None:
    """What `find` knows of a name in the namespaces that are open; None if it knows it in none."""
    inside = where.namespace.split(".") if where.namespace else []
    spaces = [".".join(inside[:end]) for end in range(len(inside), 0, -1)]
    for space in [*spaces, *(one.namespace for one in reversed(where.opens)), ""]:
        found = find(f"{space}.{name}" if space else name)
        if found is not None:
            return found
    return None


def _alike(index: ProjectIndex, where: GoalContext, old: Premise) -> list[Premise]:
    """The premises that fit the statement of another best."""
    if not old.conclusion:
        return []
    try:
        goal = main_goal(parse_goal(f"theorem old {old.statement}"))
    except (BadState, NoGoalHere):
        return []
    found = index.rank(RankRequest(goal, where, _SAME))
    return [one.premise for one in found if one.in_scope is not False and not one.premise.has_sorry]


def _by_words(name: str, premises: Iterable[Premise]) -> list[str]:
    """The names of premises: those that share most words with a name first, then as they are."""
    words = set(name.rpartition(".")[2].lower().strip("'").split("_"))

    def shared(premise: Premise) -> float:
        own = set(premise.name.rpartition(".")[2].lower().strip("'").split("_"))
        return -len(words & own) / len(words | own)

    return [one.written for one in sorted(premises, key=shared) if not one.has_sorry]
