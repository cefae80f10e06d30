"""What is shipped: it loads, it is small, its card is of it, and it writes tactics."""

from lean_extract.goals import parse_goal
from lean_extract.records import Premise
from lsp_server.engine.generators import SHIPPED_BYT5
from prover.generator.model import Generator


def test_the_card_is_of_the_shipped_model() -> None:
    card = (SHIPPED_BYT5 / "README.md").read_text(encoding="utf-8")
    assert card.startswith("---\nlicense: apache-2.0")
    assert f"Fingerprint `{Generator.load(SHIPPED_BYT5).fingerprint}`" in card
    assert "## Limits" in card and "## Figures" in card


def test_the_shipped_folder_is_small() -> None:
    assert sum(path.stat().st_size for path in SHIPPED_BYT5.iterdir()) < 40e6


def test_it_uses_a_premise_that_is_there() -> None:
    goal = parse_goal("a b : ℕ\n⊢ a + b = b + a")
    premises = [Premise("Nat.add_comm", "theorem", "M", ("(n m : ℕ)",), "n + m = m + n")]
    found = Generator.load(SHIPPED_BYT5).generate([goal], premises)
    assert len(found) == 8
    assert any("Nat.add_comm" in each.tactic for each in found)
