"""The steps of known proofs whose states are nearest to a goal.

Those of the theorem being proved, and of what follows it in its file, are left out. The proofs above it count as
they are in the editor.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from lean_extract.common.arrays import Bools, Floats
from lean_extract.common.lru import Cache
from lean_extract.records import Goal, NearStep, Premise
from lean_extract.source.names.scopes import Scope
from lean_extract.source.open_file import LibraryEnvironment
from lean_extract.source.reader import SourceModule
from lean_extract.source.resolution.link import Linker
from lean_extract.source.resolution.name_resolution import NameResolver
from lean_extract.syntax.premise_mentions import qualified
from retriever.lean.eligibility import internal_premises, scope_of
from retriever.lean.goal_context import GoalContext, declared_before, proved, texts_of
from retriever.lean.index.steps import KnownStep, known_steps, of_record, step_vectors, to_record
from retriever.lean.snapshot import Snapshot
from retriever.limits import CACHED_GOALS, CACHED_STEPS, MAX_LOCAL_STEPS
from retriever.models.encoder import PremiseEncoder
from retriever.search.index.files import damaged

NEAREST = 128
"""How many steps are adapted."""
MOST_TERMS = 8
"""How many of them may be terms."""
_CONTINUED = 16
"""As many of the nearest are given with the steps that follow them."""
_TERMS_BESIDE = 3
"""As many more steps are looked up, since terms are left out."""
Step = TypeVar("Step")
_AFTER_ALL = 1 << 30
"""An order after everything that a module declares."""


@dataclass(frozen=True, slots=True)
class _Found:
    """A step of a theorem, and its similarity."""

    similarity: float
    step: KnownStep
    theorem: str
    module: str
    order: int = _AFTER_ALL
    """How many premises the open file declares up to its theorem."""

    @property
    def is_local(self) -> bool:
        """Whether it is of the open file."""
        return self.order != _AFTER_ALL


def chosen_steps(steps: Iterable[Step], k: int, is_term: Callable[[Step], bool]) -> list[Step]:
    """The first k, among them few terms: nearly each is of its theorem alone."""
    chosen: list[Step] = []
    terms = 0
    for step in steps:
        if len(chosen) == k:
            break
        if is_term(step):
            if terms == MOST_TERMS:
                continue
            terms += 1
        chosen.append(step)
    return chosen


class NearSteps:
    """Finds steps; keeps the vectors of the open file's, and what was read. Safe to use from several threads."""

    def __init__(self, encoder: PremiseEncoder) -> None:
        self._encoder = encoder
        self._vectors: Cache[Floats] = Cache(CACHED_STEPS)
        self._goals: Cache[Floats] = Cache(CACHED_GOALS)
        self._steps: Cache[KnownStep] = Cache(CACHED_STEPS)

    def near(
        self, snapshot: Snapshot, where: GoalContext | None, goal: Goal, k: int = NEAREST
    ) -> list[NearStep]:
        """The k steps nearest to a goal, nearest first, few of them terms. Raises IndexDamaged, Cancelled."""
        vector = self._goals.get_or_make(goal, lambda: step_vectors(self._encoder, [goal])[0])
        internal = internal_premises(snapshot, where, texts_of(goal))
        owners = _owners(snapshot, where) & ~internal
        found = [*self._indexed(snapshot, owners, vector, k), *self._local(snapshot, where, vector)]
        found.sort(key=lambda one: -one.similarity)
        chosen = chosen_steps(found, k, lambda one: one.step.is_term)
        return _Names(snapshot, where, internal).near_steps(chosen)

    def _local(self, snapshot: Snapshot, where: GoalContext | None, vector: Floats) -> Iterator[_Found]:
        """The steps of the proofs above the goal in the open file."""
        if where is None or where.source is None:
            return
        steps = list(_steps_above(where, where.source))[-MAX_LOCAL_STEPS:]
        vectors = self._embedded(snapshot, where.module, [(step, goal) for step, goal, _, _ in steps])
        for (step, _, theorem, order), own in zip(steps, vectors, strict=True):
            yield _Found(float(own @ vector), step, theorem, where.source.module.name, order)

    def _indexed(self, snapshot: Snapshot, allowed: Bools, vector: Floats, k: int) -> Iterator[_Found]:
        """The nearest steps of the index, of these theorems (bool[n])."""
        steps, view = snapshot.steps, snapshot.view
        if not len(steps):
            return
        products = steps.search.query(vector)
        numbers = products.top(_TERMS_BESIDE * k, allowed[steps.owners])
        owners, similarities = steps.owners[numbers].tolist(), products.scores(numbers).tolist()
        for number, owner, similarity in zip(numbers.tolist(), owners, similarities, strict=True):
            try:
                step = self._step(steps.record(number))
            except (ValueError, TypeError, KeyError) as error:
                folder = view.locate(owner)[0].folder
                raise damaged(folder / "step_records.txt", f"record {number}: {error}") from error
            yield _Found(similarity, step, view.name(owner), view.module(owner))

    def _step(self, record: bytes) -> KnownStep:
        return self._steps.get_or_make(record, lambda: of_record(record))

    def _embedded(
        self, snapshot: Snapshot, module: str | None, steps: Sequence[tuple[KnownStep, Goal]]
    ) -> list[Floats]:
        """float32[d] of each: from the index where the step is unchanged, from the cache, else embedded now."""
        indexed = snapshot.steps.vectors_of(snapshot.in_module(module)) if module and steps else {}
        known = [indexed.get(to_record(step), self._vectors.get(goal)) for step, goal in steps]
        missing = [goal for (_, goal), found in zip(steps, known, strict=True) if found is None]
        fresh = iter(step_vectors(self._encoder, missing))
        result = []
        for (_, goal), found in zip(steps, known, strict=True):
            row = next(fresh) if found is None else found
            self._vectors.put(goal, row)
            result.append(row)
        return result


