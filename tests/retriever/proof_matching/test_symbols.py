from __future__ import annotations

import pytest

from retriever.proof_matching.schema import Token
from retriever.proof_matching.symbols import (
    fresh_letters,
    is_variable,
    protected_positions,
    variables,
    with_letter,
)
from retriever.proof_matching.tokens import decode


@pytest.mark.parametrize("piece", ["x", "X", "β", "ϕ", "bold:x", "script:X", "fraktur:p", "normal:T"])
def test_letters_of_the_latin_and_of_the_small_greek_alphabet_are_variables(piece: str) -> None:
    (token,) = decode("$i" + (piece if ":" in piece else f":{piece}"))
    assert is_variable(token)


@pytest.mark.parametrize(
    "piece",
    [
        "$idouble-struck:R",
        "$idouble-struck:x",
        "$i:π",
        "$ibold:π",
        "$inormal:e",
        "$inormal:i",
        "$inormal:d",
        "$ibold:Z",
        "$i:Ω",
        "$i:Hom",
        "$i:ℵ",
        "$i:∞",
        "$n:2",
        "$o:d",
        "x",
    ],
)
def test_constants_names_and_words_are_none(piece: str) -> None:
    assert not is_variable(*decode(piece))


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("$i:k $i:e $i:r $i:f", {0, 1, 2}),
        ("$i:d $i:i $i:m $i:k $i:e $i:r $i:V", {0, 1, 2, 3, 4, 5}),
        ("$i:D $i:i $i:m", {0, 1, 2}),
        ("$i:D $i:I $i:M", set()),
        ("$i:k $i:e $o:+ $i:r", set()),
        ("$i:k $i:e $ibold:r", set()),
        ("$i:k $ibold:k $ibold:e $ibold:r", {1, 2, 3}),
        ("$i:a $i:k $i:e $i:r", set()),
        ("k e r", set()),
        ("$i:x $o:= $i:s $i:i $i:n $i:y", {2, 3, 4}),
        ("$i:s $i:i $i:n $i:g $i:u $i:l $i:a $i:r", set(range(8))),
        ("", set()),
    ],
)
def test_names_that_are_spelled_letter_by_letter_are_protected(text: str, places: set[int]) -> None:
    assert protected_positions(decode(text)) == places


def test_a_letter_of_a_spelled_name_may_be_a_variable_elsewhere() -> None:
    assert variables(decode("$i:k $i:e $i:r $o:( $i:k $o:) $i:φ")) == {
        Token("k", "identifier"),
        Token("φ", "identifier"),
    }


def test_a_new_letter_keeps_case_font_and_alphabet() -> None:
    assert with_letter(Token("A", "identifier", "script"), "t") == Token("T", "identifier", "script")
    assert with_letter(Token("α", "identifier"), "β") == Token("β", "identifier")
    assert "π" not in fresh_letters("α") and len(fresh_letters("ϕ")) == 23
    assert len(fresh_letters("a")) == 26
