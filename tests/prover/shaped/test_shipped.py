"""What is shipped as the default: it loads, it is small, its card is of it, and it writes tactics."""

from lean_extract.goals import parse_goal
from lean_extract.records import Premise
from lsp_server.engine.generators import BYT5, SHIPPED_BYT5, SHIPPED_GENERATOR, generator_folder
from prover.opening import open_folder
from prover.shaped.model import ShapeGenerator


def test_the_default_and_the_other_by_its_name() -> None:
    assert generator_folder("") == SHIPPED_GENERATOR
    assert generator_folder(BYT5) == SHIPPED_BYT5
    assert isinstance(open_folder(SHIPPED_GENERATOR), ShapeGenerator)


def test_the_card_is_of_the_shipped_model() -> None:
    card = (SHIPPED_GENERATOR / "README.md").read_text(encoding="utf-8")
    assert card.startswith("---\nlicense: apache-2.0")
    assert f"Fingerprint `{open_folder(SHIPPED_GENERATOR).fingerprint}`" in card


def test_the_shipped_folder_is_small() -> None:
    assert sum(path.stat().st_size for path in SHIPPED_GENERATOR.iterdir()) < 8e6


def test_it_uses_premises_and_hypotheses() -> None:
    generator = open_folder(SHIPPED_GENERATOR)
    goal = parse_goal("a b : ℕ\n⊢ a + b = b + a")
    premises = [Premise("Nat.add_comm", "theorem", "M", ("(n m : ℕ)",), "n + m = m + n")]
    found = generator.generate([goal], premises)
    assert len(found) == 8
    assert any("Nat.add_comm" in each.tactic for each in found)
    assumed = generator.generate([parse_goal("p q : Prop\nhpq : p ∧ q\n⊢ p ∧ q")], [])
    assert any("hpq" in each.tactic for each in assumed)
