"""What the searches in a file have found so far, which orders the tries of the next one. Pure."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from lean_extract.common.lru import Cache
from lean_extract.records import Goal, ProofState
from lean_extract.syntax.complete_tactics import head
from prover.limits import MAX_REMEMBERED
from prover.search.environment import Proposed, Proposer
from prover.search.partial import proof_at
from prover.search.search import SearchResult
from prover.search.theorem import script
from prover.shapes import tokens
from prover.states import fingerprint

_KNOWN = math.log(0.5)
"""The log-probability of what proved the same goal before."""
_LEMMA = math.log(2)
"""How much likelier a tactic is that names a lemma of a proof found in the file."""
_USUAL, _LEAST, _MOST = 0.35, -1.0, 0.5
"""The usual share of accepted tactics, and by how much a word's own share may change a log-probability."""


class ProofMemory:
    """Proofs found, lemmas used in them, and how often Lean accepted tactics by their first words.

    It only orders: no tactic is left out, and Lean judges all of them anew. Each part is bounded; what was not used
    for the longest time is forgotten first.
    """

    def __init__(self, size: int = MAX_REMEMBERED) -> None:
        self._proofs: Cache[str] = Cache(size)
        self._lemmas: Cache[bool] = Cache(size)
        self._words: Cache[tuple[int, int]] = Cache(size)

    def learn(self, result: SearchResult) -> None:
        """Remember what a search has found, whether or not it proved its theorem."""
        tree = result.tree
        for node in tree.nodes:
            if node.parent is not None:
                self._count(node.tactic, is_accepted=True)
            for attempt in node.attempts:
                self._count(attempt.tactic, is_accepted=attempt.status in ("known", "closes"))
        if tree.proved is None:
            return
        for proof in proof_at(tree, tree.proved).parts:
            self._proofs.put(_key(proof.goal), script(proof.steps))
            local = {name for hypothesis in proof.goal.hypotheses for name in hypothesis.names}
            for name in _names(proof.tactic) - local:
                self._lemmas.put(name, True)

    def known(self, goal: Goal) -> list[Proposed]:
        """What proved this very goal before, if anything did."""
        found = self._proofs.get(_key(goal))
        return [] if found is None else [Proposed(found, _KNOWN)]

    def weighed(self, goal: Goal, proposed: Sequence[Proposed]) -> list[Proposed]:
        """The same tactics, likeliest first by what is remembered."""
        local = {name for hypothesis in goal.hypotheses for name in hypothesis.names}
        found = [
            Proposed(one.tactic, one.log_probability + self._gain(one.tactic, local)) for one in proposed
        ]
        return sorted(found, key=lambda one: -one.log_probability)

    def _gain(self, tactic: str, local: set[str]) -> float:
        accepted, tried = self._words.get(head(tactic)) or (0, 0)
        share = (accepted + 4 * _USUAL) / (tried + 4)
        gain = min(max(math.log(share / _USUAL), _LEAST), _MOST)
        is_used = any(self._lemmas.get(name) for name in _names(tactic) - local)
        return gain + _LEMMA if is_used else gain

    def _count(self, tactic: str, *, is_accepted: bool) -> None:
        accepted, tried = self._words.get(head(tactic)) or (0, 0)
        self._words.put(head(tactic), (accepted + is_accepted, tried + 1))


@dataclass(frozen=True, slots=True)
class Remembering:
    """A proposer whose tactics are ordered by a memory as well."""

    proposer: Proposer
    memory: ProofMemory

    def quick(self, goal: Goal) -> list[Proposed]:
        """What proved the goal before, then what the proposer tries first."""
        return [*self.memory.known(goal), *self.proposer.quick(goal)]

    async def tactics(self, goals: Sequence[Goal]) -> list[Proposed]:
        """The proposer's tactics, likeliest first by what is remembered."""
        return self.memory.weighed(goals[0], await self.proposer.tactics(goals))


def _names(tactic: str) -> set[str]:
    """The names in a tactic that may be lemmas: what has a dot or an underscore."""
    return {part for part in tokens(tactic) if ("." in part or "_" in part) and part[0].isalpha()}


def _key(goal: Goal) -> Hashable:
    return fingerprint(ProofState((goal,)))
