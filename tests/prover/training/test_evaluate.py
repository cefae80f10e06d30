"""What is exported, measured and written on the card, from one small run over real pairs."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("torch")

from lean_extract.records import Goal, Premise
from prover.generator.model import Generator
from prover.training.data import EncodedPairs
from prover.training.steps import FORMAT, matches, one_line, sample, tactic_steps
from retriever.search.splits import Split
from tests.commands import command
from tests.prover.training.test_train import pairs as pairs
from tests.prover.training.test_train import write_config

pytestmark = pytest.mark.train


@pytest.fixture(scope="module")
def run(pairs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small")
    assert command("prover train")([str(write_config(folder, pairs))]) == 0
    return folder / "run"


@pytest.fixture(scope="module")
def model(run: Path) -> Path:
    assert command("prover export")([run, run.parent / "model"]) == 0
    return run.parent / "model"


def write_lists(path: Path, known: EncodedPairs, rows: list[list[str] | None], part: str = "") -> None:
    """A file as `python -m prover retrieve` writes it."""
    header = {"format": FORMAT, "pairs": known.manifest.digest, "part": part or known.split}
    path.write_text("".join(json.dumps(line) + "\n" for line in [header, *rows]), encoding="utf-8")


def part_with_steps(pairs: Path) -> Split:
    parts: tuple[Split, ...] = ("valid", "test")
    return max(parts, key=lambda part: len(EncodedPairs(pairs, part).pairs))


def test_from_run_to_card(
    run: Path, model: Path, pairs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    part = part_with_steps(pairs)
    known = EncodedPairs(pairs, part)
    lists = tmp_path / "lists.jsonl"
    write_lists(lists, known, [["foo"] for _ in tactic_steps(known)])
    base = [model, pairs, "--part", part, "--json", tmp_path / "figures.json"]
    assert command("prover evaluate")([*base, "--premises", "none", "gold", f"ours={lists}"]) == 0
    shown = capsys.readouterr().out
    assert command("prover evaluate")([*base[:4], "--premises", "none", "--count", "4", "--limit", "5"]) == 0
    assert "| exact@4 | head@4 |" in capsys.readouterr().out
    assert "| none |" in shown and "| gold |" in shown and "| ours |" in shown
    notes = ["--figures", str(tmp_path / "figures.json"), "--hardware", "one core", "--note", "A test."]
    assert command("prover card")([model, run, *notes]) == 0
    text = (model / "README.md").read_text(encoding="utf-8")
    assert known.manifest.digest in text and "12 steps of 8 pairs" in text and "- A test." in text
    assert shown.splitlines()[2] in text  # the table is the one that was printed


def test_a_generator_reads_as_many_premises_as_it_was_trained_on(model: Path) -> None:
    generator = Generator.load(model)
    assert generator.config.max_premises == 10
    goal = Goal((), "p")
    premises = [Premise(f"lemma_{number}", "theorem", "M") for number in range(30)]
    assert generator.generate([goal], premises) == generator.generate([goal], premises[:10])


def test_figures_of_another_model_are_refused(
    run: Path, model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "figures.json").write_text('{"generator": "other", "rows": []}')
    arguments = [str(model), str(run), "--figures", str(tmp_path / "figures.json"), "--hardware", "x"]
    assert command("prover card")(arguments) != 0
    assert "another model" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("premises", "message"),
    [(["best"], "`best` is not a way to fill the prompt"), (["ours=missing.jsonl"], "cannot be read")],
)
def test_what_cannot_be_put_into_a_prompt(
    model: Path, pairs: Path, premises: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    part = part_with_steps(pairs)
    assert command("prover evaluate")([model, pairs, "--part", part, "--premises", *premises]) != 0
    assert message in capsys.readouterr().err


def test_lists_of_other_pairs_are_refused(
    model: Path, pairs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "lists.jsonl").write_text(json.dumps({"format": FORMAT, "pairs": "other"}) + "\n")
    arguments = [str(model), str(pairs), "--part", part_with_steps(pairs)]
    assert command("prover evaluate")([*arguments, "--premises", f"ours={tmp_path / 'lists.jsonl'}"]) != 0
    assert "other pairs" in capsys.readouterr().err


def test_lists_of_another_split_and_samples_that_are_too_small_are_refused(
    model: Path, pairs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    part = part_with_steps(pairs)
    known = EncodedPairs(pairs, part)
    steps = len(tactic_steps(known))
    arguments = [str(model), str(pairs), "--part", part, "--premises", f"ours={tmp_path / 'lists.jsonl'}"]
    write_lists(tmp_path / "lists.jsonl", known, [["foo"]] * steps, part="train")
    assert command("prover evaluate")(arguments) != 0
    assert "to the train split" in capsys.readouterr().err
    write_lists(tmp_path / "lists.jsonl", known, [["foo"]] * (steps - 1))
    assert command("prover evaluate")(arguments) != 0
    assert f"{steps - 1} of {steps} rows" in capsys.readouterr().err
    kept = set(sample(steps, 2))
    write_lists(tmp_path / "lists.jsonl", known, [["foo"] if row in kept else None for row in range(steps)])
    assert command("prover evaluate")(arguments) != 0
    assert f"lacks {steps - 2} of the {steps} steps" in capsys.readouterr().err
    assert command("prover evaluate")([*arguments, "--limit", "2"]) == 0


def test_matches() -> None:
    assert matches(["rw  [a]", "simp"], "rw [a]", 8, one_line) == (1, 1, 1)
    assert matches(["rw  [a]", "rw [a]", "simp"], "simp", 2, one_line) == (0, 1, 1)
    assert matches(["simp", "rw [a]"], "rw [a]", 8, one_line) == (0, 1, 1)
    assert matches(["rw [b]"], "rw [a]", 8, one_line) == (0, 0, 1)
    assert matches([], "simp", 8, one_line) == (0, 0, 0)


TACTICS = st.sampled_from(["simp", "rw [a]", "rw [b]", "exact h", "simp [a]"])


@given(st.lists(TACTICS, max_size=8), TACTICS)
def test_the_first_hit_counts_among_all_and_a_hit_has_its_head(tactics: list[str], wanted: str) -> None:
    first, any_, heads = matches(tactics, wanted, 8, one_line)
    assert first <= any_ <= heads
    assert any_ == float(wanted in tactics)
