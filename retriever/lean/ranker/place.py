"""Where a goal is: what proofs of the same place use, and how near above a premise was last used.

The proofs counted are those that may vote, in other modules than the question's own: what its own file uses above
is `used_nearby`. All is 0 where no file is known.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from lean_extract.common.arrays import Bools, Floats, Ids
from lean_extract.common.lru import Cache
from retriever.lean.tokens import name_parts
from retriever.limits import CACHED_PLACES
from retriever.search.bm25 import Bm25
from retriever.search.index.table import rows_of
from retriever.search.top import top
from retriever.search.votes import ProofGraph, by_rank

USES = ("directory_uses", "folder_uses", "namespace_uses", "import_uses")
"""In how many proofs each premise is used: in modules below the question's directory, in its top folder (two
parts of the name), of theorems in its namespace, in the modules that its file names in imports."""
PLACE = (*USES, "named_votes", "last_use")
"""The columns of `PlaceSignals`. `named_votes`: of the theorems whose names are like the question's theorem's.
`last_use`: 1 / (1 + proofs above the goal since the one that last used it), 0 for what none uses."""
_NAMED = 64
"""How many theorems of like names vote."""
_FOLDER_PARTS = 2


@dataclass(frozen=True, slots=True)
class Place:
    """Where a goal is, among n premises."""

    last_use: Floats
    """float32[n]: see PLACE."""
    module: str | None = None
    imports: tuple[str, ...] = ()
    theorem: str | None = None
    """The full name of the theorem being proved."""
    lines: Ids = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """int64[k], ascending: where the declarations above the goal in its file begin."""


@dataclass(frozen=True, slots=True)
class PlaceSignals:
    """What is known of n premises by the question's place."""

    columns: tuple[Floats, ...]
    """float32[n] each, of PLACE, counts as they are."""
    lines: Ids
    """As in `Place`."""

    def of(self, ids: Ids) -> Floats:
        """float32[len(ids), len(PLACE)]: of some premises; 0 for -1."""
        found = np.stack([column[ids] for column in self.columns], axis=1)
        found[ids < 0] = 0.0
        return found


class UsesByPlace:
    """Counts uses by the place of the proofs; safe to use from several threads.

    Args:
        proofs: what the proofs of n theorems use.
        module_names: of all modules.
        module_of: int[n], each theorem's module as a position in `module_names`.
        in_namespace: bool[n], which names begin with a namespace and a dot.
    """

    def __init__(
        self,
        proofs: ProofGraph,
        module_names: Sequence[str],
        module_of: npt.NDArray[np.integer],
        in_namespace: Callable[[str], Bools],
    ) -> None:
        self._proofs, self._module_names, self._module_of = proofs, module_names, module_of
        self._in_namespace = in_namespace
        self._found: Cache[tuple[Floats, ...]] = Cache(CACHED_PLACES)

    def of(self, place: Place) -> tuple[Floats, ...]:
        """float32[n] for each of USES: for goals of one file and namespace counted once."""
        namespace = place.theorem.rpartition(".")[0] if place.theorem else ""
        key = (place.module, place.imports, namespace)
        return self._found.get_or_make(key, lambda: self._counted(place, namespace))

    def _counted(self, place: Place, namespace: str) -> tuple[Floats, ...]:
        module = place.module or ""
        directory = module.rpartition(".")[0]
        folder = ".".join(directory.split(".")[:_FOLDER_PARTS])
        imports = frozenset(place.imports)
        named = np.zeros(len(self._module_of), dtype=np.bool_)
        if namespace:
            named = self._in_namespace(namespace) & self._of_modules(lambda name: name != module)
        masks = (
            self._of_modules(lambda name: name != module and _is_below(name, directory)),
            self._of_modules(lambda name: name != module and _is_below(name, folder)),
            named,
            self._of_modules(lambda name: name != module and name in imports),
        )
        proofs = self._proofs
        return tuple(proofs.counts(np.flatnonzero(mask & proofs.known)) for mask in masks)

    def _of_modules(self, chosen: Callable[[str], bool]) -> Bools:
        is_chosen = np.array([chosen(name) for name in self._module_names], dtype=np.bool_)
        return np.asarray(is_chosen[self._module_of])


def _is_below(module: str, folder: str) -> bool:
    return bool(folder) and module.startswith(f"{folder}.")


def place_signals(
    uses: UsesByPlace, bm25: Bm25, proofs: ProofGraph, place: Place, voters: Bools
) -> PlaceSignals:
    """The features of n premises at a place.

    Args:
        uses: the counts by place.
        bm25: over the premises' tokens; the parts of a name are among them.
        proofs: what the proofs of the premises use.
        place: the question's.
        voters: bool[n], the theorems whose proofs may vote.
    """
    named = np.zeros(len(voters), dtype=np.float32)
    if place.theorem:
        alike = bm25.scores(frozenset(name_parts(place.theorem)))
        nearest = top(alike, _NAMED, voters & (alike > 0))
        named = proofs.votes(nearest, by_rank(len(nearest)))
    return PlaceSignals((*uses.of(place), named, place.last_use), place.lines)


def no_place(count: int) -> PlaceSignals:
    """The signals of n premises where no file is known."""
    return PlaceSignals((np.zeros(count, dtype=np.float32),) * len(PLACE), np.zeros(0, dtype=np.int64))


def last_uses(graph: ProofGraph, above: Ids) -> Floats:
    """float32[count]: `last_use` of every premise, from the proofs above the goal (int64[k], the nearest last)."""
    proofs = above[graph.known[above]]
    first = graph.starts[proofs]
    counts = graph.starts[proofs + 1] - first
    result = np.zeros(graph.count, dtype=np.float32)
    result[graph.uses[rows_of(first, counts)]] = np.repeat(
        nearness(len(proofs)), counts
    )  # the last one counts
    return result


def nearness(count: int) -> Floats:
    """float32[count]: 1 / (1 + how many follow it), of proofs in the order of the file."""
    return (1.0 / np.arange(count, 0, -1)).astype(np.float32)


def declaration_gaps(lines: Ids, declared: npt.NDArray[np.integer], is_near: Bools) -> Floats:
    """float32[n]: 1 / (1 + declarations between a candidate and the goal), 0 for what is not above it in its file.

    Args:
        lines: as in `Place`.
        declared: int[n], the candidates' lines.
        is_near: bool[n], whether a candidate is of the open file.
    """
    between = len(lines) - np.searchsorted(lines, declared, side="right")
    above = is_near & (declared >= 0) & (len(lines) > 0) & (declared <= lines.max(initial=-1))
    return np.where(above, 1.0 / (1.0 + between), 0.0).astype(np.float32)


def starting_with(names: bytes | mmap.mmap, starts: npt.NDArray[np.integer], prefix: str) -> Bools:
    """bool[n]: which names begin with a prefix.

    Args:
        names: n names in UTF-8, each followed by a line feed.
        starts: int[n], where each begins.
    """
    data = np.frombuffer(names, dtype=np.uint8)
    ids = np.arange(len(starts))
    for offset, byte in enumerate(prefix.encode()):
        ids = ids[data[starts[ids] + offset] == byte]
    result = np.zeros(len(starts), dtype=np.bool_)
    result[ids] = True
    return result
