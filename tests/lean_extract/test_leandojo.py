"""Records from what LeanDojo traced; its objects are played, since the real ones need Lake."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lean_extract.goals import format_state
from lean_extract.records import (
    FileProblem,
    Module,
    Position,
    Premise,
    Proof,
    Record,
    Span,
    read_header,
    read_records,
)
from tests.commands import command
from tests.fakes.lean_dojo_package import LeanGitRepo, Plot, Theorem, make_package

TEXT = """\
import Shop.Pairs

variable {α : Type} (p q : Prop)

/-- Turn a pair round. -/
theorem swap (h : p ∧ 𝕢 q) : 𝕢 q ∧ p := by
  constructor
  · exact h.right
  · exact And.left h

theorem again (h : p ∧ 𝕢 q) : 𝕢 q ∧ p := swap p q h

alias swap' := swap
"""
BEFORE = "p q : Prop\nh : p ∧ 𝕢 q\n⊢ 𝕢 q ∧ p"
AFTER = "case left\np q : Prop\nh : p ∧ 𝕢 q\n⊢ 𝕢 q\n\ncase right\np q : Prop\nh : p ∧ 𝕢 q\n⊢ p"


@dataclass
class Pos:
    """Counts from 1, and unpacks into line and column."""

    line_nb: int
    column_nb: int

    def __iter__(self) -> Any:
        yield self.line_nb
        yield self.column_nb


@dataclass
class Node:
    """A piece of syntax; an identifier that names a constant has a full name and a module."""

    full_name: str | None = None
    mod_name: str | None = None
    children: list[Node] = field(default_factory=list)

    def traverse_preorder(
        self, callback: Callable[[Any, Any], Any], node_cls: Any, parents: Any = ()
    ) -> None:
        if callback(self, parents):
            return
        for child in self.children:
            child.traverse_preorder(callback, node_cls, (*parents, self))


def tactic(text: str, start: Pos, end: Pos, before: str, after: str, *premises: str) -> SimpleNamespace:
    annotated = (text, [{"full_name": name, "def_path": "A.lean"} for name in premises])
    return SimpleNamespace(
        tactic=text,
        start=start,
        end=end,
        state_before=before,
        state_after=after,
        get_annotated_tactic=lambda: annotated,
    )


def theorem(repo: LeanGitRepo, name: str, proof: Node, *tactics: SimpleNamespace) -> SimpleNamespace:
    return SimpleNamespace(
        theorem=Theorem(repo, Path("Shop/Basic.lean"), name),
        has_tactic_proof=lambda: bool(tactics),
        get_traced_tactics=lambda: list(tactics),
        get_proof_node=lambda: proof,
    )


def defined(name: str | None, code: str, start: list[int], end: list[int]) -> dict[str, Any]:
    return {"full_name": name, "code": code, "start": start, "end": end, "kind": "commanddeclaration"}


def traced(root: Path) -> SimpleNamespace:
    """A TracedRepo of one file, and of one that belongs to a package."""
    (root / "Shop").mkdir(parents=True)
    (root / "lakefile.toml").write_text('name = "shop"\n[[lean_lib]]\nname = "Shop"\n')
    (root / "Shop" / "Basic.lean").write_text(TEXT)
    repo = LeanGitRepo(str(root), "c0ffee")
    used = Node(children=[
        Node("And.intro", "Init.Core"), Node(None), Node("And.right", "Init.Core"), Node("And.left", None),
        Node("And.left", "Init.Core"), Node("And.right", "Init.Core"), Node("swap", "Shop.Basic"),
    ])  # fmt: skip
    theorems = [
        theorem(
            repo,
            "swap",
            used,
            tactic("constructor", Pos(7, 3), Pos(7, 14), BEFORE, AFTER),
            tactic("exact h.right", Pos(8, 5), Pos(8, 18), BEFORE, "no goals", "And.right", "And.right"),
            tactic("exact And.left h", Pos(9, 5), Pos(9, 21), "h p without a mark", "no goals", "And.left"),
        ),
        theorem(repo, "again", Node(children=[Node("swap", "Shop.Basic")])),
    ]
    file = SimpleNamespace(
        path=Path("Shop/Basic.lean"),
        abs_path=root / "Shop" / "Basic.lean",
        lean_file=SimpleNamespace(code=TEXT.split("\n")),
        get_premise_definitions=lambda: [
            defined("swap", "theorem swap (h : p ∧ 𝕢 q) : 𝕢 q ∧ p", [5, 1], [9, 21]),
            defined("swap.made", "theorem made (x : α) : x = x := rfl", [11, 1], [11, 20]),
            defined("swap.odd", "restate_axiom", [12, 1], [12, 5]),
            defined(None, "instance : Foo", [13, 1], [13, 9]),
        ],
        get_traced_theorems=lambda: theorems,
    )
    package = SimpleNamespace(path=Path(".lake/packages/other/Other.lean"))
    return SimpleNamespace(repo=repo, root_dir=root, traced_files=[package, file])


@pytest.fixture
def records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Record]:
    """What the command writes."""
    package = make_package(Plot({}, "⊢ p"))
    asked: list[tuple[str, bool]] = []

    def trace(repo: LeanGitRepo, dst_dir: Path | None = None, build_deps: bool = True) -> SimpleNamespace:
        asked.append((repo.url, build_deps))
        return traced(tmp_path / "copy")

    package.trace = trace  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "lean_dojo", package)
    out = tmp_path / "records.jsonl"
    assert command("lean_extract trace")(["--dojo", tmp_path, out]) == 0
    assert asked == [(str(tmp_path), False)]
    header = read_header(out)
    assert (header.source, header.revision) == ("lean", "LeanDojo 4.20.0, c0ffee")
    return list(read_records(out))


def test_the_module_and_its_premises(records: list[Record]) -> None:
    [module] = [record for record in records if isinstance(record, Module)]
    assert (module.name, [one.module for one in module.imports]) == ("Shop.Basic", ["Shop.Pairs"])
    premises = {record.name: record for record in records if isinstance(record, Premise)}
    assert set(premises) == {"swap", "swap.made", "swap.odd"}
    # The variables of the file are part of the statement, the place is LeanDojo's.
    assert premises["swap"].context == ("(p q : Prop)", "(h : p ∧ 𝕢 q)")
    assert (premises["swap"].conclusion, premises["swap"].doc) == ("𝕢 q ∧ p", "Turn a pair round.")
    assert premises["swap"].span == Span(Position(4, 0), Position(8, 20))
    # What the file does not state is read from LeanDojo's own text, if that is a declaration.
    assert premises["swap.made"].statement == "(x : α) : x = x"
    assert premises["swap.odd"].statement == ""


def test_proofs_with_states_and_premises(records: list[Record]) -> None:
    proofs = {record.theorem: record for record in records if isinstance(record, Proof)}
    swap = proofs["swap"]
    assert (swap.module, swap.is_tactic) == ("Shop.Basic", True)
    assert swap.premises == ("And.intro", "And.right", "And.left")
    first, second, third = swap.steps
    assert (first.tactic, first.span) == ("constructor", Span(Position(6, 2), Position(6, 13)))
    assert first.before is not None
    assert first.after is not None
    assert (format_state(first.before), format_state(first.after)) == (BEFORE, AFTER)
    assert second.after is not None
    assert (second.premises, second.after.goals) == (("And.right",), ())
    assert (third.premises, third.before, third.after) == (("And.left",), None, None)
    assert proofs["again"] == Proof("again", "Shop.Basic", ("swap",))


def test_a_state_that_cannot_be_read_is_told(records: list[Record]) -> None:
    [problem] = [record for record in records if isinstance(record, FileProblem)]
    assert (problem.path, problem.position) == ("Shop/Basic.lean", Position(8, 4))
    assert problem.message.startswith("no state for `exact And.left h`")


def test_what_cannot_be_traced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def trace(repo: LeanGitRepo, dst_dir: Path | None = None, build_deps: bool = True) -> None:
        raise RuntimeError("lake: not found")

    package = make_package(Plot({}, "⊢ p"))
    package.trace = trace  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "lean_dojo", package)
    out = tmp_path / "records.jsonl"
    assert command("lean_extract trace")(["--dojo", tmp_path, out]) == 1
    assert "RuntimeError('lake: not found')" in capsys.readouterr().err
    assert command("lean_extract trace")(["--dojo", tmp_path / "gone", out]) == 2
    assert not out.exists()
