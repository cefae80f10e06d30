from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from lean_extract.common.errors import UserError
from retriever.lean.evaluation.measure import recall_plot
from retriever.metrics.charts import Bar, BarPanel, LinePanel, PlotLine, bar_chart, line_chart

SVG = "{http://www.w3.org/2000/svg}"


def points(svg: str, name: str) -> list[list[tuple[float, float]]]:
    """The points of every line of a name, in the SVG's units."""
    found = []
    for part in ElementTree.fromstring(svg).iter(f"{SVG}g"):
        if part.findtext(f"{SVG}title") == name:
            path = part.find(f"{SVG}path")
            assert path is not None
            pairs = re.findall(r"[ML] ([\d.]+) ([\d.]+)", path.attrib["d"])
            found.append([(float(x), float(y)) for x, y in pairs])
    return found


def test_a_better_method_lies_higher_in_both_panels() -> None:
    low, high = np.linspace(0.1, 0.5, 100), np.linspace(0.2, 0.9, 100)
    settings = ("state", "importable", "place")
    curves = {
        (setting, name): curve for setting in settings for name, curve in (("a<b", low), ("fused", high))
    }
    svg = recall_plot(curves)  # type: ignore[arg-type]
    worse, better = points(svg, "a<b"), points(svg, "fused")
    assert len(worse) == len(better) == 2
    for below, above in zip(worse, better, strict=True):
        assert len(below) == 100
        assert [x for x, _ in below] == sorted(x for x, _ in below)
        assert all(y > other for (_, y), (_, other) in zip(below, above, strict=True))


def test_lines_stay_inside_and_the_legend_is_in_order_of_the_ends() -> None:
    lines = [PlotLine("first", [(0, 10), (100, 20)]), PlotLine("second", [(0, 5), (100, 33)])]
    svg = line_chart([LinePanel("title", lines, "x", "y", (0, 50, 100))])
    root = ElementTree.fromstring(svg)
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    for name in ("first", "second"):
        assert all(0 < x < width and 0 < y < height for x, y in points(svg, name)[0])
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert {"title", "x", "y", "50"} <= set(texts)
    assert texts.index("second") < texts.index("first")
    assert "prefers-color-scheme: dark" in svg
    assert not re.search(r"[a-z]=\"[^\"]*nan", svg)


def test_bars_have_their_notes_labels_and_a_legend() -> None:
    series = [
        ("ours", [Bar(50, (40, 60), note="50% of 4"), None]),
        ("theirs & others", [Bar(25, label="25%"), Bar(10)]),
    ]
    svg = bar_chart([BarPanel("rates", ["easy", "hard"], series, top=100)])
    root = ElementTree.fromstring(svg)
    notes = [title.text for title in root.iter(f"{SVG}title")]
    assert notes == ["50% of 4", "theirs & others", "theirs & others"]
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert {"rates", "easy", "hard", "25%", "ours", "theirs & others"} <= set(texts)
    assert bar_chart([BarPanel("rates", ["easy", "hard"], series, top=100)]) == svg


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(UserError, match=r"premise-suggest\[docs\]"):
        recall_plot({("state", "bm25"): np.linspace(0.1, 0.5, 100)})
