from __future__ import annotations

from pathlib import Path

import pytest

import retriever
from retriever.lean.features import load_fusion
from retriever.models.encoder import fingerprint_of
from tests.commands import command

MODEL = Path(retriever.__file__).parent / "data" / "encoder"


def test_the_shipped_card_and_weights_are_of_the_shipped_model() -> None:
    fingerprint = fingerprint_of(MODEL)
    card = (MODEL / "README.md").read_text(encoding="utf-8")
    assert card.startswith("---\nlicense: apache-2.0")
    assert fingerprint in card
    assert fingerprint in load_fusion(MODEL).trained_on
    for heading in ("## Training", "## Limits", "### valid:", "### test:", "### val-check:"):
        assert heading in card


def test_the_shipped_folder_is_small() -> None:
    assert sum(path.stat().st_size for path in MODEL.iterdir()) < 15e6
    assert sum(path.stat().st_size for path in MODEL.rglob("*")) < 40e6


@pytest.mark.train
@pytest.mark.parametrize("text", [None, "{", "[]", "{}"])
def test_a_file_without_figures_is_named(
    text: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch")

    figures = tmp_path / "valid.json"
    if text is not None:
        figures.write_text(text)
    assert command("retriever card")([MODEL, tmp_path, "--figures", figures, "--hardware", "a core"]) == 1
    assert str(figures) in capsys.readouterr().err
