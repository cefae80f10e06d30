"""The proofs in a search's tree: the one of a state, and the unfinished one that has come furthest. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from prover.search.script import Proof, is_worth_showing, read_proof
from prover.search.tree import SearchTree

_LOOKED_AT = 50
"""How many states are looked at, those with the fewest and shortest open goals first."""


def proof_at(tree: SearchTree, index: int) -> Proof:
    """The proof of the first goal, as far as a state has come."""
    nodes = [tree.nodes[one] for one in tree.ancestry(index)]
    return read_proof([node.tactic for node in nodes[1:]], [node.state for node in nodes])


def furthest(tree: SearchTree) -> Proof | None:
    """The first of `furthest_first`."""
    return next(furthest_first(tree), None)


def furthest_first(tree: SearchTree) -> Iterator[Proof]:
    """The unfinished proofs that prove a goal of a branch: those with the fewest open goals first, of these those with
    the shortest."""
    has_closed: dict[int, bool] = {0: False}
    found: list[tuple[int, int, int]] = []
    for index in range(1, len(tree.nodes)):
        for one in tree.ancestry(index):
            parent = tree.nodes[one].parent
            if one not in has_closed and parent is not None:
                fewer = len(tree.nodes[one].state.goals) < len(tree.nodes[parent].state.goals)
                has_closed[one] = has_closed[parent] or fewer
        node = tree.nodes[index]
        if has_closed[index] and node.state.goals:
            found.append((len(node.goals), sum(map(len, node.goals)), index))
    shortest = (proof_at(tree, index) for _, _, index in sorted(found)[:_LOOKED_AT])
    yield from filter(is_worth_showing, shortest)
