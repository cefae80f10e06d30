"""A generator from its folder: what it writes, and everything that can be wrong with the folder."""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.common.devices import Device
from lean_extract.common.errors import ModelError
from lean_extract.goals import parse_goal
from lean_extract.records import Premise
from prover.generator.alphabet import first_word, impossible
from prover.generator.files import CONFIG, DECODER, ENCODER
from prover.generator.model import Generator
from prover.generator.prompt import END, FIRST_EXTRA, PAD, SIZE, UNKNOWN, byte_symbols
from prover.generator.source import Generated, as_candidates
from tests.prover.generator.conftest import FIXTURE, PREMISES

COMMUTES = parse_goal("n m : ℕ\n⊢ n + m = m + n")
SWAP = parse_goal("p q : Prop\nh : p ∧ q\n⊢ q ∧ p")


def test_what_it_learned_comes_out_best_first(generator: Generator) -> None:
    found = generator.generate([COMMUTES], PREMISES)
    assert [each.tactic for each in found[:3]] == [
        "exact Nat.add_comm n m",
        "rw [Nat.add_comm]",
        "apply Nat.add_comm",
    ]
    assert generator.generate([SWAP], PREMISES)[0].tactic == "exact ⟨h.2, h.1⟩"
    scores = [each.log_probability for each in found]
    assert scores == sorted(scores, reverse=True)
    assert all(score < 0 for score in scores)


def test_a_pointer_names_the_premise_that_is_there_now(generator: Generator) -> None:
    other = Premise("My.own_lemma", "theorem", "Mine", (), "x = y")
    found = generator.generate([COMMUTES], [other, PREMISES[1]])
    learned = {"exact My.own_lemma n m", "rw [My.own_lemma]", "apply My.own_lemma"}
    assert learned & {each.tactic for each in found}
    assert not any("Nat.add_comm" in each.tactic for each in found)


def test_pointers_can_cost_more(generator: Generator, tmp_path: Path) -> None:
    shutil.copytree(FIXTURE, tmp_path / "dear")
    values = json.loads((FIXTURE / CONFIG).read_text(encoding="utf-8"))
    (tmp_path / "dear" / CONFIG).write_text(json.dumps({**values, "pointers": -1.5}), encoding="utf-8")
    dear = Generator.load(tmp_path / "dear")
    assert dear.fingerprint != generator.fingerprint
    before = {each.tactic: each.log_probability for each in generator.generate([COMMUTES], PREMISES)}
    after = {each.tactic: each.log_probability for each in dear.generate([COMMUTES], PREMISES)}
    assert after["rw [Nat.add_comm]"] == pytest.approx(before["rw [Nat.add_comm]"] - 1.5, abs=1e-4)
    shared = [tactic for tactic in before.keys() & after.keys() if "Nat." not in tactic]
    assert shared
    assert all(after[tactic] == pytest.approx(before[tactic], abs=1e-4) for tactic in shared)


def test_a_pointer_to_no_premise_is_left_out_and_others_take_its_place(generator: Generator) -> None:
    found = generator.generate([COMMUTES], [], count=4)
    assert len(found) == 4
    assert all("Nat." not in each.tactic for each in found)


def test_what_no_tactic_has_is_not_followed() -> None:
    for form, pointers in (("numbered", 2), ("reprover", 0)):
        none = set(impossible(form, PREMISES))  # type: ignore[arg-type]
        assert {PAD, UNKNOWN, *byte_symbols("\n\t\r\x00\x7f")} <= none
        assert not none & {END, *byte_symbols("exact foo.bar (h ▸ 𝕜) ⟨_, rfl⟩")}
        assert len(none & set(range(FIRST_EXTRA, SIZE))) == SIZE - FIRST_EXTRA - pointers


@pytest.mark.parametrize("count", [1, 3, 8, 20])
def test_as_many_as_wanted_and_all_different(generator: Generator, count: int) -> None:
    found = [each.tactic for each in generator.generate([SWAP], PREMISES, count=count)]
    assert 1 <= len(found) <= count
    assert len(set(found)) == len(found)
    assert all(tactic.strip() == tactic and "\n" not in tactic for tactic in found)


