"""Dot notation undone on tokens."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lean_extract.syntax.dotted import undotted
from prover.shapes import tokens
from prover.terms import Term, parse

LOCAL = frozenset(("n", "H", "f"))


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("n.Even", "Even n"),
        ("H.Normal", "Normal H"),
        ("K.Normal", "K.Normal"),
        ("(m + n).Even", "Even ( m + n )"),
        ("[n].Sorted", "Sorted [ n ]"),
        ("d.IsGcd m n", "IsGcd d m n"),
        ("f n.succ m", "f ( succ n ) m"),
        ("f (n + 1).succ m", "f ( succ ( n + 1 ) ) m"),
        ("n.succ.Even", "Even ( succ n )"),
        ("¬n.Even ∧ n.succ + 1 = m", "¬ Even n ∧ succ n + 1 = m"),
        ("↑n.succ", "↑ ( succ n )"),
        ("if n.Even then f n else n.succ", "if Even n then f n else succ n"),
        ("h.1", "h.1"),
        ("n.1.Even", "Even n.1"),
        ("g (f n).1", "g ( f n ) . 1"),
        ("(f n).1.Even", "Even ( f n ) . 1"),
        ("n✝.Even", "Even n✝"),
        ("Nat.succ n", "Nat.succ n"),
        ("«a.b».c", "«a.b».c"),
        ("∃ k, k.Prime", "∃ k , Prime k"),
    ],
)
def test_an_application_in_dot_notation_is_an_ordinary_one(text: str, plain: str) -> None:
    assert " ".join(undotted(tokens(text), LOCAL)) == plain


TEXTS = st.lists(
    st.sampled_from(
        ["n", "H", "n.succ", "H.Normal", ".Even", "(", ")", " ", " ∧ ", " + ", "¬", ".1", "[", "]"]
    ),
    max_size=24,
).map("".join)


def without_dots(term: Term) -> Term:
    return Term(term.head, tuple(map(without_dots, term.args)), term.kind, term.instance)


@given(TEXTS)
def test_the_tree_stays_the_same(text: str) -> None:
    local = frozenset(token.partition(".")[0] for token in tokens(text))
    before = parse(tokens(text), frozenset(), local)
    after = parse(undotted(tokens(text), local), frozenset(), local)
    assert before.kind == "opaque" or without_dots(after) == without_dots(before)


@given(TEXTS)
@example(").Even.1")
def test_what_has_no_dots_stays(text: str) -> None:
    plain = undotted(tokens(text), LOCAL)
    assert undotted(plain, LOCAL) == plain


def test_long_texts_take_no_long_time() -> None:
    began = time.process_time()
    for text in ("(" * 1000 + "n" + ").a" * 1000, "n" + ".a" * 2000, "f n.a " * 1000, ").a(" * 1000):
        undotted(tokens(text), LOCAL)
    assert time.process_time() - began < 2
