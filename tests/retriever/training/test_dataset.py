from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from lean_extract.common.errors import BadRecords
from lean_extract.records import (
    Goal,
    Header,
    Hypothesis,
    Module,
    Premise,
    Proof,
    ProofState,
    TacticStep,
    write_records,
)
from lean_extract.source.extract import extract_project
from lean_extract.source.proofs.sequents import goal_of, hypothesis_of
from retriever.lean.dataset.dataset import build_dataset, corpus_of, load_dataset
from retriever.search.splits import split_of
from tests.commands import command
from tests.retriever.support import named_in


def test_the_split_is_the_hash_modulo_50() -> None:
    for name in (named_in("test", "A.t"), named_in("valid", "A.t"), named_in("train", "A.t")):
        rest = int(hashlib.sha256(name.encode()).hexdigest(), 16) % 50
        assert split_of(name) == {0: "test", 1: "valid"}.get(rest, "train")
    parts = [split_of(f"n{number}") for number in range(5000)]
    assert 60 <= parts.count("test") <= 140
    assert 60 <= parts.count("valid") <= 140


@pytest.mark.parametrize(
    ("binder", "expected"),
    [
        ("(a b : G)", Hypothesis(("a", "b"), "G")),
        ("{G : Type*}", Hypothesis(("G",), "Type*")),
        ("[Group G]", Hypothesis(("inst✝",), "Group G")),
        ("[i : Group G]", Hypothesis(("i",), "Group G")),
        ("⦃s : Set (α × β)⦄", Hypothesis(("s",), "Set (α × β)")),
        ("(h : a = b := by rfl)", Hypothesis(("h",), "a = b")),
        ("(f : (x : α) → β x)", Hypothesis(("f",), "(x : α) → β x")),
        ("[∀ i : ι, Ring (A i)]", Hypothesis(("inst✝",), "∀ i : ι, Ring (A i)")),
        ("{x}", Hypothesis(("x",), "_")),
    ],
)
def test_binders_become_hypotheses(binder: str, expected: Hypothesis) -> None:
    assert hypothesis_of(binder) == expected


def test_a_statement_is_the_goal_of_its_proof() -> None:
    goal = goal_of(("{α : Type*}", "(a : α)"), "a = a")
    assert goal == Goal((Hypothesis(("α",), "Type*"), Hypothesis(("a",), "α")), "a = a")


