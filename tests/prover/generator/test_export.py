"""A T5 of transformers as a generator's folder: equal log-probabilities, equal tactics, no half folder."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from prover.generator.model import Decoding, run_encoder

pytest.importorskip("torch")
pytest.importorskip("transformers")
import torch

from lean_extract.common.errors import ModelError
from lean_extract.common.onnx_runtime import open_session
from lean_extract.goals import parse_goal
from prover.generator import files
from prover.generator.alphabet import Bytes, impossible
from prover.generator.model import Generator, settings_for
from prover.generator.prompt import decode_tactic, encode_prompt, encode_tactic
from prover.training.export import export_graphs, export_model
from prover.training.model import load_transformers
from tests.commands import command
from tests.prover.generator.conftest import PREMISES

main = command("prover export")

pytestmark = pytest.mark.train

Make = Callable[..., Any]
GOAL = parse_goal("n m : ℕ\nh : n = m\n⊢ m = n")


@pytest.mark.parametrize(
    ("activation", "tied"), [("relu", True), ("gated-gelu", False), ("gated-silu", True)]
)
def test_every_step_gives_what_the_model_gives(
    make_t5: Make, tmp_path: Path, activation: str, tied: bool
) -> None:
    """Far enough that relative positions reach their last bucket, in the prompt and in the tactic."""
    model = make_t5(1, tied=tied, feed_forward_proj=activation)
    export_graphs(model, tmp_path)
    torch.manual_seed(2)
    prompt, tactic = torch.randint(3, 259, (1, 300)), torch.randint(3, 259, (1, 200))
    tactic[0, 0] = 0
    with torch.no_grad():
        logits = model(input_ids=prompt, decoder_input_ids=tactic).logits[0]
    expected = torch.log_softmax(logits, dim=-1).numpy()
    step = decoding(tmp_path, prompt[0].tolist())
    given = [step(np.array([symbol]), np.array([0]))[0] for symbol in tactic[0].tolist()]
    np.testing.assert_allclose(np.stack(given), expected, rtol=1e-4, atol=1e-4)


def test_a_beam_goes_on_from_its_parent(make_t5: Make, tmp_path: Path) -> None:
    export_graphs(make_t5(3), tmp_path)
    prompt = list(range(3, 40))

    def last(symbols: list[int]) -> Any:
        step = decoding(tmp_path, prompt)
        return [step(np.array([symbol]), np.array([0])) for symbol in symbols][-1][0]

    step = decoding(tmp_path, prompt)
    step(np.array([0]), np.array([0]))
    step(np.array([10, 11, 12]), np.array([0, 0, 0]))
    crossed = step(np.array([20, 21]), np.array([2, 0]))
    np.testing.assert_allclose(crossed, [last([0, 12, 20]), last([0, 10, 21])], rtol=1e-4, atol=1e-4)


def decoding(folder: Path, prompt: list[int]) -> Decoding:
    encoder, decoder = (open_session(folder / name, 1) for name in (files.ENCODER, files.DECODER))
    return Decoding(decoder, run_encoder(encoder, prompt, 2), 2, 3, 8)


def test_a_checkpoint_of_transformers_becomes_a_generator(
    make_t5: Make, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In several files. As ReProver's: untied, gated, in its form; its best tactics are those of `generate`."""
    model = taught(make_t5(4, tied=False, feed_forward_proj="gated-gelu"))
    model.save_pretrained(tmp_path / "theirs", max_shard_size="40KB")
    assert len(list((tmp_path / "theirs").glob("*.safetensors"))) > 1
    assert main([str(tmp_path / "theirs"), str(tmp_path / "ours"), "--fp32"]) == 0
    generator = Generator.load(tmp_path / "ours")
    assert generator.fingerprint in capsys.readouterr().out
    assert (generator.config.form, generator.config.max_prompt_bytes) == ("reprover", 2300)

    prompt = encode_prompt("reprover", [GOAL], PREMISES, 2300)
    beams = settings_for(8, 64, 0, Bytes("reprover")).beams
    with torch.no_grad():
        theirs = model.generate(
            torch.tensor([prompt]),
            num_beams=beams,
            num_return_sequences=beams,
            max_new_tokens=65,
            length_penalty=0.0,
            suppress_tokens=impossible("reprover", PREMISES),
            do_sample=False,
            output_scores=True,
            return_dict_in_generate=True,
        )
    expected = {}
    for row, score in zip(theirs.sequences[:, 1:].tolist(), theirs.sequences_scores.tolist(), strict=True):
        tactic = decode_tactic("reprover", row, PREMISES) if 1 in row else None
        if tactic is not None:
            expected.setdefault(tactic, score)
    ours = generator.generate([GOAL], PREMISES)
    assert len(ours) >= 2
    best = dict(list(expected.items())[:4])  # the others begin with words of their own
    found = {each.tactic: each.log_probability for each in ours if each.tactic in best}
    assert found == pytest.approx(best, abs=1e-3)
    assert ours[0].tactic == next(iter(expected))


