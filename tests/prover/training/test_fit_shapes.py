"""A generator of shapes from records to its folder: fitted, served, measured, and refused where it is damaged."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest

pytest.importorskip("torch")

from lean_extract.common.errors import ModelError
from lean_extract.goals import parse_goal
from lean_extract.records import Goal, Hypothesis, Premise
from lean_extract.source.extract import extract_project
from prover.generator.files import CONFIG
from prover.opening import open_folder
from prover.shaped.files import ARRAYS
from prover.shaped.model import ShapeGenerator
from prover.training.data import EncodedPairs
from prover.training.pairs import build_pairs
from prover.training.steps import FORMAT, tactic_steps
from tests.commands import command

pytestmark = pytest.mark.train

WORDS = ("add", "mul", "sub", "inf", "sup", "max", "min", "gcd", "lcm", "pow")


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Theorems of four files whose target determines the tactic: a lemma, a hypothesis, or `constructor`."""
    folder = tmp_path_factory.mktemp("library")
    lemmas = [f"theorem {one}_comm (x y : α) : {one} x y = {one} y x := foreign" for one in WORDS]
    (folder / "Lemmas.lean").write_text("\n".join(lemmas) + "\n", encoding="utf-8")
    for file in "ABCD":
        lines = ["import Lemmas"]
        for number, one in enumerate(WORDS):
            for other in WORDS[: number + 2]:
                name = f"{one}_{other}_{file}"
                lines += [
                    f"theorem {name}_r (x y z : α) : {one} x y = {other} z x := by rw [{one}_comm]",
                    f"theorem {name}_h (x y : α) (hxy : {one} x ≤ y) : {one} x ≤ y := by exact hxy",
                    f"theorem {name}_c (x y : α) : {one} x ∧ {other} y := by constructor",
                ]
        (folder / f"{file}.lean").write_text("\n".join(lines) + "\n", encoding="utf-8")
    extract_project(folder, folder / "records.jsonl", states=True)
    build_pairs([folder / "records.jsonl"], folder / "pairs", [])
    return folder / "pairs"


