"""The odds of a small library, fitted by the command: collected once, kept, and refused where nothing fits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import retriever
from lean_extract.source.extract import extract_project
from lean_extract.toolchains.packaged import PackagedLean
from prover.odds import SOURCES, AcceptanceModel
from prover.training.turns.effects import has_effect
from retriever.lean.dataset.dataset import build_dataset
from retriever.search.splits import split_of
from tests.commands import command
from tests.prover.generator.conftest import FIXTURE

pytestmark = pytest.mark.lean

ENCODER = Path(retriever.__path__[0]) / "data" / "encoder"
PROOFS = (
    ("(p q : Prop) (h : p ∧ q) : q ∧ p", "exact And.intro h.2 h.1"),
    ("(p q : Prop) (h : p) (k : q) : p ∧ q", "constructor"),
    ("(p q : Prop) (h : p → q) (k : p) : q", "exact modus p q h k"),
    ("(p q : Prop) : p → q → p", "intro h k"),
)
LEMMA = "theorem modus (p q : Prop) (h : p → q) (k : p) : q := h k\n"
ENDS = {"constructor": "\n  exact h\n  exact k", "intro h k": "\n  exact h"}


def theorems() -> dict[str, tuple[str, str]]:
    """Statement and first tactic by name; three theorems of each form, none of the test split."""
    names = (name for number in range(99) if split_of(name := f"law{number}") == "train")
    return {next(names): proof for proof in PROOFS for _ in range(3)}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project, its records and dataset, and steps of its proofs in LeanDojo's form."""
    root = tmp_path_factory.mktemp("tiny")
    (root / "lakefile.toml").write_text('name = "tiny"\n[[lean_lib]]\nname = "Tiny"\n')
    stated = [
        f"theorem {name} {statement} := by\n  {tactic}{ENDS.get(tactic, '')}\n"
        for name, (statement, tactic) in theorems().items()
    ]
    (root / "Tiny.lean").write_text("\n".join([LEMMA, *stated]), encoding="utf-8")
    out = root.with_name(f"{root.name}-data")
    out.mkdir()
    extract_project(root, out / "records.jsonl", states=True)
    build_dataset(out / "records.jsonl", out / "dataset")
    steps = [
        {"theorem": name, "file": "Tiny.lean", "state_before": state_of(statement), "tactic": tactic}
        for name, (statement, tactic) in theorems().items()
    ]
    (out / "steps.jsonl").write_text("".join(json.dumps(step) + "\n" for step in steps))
    return root


def state_of(statement: str) -> str:
    """The state that Lean shows for a statement."""
    binders, _, target = statement.rpartition(" : ")
    return "\n".join([*binders.strip("()").split(") ("), f"⊢ {target}"])


def fit(library: Path, work: Path, *options: str) -> int:
    data = library.with_name(f"{library.name}-data")
    places = [str(ENCODER), str(data / "steps.jsonl"), str(data / "records.jsonl")]
    further = ["--dataset", str(data / "dataset"), "--library", str(library), "--work", str(work)]
    out = ["--out", str(work / "turns.json"), "--json", str(work / "figures.json")]
    return command("prover fit-turns")([*places, *further, *out, *options])


