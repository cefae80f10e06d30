"""What the package ships, taken at its word: the encoder and the bundled Mathlib index."""

from __future__ import annotations

from pathlib import Path

from lean_extract.records import Premise
from retriever.lean.eligibility import RankRequest
from retriever.lean.goal_context import GoalContext
from retriever.lean.index import bundled
from retriever.lean.service import PremiseService
from retriever.models.encoder import fingerprint_of
from tests.retriever.support import COMMUTES, goal

MODEL = bundled.DATA.parent / "encoder"


def test_index_and_encoder_belong_together_and_are_small() -> None:
    bundled.check_fits(bundled.read_card(), fingerprint_of(MODEL))
    assert sum(path.stat().st_size for path in bundled.DATA.iterdir()) <= 16e6


def test_addition_commutes(shipped: PremiseService) -> None:
    names = [ranked.premise.name for ranked in shipped.rank(RankRequest(COMMUTES, None, 10))]
    assert {"add_comm", "Nat.add_comm"} & set(names)


def test_a_lemma_that_states_the_goal_is_found(shipped: PremiseService) -> None:
    state = goal("x ∈ s ∪ t ↔ x ∈ s ∨ x ∈ t", ("α", "Type u_1"), ("s t", "Set α"), ("x", "α"))
    [first, *_] = shipped.rank(RankRequest(state, GoalContext("New", ("Mathlib.Data.Set.Basic",))))
    assert first.premise == Premise("Set.mem_union", "theorem", first.premise.module, is_protected=False)
    assert first.premise.module.startswith("Mathlib.") and first.in_scope
    assert first.doc_url is not None and first.doc_url.endswith("#Set.mem_union")


def test_no_statement_is_shipped() -> None:
    assert {path.name for path in Path(bundled.DATA).iterdir()} == {
        bundled.CARD,
        *(bundled.part_path(bundled.DATA, part).name for part in bundled.PARTS),
    }
