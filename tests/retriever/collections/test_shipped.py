"""The model that comes with the package, and its card."""

from __future__ import annotations

from pathlib import Path

import retriever
from retriever.models.towers import Towers

FOLDER = Path(retriever.__path__[0]) / "data" / "naturalproofs"


def test_it_loads_and_its_card_names_it() -> None:
    towers = Towers.load(FOLDER)
    card = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert towers.backend == "naturalproofs"
    assert towers.fingerprint in card
    said = {"BM25": "BM25", "dense": "vectors", "neighbours": "neighbours"}
    for name, weight in towers.weights.items():
        assert f"{said[name]} {weight:g}" in card


def test_like_statements_are_near() -> None:
    towers = Towers.load(FOLDER)
    near, far = towers.documents(
        ["[SEP] A finite morphism of schemes is proper.", "[SEP] A sheaf of sets on a site is a presheaf."]
    )
    query = towers.queries(["[SEP] Let $f$ be a finite morphism of schemes. Then $f$ is separated."])[0]
    assert query @ near > query @ far
