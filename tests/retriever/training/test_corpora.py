"""What training learns of a corpus from its package: its texts, its kinds of run, where it is meant."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

pytest.importorskip("tokenizers")

from lean_extract.common.errors import BadSettings, UserError
from retriever.search.backends import BUILT_IN
from retriever.training.corpora import CollectionCorpus, find_corpus
from retriever.training.running.config_io import preset_files, preset_folders, read_values
from retriever.training.running.kinds import KINDS, with_backend

OWN = """
from retriever.training.corpora import CollectionCorpus
from lists.backend import BACKEND
TRAINING_CORPUS = CollectionCorpus(BACKEND, miner="lists.miner")
"""
BACKEND = """
class Lists:
    name, about, pieces = "lists", "items of a list", r"[a-z]+"
BACKEND = Lists()
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "lists"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "backend.py").write_text(BACKEND, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    for module in ("lists", "lists.backend", "lists.training_corpus"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    return folder


def test_a_collection_is_enough_to_train_on(package: Path) -> None:
    corpus = find_corpus("lists")
    assert isinstance(corpus, CollectionCorpus)
    cut = corpus.untrained_tokenizer().pre_tokenizer
    assert cut is not None
    assert [piece for piece, _ in cut.pre_tokenize_str("ab-c d")] == ["ab", "-", "c", "d"]


def test_a_package_may_say_itself_what_is_trained_on(package: Path) -> None:
    (package / "training_corpus.py").write_text(OWN, encoding="utf-8")
    assert find_corpus("lists").miner == "lists.miner"


def test_a_corpus_that_is_not_there_is_named() -> None:
    with pytest.raises(UserError, match="no backend `no_such`"):
        find_corpus("no_such")


@pytest.mark.parametrize(
    ("kind", "backend"),
    [
        ("mlm", "lean"),
        ("crossencoder", "lean"),
        ("pairwise", "naturalproofs"),
        ("joint", "naturalproofs"),
        ("autoregressive", "naturalproofs"),
    ],
)
def test_a_preset_without_a_backend_means_what_it_always_meant(kind: str, backend: str) -> None:
    assert with_backend({"seed": 1}, kind) == {"seed": 1, "backend": backend}
    assert with_backend({"backend": "match"}, kind) == {"backend": "match"}


def test_a_kind_that_no_corpus_claims_needs_a_backend() -> None:
    with pytest.raises(BadSettings, match="needs a corpus"):
        with_backend({}, "no-such-kind")


def test_presets_come_from_the_packages_of_the_corpora() -> None:
    assert next(iter(KINDS)) == "biencoder"  # what a preset without a kind is
    assert len(preset_folders()) == len(BUILT_IN)
    assert {"debug", "experiments-cpu", "match-npt", "naturalproofs-joint"} <= set(preset_files())


def test_a_folder_of_presets_replaces_those_of_the_corpora(tmp_path: Path) -> None:
    (tmp_path / "debug.yaml").write_text("{run: mine}", encoding="utf-8")
    assert read_values(Path("debug"), [tmp_path]) == {"run": "mine"}
    with pytest.raises(BadSettings, match="no configuration match-npt") as error:
        read_values(Path("match-npt"), [tmp_path])
    assert error.value.hint == "The presets are: debug."
