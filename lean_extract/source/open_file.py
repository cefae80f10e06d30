"""What the proofs of one file use, where the rest of the library is known by its names alone."""

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
    """Holds whatever is asked for: which names a library has, only `find` can tell."""

    def __contains__(self, item: object) -> bool:
        return True


@dataclass(slots=True)
class LibraryEnvironment(NameEnvironment):
    """What the open file declares, and the names that a library is known to have.

    Its namespaces are not known; those that are opened are taken to be there.
    """

    is_known: Callable[[str], bool] = lambda name: False
    last_components: set[str] = field(default_factory=_Everything)

    def find(self, name: str, module: int, order: int) -> Entry | None:
        """A declaration of the file that stands before `order`, else one of the library."""
        found = super(LibraryEnvironment, self).find(name, module, order)
        return Entry(-1, 0) if found is None and self.is_known(name) else found

    def add_opened(self, scopes: Iterable[Scope]) -> None:
        """Take the namespaces that these scopes open as known."""
        for opened in {opened for scope in scopes for opened in scope.opens}:
            for around in namespaces_of(opened.within):
                self.namespaces.add(join_names(around, opened.namespace))


def uses_in(
    source: SourceModule, is_known: Callable[[str], bool], proofs: Sequence[SourceProof]
) -> Iterator[tuple[str, ...]]:
    """For each of these proofs of a module, the names that it uses, those of the module or known ones.

    A field of what a lemma of the library concludes (`(foo x).symm`) is not followed.
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
