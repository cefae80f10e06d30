"""The premises used by the proofs of one file, where only the names of the rest of the library are known; and which of
its declarations depend on `sorry`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from lean_extract.limits import MAX_MEANINGS
from lean_extract.source.names.scopes import Scope, join_names, namespaces_of, split_name
from lean_extract.source.proofs.local_names import Field
from lean_extract.source.proofs.proof import SourceProof
from lean_extract.source.reader import SourceModule
from lean_extract.source.resolution.link import Linker
from lean_extract.source.resolution.mention_resolution import MentionResolver
from lean_extract.source.resolution.name_resolution import Entry, NameEnvironment, NameResolver


class _Everything(set[str]):
    """A set that contains everything, since only `find` knows which names a library has."""

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


def _environment(
    source: SourceModule, is_known: Callable[[str], bool], proofs: Sequence[SourceProof]
) -> LibraryEnvironment:
    environment = LibraryEnvironment(is_known=is_known, visible=[1])
    linker = Linker(environment)
    linker.add(source)
    linker.declare_exports()
    environment.add_opened({proof.scope for proof in proofs})
    return environment


def uses_in(
    source: SourceModule, is_known: Callable[[str], bool], proofs: Sequence[SourceProof]
) -> Iterator[tuple[str, ...]]:
    """For each of these proofs of a module, the names that it uses: those of the module, and known ones.

    A field of the conclusion of a library lemma (`(foo x).symm`) is not resolved.
    """
    environment = _environment(source, is_known, proofs)
    resolver = MentionResolver(environment, 0)
    for proof in proofs:
        found = dict.fromkeys(
            name
            for mention in proof.mentions
            for name in resolver.resolve(mention, proof.scope, proof.order)
            if name != proof.theorem
        )
        yield tuple(found)


def possible_uses(source: SourceModule, proofs: Sequence[SourceProof]) -> Iterator[list[tuple[str, ...]]]:
    """For each of these proofs of a module, what each of its mentions may refer to, the likeliest name first.

    The first of these names that a library has is what is meant. The library itself need not be known. Names that
    the file declares below the proof are not meant. Constructors, and fields of conclusions, are left out.
    """
    declared = frozenset(premise.name for premise in source.premises)
    possible_names: dict[str, None] = {}

    def note(name: str) -> bool:
        if name not in declared:
            possible_names[name] = None
        return False

    environment = _environment(source, note, proofs)
    names, fields = NameResolver(environment, 0), MentionResolver(environment, 0)
    for proof in proofs:
        found: dict[tuple[str, ...], None] = {}
        for mention in dict.fromkeys(proof.mentions):
            possible_names.clear()
            own: str | None = None
            if isinstance(mention, Field):
                own = next(iter(fields.resolve(mention, proof.scope, proof.order)), None)
                meant = _as_fields(possible_names, mention)
            elif isinstance(mention, str) and mention[0] != ".":
                own = names.resolve(mention, proof.scope, proof.order)[0]
                meant = list(possible_names)
            else:
                continue
            possible = tuple(name for name in meant[:MAX_MEANINGS] if name != proof.theorem)
            if own is not None and own != proof.theorem:
                possible = (*possible, own)
            if possible:
                found[possible] = None
        yield list(found)


def _as_fields(possible_names: Iterable[str], mention: Field) -> list[str]:
    """The full names of a field, from the names that its owner may have; full names stay."""
    field_name = split_name(mention.field)[0]
    if field_name.isdigit():
        return []
    ending = f".{field_name}"
    return list(dict.fromkeys(name if name.endswith(ending) else name + ending for name in possible_names))


def library_name(name: str, scope: Scope, is_known: Callable[[str], bool]) -> str | None:
    """The full name that a name refers to in a library whose names alone are known; None if there is no such name."""
    environment = LibraryEnvironment(is_known=is_known, visible=[1])
    environment.add_opened((scope,))
    full, rest = NameResolver(environment, 0).resolve(name, scope, 0)
    return None if rest else full


def resting_on_sorry(source: SourceModule, known: Set[str] = frozenset()) -> frozenset[str]:
    """The names of a module's declarations that depend on `sorry`. `known` holds those of other modules.

    A theorem depends on `sorry` if its text contains `sorry` or `admit`, if its proof uses a theorem that does,
    or if an attribute or `alias` derives it from one that does. For definitions only their own text counts.
    Takes linear time.
    """
    found = {premise.name for premise in source.premises if premise.has_sorry}
    if not found and not known:
        return frozenset()
    proofs = _candidates(source.proofs, found | known)
    uses = dict(
        zip((proof.theorem for proof in proofs), uses_in(source, known.__contains__, proofs), strict=True)
    )
    aliases = {alias.name: alias for alias in source.aliases}
    for premise in source.premises:  # in order, since a proof uses what is above it
        used = [*uses.get(premise.name, ())]
        if premise.generated_from is not None:
            used.append(premise.generated_from)
        if alias := aliases.get(premise.name):
            spaces = (*namespaces_of(alias.scope.namespace), *(one.namespace for one in alias.scope.opens))
            used += [join_names(space, alias.target) for space in spaces]
        if any(name in found or name in known for name in used):
            found.add(premise.name)
    return frozenset(found)


def last_components(names: Iterable[str]) -> set[str]:
    """The last components of these names. A text that names one of them contains its last component."""
    return {split_name(name)[-1] for name in names}


def _candidates(proofs: Iterable[SourceProof], names: Iterable[str]) -> list[SourceProof]:
    """The proofs that mention one of the names, or a theorem with such a proof, judged by last components."""
    lasts = last_components(names)
    chosen = []
    for proof in proofs:
        words = (word for mention in proof.mentions for word in _words(mention))
        if any(not lasts.isdisjoint(split_name(word)) for word in words):
            chosen.append(proof)
            lasts.add(split_name(proof.theorem)[-1])
    return chosen


def _words(mention: Any) -> Iterator[str]:
    if isinstance(mention, str):
        yield mention
    elif isinstance(mention, tuple):
        for part in mention:
            yield from _words(part)
