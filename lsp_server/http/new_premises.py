"""The declarations that a client sends: parsed from their printed signatures, embedded, and cached."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lean_extract.common.arrays import Floats
from lean_extract.common.cancellation import check_cancelled
from lean_extract.common.lru import Cache
from lean_extract.records import Goal, Premise
from lean_extract.source.reader import read_module
from lean_extract.syntax.with_notation import restored
from lsp_server.limits import (
    CACHED_LONG_PREMISES,
    CACHED_NEW_PREMISES,
    LONG_PREMISE_CHARACTERS,
    NEW_PREMISE_CHARACTERS,
)
from retriever.models.encoder import PremiseEncoder
from retriever.models.text import named_texts

_DOC = re.compile(r"\s*/--.*?-/\s*", re.DOTALL)
_HEAD = re.compile(r"(?P<kind>[a-z]+)\s+[^\s:({\[⦃]+\s*(?P<type>:.*)?", re.DOTALL)


class NewPremises:
    """Reads and embeds each text once; safe to use from several threads."""

    def __init__(self) -> None:
        self._read: Cache[Premise] = Cache(CACHED_NEW_PREMISES)
        self._long_read: Cache[Premise] = Cache(CACHED_LONG_PREMISES)
        self._vectors: Cache[Floats] = Cache(CACHED_NEW_PREMISES)
        self._long_vectors: Cache[Floats] = Cache(CACHED_LONG_PREMISES)

    def read(self, name: str, declaration: str) -> Premise:
        """A premise from `kind name binders : type`, with or without a doc string before it.

        Raises Cancelled.
        """
        check_cancelled()
        declaration = declaration[:NEW_PREMISE_CHARACTERS]
        key = (name, declaration)
        cache = self._read if len(name) + len(declaration) <= LONG_PREMISE_CHARACTERS else self._long_read
        known = cache.get(key)
        if known is None:
            known = read_declaration(name, declaration)
            cache.put(key, known)
        return known

    def nearest(
        self, encoder: PremiseEncoder, goal: Goal, premises: Sequence[Premise], count: int
    ) -> list[Premise]:
        """The `count` premises whose vectors are nearest to the goal's, in their own order."""
        vectors = self._embedded(encoder, premises)
        scores = vectors @ encoder.encode_state(goal)
        chosen = np.sort(np.argsort(-scores, kind="stable")[:count])
        return [premises[index] for index in chosen.tolist()]

    def _embedded(self, encoder: PremiseEncoder, premises: Sequence[Premise]) -> Floats:
        """float32[n, d]: from the cache, or embedded now."""
        keys = [(encoder.fingerprint, named_texts(premise)) for premise in premises]
        found = {key: vector for key in set(keys) if (vector := self._vectors_of(key).get(key)) is not None}
        missing = {key: premise for key, premise in zip(keys, premises, strict=True) if key not in found}
        if missing:
            fresh = encoder.encode_premises(list(missing.values()))
            for key, vector in zip(missing, fresh, strict=True):
                found[key] = vector
                self._vectors_of(key).put(key, vector)
        return np.stack([found[key] for key in keys])

    def _vectors_of(self, key: tuple[str, tuple[str, ...]]) -> Cache[Floats]:
        return self._vectors if sum(map(len, key[1])) <= LONG_PREMISE_CHARACTERS else self._long_vectors


def read_declaration(name: str, declaration: str) -> Premise:
    """A printed declaration as a record. Any text is accepted; what cannot be parsed is used as it is."""
    doc = _DOC.match(declaration)
    text = declaration[doc.end() :] if doc else declaration
    module = read_module(text.strip(), "", "")
    if module.premises and module.premises[0].conclusion:
        found = module.premises[0]
        return replace(
            found,
            name=name,
            module="",
            context=tuple(map(restored, found.context)),
            conclusion=restored(found.conclusion),
            span=None,
            is_private=False,
        )
    head = _HEAD.match(text.strip())
    kind, statement = (head["kind"], head["type"]) if head else ("theorem", None)
    return Premise(name, kind, "", conclusion=" ".join((statement or text).removeprefix(":").split()))