def test_the_first_words_of_tactics_differ(generator: Generator) -> None:
    found = [each.tactic for each in generator.generate([COMMUTES], PREMISES, count=8)]
    assert len({tactic.split()[0] for tactic in found}) >= 4


@given(st.text(st.sampled_from("ab_0'é [⟨;"), min_size=1))
def test_a_first_word_is_known_once_something_follows(text: str) -> None:
    symbols = tuple(byte_symbols(text))
    known = [first_word(symbols[:end]) for end in range(1, len(symbols) + 1)]
    word = re.match(r"[ab_0']*", text)
    assert word is not None
    length = len(word.group())
    assert known[:length] == [None] * length
    assert length == len(symbols) or known[length] == symbols[:length]


@pytest.mark.parametrize("device", ["auto", "cuda"])
def test_the_device_changes_no_tactic(device: Device, generator: Generator) -> None:
    other = Generator.load(FIXTURE, threads=1, device=device)
    for goal in (COMMUTES, SWAP):
        found, expected = other.generate([goal], PREMISES), generator.generate([goal], PREMISES)
        assert [one.tactic for one in found] == [one.tactic for one in expected]


def test_nothing_is_wanted(generator: Generator) -> None:
    assert generator.generate([], PREMISES) == []
    assert generator.generate([SWAP], PREMISES, count=0) == []


def test_what_does_not_end_in_time_is_no_tactic(generator: Generator) -> None:
    found = generator.generate([COMMUTES], PREMISES, max_bytes=3)
    assert all(len(each.tactic.encode()) <= 3 for each in found)
    long = generator.generate([COMMUTES], PREMISES, max_bytes=30)
    assert long[0].tactic == "exact Nat.add_comm n m"


def test_a_state_longer_than_the_prompt_and_one_of_strange_letters(generator: Generator) -> None:
    for text in ("x : ℕ\n⊢ " + "x + " * 5000 + "x = 0", "𝕜 : Type\n⊢ \ud800 = 🙂"):
        assert len(generator.generate([parse_goal(text)], PREMISES)) > 0


def test_several_threads_get_what_one_gets(generator: Generator) -> None:
    goals = [COMMUTES, SWAP] * 6
    alone = [generator.generate([goal], PREMISES) for goal in goals]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda goal: generator.generate([goal], PREMISES), goals))
    assert together == alone


def test_equal_folders_have_equal_fingerprints_and_others_do_not(folder: Path, generator: Generator) -> None:
    assert Generator.load(folder).fingerprint == generator.fingerprint
    change(folder, max_prompt_bytes=128)
    shorter = Generator.load(folder).fingerprint
    assert shorter != generator.fingerprint
    change(folder, max_prompt_bytes=256, form="reprover")
    assert Generator.load(folder).fingerprint not in (shorter, generator.fingerprint)
    change(folder, form="numbered", trained_on="something else to tell")
    assert Generator.load(folder).fingerprint == generator.fingerprint


def change(folder: Path, **values: object) -> None:
    path = folder / CONFIG
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}), encoding="utf-8")


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


