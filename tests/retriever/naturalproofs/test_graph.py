from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.common.errors import BadRecords
from retriever.documents.schema import Corpus
from retriever.documents.store import write_corpus
from retriever.naturalproofs.graph import build_graph, components, figures
from tests.commands import command
from tests.retriever.naturalproofs.corpora import corpora, gardens, statement

main = command("retriever naturalproofs-graph")

EDGES = (
    st.integers(1, 9)
    .flatmap(lambda count: st.lists(st.frozensets(st.integers(0, count - 1)), min_size=count, max_size=count))
    .map(lambda targets: dict(enumerate(targets)))
)


def test_edges_come_from_statements_and_all_proofs_once_each() -> None:
    graph = build_graph(gardens())
    assert graph.refers_to[3] == {1, 2, 6}
    assert graph.refers_to[4] == {1, 3, 6}
    assert graph.refers_to[5] == {2, 7}
    assert graph.referred_by[1] == {3, 4, 7}
    assert graph.leaves == (4, 5)
    assert graph.heads == (1, 2, 6)


def test_figures_by_hand() -> None:
    assert list(figures(gardens(), build_graph(gardens())).values()) == [
        *(7, 7, 9),  # statements, nodes, edges
        *(2, 2, 3, 1),  # leaves, theorems among them, heads, statements that refer to themselves
        *(0, 0, 0, 0),  # mutual pairs and cycles
        pytest.approx(9 / 7),
        *(3, 3),  # the most references and users
    ]


def test_theorems_that_need_each_other_are_a_cycle() -> None:
    uses = ((1, 2), (2, 1), (3, 4), (4, 5), (5, 3), (6, 1))
    corpus = Corpus((*(statement(id, proofs=((other,),)) for id, other in uses), statement(7)))
    found = list(figures(corpus, build_graph(corpus)).values())
    assert found[:2] == [7, 6]
    assert found[7:11] == [1, 2, 5, 3]  # mutual pairs, cycles, statements in them, the largest


def test_a_reference_to_nothing_and_an_id_used_twice_are_told() -> None:
    with pytest.raises(BadRecords, match="1 refers to 99"):
        build_graph(Corpus((statement(1, proofs=((99,),)),)))
    with pytest.raises(BadRecords, match="same id"):
        build_graph(Corpus((statement(1), statement(1))))


@given(corpora())
def test_leaves_refer_and_are_not_referred_to(corpus: Corpus) -> None:
    pairs = {
        (one.id, target)
        for one in corpus.statements
        for ids in (one.ref_ids, *(proof.ref_ids for proof in one.proofs))
        for target in ids
        if target != one.id
    }
    graph = build_graph(corpus)
    users, used = {pair[0] for pair in pairs}, {pair[1] for pair in pairs}
    assert set(graph.leaves) == users - used
    assert set(graph.heads) == used - users
    assert figures(corpus, graph)["edges"] == len(pairs)


@given(EDGES)
def test_components_are_the_nodes_that_reach_each_other(edges: dict[int, frozenset[int]]) -> None:
    def reach(start: int) -> frozenset[int]:
        seen, ahead = {start}, [start]
        while ahead:
            new = edges[ahead.pop()] - seen
            seen |= new
            ahead += new
        return frozenset(seen)

    reached = {node: reach(node) for node in edges}
    expected = {frozenset(o for o in reached[node] if node in reached[o]) for node in edges}
    found = components(edges)
    assert len(found) == len(expected)
    assert set(found) == expected


def test_a_long_chain_needs_no_deep_stack() -> None:
    chain = {id: frozenset({(id + 1) % 50_000}) for id in range(50_000)}
    assert [len(part) for part in components(chain)] == [50_000]


def test_the_command_prints_the_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "gardens.json"
    write_corpus(path, gardens())
    assert main([str(path)]) == 0
    lines = dict(line.rsplit(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert (lines["edges"], lines["statements that refer to themselves"]) == ("9", "1")
