"""The model in use, through the command line: from a folder, from the hub, and where it does not fit."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.fakes.hub import REPOSITORY, running_hub
from tests.lsp_server.conftest import FIXTURE_MODEL, STATE, Cli, make_project, premise_names

pytestmark = pytest.mark.lean


@pytest.fixture
def place(tmp_path: Path, cli: Cli) -> Path:
    """A project whose index was made with the model that the tests use."""
    return make_project(tmp_path / f"models-{tmp_path.name}", cli)


def test_an_index_of_another_model_is_refused_and_the_command_it_names_mends_it(
    cli: Cli, place: Path
) -> None:
    asked = ["suggest", "--state", "-", "--model", FIXTURE_MODEL]
    done = cli(*asked, stdin=STATE, cwd=place)
    assert (done.returncode, done.stdout) == (1, "")
    error, hint = done.stderr.splitlines()
    assert "was built with model" in error
    assert hint == f"hint: Run `premise-suggest index {place}` with the model in use to build it again."
    assert cli("index", place, "--model", FIXTURE_MODEL).returncode == 0
    assert "Lib.plus_swap" in cli(*asked, stdin=STATE, cwd=place).stdout


def test_the_bundled_index_is_refused_to_another_model(cli: Cli, tmp_path: Path) -> None:
    done = cli("suggest", "--state", "-", "--model", FIXTURE_MODEL, stdin=STATE, cwd=tmp_path)
    assert done.returncode == 1
    error, hint = done.stderr.splitlines()[-2:]
    assert "was built with model" in error
    assert hint.startswith("hint: Use the model that is shipped, or run `premise-suggest index`")


def test_with_another_model_a_mathlib_project_is_answered_from_its_own_index(cli: Cli, place: Path) -> None:
    (place / "lakefile.toml").write_text('name = "Lib"\n[[require]]\nname = "mathlib"\n', encoding="utf-8")
    assert cli("index", place, "--model", FIXTURE_MODEL).returncode == 0
    asked = ["suggest", "--state", "-", "--json"]
    answer = json.loads(cli(*asked, "--model", FIXTURE_MODEL, stdin=STATE, cwd=place).stdout)
    assert "Lib.plus_swap" in premise_names(answer)
    assert [source["bundled"] for source in answer["index"]["sources"]] == [False]
    assert "belongs to the shipped model" in answer["warnings"][0]


def test_a_model_folder_that_lacks_a_file_or_has_it_cut_off(cli: Cli, place: Path, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(FIXTURE_MODEL, folder)
    assert cli("index", place, "--model", folder).returncode == 0
    for name in ("config.json", "tokenizer.json", "model.onnx", "fusion.json"):
        whole = (folder / name).read_bytes()
        for part in (None, whole[: len(whole) // 2]):
            (folder / name).unlink()
            if part is not None:
                (folder / name).write_bytes(part)
            done = cli("suggest", "--state", "-", "--model", folder, stdin=STATE, cwd=place)
            (folder / name).write_bytes(whole)
            assert done.returncode == 1, name
            error, hint = done.stderr.splitlines()
            assert error.startswith("error: ") and str(folder) in error and hint.startswith("hint: "), name


def test_a_model_of_the_hub_is_fetched_only_when_that_is_allowed(
    cli: Cli, place: Path, tmp_path: Path
) -> None:
    cache = {"HF_HUB_CACHE": str(tmp_path / "hub")}
    asked = ["suggest", "--state", "-", "--model", REPOSITORY]
    with running_hub(FIXTURE_MODEL) as hub:
        online = {**cache, "HF_ENDPOINT": hub.url}
        done = cli(*asked, stdin=STATE, cwd=place, **online)
        assert done.returncode == 1
        assert "no model of that name in the hub's cache" in done.stderr
        assert "--download" in done.stderr.splitlines()[-1]
        assert hub.asked == []
        fetched = cli("index", place, "--model", REPOSITORY, "--download", **online)
        assert fetched.returncode == 0, fetched.stderr
        assert any(path.endswith("/model.onnx") for path in hub.asked)
    for name in (REPOSITORY, f"hf://{REPOSITORY}", f"{REPOSITORY}@main"):  # the hub is gone: from its cache
        done = cli(*asked[:-1], name, "--download", stdin=STATE, cwd=place, **cache)
        assert "Lib.plus_swap" in done.stdout, done.stderr


def test_a_hub_that_does_not_have_it_or_does_not_answer(cli: Cli, place: Path, tmp_path: Path) -> None:
    asked = ["suggest", "--state", "-", "--download"]
    cache = {"HF_HUB_CACHE": str(tmp_path / "hub")}
    with running_hub(FIXTURE_MODEL) as hub:
        url = hub.url
        done = cli(*asked, "--model", "hf://someone/else", stdin=STATE, cwd=place, HF_ENDPOINT=url, **cache)
        assert (done.returncode, done.stdout) == (1, "")
        assert "error: The model someone/else could not be fetched from the hub: " in done.stderr
    done = cli(*asked, "--model", REPOSITORY, stdin=STATE, cwd=place, HF_ENDPOINT=url, **cache)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"error: The model {REPOSITORY} could not be fetched from the hub: " in done.stderr
    assert done.stderr.splitlines()[-1] == "hint: Check its name and the network, or give a model folder."
    assert "Traceback" not in done.stderr
    done = cli("suggest", "--state", "-", "--model", "hf://nobody", stdin=STATE, cwd=place)
    assert done.stderr.splitlines()[0] == "error: hf://nobody names no repository of the hub."
