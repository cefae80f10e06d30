from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import numpy as np

from retriever.lean.evaluation.plot import Panel, PlotLine, picture, recall_plot

SVG = "{http://www.w3.org/2000/svg}"


def points(svg: str, name: str) -> list[list[tuple[float, float]]]:
    """The points of every line of a name, in pixels."""
    found = []
    for line in ElementTree.fromstring(svg).iter(f"{SVG}polyline"):
        if line.findtext(f"{SVG}title") == name:
            pairs = (pair.split(",") for pair in line.attrib["points"].split())
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
    svg = picture([Panel("title", lines, "x", "y", (0, 50, 100))])
    root = ElementTree.fromstring(svg)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    for name in ("first", "second"):
        assert all(0 < x < width and 0 < y < height for x, y in points(svg, name)[0])
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert texts.index("second") < texts.index("first")
    assert "prefers-color-scheme: dark" in svg
    assert not re.search(r"[a-z]=\"[^\"]*nan", svg)
