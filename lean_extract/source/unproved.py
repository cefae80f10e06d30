"""Which declarations rest on `sorry`: by their own text, or by what their proofs use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import Any

from lean_extract.source.names.scopes import join_names, namespaces_of, split_name
from lean_extract.source.open_file import uses_in
from lean_extract.source.proofs.proof import SourceProof
from lean_extract.source.reader import SourceModule


def resting_on_sorry(source: SourceModule, known: Set[str] = frozenset()) -> frozenset[str]:
    """The names of a module's declarations that rest on `sorry`; `known` are those of other modules.

    A theorem does if its text has a `sorry` or `admit`, if its proof uses one that does, or if an attribute
    or `alias` made it of one that does. Definitions count by their own text alone. Time is linear.
    """
    found = {premise.name for premise in source.premises if premise.has_sorry}
    if not found and not known:
        return frozenset()
    proofs = _candidates(source.proofs, found | known)
    uses = dict(
        zip(
            (proof.theorem for proof in proofs),
            uses_in(source, known.__contains__, proofs),
            strict=True,
        )
    )
    aliases = {alias.name: alias for alias in source.aliases}
    for premise in source.premises:  # in order: a proof uses what stands above it
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
    """What a text has to have in it to name one of these."""
    return {split_name(name)[-1] for name in names}


def _candidates(proofs: Iterable[SourceProof], names: Iterable[str]) -> list[SourceProof]:
    """The proofs that mention one of the names, or what another such proof proves; by last components."""
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
