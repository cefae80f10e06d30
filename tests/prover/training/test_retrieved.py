"""The retriever's premises for held-out steps, by the shipped encoder over a library of our own."""

import json
from pathlib import Path

import pytest

pytest.importorskip("torch")

import retriever
from lean_extract.source.extract import extract_project
from prover.training import retrieved
from prover.training.data import PairSet
from prover.training.pairs import build_pairs
from prover.training.retrieved import held_out, read_retrieved
from retriever.training.dataset import build_dataset
from retriever.training.splits import SPLITS

pytestmark = pytest.mark.train

ENCODER = Path(retriever.__path__[0]) / "data" / "encoder"
WORDS = ("add", "mul", "sub", "inf", "sup", "max", "min", "gcd", "lcm", "pow")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Records, the retriever's dataset and pairs of a library of two files."""
    folder = tmp_path_factory.mktemp("library")
    (folder / "src").mkdir()
    laws = [f"theorem {word}_comm (x y : α) : {word} x y = {word} y x := sorry" for word in WORDS]
    uses = [
        f"theorem {word}_twice_{n} (x y : α) : {word} x ({word} x y) = {word} ({word} y x) x"
        f" := by rw [{word}_comm]"
        for word in WORDS
        for n in range(12)
    ]
    (folder / "src" / "Laws.lean").write_text("\n".join(laws) + "\n", encoding="utf-8")
    (folder / "src" / "Uses.lean").write_text("\n".join(["import Laws", *uses]) + "\n", encoding="utf-8")
    extract_project(folder / "src", folder / "records.jsonl", states=True)
    build_dataset(folder / "records.jsonl", folder / "dataset")
    build_pairs([folder / "records.jsonl"], folder / "pairs", [])
    return folder


def test_what_the_retriever_offers(folder: Path) -> None:
    part = max(SPLITS[1:], key=lambda part: len(PairSet(folder / "pairs", part).pairs))
    known = PairSet(folder / "pairs", part)
    places = [str(ENCODER), str(folder / "dataset"), str(folder / "pairs"), str(folder / "out.jsonl")]
    assert retrieved.main([*places, "--part", part, "--premises", "3"]) == 0
    lists = read_retrieved(folder / "out.jsonl", known.manifest.digest)
    asked = held_out(known)
    assert len(lists) == len(asked) > 0
    for pair, names in zip(asked, lists, strict=True):
        assert len(names) == 3 and pair.theorem not in names
        assert f"{pair.theorem.split('_')[0]}_comm" in names
    header = json.loads((folder / "out.jsonl").read_text().splitlines()[0])
    assert header["part"] == part and header["encoder"]
