"""Which generator is used; a checkpoint of PyTorch is exported once, by another process."""

from __future__ import annotations

import importlib.util
import json
import logging
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import partial
from importlib.machinery import ModuleSpec
from pathlib import Path

import psutil
import pytest

from lean_extract.common.errors import ModelError
from lsp_server.engine import generators
from lsp_server.engine.generators import (
    OpenGenerator,
    add_generator,
    exported,
    generator_folder,
    generators_folder,
    served_name,
)
from lsp_server.engine.settings import Settings, TacticSettings
from prover.generator.checkpoints import read_checkpoint
from prover.generator.files import CONFIG, ENCODER
from prover.generator.model import Generator
from tests.fakes.hub import REPOSITORY, running_hub
from tests.prover.generator.conftest import FIXTURE


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("PREMISE_SUGGEST_GENERATOR", raising=False)
    return tmp_path / "cache"


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random ByT5 as transformers saves it."""
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("torch")
    config = transformers.T5Config(
        vocab_size=384, d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2, decoder_start_token_id=0
    )
    folder = tmp_path_factory.mktemp("byt5")
    transformers.T5ForConditionalGeneration(config).save_pretrained(folder)
    return folder


def test_the_setting_then_the_variable_then_the_shipped_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generators, "SHIPPED_GENERATOR", tmp_path / "shipped")
    assert generator_folder("") is None
    shutil.copytree(FIXTURE, tmp_path / "shipped")
    assert generator_folder("") == tmp_path / "shipped"
    (tmp_path / "named").mkdir()
    monkeypatch.setenv("PREMISE_SUGGEST_GENERATOR", str(tmp_path / "named"))
    assert generator_folder("") == tmp_path / "named"
    assert generator_folder(str(FIXTURE)) == FIXTURE


def test_a_model_at_a_server_is_no_folder() -> None:
    for refuses in (generator_folder, partial(add_generator, form="", download=False, on_stage=print)):
        with pytest.raises(ModelError, match="at a server") as caught:
            refuses("http://127.0.0.1:11434/v1#qwen3")
        assert "`tactics.generator`" in str(caught.value.hint)


def test_the_variable_may_name_a_model_at_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """It writes in addition to the shipped generator, as with the setting, which comes first."""
    address = "http://127.0.0.1:11434/v1#qwen3"
    monkeypatch.setenv("PREMISE_SUGGEST_GENERATOR", address)
    assert served_name("") == address and generator_folder("") == generators.SHIPPED_GENERATOR
    assert served_name("byt5") == "" and served_name("HTTPS://host/v1#m") == "HTTPS://host/v1#m"
    opened = OpenGenerator()
    server = opened.server(Settings())
    assert server is not None and server.address.model == "qwen3"
    assert opened.server(replace(Settings(), tactics=TacticSettings(source="templates"))) is None


def test_a_folder_without_a_generator_is_for_its_loader_to_refuse(tmp_path: Path) -> None:
    folder = generator_folder(str(tmp_path))
    assert folder == tmp_path
    with pytest.raises(ModelError, match="There is no generator in"):
        Generator.load(folder)


@pytest.mark.train
@pytest.mark.slow
def test_a_checkpoint_is_exported_once(
    checkpoint: Path, cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "premise_suggest.first_use"):
        folder = generator_folder(str(checkpoint))
        assert folder is not None
        assert [record.message for record in caplog.records] == [
            f"Exporting the generator in {checkpoint} (once) ..."
        ]
        assert folder.parent == generators_folder()
        assert folder.is_relative_to(cache)
        assert [path.name for path in folder.parent.iterdir()] == [folder.name]
        values = json.loads((folder / CONFIG).read_text())
        assert (values["form"], values["weights"]) == ("reprover", "float32")
        stamp = (folder / ENCODER).stat().st_mtime_ns
        copy = shutil.copytree(checkpoint, cache / "copy")
        assert generator_folder(str(checkpoint)) == generator_folder(str(copy)) == folder
        assert (folder / ENCODER).stat().st_mtime_ns == stamp
        assert len(caplog.records) == 1
    fingerprint = Generator.load(folder).fingerprint
    (folder / CONFIG).unlink()  # as if it had been cut off
    assert exported(read_checkpoint(checkpoint)) == folder
    assert Generator.load(folder).fingerprint == fingerprint


@pytest.mark.train
@pytest.mark.slow
def test_a_checkpoint_that_cannot_be_exported_says_why_and_leaves_nothing(
    checkpoint: Path, tmp_path: Path
) -> None:
    damaged = shutil.copytree(checkpoint, tmp_path / "damaged")
    weights = damaged / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-10])
    with pytest.raises(ModelError) as caught:
        generator_folder(str(damaged))
    assert "could not be exported: The checkpoint in" in caught.value.message
    assert "python -m prover export" in caught.value.hint
    assert list(generators_folder().iterdir()) == []


def test_without_torch_the_hint_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    find_spec = importlib.util.find_spec

    def without_torch(name: str, package: str | None = None) -> ModuleSpec | None:
        return None if name == "torch" else find_spec(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", without_torch)
    (tmp_path / "config.json").write_text('{"model_type": "t5", "vocab_size": 384}')
    (tmp_path / "pytorch_model.bin").write_bytes(b"weights")
    with pytest.raises(ModelError) as caught:
        generator_folder(str(tmp_path))
    assert "PyTorch checkpoint" in caught.value.message
    assert "extra `train`" in caught.value.hint
    assert not generators_folder().exists()


def ask(name: str, download: bool, **environment: str) -> str:
    """The folder's file names, or the error; elsewhere, since the hub's client reads its settings once."""
    program = f"""
