"""What the proofs above a goal in the open file use, read from the text as it stands in the editor."""

from __future__ import annotations

from collections.abc import Iterator, Set

from lean_extract.common.lru import Cache
from lean_extract.source.open_file import uses_in
from lean_extract.source.proofs.proof import SourceProof
from lean_extract.source.reader import SourceModule
from retriever.search.index.view import LiveNames

_CACHED = 65_536
_Key = tuple[object, ...]


class NearbyUses:
    """Resolves proofs of open files against an index; what was found is kept, as files change little.

    Safe to use from several threads: at worst something is found twice.
    """

    def __init__(self, names: LiveNames) -> None:
        self._names = names
        self._known: Cache[bool] = Cache(_CACHED)
        self._uses: Cache[tuple[str, ...]] = Cache(_CACHED)

    def uses(self, source: SourceModule, theorems: Set[str]) -> list[tuple[str, ...]]:
        """The names that each of the proofs of these theorems uses, in the order of the file."""
        proofs = {key: proof for key, proof in _keyed(source) if proof.theorem in theorems}
        uses = {key: names for key in proofs if (names := self._uses.get(key)) is not None}
        missing = {key: proof for key, proof in proofs.items() if key not in uses}
        if missing:
            found = uses_in(source, self._is_known, list(missing.values()))
            for key, names in zip(missing, found, strict=True):
                self._uses.put(key, names)
                uses[key] = names
        return [uses[key] for key in proofs]

    def _is_known(self, name: str) -> bool:
        return self._known.get_or_make(name, lambda: bool(self._names.find_names([name])[0] >= 0))


def _keyed(source: SourceModule) -> Iterator[tuple[_Key, SourceProof]]:
    """The proofs, each under what its uses depend on: its text, and what the file declares above it."""
    declared = [hash(source.module.name)]
    for premise in source.premises:
        declared.append(hash((declared[-1], premise.name)))
    for proof in source.proofs:
        yield (declared[proof.order], proof.theorem, proof.scope, proof.mentions), proof
