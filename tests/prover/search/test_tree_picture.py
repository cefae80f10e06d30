"""The picture of a search: well formed whatever the tree is, and true to it."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from hypothesis import given
from hypothesis import strategies as st

from lean_extract.records import Goal, ProofState
from prover.search.picture import tree_svg
from prover.search.search import SearchLimits, search
from prover.search.tree import Attempt, SearchTree, TreeNode
from tests.prover.search.scripted import Listed, Scripted, Table

SVG = "{http://www.w3.org/2000/svg}"
TEXTS = st.text(st.characters(codec=None), max_size=90)
ATTEMPTS = st.builds(Attempt, TEXTS, st.sampled_from(["fails", "timeout", "known", "closes"]))


def state(*targets: str) -> ProofState:
    return ProofState(tuple(Goal((), target) for target in targets))


@st.composite
def trees(draw: st.DrawFn) -> SearchTree:
    nodes = [TreeNode(state("a"), expanded=0)]
    for _ in range(1, draw(st.integers(1, 12))):
        expanded = [at for at, node in enumerate(nodes) if node.expanded is not None]
        nodes.append(
            TreeNode(
                draw(
                    st.sampled_from(
                        [
                            state("a < b & c"),
                            state("p\n∧ q", "r"),
                            state("long " * 60),
                            state("odd \x00\ud800"),
                        ]
                    )
                ),
                scores=(draw(st.floats(-50, 0)),),
                parent=draw(st.sampled_from(expanded)),
                tactic=draw(TEXTS),
                status="open",
                expanded=draw(st.none() | st.integers(0, 99)),
                attempts=draw(st.lists(ATTEMPTS, max_size=3)),
            )
        )
    return SearchTree(nodes)


def texts(svg: str) -> list[str]:
    root = ElementTree.fromstring(svg)
    return ["".join(item.itertext()) for item in root.iter(f"{SVG}text")]


@given(trees(), TEXTS)
def test_any_tree_makes_a_well_formed_picture(tree: SearchTree, title: str) -> None:
    svg = tree_svg(tree, title)
    root = ElementTree.fromstring(svg)
    height = float(root.attrib["viewBox"].split()[3])
    assert all(float(item.attrib["y"]) < height for item in root.iter(f"{SVG}text"))
    circles = list(root.iter(f"{SVG}circle"))
    drawn = sum(node.expanded is not None or node.parent is None for node in tree.nodes)
    assert drawn <= len(circles) <= len(tree.nodes)


async def test_the_proof_is_marked_and_what_failed_is_counted() -> None:
    table: Table = {
        "start": {"a": (-0.1, "A<B"), "b": (-0.2, "B"), "bad": (-0.3, "fails"), "slow": (-0.4, "timeout")}
        | {f"w{number}": (-5.0 - number, f"W{number}") for number in range(6)},
        "A<B": {"again": (-0.1, "B")},
        "B": {"end": (-0.1, "done"), "the other end": (-0.1, "done")},
    }
    limits = SearchLimits(nodes=9, tactics=20)
    result = await search(Scripted(table), Listed(table), limits)
    assert result.proof == ("b", "end")
    svg = tree_svg(result.tree, "The search")
    shown = texts(svg)
    assert shown[:2] == [
        "The search",
        f"3 states expanded (numbered in order), {result.tactics} tactics tried; green: the proof;"
        " hollow: not expanded",
    ]
    for text in (
        "1 refused (bad); 1 timed out",
        "1 to states already known",
        "1 more that close it",
        "2 more states were not expanded",
        "a  −0.07",
        "⊢ A<B",
        "no goals",
    ):
        assert text in shown
    root = ElementTree.fromstring(svg)
    assert len([path for path in root.iter(f"{SVG}path") if path.attrib["class"] == "proof"]) == 2
    assert len([dot for dot in root.iter(f"{SVG}circle") if dot.attrib["class"] == "step"]) == 3
    assert "prefers-color-scheme: dark" in svg


async def test_a_search_without_a_proof_says_so() -> None:
    table: Table = {"start": {"bad": (-0.3, "fails")}}
    result = await search(Scripted(table), Listed(table), SearchLimits())
    assert "no proof was found" in texts(tree_svg(result.tree, "t"))[1]