from lean_extract.common.errors import ModelError
from lsp_server.engine.generators import generator_folder
try:
    print(*sorted(path.name for path in generator_folder({name!r}, download={download}).iterdir()))
except ModelError as error:
    print(error)
import sys
assert "torch" not in sys.modules
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_generator_of_the_hub_is_fetched_only_if_that_is_allowed(tmp_path: Path) -> None:
    offline = {"HF_HUB_CACHE": str(tmp_path / "hub")}
    with running_hub(FIXTURE) as hub:
        online = {**offline, "HF_ENDPOINT": hub.url}
        assert "allow the download" in ask(REPOSITORY, False, **online)
        assert hub.asked == []
        assert ask(REPOSITORY, True, **online) == "decoder.onnx encoder.onnx generator.json"
    assert ask(REPOSITORY, False, **offline) == "decoder.onnx encoder.onnx generator.json"


@pytest.mark.train
@pytest.mark.slow
def test_a_checkpoint_of_the_hub_is_fetched_with_its_weights_and_exported(
    checkpoint: Path, tmp_path: Path
) -> None:
    theirs = shutil.copytree(checkpoint, tmp_path / "theirs")
    (theirs / "flax_model.msgpack").write_bytes(b"not for us")
    offline = {"HF_HUB_CACHE": str(tmp_path / "hub")}
    with running_hub(theirs) as hub:
        online = {**offline, "HF_ENDPOINT": hub.url}
        assert "allow the download" in ask(REPOSITORY, False, **online)
        assert ask(REPOSITORY, True, **online) == "decoder.onnx encoder.onnx generator.json"
        assert any(path.endswith("/model.safetensors") for path in hub.asked)
        assert not any(path.endswith("/flax_model.msgpack") for path in hub.asked)
    assert ask(REPOSITORY, False, **offline) == "decoder.onnx encoder.onnx generator.json"


@pytest.mark.train
@pytest.mark.slow
def test_add_exports_and_says_how_to_use_it(checkpoint: Path, tmp_path: Path, cache: Path) -> None:
    theirs = shutil.copytree(checkpoint, tmp_path / "leandojo-lean4-tacgen-byt5-small")
    done = command("add", theirs)
    assert done.returncode == 0, done.stderr
    (added,) = generators_folder().iterdir()
    assert done.stdout.splitlines() == [
        f"Ready: {added}",
        f'Use it: --generator {theirs}, or in the settings: [tactics] generator = "{theirs}"',
    ]
    assert Generator.load(added).config.form == "state"
    assert generator_folder(str(theirs)) == added

    done = command("add", theirs, "--form", "reprover")
    assert f"{theirs}#reprover" in done.stdout
    other = generator_folder(f"{theirs}#reprover")
    assert other is not None
    assert other != added
    assert Generator.load(other).config.form == "reprover"

    listed = command().stdout.splitlines()
    assert sorted(line.split()[0] for line in listed) == sorted([added.name, other.name])
    assert all(str(theirs) in line for line in listed)
    assert "removed" in command("remove", added.name).stdout
    assert [path.name for path in generators_folder().iterdir()] == [other.name]
    assert "was added" in command("remove", added.name).stderr
    assert "was added" in command("remove", "..").stderr


@pytest.mark.train
@pytest.mark.slow
def test_an_interrupted_export_leaves_nothing(checkpoint: Path) -> None:
    def interrupt(stage: str) -> None:
        raise KeyboardInterrupt(stage)

    with pytest.raises(KeyboardInterrupt, match="Reading"):
        add_generator(str(checkpoint), "", download=False, on_stage=interrupt)
    assert list(generators_folder().iterdir()) == []
    assert not any("export" in one.cmdline() for one in psutil.Process().children())


def test_add_refuses_what_it_does_not_know(tmp_path: Path) -> None:
    done = command("add", tmp_path)
    assert done.returncode == 1
    assert "config.json is missing" in done.stderr
    assert "Known are T5 and ByT5" in done.stderr
    assert not generators_folder().exists()
    done = command("add", FIXTURE)
    assert done.stdout.startswith(f"Ready: {FIXTURE}\n")
    assert command("add", "someone/nothing").returncode == 1


def command(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run `premise-suggest generator`."""
    return subprocess.run(
        [sys.executable, "-m", "lsp_server", "generator", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
