"""Finds the declarations that depend on `sorry`, in their own text or through what their proofs use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import Any

from lean_extract.source.names.scopes import join_names, namespaces_of, split_name
from lean_extract.source.open_file import uses_in
from lean_extract.source.proofs.proof import SourceProof
from lean_extract.source.reader import SourceModule


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
        zip(
            (proof.theorem for proof in proofs),
            uses_in(source, known.__contains__, proofs),
            strict=True,
        )
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
