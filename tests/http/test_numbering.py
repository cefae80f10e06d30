"""Numbers that LeanPremise's clients use instead of names."""

from __future__ import annotations

from pathlib import Path

from lsp_server.http.numbering import Numbering
from retriever.lean.service import PremiseService
from retriever.lean.snapshot import Snapshot
from retriever.models.encoder import Encoder
from tests.retriever.support import Sheet, make_store, theorem

MODEL = Path(__file__).parents[1] / "retriever" / "fixtures" / "encoder"


def test_numbers_stay_the_same_whichever_process_sees_a_name_first(tmp_path: Path) -> None:
    def snapshot(*names: str) -> Snapshot:
        sheets = {"Lib": Sheet([theorem(name, "Lib", "a = a", "(a : ℕ)") for name in names])}
        folder = tmp_path / "-".join(names)
        return PremiseService.open([make_store(folder, sheets, Encoder.load(MODEL))], MODEL).snapshot()

    first, later = snapshot("a", "b"), snapshot("b", "c")
    one, other, alone = Numbering(tmp_path), Numbering(tmp_path), Numbering()
    assert one.premises.listed(first) == b'["a","b"]'
    assert other.premises.listed(later) == b'["a","b","c"]'  # by itself it would have begun with b
    assert alone.premises.listed(later) == b'["b","c"]'
    assert one.premises.listed(later) == other.premises.listed(later)
    assert Numbering(tmp_path).premises.named(first, [2, 0, 9]) == {"c", "a"}
