"""Benchmarks, run as commands on a small dataset and the tests' model."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.commands import command
from tests.retriever.little_library import DebugData


@pytest.fixture(scope="module")
def dataset(debug_data: DebugData) -> Path:
    return debug_data.dataset


Measured = Callable[..., str]


@pytest.fixture
def measured(capsys: pytest.CaptureFixture[str]) -> Measured:
    """Runs a benchmark; gives what it printed."""

    def run(name: str, *arguments: str | Path) -> str:
        assert command(f"scripts.benchmarks {name}")(arguments) == 0
        return capsys.readouterr().out

    return run


def rows(text: str) -> list[list[str]]:
    """The cells of the Markdown table in a text, without its head."""
    table = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[2:]]


def test_the_curve_of_hnsw(measured: Measured, dataset: Path, model_folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("hnswlib", reason="hnswlib is not installed")
    picture, figures, cache = tmp_path / "curve.svg", tmp_path / "curve.json", tmp_path / "cache"
    arguments = [dataset, "--model", model_folder, "--cache", cache, "--m", "4", "16", "--ef", "10", "200"]
    said = measured("hnsw", *arguments, "--svg", picture, "--json", figures)
    points = json.loads(figures.read_text())["points"]
    assert [(point["m"], point["ef"]) for point in points] == [(4, 10), (4, 200), (16, 10), (16, 200)]
    assert all(0 < point["recall"] <= 1 and point["milliseconds"] > 0 for point in points)
    assert points[-1]["recall"] == 1, "wider than the whole corpus"
    assert [row[:2] for row in rows(said)] == [
        ["4", "10"],
        ["4", "200"],
        ["16", "10"],
        ["16", "200"],
        ["", "exact"],
    ]
    assert "M 16: ef " in said
    drawn = ElementTree.parse(picture).getroot()
    svg = "{http://www.w3.org/2000/svg}"
    parts = [part for part in drawn.iter(f"{svg}g") if part.get("id", "").startswith("part-")]
    assert [part.findtext(f"{svg}title") for part in parts] == ["M = 4", "M = 16"]
    assert [len(re.findall("[ML] ", part[1].attrib["d"])) for part in parts] == [2, 2]
    assert len(list(cache.glob("vectors-*.npy"))) == 1
    again = measured("hnsw", *arguments)
    assert "embedded" in said
    assert "embedded" not in again, "taken from the cache"


def test_what_quantisation_costs(
    measured: Measured, dataset: Path, model_folder: Path, tmp_path: Path
) -> None:
    figures = tmp_path / "widths.json"
    arguments = [dataset, "--model", model_folder, "--steps", "25/50", "80/160", "--json", figures]
    said = measured("quantisation", *arguments)
    exact, eight, fine, coarse = json.loads(figures.read_text())["widths"]
    assert [row[0] for row in rows(said)] == ["float32", "8 bits", "steps 25/50, as shipped", "steps 80/160"]
    assert (exact["loss"], exact["megabytes"]) == (0, None)
    assert eight["recall"]["32"] == pytest.approx(exact["recall"]["32"], abs=2)
    assert eight["megabytes"] is None and coarse["megabytes"] < fine["megabytes"]
    assert coarse["recall"]["10"] == pytest.approx(exact["recall"]["10"] - coarse["loss"])