@pytest.fixture(scope="module")
def work(library: Path, packaged_lean: PackagedLean, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the odds were fitted once."""
    work = tmp_path_factory.mktemp("work")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PATH", "/usr/bin:/bin")  # so that there is only the packaged Lean
        patched.setenv("ELAN_HOME", "/nonexistent")
        assert fit(library, work, "--generators", str(FIXTURE), "--generated", "3") == 0
    return work


def rows(work: Path, name: str) -> list[dict[str, Any]]:
    _, *found = map(json.loads, (work / f"{name}.jsonl").read_text(encoding="utf-8").splitlines())
    return found


def test_the_odds_can_be_used_and_say_what_they_are_fitted_on(work: Path) -> None:
    odds = AcceptanceModel.load(work / "turns.json")
    assert set(odds.expected) <= set(SOURCES) and "generator" in odds.expected
    assert all(0 < chance < 1 for chances in odds.expected.values() for chance in chances[:1])
    values = json.loads((work / "turns.json").read_text())
    assert values["fitted_on"]["goals"] == {"steps": 12, "library": 13}
    figures = json.loads((work / "figures.json").read_text())["figures"]
    assert [row["name"] for row in figures] == ["steps", "library"]
    assert all(row["figures"]["among 32"]["mean"] >= row["figures"]["first"]["mean"] for row in figures)
    steps, tried = figures
    like, same_head = (
        steps["lenient"][f"{name} among 8"]["mean"] for name in ("effect or first step", "head")
    )
    assert steps["figures"]["among 8"]["mean"] <= like <= same_head
    assert not tried["lenient"] and 1 < steps["heads"] <= 8


@pytest.mark.parametrize(
    ("tactic", "wanted"),
    [
        ("rw [add_comm a]", "rwa [Nat.add_comm a, h] at k ⊢"),
        ("rw [a] at h", "rw [a]"),
        ("rw [b]", "rw [a, b]"),
        ("rw [f a]", "rw [f a b, c]"),
        ("simp [a]", "simp [a, b]"),
        ("exact h", "exact k"),
        ("", "rw [a]"),
        ("rw [", "rw [a]"),
    ],
)
def test_another_effect_does_not_count(tactic: str, wanted: str) -> None:
    assert not has_effect(tactic, wanted)


@pytest.mark.parametrize(
    ("tactic", "wanted"),
    [
        ("rw [add_comm a]", "rw [Nat.add_comm a, h]"),
        ("rw [a] at h", "rwa [a, b] at h"),
        ("rw [f (a, b)]", "rw [f (a, b), c]"),
        ("exact IsCoprime.symm h", "exact h.symm"),
        ("exact (foo h).bar k", "exact bar (foo h) k"),
        ("obtain ⟨x, hx⟩ := h a", "obtain ⟨y, hy⟩ := h a"),
        ("intro x hx; exact hx", "intro y k; exact k"),
        ("refine foo ?_ h", "refine foo _ h"),
    ],
)
def test_the_same_effect_in_other_words_is_recognized(tactic: str, wanted: str) -> None:
    assert has_effect(tactic, wanted)


def test_lean_tried_what_was_proposed_at_the_library_and_the_own_proof_is_no_neighbour(work: Path) -> None:
    for row in rows(work, "library"):
        assert {trial["status"] for trial in row["trials"]} >= {"fails"}
        assert any(trial["status"] in ("closes", "progress") for trial in row["trials"])
        origins = {one["origin"] for candidates in row["lists"] for one in candidates}
        assert row["theorem"] not in origins
    assert not any(row["trials"] for row in rows(work, "steps"))


def test_what_was_collected_is_used_again(library: Path, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (work / "steps.jsonl").stat().st_mtime_ns, (work / "library.jsonl").stat().st_mtime_ns
    first = (work / "turns.json").read_text()
    again = ("--generators", str(FIXTURE), "--generated", "3")
    assert fit(library, work, *again, "--leave-out", "generator") == 0
    assert "generator" not in AcceptanceModel.load(work / "turns.json").expected
    assert fit(library, work, *again) == 0
    after = (work / "steps.jsonl").stat().st_mtime_ns, (work / "library.jsonl").stat().st_mtime_ns
    assert after == before
    assert (work / "turns.json").read_text() == first


def test_a_damaged_collection_is_reported(
    library: Path, work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = work / "steps.jsonl"
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole + '{"theorem": 3', encoding="utf-8")
    assert fit(library, work, "--generators", str(FIXTURE), "--generated", "3") == 1
    assert "--again" in capsys.readouterr().err
    path.write_text(whole, encoding="utf-8")