def taught(model: Any) -> Any:
    """Some steps of training, enough for it to write short lines of text and end them."""
    prompt = torch.tensor([encode_prompt("reprover", [GOAL], PREMISES, 2300)] * 3)
    tactics = [encode_tactic("reprover", tactic, PREMISES)[0] for tactic in ("rfl", "simp", "exact h.symm")]
    labels = torch.tensor([tactic + [-100] * (13 - len(tactic)) for tactic in tactics])
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for _ in range(40):
        optimiser.zero_grad()
        model(input_ids=prompt, labels=labels).loss.backward()
        optimiser.step()
    model.generation_config.eos_token_id, model.generation_config.pad_token_id = 1, 0
    return model.eval()


def test_a_pytorch_bin_is_read_where_there_are_no_safetensors(make_t5: Make, tmp_path: Path) -> None:
    model = make_t5(5, tied=False)
    model.config.save_pretrained(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps({**config, "tie_word_embeddings": False}))
    torch.save(model.state_dict(), tmp_path / "pytorch_model.bin")
    loaded = load_transformers(tmp_path)
    assert torch.equal(loaded.lm_head.weight, model.lm_head.weight)
    assert not torch.equal(loaded.lm_head.weight, loaded.shared.weight)
    assert loaded.config.scale_decoder_outputs is False


def test_int8_is_a_third_of_the_size_and_near_the_same(make_t5: Make, tmp_path: Path) -> None:
    shape = {"d_model": 128, "d_kv": 32, "d_ff": 256, "num_heads": 4}
    sizes, answers = [], []
    for int8 in (False, True):
        folder = tmp_path / str(int8)
        export_model(make_t5(6, **shape), "numbered", folder, max_prompt_bytes=512, int8=int8)
        values = json.loads((folder / files.CONFIG).read_text())
        assert values["weights"] == ("int8" if int8 else "float32")
        sizes.append(sum((folder / name).stat().st_size for name in (files.ENCODER, files.DECODER)))
        encoder, decoder = (open_session(folder / name, 1) for name in (files.ENCODER, files.DECODER))
        step = Decoding(decoder, run_encoder(encoder, list(range(3, 103)), 2), 2, 4, 32)
        answers.append(step(np.array([0]), np.array([0])))
    assert sizes[1] < 0.45 * sizes[0]
    assert np.abs(np.exp(answers[0]) - np.exp(answers[1])).max() < 0.02
    assert not np.array_equal(answers[0], answers[1])


def test_no_path_of_this_machine_is_in_a_graph(make_t5: Make, tmp_path: Path) -> None:
    export_model(make_t5(7), "numbered", tmp_path / "out", max_prompt_bytes=64, int8=True)
    for name in (files.ENCODER, files.DECODER, files.CONFIG):
        content = (tmp_path / "out" / name).read_bytes()
        assert str(tmp_path).encode() not in content
        assert b"site-packages" not in content
        assert str(Path(__file__).parents[3]).encode() not in content


def test_a_new_export_takes_the_old_one_s_place_and_leaves_the_card(make_t5: Make, tmp_path: Path) -> None:
    for seed in (8, 9):
        export_model(make_t5(seed), "numbered", tmp_path, max_prompt_bytes=64, int8=False)
        (tmp_path / "README.md").write_text("the card")
        assert Generator.load(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [files.CONFIG, files.ENCODER, files.DECODER, "README.md"]
    )


def test_a_model_that_does_not_fit_is_refused_and_nothing_is_written(make_t5: Make, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="500 symbols"):
        export_model(make_t5(vocab_size=500), "numbered", tmp_path / "out", max_prompt_bytes=64, int8=False)
    with pytest.raises(ModelError, match="is not a form"):
        export_model(make_t5(), "chat", tmp_path / "out", max_prompt_bytes=64, int8=False)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", ["nothing", "bert", "damaged weights", "damaged config", "no weights"])
def test_a_folder_that_is_no_checkpoint(
    make_t5: Make, tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    source = tmp_path / "source"
    source.mkdir()
    if kind != "nothing":
        make_t5().save_pretrained(source)
    if kind == "bert":
        (source / "config.json").write_text('{"model_type": "bert"}')
    elif kind == "damaged weights":
        (source / "model.safetensors").write_bytes(b"\x00" * 100)
    elif kind == "damaged config":
        (source / "config.json").write_text("{")
    elif kind == "no weights":
        (source / "model.safetensors").unlink()
    assert main([str(source), str(tmp_path / "out")]) == 1
    printed = capsys.readouterr().err
    assert str(source) in printed
    assert "Traceback" not in printed
    assert not (tmp_path / "out").exists()
