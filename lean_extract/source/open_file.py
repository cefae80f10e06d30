"""The premises used by the proofs of one file, where only the names of the rest of the library are known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from lean_extract.source.names.scopes import Scope, join_names, namespaces_of
from lean_extract.source.proofs.proof import SourceProof
from lean_extract.source.reader import SourceModule
from lean_extract.source.resolution.environment import Entry, NameEnvironment
from lean_extract.source.resolution.link import Linker
from lean_extract.source.resolution.mention_resolution import MentionResolver


class _Everything(set[str]):
    """A set that contains everything, since only `find` can tell which names a library has."""

    def __contains__(self, item: object) -> bool:
        return True


@dataclass(slots=True)
class LibraryEnvironment(NameEnvironment):
    """The declarations of the open file, and the known names of a library.

    The library's namespaces are not known. Those that are opened are assumed to exist.
    """

    is_known: Callable[[str], bool] = lambda name: False
    last_components: set[str] = field(default_factory=_Everything)

    def find(self, name: str, module: int, order: int) -> Entry | None:
        """A declaration of the file that comes before `order`, otherwise one of the library."""
        found = super(LibraryEnvironment, self).find(name, module, order)
        return Entry(-1, 0) if found is None and self.is_known(name) else found

    def add_opened(self, scopes: Iterable[Scope]) -> None:
        """Assume that the namespaces opened in these scopes exist."""
        for opened in {opened for scope in scopes for opened in scope.opens}:
            for around in namespaces_of(opened.within):
                self.namespaces.add(join_names(around, opened.namespace))


def uses_in(
    source: SourceModule, is_known: Callable[[str], bool], proofs: Sequence[SourceProof]
) -> Iterator[tuple[str, ...]]:
    """For each of these proofs of a module, the names that it uses: those of the module, and known ones.

    A field of the conclusion of a library lemma (`(foo x).symm`) is not resolved.
    """
    environment = LibraryEnvironment(is_known=is_known, visible=[1])
    linker = Linker(environment)
    linker.add(source)
    linker.declare_exports()
    environment.add_opened({proof.scope for proof in proofs})
    resolver = MentionResolver(environment, 0)
    for proof in proofs:
        found = dict.fromkeys(
            name
            for mention in proof.mentions
            for name in resolver.resolve(mention, proof.scope, proof.order)
            if name != proof.theorem
        )
        yield tuple(found)