@pytest.fixture(scope="module")
def lists(pairs: Path) -> Path:
    """Each valid step is offered all lemmas, its own not the first."""
    known = EncodedPairs(pairs, "valid")
    path = pairs / "lists.jsonl"
    header = {"format": FORMAT, "pairs": known.manifest.digest, "part": "valid"}
    rows = [[f"{one}_comm" for one in WORDS] for _ in tactic_steps(known)]
    path.write_text("".join(json.dumps(line) + "\n" for line in [header, *rows]), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def model(pairs: Path, lists: Path) -> Path:
    out = pairs / "model"
    assert command("prover fit-shapes")([pairs, out, "--premises", lists, "--epochs", "15"]) == 0
    return out


def premises(pairs: Path) -> list[Premise]:
    return [one for one in EncodedPairs(pairs, "valid").premises if one.name.endswith("_comm")]


def test_what_it_learned_comes_out_best_first(model: Path, pairs: Path) -> None:
    generator = open_folder(model)
    assert isinstance(generator, ShapeGenerator)
    assert f"Fingerprint `{generator.fingerprint}`" in (model / "README.md").read_text(encoding="utf-8")
    offered = premises(pairs)
    found = generator.generate([parse_goal("α : Type\nx y z : α\n⊢ gcd x y = pow z x")], offered)
    assert any(one.tactic == "rw [gcd_comm]" for one in found)
    scores = [one.log_probability for one in found]
    assert scores == sorted(scores, reverse=True) and all(score <= 0 for score in scores)
    assumed = generator.generate([parse_goal("α : Type\nx y : α\nother : lcm x ≤ y\n⊢ lcm x ≤ y")], offered)
    assert assumed[0].tactic == "exact other"
    both = generator.generate([parse_goal("α : Type\nx y : α\n⊢ gcd x ∧ add y")], offered)
    assert both[0].tactic == "constructor"


def test_a_constant_of_the_target_is_a_premise(model: Path) -> None:
    found = open_folder(model).generate(
        [parse_goal("α : Type\nx y z : α\n⊢ Own.gcd x y = pow z x")], [], count=20
    )
    assert "rw [Own.gcd]" in {one.tactic for one in found}


def test_without_premises_no_slot_is_left_open(model: Path) -> None:
    found = open_folder(model).generate([parse_goal("α : Type\nx y : α\n⊢ x ∧ y")], [])
    assert found and not any("⟪" in one.tactic for one in found)


@pytest.mark.parametrize(
    "goal",
    [
        Goal((), ""),
        Goal((), "∀ 𝔸 : Type, ⟪P⟫ = ⟪H⟫ 😀"),
        Goal(tuple(Hypothesis((f"h{n}", f"x{n}"), f"f {n} = g ({n})") for n in range(4000)), "f 1 = g (1)"),
        Goal((Hypothesis(("h✝", ""), "("),), "(" * 5000),
        Goal((), "a + " * 5000 + "b = b"),
    ],
)
def test_any_goal_gets_bounded_work(model: Path, pairs: Path, goal: Goal) -> None:
    found = open_folder(model).generate([goal], premises(pairs), count=5)
    assert len(found) <= 5 and all(one.tactic.strip() for one in found)
    assert open_folder(model).generate([], premises(pairs)) == []


def test_figures_over_real_steps(
    model: Path, pairs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = [
        {
            "theorem": "t",
            "file": "A.lean",
            "state_before": "x y : α\n⊢ gcd x ∧ add y",
            "tactic": "constructor",
        },
        {"theorem": "t", "file": "A.lean", "state_before": "x y : α\n⊢ gcd x ∧ add y", "tactic": "omega"},
    ]
    path, lists = tmp_path / "steps.jsonl", tmp_path / "lists.jsonl"
    path.write_text("".join(json.dumps(step) + "\n" for step in steps), encoding="utf-8")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    header = {"format": FORMAT, "pairs": digest, "part": ""}
    lists.write_text(
        "".join(json.dumps(line) + "\n" for line in [header, ["gcd_comm"], []]), encoding="utf-8"
    )
    asked = [path, pairs, model, "--premises", lists, "--json", tmp_path / "figures.json"]
    assert command("prover evaluate-steps")(asked) == 0
    assert "| model | 50.0" in capsys.readouterr().out
    [row] = json.loads((tmp_path / "figures.json").read_text())["rows"]
    assert row["figures"]["exact@1"]["mean"] == 0.5 and row["fingerprint"] == open_folder(model).fingerprint


def test_lists_of_other_pairs_are_refused(
    pairs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lists = tmp_path / "lists.jsonl"
    lists.write_text(json.dumps({"format": FORMAT, "pairs": "other", "part": "test"}) + "\n")
    assert command("prover fit-shapes")([pairs, tmp_path / "out", "--premises", lists]) != 0
    assert "cannot be used" in capsys.readouterr().err


@pytest.mark.parametrize("damage", ["cut", "missing", "shapes", "version", "counts"])
def test_a_damaged_folder_is_refused(model: Path, tmp_path: Path, damage: str) -> None:
    folder = tmp_path / "model"
    shutil.copytree(model, folder)
    values = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    if damage == "cut":
        content = (folder / ARRAYS).read_bytes()
        (folder / ARRAYS).write_bytes(content[: len(content) // 2])
    elif damage == "missing":
        (folder / ARRAYS).unlink()
    elif damage == "shapes":
        (folder / CONFIG).write_text(json.dumps({**values, "shapes": values["shapes"][:-1]}))
    elif damage == "version":
        (folder / CONFIG).write_text(json.dumps({**values, "version": 99}))
    else:
        (folder / CONFIG).write_text(json.dumps({**values, "max_premises": "all"}))
    with pytest.raises(ModelError, match=r"damaged|cannot be read"):
        open_folder(folder)