def _steps_above(where: GoalContext, source: SourceModule) -> Iterator[tuple[KnownStep, Goal, str, int]]:
    """Each step of a finished proof above the goal: with its whole goal, its theorem, and what the file declares
    before it."""
    finished = {premise.name for premise in declared_before(where) if not premise.has_sorry}
    theorems = finished - {where.theorem}
    for proof in source.proofs:
        if proof.theorem in theorems:
            for step, goal in known_steps(source, proof):
                yield step, goal, proof.theorem, proof.order


def _owners(snapshot: Snapshot, where: GoalContext | None) -> Bools:
    """bool[n]: the theorems whose steps may be used: not the one that is being proved, nor any below it."""
    allowed = snapshot.view.alive.copy()
    if where is not None and where.module is not None:
        own = snapshot.in_module(where.module)
        if where.shows_file or where.line is None:
            allowed &= ~own  # the editor's text replaces what was indexed
        else:
            allowed &= ~own | (snapshot.view.lines < where.line)
    allowed[proved(snapshot, where)] = False
    return allowed


class _Names:
    """Writes the names of premises in full, as a goal's context knows them."""

    def __init__(self, snapshot: Snapshot, where: GoalContext | None, internal: Bools) -> None:
        self._snapshot = snapshot
        self._internal = internal
        self._scope = scope_of(snapshot, where)
        self._known: dict[str, int] = {}
        self._premises: dict[str, Premise | None] = {}
        self._own: dict[str, Premise] = {}
        self._environment = LibraryEnvironment(is_known=lambda name: self._number(name) >= 0, visible=[1])
        if where is not None and where.source is not None:
            self._own = {premise.name: premise for premise in where.source.premises}
            linker = Linker(self._environment)
            linker.add(where.source)
            linker.declare_exports()
        self._names = NameResolver(self._environment, 0)

    def near_steps(self, found: Sequence[_Found]) -> list[NearStep]:
        """Steps as they are used here, without those of libraries that use what is internal there."""
        nearest = enumerate(found[:_CONTINUED])
        longer = [(rank, replace(one, step=step)) for rank, one in nearest for step in one.step.continued()]
        continued: dict[int, list[NearStep]] = defaultdict(list)
        for (rank, _), step in zip(longer, self._used_here([one for _, one in longer]), strict=True):
            continued[rank] += [step] if step is not None else []
        return [
            replace(step, continued=tuple(continued[rank]))
            for rank, step in enumerate(self._used_here(found))
            if step is not None
        ]

    def _used_here(self, found: Sequence[_Found]) -> list[NearStep | None]:
        """Each step as it is used here; None for one of a library that uses what is internal there."""
        named = [self._resolved(one.step.mentions, one.step.scope, one.order) for one in found]
        numbers = {self._number(name) for names in named for name in names if name not in self._own}
        self._snapshot.view.prefetch(sorted(number for number in numbers if number >= 0))
        return [
            self._near_step(one, names) if one.is_local or not any(map(self._is_internal, names)) else None
            for one, names in zip(found, named, strict=True)
        ]

    def _is_internal(self, name: str) -> bool:
        number = self._number(name)
        return number >= 0 and bool(self._internal[number])

    def _near_step(self, found: _Found, names: Sequence[str]) -> NearStep:
        step = found.step
        local = frozenset(name for hypothesis in step.hypotheses for name in hypothesis.names)
        local |= frozenset(step.local)
        return NearStep(
            found.theorem,
            found.module,
            qualified(step.tactic, names, local),
            step.goal,
            min(found.similarity, 1.0),
            step.local,
            tuple(premise for name in names if (premise := self._premise(name)) is not None),
            tuple(name for name in names if not self._in_scope(name)),
        )

    def _resolved(self, mentions: Sequence[str], scope: Scope, order: int) -> tuple[str, ...]:
        self._environment.add_opened([scope])
        found = (self._names.resolve(mention, scope, order)[0] for mention in mentions)
        return tuple(dict.fromkeys(name for name in found if name is not None))

    def _number(self, name: str) -> int:
        number = self._known.get(name)
        if number is None:
            number = self._known[name] = int(self._snapshot.names.find_names([name])[0])
        return number

    def _premise(self, name: str) -> Premise | None:
        """The premise of a name, as the open file has it, else as the index has it. Raises IndexDamaged."""
        if name not in self._premises:
            number = self._number(name)
            self._premises[name] = self._own.get(name) or (
                self._snapshot.view.premise(number) if number >= 0 else None
            )
        return self._premises[name]

    def _in_scope(self, name: str) -> bool:
        number = self._number(name)
        return self._scope is None or number < 0 or bool(self._scope[number])