SPOILED: dict[str, tuple[Callable[[Path], object], str]] = {
    "no folder": (lambda folder: folder.rename(folder.with_name("away")), "There is no generator in"),
    "no configuration": (lambda folder: (folder / CONFIG).unlink(), "There is no generator in"),
    "no encoder": (lambda folder: (folder / ENCODER).unlink(), "encoder.onnx cannot be read"),
    "no decoder": (lambda folder: (folder / DECODER).unlink(), "decoder.onnx cannot be read"),
    "a folder for a graph": (
        lambda folder: ((folder / DECODER).unlink(), (folder / DECODER).mkdir()),
        "decoder.onnx cannot be read",
    ),
    "half a configuration": (lambda folder: cut(folder / CONFIG), "does not fit this version"),
    "no object": (lambda folder: (folder / CONFIG).write_text("[1, 2]"), "does not fit this version"),
    "bytes": (lambda folder: (folder / CONFIG).write_bytes(b"\xff\xfe\x00"), "does not fit this version"),
    "half an encoder": (lambda folder: cut(folder / ENCODER), "is damaged"),
    "half a decoder": (lambda folder: cut(folder / DECODER), "is damaged"),
    "an empty graph": (lambda folder: (folder / ENCODER).write_bytes(b""), "is damaged"),
    "an encoder": (
        lambda folder: change(folder, format="premise-suggest-encoder"),
        "format premise-suggest-enc",
    ),
    "a later version": (lambda folder: change(folder, version=2), "premise-suggest-generator 2, not"),
    "another form": (
        lambda folder: change(folder, form="chat"),
        "form 'chat' is not one of numbered, reprover",
    ),
    "a later form": (lambda folder: change(folder, form_version=99), "trained with version 99 of its form"),
    "words": (lambda folder: change(folder, symbols=32128), "32128 symbols, not 384"),
    "no layers": (lambda folder: change(folder, layers=0), "layers 0 is not an integer from 1 to 100,000"),
    "text for a number": (
        lambda folder: change(folder, heads="2"),
        "heads '2' is not an integer from 1 to 100,000",
    ),
    "no such start": (lambda folder: change(folder, start=384), "start 384 is not a symbol"),
    "a layer too many": (lambda folder: change(folder, layers=3), "does not run"),
    "a layer too few": (lambda folder: change(folder, layers=1), "does not run"),
    "other heads": (lambda folder: change(folder, heads=4), "does not run"),
    "another size": (lambda folder: change(folder, head_size=8), "does not run"),
    "graphs exchanged": (
        lambda folder: (
            (folder / ENCODER).rename(folder / "x"),
            (folder / DECODER).rename(folder / ENCODER),
            (folder / "x").rename(folder / DECODER),
        ),
        "does not run",
    ),
}


@pytest.mark.parametrize("kind", SPOILED)
def test_a_folder_that_is_no_generator_is_refused(folder: Path, kind: str) -> None:
    spoil, message = SPOILED[kind]
    spoil(folder)
    with pytest.raises(ModelError) as caught:
        Generator.load(folder)
    assert message in caught.value.message
    assert str(folder) in caught.value.message
    assert caught.value.message.count("\n") == 0
    assert len(caught.value.message) < 600
    assert caught.value.hint


@pytest.mark.parametrize(
    "weights", ["model.safetensors", "pytorch_model.bin", "model-00001-of-00002.safetensors"]
)
def test_a_checkpoint_that_was_not_exported_is_refused_with_the_command(tmp_path: Path, weights: str) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "t5"}')
    (tmp_path / weights).write_bytes(b"weights")
    with pytest.raises(ModelError) as caught:
        Generator.load(tmp_path)
    assert "PyTorch checkpoint" in caught.value.message
    assert f"python -m prover export {tmp_path} OUT" in caught.value.hint


def test_a_training_run_that_was_not_exported_is_refused_with_the_command(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("kind: generator\n")
    with pytest.raises(ModelError, match=r"python -m prover export"):
        Generator.load(tmp_path)


def test_it_runs_without_torch_and_says_nothing_to_anyone() -> None:
    program = f"""
import os, sys
from pathlib import Path
from lean_extract.goals import parse_goal
from prover.generator.model import Generator
assert os.environ["ORT_DISABLE_TELEMETRY"] == "1" and "onnxruntime" not in sys.modules
generator = Generator.load(Path({str(FIXTURE)!r}))
print(len(generator.generate([parse_goal("⊢ ∀ (n : ℕ), n = n")], [], count=2)))
print(sorted({{"torch", "transformers", "lean_dojo", "retriever"}} & set(sys.modules)))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.stdout.splitlines(), done.stderr) == (["2", "[]"], "")


def test_the_scores_of_candidates_are_its_probabilities() -> None:
    found = as_candidates(
        [Generated("simp", math.log(0.5)), Generated("rfl", -math.inf), Generated("a", 1e-9)]
    )
    assert [one.score for one in found] == [0.5, 0.0, 1.0]
    assert {one.source for one in found} == {"generator"}