def test_the_same_records_give_the_same_bytes(little_records: Path, tmp_path: Path) -> None:
    first, second = (build_dataset(little_records, tmp_path / name) for name in ("one", "two"))
    assert first == second
    for name in ("corpus.jsonl", "queries.jsonl", "modules.jsonl", "manifest.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_a_dataset_reads_back_as_it_was_built(little_records: Path, tmp_path: Path) -> None:
    manifest = build_dataset(little_records, tmp_path)
    loaded = load_dataset(tmp_path)
    assert loaded.manifest == manifest
    assert len(loaded.corpus) == manifest.corpus == 120
    query = next(q for q in loaded.queries if q.theorem == "Little.mix_rotate" and q.origin == "statement")
    assert {loaded.corpus[number].name for number in query.gold} == {"Little.mix_comm", "Little.mix_assoc"}
    inner = next(q for q in loaded.queries if q.theorem == "Little.mix_rotate" and q.origin == "inner")
    assert [loaded.corpus[number].name for number in inner.gold] == ["Little.mix_unit"]
    assert inner.goal.target == "mix p unit = p"
    assert inner.goal.hypotheses[-1] == Hypothesis(("p",), "S")


def _library(theorem: Premise, extra: tuple[Premise, ...] = ()) -> list[Premise | Proof | Module]:
    used = Premise("A.used", "theorem", "A", ("(a : ℕ)",), "a = a")
    base = Premise("A.base", "theorem", "A", (), "1 = 1")
    proofs = [Proof(premise.name, "A", ("A.used",)) for premise in (base, theorem, *extra)]
    return [Module("A", "A.lean"), used, base, theorem, *extra, *proofs]


def test_a_generated_twin_follows_its_source_and_held_out_proofs_count_no_uses(tmp_path: Path) -> None:
    source = Premise(named_in("test", "A.mul"), "theorem", "A", ("(a : ℕ)",), "a = a")
    twin = replace(
        source, name=named_in("train", "A.add"), generated_by="to_additive", generated_from=source.name
    )
    write_records(tmp_path / "r.jsonl", Header("text"), _library(source, (twin,)))
    build_dataset(tmp_path / "r.jsonl", tmp_path / "out")
    loaded = load_dataset(tmp_path / "out")
    splits = {query.theorem: query.split for query in loaded.queries}
    assert splits[source.name] == splits[twin.name] == "test"
    assert splits["A.base"] == split_of("A.base") == "train"
    numbers = {premise.name: number for number, premise in enumerate(loaded.corpus)}
    assert loaded.use_counts()[numbers["A.used"]] == 1
    families = loaded.families()
    assert families[numbers[source.name]] == families[numbers[twin.name]] != families[numbers["A.used"]]


def _state(*targets: str) -> ProofState:
    return ProofState(tuple(Goal((), target) for target in targets))


def test_the_states_before_and_after_a_step_both_ask_for_its_premises(tmp_path: Path) -> None:
    theorem = Premise(named_in("train", "A.t"), "theorem", "A", (), "2 = 2")
    steps = (
        TacticStep("rw [used]", None, ("A.used",), _state("start", "other"), _state("middle", "other")),
        TacticStep("simp [base]", None, ("A.base",), _state("middle", "other"), _state("other")),
        TacticStep("skip", None, (), _state("other"), _state("last")),
        TacticStep("exact used", None, ("A.used",), _state("last"), _state()),
    )
    library = [record for record in _library(theorem) if not isinstance(record, Proof)]
    proof = Proof(theorem.name, "A", ("A.used", "A.base"), steps, is_tactic=True)
    write_records(tmp_path / "r.jsonl", Header("lean"), [*library, proof])
    build_dataset(tmp_path / "r.jsonl", tmp_path / "out")
    loaded = load_dataset(tmp_path / "out")
    asked = {
        query.goal.target: {loaded.corpus[number].name for number in query.gold}
        for query in loaded.queries
        if query.origin == "step"
    }
    # `middle` is met twice and asks once; what is left when a goal is closed is not what closed it
    assert asked == {"start": {"A.used"}, "middle": {"A.used", "A.base"}, "last": {"A.used"}}
    assert loaded.manifest.queries["train/step"] == 3


_PROOFS = """
theorem used (a : S) : a = a := by rfl
theorem other (a : S) : a = a := by rfl

theorem all (x : S) : x = x := by
  have named : f x = x := by exact used x
  have : g x = x := used x
  suffices later : h x = x by exact other x
  show k x = x
  calc k x = l x := by rw [used]
    _ = x := other x
"""


def test_goals_stated_in_a_proofs_text_ask_for_what_their_own_proofs_use(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "lean-toolchain").write_text("v4", encoding="utf-8")
    (root / "A.lean").write_text(_PROOFS, encoding="utf-8")
    extract_project(root, tmp_path / "r.jsonl")
    build_dataset(tmp_path / "r.jsonl", tmp_path / "out")
    loaded = load_dataset(tmp_path / "out")
    asked = {
        query.goal.target: {loaded.corpus[number].name for number in query.gold}
        for query in loaded.queries
        if query.theorem == "all"
    }
    assert asked == {
        "x = x": {"used", "other"},
        "f x = x": {"used"},
        "g x = x": {"used"},
        "h x = x": {"used", "other"},
        "k x = x": {"used", "other"},
        "k x = l x": {"used"},
        "l x = x": {"other"},
    }
    named = next(query.goal for query in loaded.queries if query.goal.target == "g x = x")
    assert named.hypotheses == (Hypothesis(("x",), "S"), Hypothesis(("named",), "f x = x"))


def test_theorems_of_another_benchmark_are_left_out_of_training(tmp_path: Path) -> None:
    theorem = Premise(named_in("train", "A.t"), "theorem", "A", (), "2 = 2")
    write_records(tmp_path / "r.jsonl", Header("text"), _library(theorem))
    (tmp_path / "names").write_text(f"{theorem.name}\n", encoding="utf-8")
    arguments = [str(tmp_path / "r.jsonl"), str(tmp_path / "out"), "--without", str(tmp_path / "names")]
    assert command("retriever dataset")(arguments) == 0
    assert theorem.name not in {query.theorem for query in load_dataset(tmp_path / "out").queries}


def test_private_theorems_and_data_are_no_candidates() -> None:
    kept = Premise("a", "lemma", "A", (), "1 = 1")
    hidden = Premise("b", "lemma", "A", (), "1 = 1", is_private=True)
    data = Premise("c", "def", "A", (), "ℕ")
    assert corpus_of([data, hidden, kept, kept]) == [kept]


def test_records_without_a_usable_proof_are_refused(tmp_path: Path) -> None:
    write_records(tmp_path / "r.jsonl", Header("text"), [Premise("a", "theorem", "A", (), "1 = 1")])
    with pytest.raises(BadRecords, match="No proof"):
        build_dataset(tmp_path / "r.jsonl", tmp_path / "out")
    with pytest.raises(BadRecords, match="not a finished dataset"):
        load_dataset(tmp_path / "out")
