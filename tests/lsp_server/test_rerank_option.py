"""How many premises are read again: asked on the command line or in the settings."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from lean_extract.common.errors import UserError
from lsp_server.cli import parser
from lsp_server.commands.common import settings_for
from lsp_server.engine.settings import Settings, parse

FIXTURES = Path(__file__).parent.parent / "retriever" / "fixtures"


def asked(*options: str) -> Settings:
    return settings_for(parser().parse_args(["suggest", "--state", "-", *options]))


def test_the_option_needs_a_model_with_a_reranker(tmp_path: Path) -> None:
    model = Path(shutil.copytree(FIXTURES / "encoder", tmp_path / "model"))
    assert asked("--model", str(model)).premises.rerank == Settings().premises.rerank
    assert asked("--model", str(model), "--rerank", "0").premises.rerank == 0
    with pytest.raises(UserError, match="has no re-ranker"):
        asked("--model", str(model), "--rerank", "5")
    shutil.copytree(FIXTURES / "reranker", model / "reranker")
    assert asked("--model", str(model), "--rerank", "5").premises.rerank == 5


@pytest.mark.parametrize("number", ["-1", "201", "many", "1.5", ""])
def test_a_number_out_of_range_is_refused(number: str) -> None:
    with pytest.raises(UserError, match="from 0 to 200"):
        asked(f"--rerank={number}")


def test_the_setting() -> None:
    settings, complaints = parse({"premises": {"rerank": 0}})
    assert (settings.premises.rerank, complaints) == (0, [])
    settings, complaints = parse({"premises": {"rerank": 201}})
    assert settings == Settings() and "from 0 to 200" in complaints[0]
