"""Declared notations: how their lines are read, and how texts are written with and without them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.source.grammar.notations import Notation
from lean_extract.source.names.scopes import ROOT
from lean_extract.source.reader import SourceModule, read_module
from lean_extract.syntax.symbol_terms import parse_term
from retriever.lean.eligibility import RankRequest
from retriever.lean.goal_context import GoalContext
from retriever.lean.notations import Notations, core_notations
from retriever.lean.service import PremiseService
from retriever.models.encoder import Encoder
from tests.retriever.support import Sheet, goal, make_store, theorem

KNOWN = [
    Notation("≺≺", "Own.Before", ROOT, "infixl", 50),
    Notation("⊳", "Own.then", ROOT, "infixr", 67),
    Notation("√√", "Own.twice", ROOT, "prefix", 1024),
    Notation("‼", "Own.halved", ROOT, "postfix", 1024),
    Notation("ℵℵ", "Own.Many", ROOT),
]
WRITTEN = [
    ("a ≺≺ b + 1", "Own.Before a (b + 1)"),
    ("a ≺≺ c ⊳ d ⊳ e", "Own.Before a (Own.then c (Own.then d e))"),
    ("∀ x, √√ x = x‼ → x = ℵℵ", "∀ x, Own.twice x = Own.halved x → x = Own.Many"),
    ("f (a ≺≺ b) ∧ ¬ (b ≺≺ a)", "f (Own.Before a b) ∧ ¬ (Own.Before b a)"),
    ("{x | x ≺≺ 3} ⊆ s", "{x | Own.Before x 3} ⊆ s"),
    ("xs <+: ys ++ zs", "List.IsPrefix xs (ys ++ zs)"),
]


@pytest.fixture(scope="module")
def notations() -> Notations:
    return Notations(KNOWN, core_notations())


def term(text: str) -> object:
    return parse_term(text)


@pytest.mark.parametrize(("text", "constants"), WRITTEN)
def test_texts_are_written_either_way(notations: Notations, text: str, constants: str) -> None:
    assert term(notations.spelled_out(text)) == term(constants)
    assert "".join(notations.noted(constants).split()).replace("(", "").replace(")", "") == "".join(
        text.split()
    ).replace("(", "").replace(")", "")


@pytest.mark.parametrize("text", ["a + b = c", "Before a", "Other.Before a b", "a < b ++ c", ""])
def test_what_has_none_stays(notations: Notations, text: str) -> None:
    assert notations.spelled_out(text) == text == notations.noted(text)


TERMS = st.recursive(
    st.sampled_from(("a", "b", "c")).map(lambda name: (name, name)),
    lambda inner: st.tuples(inner, inner, st.sampled_from((("≺≺", "Own.Before"), ("⊳", "Own.then")))).map(
        lambda drawn: (
            f"({drawn[0][0]} {drawn[2][0]} {drawn[1][0]})",
            f"({drawn[2][1]} {drawn[0][1]} {drawn[1][1]})",
        )
    ),
    max_leaves=12,
)


@given(TERMS)
def test_nested_operators_are_nested_applications(both: tuple[str, str]) -> None:
    notations = Notations(KNOWN)
    text, constants = both
    assert term(notations.spelled_out(text)) == term(constants)


@given(st.text(st.sampled_from("ab ()∀,:={}|<+~≺⊳√‼ℵ.?_·1\n") | st.characters(), max_size=200))
def test_any_text_is_written_and_read(text: str) -> None:
    notations = Notations(KNOWN, core_notations())
    for written in (notations.spelled_out(text), notations.noted(text)):
        assert isinstance(written, str)
    list(notations.tokens(text))


@pytest.mark.parametrize(
    "text", ["a ≺≺ " * 5_000 + "a", "(" * 5_000 + "a ≺≺ b", "a ⊳ " * 149 + "a", "√√ " * 299]
)
def test_long_and_deep_texts_are_read(notations: Notations, text: str) -> None:
    notations.spelled_out(text)
    notations.noted(text)


def lines(text: str) -> SourceModule:
    return read_module(text, "Own", "Own.lean")


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ('infixl:50 " ≺≺ " => Before', ("≺≺", "Before", "infixl", 50, False)),
        ('@[inherit_doc] scoped infixr:67 " ⊳ " => Own.then', ("⊳", "Own.then", "infixr", 67, False)),
        ('local infix:50 (priority := high) " ≺≺ " => @Before', ("≺≺", "Before", "infix", 50, True)),
        (r'infixl:70 " \\\\ " => without', ("\\\\", "without", "infixl", 70, False)),
        ('prefix:max "√√" => twice', ("√√", "twice", "prefix", 1024, False)),
        ('postfix:1000 "‼" => halved', ("‼", "halved", "postfix", 1000, False)),
        ('notation:50 a:50 " ⊑⊑ " b:max => Before a b', ("⊑⊑", "Before", "infix", 50, False)),
        ('notation "√√" x:max => twice x', ("√√", "twice", "prefix", 65, False)),
        ('scoped notation (name := many) "ℵℵ" => Many', ("ℵℵ", "Many", "constant", 65, False)),
        ('notation3 "ℵℵ" => Many', ("ℵℵ", "Many", "constant", 65, False)),
    ],
)
def test_lines_are_read(line: str, read: tuple[str, str, str, int, bool]) -> None:
    [found] = lines(f"{line}\n").notations
    assert (found.symbol, found.target, found.form, found.precedence, found.is_local) == read


@pytest.mark.parametrize(
    "line", ['notation "⟦" a "⟧" => mk a', 'notation "a" => fun x => x', "notation", "infix:"]
)
def test_other_lines_are_none(line: str) -> None:
    assert lines(f"{line}\n").notations == ()


@given(
    st.lists(
        st.sampled_from(("infix", "notation", ":", "50", '" ≺ "', "=>", "@", "Foo.bar", "a", "(", ")", '"'))
    )
)
def test_any_line_is_read(words: list[str]) -> None:
    for notation in lines(" ".join(words) + "\n").notations:
        assert notation.target


def test_notations_of_the_open_file_count_before_they_are_indexed(
    tmp_path: Path, encoder: Encoder, model_folder: Path
) -> None:
    sheet = Sheet([theorem("Own.spelled", "Own", "Own.Before a (b + 1)", "(a b : ℕ)")])
    service = PremiseService.open([make_store(tmp_path / "index", {"Own": sheet}, encoder)], model_folder)
    asked = goal("x ⋖⋖ y", ("x y", "ℕ"))
    text = (
        'import Own\n\nlocal infix:50 " ⋖⋖ " => Own.Before\n\ntheorem t (x y : ℕ) : x ⋖⋖ y := by\n  sorry\n'
    )
    where = GoalContext("Work", ("Own",), 5, theorem="t", source=read_module(text, "Work", "Work.lean"))
    assert service.relates_to(asked, where) and not service.relates_to(asked)
    [found, *_] = service.rank(RankRequest(asked, where))
    assert found.premise.name == "Own.spelled"
