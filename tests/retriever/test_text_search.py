"""Free text, and the filter that comes before the best are chosen."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.records import Import
from retriever.lean.declared import described
from retriever.lean.eligibility import Allowed, RankRequest, is_below
from retriever.lean.goal_context import GoalContext
from retriever.lean.service import PremiseService
from retriever.lean.text_search import search
from retriever.models.encoder import Encoder
from tests.retriever.support import COMMUTES, Sheet, make_store, theorem

LIBRARY = {
    "Lib.Add": Sheet(
        [
            theorem("Nat.add_comm", "Lib.Add", "a + b = b + a", "(a b : ℕ)", lines=(3, 4)),
            theorem("Nat.add_comm_secret", "Lib.Add", "a + b = b + a", "(a b : ℕ)", is_private=True),
            theorem("Add", "Lib.Add", "Type → Type", kind="class"),
        ],
        (Import("Lib.Order"),),
    ),
    "Lib.Order": Sheet([theorem("le_total", "Lib.Order", "a ≤ b ∨ b ≤ a", "(a b : ℕ)")]),
    "Library.Sets": Sheet([theorem("Set.union_comm", "Library.Sets", "s ∪ t = t ∪ s", "(s t : Set α)")]),
}


@pytest.fixture
def service(tmp_path: Path, encoder: Encoder, model_folder: Path) -> PremiseService:
    store = make_store(tmp_path / "index", LIBRARY, encoder, project=str(tmp_path))
    return PremiseService.open([store], model_folder)


def names(
    service: PremiseService, text: str, where: GoalContext | None = None, k: int = 8, **only: object
) -> list[str]:
    allowed = Allowed(**only) if only else None  # type: ignore[arg-type]
    return [one.premise.name for one in search(service, text, where, k, allowed=allowed)]


def test_names_come_before_what_the_text_says(service: PremiseService) -> None:
    assert names(service, "add")[:2] == ["Add", "Nat.add_comm"]
    assert names(service, "Nat.add_comm")[0] == "Nat.add_comm"
    assert names(service, "comm of the unions")[0] == "Set.union_comm"
    assert names(service, "commutativity of addition")[0] == "Nat.add_comm"
    assert names(service, "b + a = a + b")[0] == "Nat.add_comm"
    assert names(service, "qwertz") == []
    assert names(service, "   ") == names(service, "add", k=0) == []


def test_scores_fall_and_private_names_are_not_offered(service: PremiseService) -> None:
    for text in ("comm", "a + b = b + a", "le"):
        scores = [one.score for one in search(service, text)]
        assert scores == sorted(scores, reverse=True)
        assert len(scores) == len(set(names(service, text)))
        assert "Nat.add_comm_secret" not in names(service, text)


def test_the_open_file_takes_part(service: PremiseService) -> None:
    own = theorem("mine.add_zero", "Open", "a + 0 = a", "(a : ℕ)", lines=(1, 2))
    where = GoalContext("Open", ("Lib.Order",), line=9, local=(own,))
    assert names(service, "mine", where) == ["mine.add_zero"]
    found = {one.premise.name: one for one in search(service, "add_comm", where)}
    assert found["Nat.add_comm"].in_scope is False
    assert found["Nat.add_comm"].import_line == "import Lib.Add"
    assert search(service, "mine", where)[0].in_scope is True
    assert "Nat.add_comm" not in names(service, "add", where, in_scope=True)
    assert "mine.add_zero" in names(service, "add", where, in_scope=True)


def test_the_filter_comes_before_the_choice(service: PremiseService) -> None:
    ranked = service.rank(RankRequest(COMMUTES, None, 1, allowed=Allowed(modules=("Library",))))
    assert [one.premise.name for one in ranked] == ["Set.union_comm"]
    ranked = service.rank(RankRequest(COMMUTES, None, 9, allowed=Allowed(modules=("Lib",))))
    assert {one.premise.module for one in ranked} == {"Lib.Add", "Lib.Order"}
    joined = Allowed(declared_in=frozenset({"Lib.Order"}), names=frozenset({"Set.union_comm", "not.there"}))
    ranked = service.rank(RankRequest(COMMUTES, None, 9, allowed=joined))
    assert {one.premise.name for one in ranked} == {"le_total", "Set.union_comm"}
    assert service.rank(RankRequest(COMMUTES, None, 9, allowed=Allowed(names=frozenset()))) == []
    reached = service.rank(
        RankRequest(COMMUTES, GoalContext("Open", ("Lib.Order",)), 9, allowed=Allowed(in_scope=True))
    )
    assert [one.premise.name for one in reached] == ["le_total"]


def test_a_prefix_ends_with_a_part_of_the_name() -> None:
    assert is_below("A.B.C", ["A.B"]) and is_below("A", ["A"])
    assert not is_below("AB", ["A"]) and not is_below("A", ["A.B"]) and not is_below("A", [])


@given(module=st.text("AB.", max_size=8), prefixes=st.lists(st.text("AB.", max_size=6), max_size=4))
def test_many_prefixes_are_looked_up_and_mean_the_same(module: str, prefixes: list[str]) -> None:
    meant = any(module == prefix or module.startswith(f"{prefix}.") for prefix in prefixes)
    assert is_below(module, frozenset(prefixes)) == meant


def test_a_symbol_of_a_name_is_looked_for_as_typed(
    tmp_path: Path, encoder: Encoder, model_folder: Path
) -> None:
    sheet = Sheet([theorem("«term_≃+_»", "Lib", "a = b"), theorem("term_other", "Lib", "c = d")])
    made = PremiseService.open([make_store(tmp_path / "index", {"Lib": sheet}, encoder)], model_folder)
    assert names(made, "term_≃+", k=1) == ["«term_≃+_»"]


def test_statements_count_beside_names(tmp_path: Path, encoder: Encoder, model_folder: Path) -> None:
    sheet = Sheet(
        [
            theorem("x.first", "Lib", "a = b", "(a b : ℕ)"),
            theorem("x.second", "Lib", "a ∣ b", "(a b : ℕ)"),
            theorem("x.third", "Lib", "a ≤ b", "(a b : ℕ)"),
        ]
    )
    made = PremiseService.open([make_store(tmp_path / "index", {"Lib": sheet}, encoder)], model_folder)
    assert names(made, "divides")[0] == "x.second"
    assert names(made, "at most")[0] == "x.third"


def test_a_declaration_is_found_where_it_was_read(service: PremiseService, tmp_path: Path) -> None:
    found = described(service.snapshot(), "Nat.add_comm", "Lib.Add")
    assert found
    premise, site = found
    assert premise.premise.name == "Nat.add_comm"
    assert site.path == tmp_path / "Lib" / "Add.lean"
    assert (site.line, site.doc_url) == (3, None)
    assert described(service.snapshot(), "Nat.add_comm", "Lib.Order") is None
    assert described(service.snapshot(), "nothing", "Lib.Add") is None


def test_the_files_of_a_fetched_library_are_not_looked_for(
    tmp_path: Path, encoder: Encoder, model_folder: Path
) -> None:
    fetched = PremiseService.open([make_store(tmp_path / "index", LIBRARY, encoder)], model_folder)
    found = described(fetched.snapshot(), "Nat.add_comm", "Lib.Add")
    assert found and found[1].path is None
