"""What is shipped: both generators load, are small, have their cards, and write tactics."""

from __future__ import annotations

from pathlib import Path

import pytest

from lean_extract.goals import parse_goal
from lean_extract.records import Premise
from lsp_server.engine.generators import BYT5, SHIPPED_BYT5, SHIPPED_GENERATOR, generator_folder
from prover.generator.model import Generator
from prover.generator.source import TacticGenerator
from prover.opening import open_folder
from prover.shaped.model import ShapeGenerator


def test_the_default_and_the_other_by_its_name() -> None:
    assert (generator_folder(""), generator_folder(BYT5)) == (SHIPPED_GENERATOR, SHIPPED_BYT5)


@pytest.mark.parametrize(
    ("folder", "kind", "most", "headings"),
    [(SHIPPED_GENERATOR, ShapeGenerator, 8e6, ()), (SHIPPED_BYT5, Generator, 40e6, ("Limits", "Figures"))],
)
def test_it_is_small_has_its_card_and_uses_a_premise(
    folder: Path, kind: type[TacticGenerator], most: float, headings: tuple[str, ...]
) -> None:
    assert sum(path.stat().st_size for path in folder.iterdir()) < most
    generator = open_folder(folder)
    assert isinstance(generator, kind)
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert card.startswith("---\nlicense: apache-2.0")
    assert f"Fingerprint `{generator.fingerprint}`" in card
    assert all(f"## {heading}" in card for heading in headings)
    goal = parse_goal("a b : ℕ\n⊢ a + b = b + a")
    premises = [Premise("Nat.add_comm", "theorem", "M", ("(n m : ℕ)",), "n + m = m + n")]
    found = generator.generate([goal], premises)
    assert len(found) == 8
    assert any("Nat.add_comm" in each.tactic for each in found)


def test_shapes_use_hypotheses() -> None:
    goal = parse_goal("p q : Prop\nhpq : p ∧ q\n⊢ p ∧ q")
    assert any("hpq" in each.tactic for each in open_folder(SHIPPED_GENERATOR).generate([goal], []))
