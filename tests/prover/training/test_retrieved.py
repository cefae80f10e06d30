"""The retriever's premises for held-out steps, by the shipped encoder over a library of our own."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

import retriever
from lean_extract.source.extract import extract_project
from prover.generator.prompt import encode_prompt
from prover.training.data import Draws, EncodedPairs, Examples
from prover.training.pairs import TacticPair, build_pairs
from prover.training.retrieved import write_retrieved
from prover.training.steps import read_retrieved, retrieved_pairs, tactic_steps
from prover.training.train import MixConfig, PromptConfig
from retriever.lean.dataset.dataset import build_dataset
from retriever.search.splits import SPLITS
from tests.commands import command

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
    part = max(SPLITS[1:], key=lambda part: len(EncodedPairs(folder / "pairs", part).pairs))
    known = EncodedPairs(folder / "pairs", part)
    places = [str(ENCODER), str(folder / "dataset"), str(folder / "pairs"), str(folder / "out.jsonl")]
    assert command("prover retrieve")([*places, "--part", part, "--premises", "16"]) == 0
    lists = read_retrieved(folder / "out.jsonl", known)
    asked = tactic_steps(known)
    assert len(lists) == len(asked) > 0
    for pair, names in zip(asked, lists, strict=True):
        assert 10 <= len(names) <= 16 and pair.theorem not in names
        assert f"{pair.theorem.split('_')[0]}_comm" in names
    header = json.loads((folder / "out.jsonl").read_text().splitlines()[0])
    assert header["part"] == part and header["encoder"]


def test_a_sample_to_train_on(folder: Path, tmp_path: Path) -> None:
    places = [str(ENCODER), str(folder / "dataset"), str(folder / "pairs"), str(tmp_path / "out.jsonl")]
    assert command("prover retrieve")([*places, "--part", "train", "--premises", "16", "--limit", "7"]) == 0
    known = EncodedPairs(folder / "pairs", "train")
    found = retrieved_pairs(tmp_path / "out.jsonl", known)
    assert len(found) == 7
    config, mix = PromptConfig(max_prompt=200, premises=10), MixConfig(pairs=4, bare=0.0)
    for place, names in found.items():
        pair = known.pairs[place]
        assert pair.theorem not in names and f"{pair.theorem.split('_')[0]}_comm" in names
        served = Examples(known, config, mix).of(pair, np.random.default_rng(0), names)
        listed = [known.premises[known.number[name]] for name in names][: config.premises]
        assert served.prompt == encode_prompt("numbered", [pair.goal], listed, 200)
        without = replace(mix, retrieved=0.0)
        drawn = [Examples(known, config, without).of(pair, np.random.default_rng(n), names) for n in range(9)]
        assert len({tuple(one.prompt) for one in drawn}) > 1
        bare = Examples(known, config, replace(mix, bare=1.0)).of(pair, np.random.default_rng(0), names)
        assert bare.prompt == encode_prompt("numbered", [pair.goal], [], 200)
    nothing = Examples(known, config, mix).of(pair, np.random.default_rng(0), [])
    assert nothing.prompt == bare.prompt
    draws = Draws(known, config, mix, 0, found)
    served = {tuple(one.prompt) for step in range(len(known.pairs)) for one in draws.batch(step, 0)}
    offered = {
        place: [known.premises[known.number[name]] for name in names][: config.premises]
        for place, names in found.items()
    }
    assert served == {
        tuple(encode_prompt("numbered", [known.pairs[place].goal], premises, 200))
        for place, premises in offered.items()
    }


def test_what_was_stopped_goes_on(folder: Path, tmp_path: Path) -> None:
    steps = tactic_steps(EncodedPairs(folder / "pairs", "train"))
    asked, out = [1, 4, 6, 7], tmp_path / "out.jsonl"
    seen: list[str] = []

    def stopping(after: int) -> Callable[[list[TacticPair]], Iterator[list[str]]]:
        def ranked(pairs: list[TacticPair]) -> Iterator[list[str]]:
            for place, pair in enumerate(pairs):
                if place == after:
                    raise KeyboardInterrupt
                seen.append(pair.theorem)
                yield [f"for\u2028{pair.theorem}"]

        return ranked

    header: dict[str, object] = {"format": "a try"}
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            write_retrieved(out, header, steps, asked, stopping(1))
        assert not out.exists()
    write_retrieved(out, header, steps, asked, stopping(9))
    assert seen == [steps[row].theorem for row in asked]
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").split("\n")[:-1]]
    assert rows[0] == header and len(rows) == len(steps) + 1
    for row, names in enumerate(rows[1:]):
        assert names == ([f"for\u2028{steps[row].theorem}"] if row in asked else None)
    assert list(tmp_path.iterdir()) == [out]
