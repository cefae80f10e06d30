"""The reference graph of a corpus, and its figures (section 3, Table 3).

python -m retriever naturalproofs-graph CORPUS.json

An edge means "is referred to by": from a statement to every other one that refers to it, in its own text
or in one of its proofs. Repeated references make one edge, a reference to itself makes none. A *leaf* refers
to something and nothing refers to it; a *head* is referred to and refers to nothing.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from lean_extract.common.errors import BadRecords
from retriever.documents.schema import Corpus, Statement
from retriever.documents.store import read_corpus


@dataclass(frozen=True, slots=True)
class ReferenceGraph:
    """Who refers to whom; the keys are the ids of all statements, in the corpus's order."""

    refers_to: Mapping[int, frozenset[int]]
    referred_by: Mapping[int, frozenset[int]]
    to_themselves: int
    """Statements that refer to themselves; they have no edge for that."""

    @property
    def leaves(self) -> tuple[int, ...]:
        """Ids of those that refer and are not referred to: what an evaluation may be made of (section 4)."""
        return tuple(id for id, targets in self.refers_to.items() if targets and not self.referred_by[id])

    @property
    def heads(self) -> tuple[int, ...]:
        """Ids of those that are referred to and refer to nothing."""
        return tuple(id for id, users in self.referred_by.items() if users and not self.refers_to[id])


def build_graph(corpus: Corpus) -> ReferenceGraph:
    """The graph of all references, in statements and in proofs.

    Raises BadRecords when one leads to no statement of the corpus, or two statements have one id.
    """
    all_targets = {statement.id: _targets(statement) for statement in corpus.statements}
    if len(all_targets) < len(corpus.statements):
        raise BadRecords("Two statements of the corpus have the same id.", "Give each its own.")
    users: dict[int, set[int]] = {id: set() for id in all_targets}
    for id, targets in all_targets.items():
        for target in targets - {id}:
            if target not in users:
                raise BadRecords(
                    f"Statement {id} refers to {target}, which is not in the corpus.",
                    "Build the corpus again, or take the reference out.",
                )
            users[target].add(id)
    return ReferenceGraph(
        {id: frozenset(targets - {id}) for id, targets in all_targets.items()},
        {id: frozenset(found) for id, found in users.items()},
        sum(id in targets for id, targets in all_targets.items()),
    )


def _targets(statement: Statement) -> set[int]:
    return {*statement.ref_ids, *(id for proof in statement.proofs for id in proof.ref_ids)}


def figures(corpus: Corpus, graph: ReferenceGraph) -> dict[str, float]:
    """The figures of `graph`, which is that of `corpus`, by what they are, in the order of Table 3 and more."""
    theorems = {theorem.id for theorem in corpus.theorems}
    out_degrees = [len(targets) for targets in graph.refers_to.values()]
    in_degrees = [len(users) for users in graph.referred_by.values()]
    nodes = sum(bool(out or into) for out, into in zip(out_degrees, in_degrees, strict=True))
    edges = sum(out_degrees)
    mutual = sum(id in graph.refers_to[other] for id, found in graph.refers_to.items() for other in found)
    cycles = [len(part) for part in components(graph.refers_to) if len(part) > 1]
    return {
        "statements": len(out_degrees),
        "statements with an edge (nodes)": nodes,
        "edges": edges,
        "leaves: refer, are not referred to": len(graph.leaves),
        "  of these, theorems": len(theorems.intersection(graph.leaves)),
        "heads: are referred to, refer to nothing": len(graph.heads),
        "statements that refer to themselves": graph.to_themselves,
        "pairs that refer to each other": mutual // 2,
        "strongly connected components of two or more": len(cycles),
        "  statements in them": sum(cycles),
        "  the largest": max(cycles, default=0),
        "edges a node": edges / max(nodes, 1),
        "the most that one statement refers to": max(out_degrees, default=0),
        "the most that refer to one statement": max(in_degrees, default=0),
    }


def components(edges: Mapping[int, frozenset[int]]) -> list[frozenset[int]]:
    """The strongly connected components, each node in exactly one (Tarjan 1972, without recursion)."""
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    open_nodes: list[int] = []
    is_open: set[int] = set()
    found: list[frozenset[int]] = []

    def enter(node: int) -> tuple[int, Iterator[int]]:
        order[node] = low[node] = len(order)
        open_nodes.append(node)
        is_open.add(node)
        return node, iter(sorted(edges[node]))

    def close(node: int) -> None:
        part = {node}
        while (last := open_nodes.pop()) != node:
            part.add(last)
        is_open.difference_update(part)
        found.append(frozenset(part))

    for root in edges:
        path = [] if root in order else [enter(root)]
        while path:
            node, ahead = path[-1]
            for other in ahead:
                if other not in order:
                    path.append(enter(other))
                    break
                if other in is_open:
                    low[node] = min(low[node], order[other])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == order[node]:
                    close(node)
    return found


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("corpus", type=Path, help="a corpus file (JSON)")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    corpus, _ = read_corpus(options.corpus)
    for name, value in figures(corpus, build_graph(corpus)).items():
        print(f"{name:<46}{value:>10,.2f}" if isinstance(value, float) else f"{name:<46}{value:>10,}")
