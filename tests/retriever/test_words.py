"""Words of names and of queries: where they begin, what stems they have, which names hold them."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from retriever.lean.words.index import WordIndex
from retriever.lean.words.query import concepts
from retriever.lean.words.splitting import SMALL_WORDS, VAGUE_WORDS, split, stem
from retriever.lean.words.synonyms import synonyms
from retriever.limits import MAX_QUERY_WORDS

NAMES = st.lists(st.text("abABs._'₀«»λ2 ", max_size=12), max_size=20)


def index(names: list[str]) -> WordIndex:
    return WordIndex("".join(f"{name}\n" for name in names).encode())


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Real.hasDerivAt_sin", ["real", "has", "deriv", "at", "sin"]),
        ("Set.sInter", ["set", "s", "inter"]),
        ("sInf_le", ["s", "inf", "le"]),
        ("div_le_iff₀'", ["div", "le", "iff"]),
        ("CStarAlgebra", ["c", "star", "algebra"]),
        ("LTSeries", ["lt", "series"]),
        ("T2Space", ["t2", "space"]),
        ("«term_∘_»", ["term", "∘"]),
        ("λx.Γspec", ["λx", "Γspec"]),
        ("", []),
        ("._'\0", []),
    ],
)
def test_names_are_split_at_separators_and_humps(name: str, words: list[str]) -> None:
    assert split(name) == words


@given(st.text("abAB._' 1", max_size=30))
@example("ABa")
@example("AB")
def test_words_are_those_of_a_plain_reading(text: str) -> None:
    humps = re.compile(r"[A-Z]+(?![a-z])[a-z0-9]*|[A-Z]?[a-z0-9]+|[A-Z]")
    plain = [hump.lower() for part in re.split(r"[._' ]+", text) for hump in humps.findall(part)]
    assert "".join(split(text)) == "".join(plain)
    assert all(word == word.lower() and word for word in split(text))


@pytest.mark.parametrize(
    "family",
    [
        "continuous continuity continuously",
        "square squares squared",
        "deriv derivative derivatives",
        "nonneg nonnegative nonnegativity",
        "injective injection injectivity",
        "monotone monotonic monotonicity",
        "finite finiteness finitely",
        "infinite infinitely",
        "differentiable differentiability differentiation",
        "compact compactness",
        "prime primes",
        "convergence convergent converges",
        "transfer transferred transferring",
        "embed embedding embedded",
        "call called calling",
    ],
)
def test_forms_of_a_word_have_one_stem(family: str) -> None:
    assert len({stem(word) for word in family.split()}) == 1


def test_other_words_keep_apart() -> None:
    for one, other in [("normal", "norm"), ("ring", "r"), ("basis", "basi"), ("union", "un"), ("sing", "s")]:
        assert stem(one) != stem(other)


@given(st.text(max_size=30))
def test_a_stem_begins_the_word(word: str) -> None:
    assert word.startswith(stem(word))


@given(NAMES, st.sampled_from(["a", "ab", "b", "aab", "s", "2", "λ", "λa"]))
def test_the_index_holds_what_names_hold(names: list[str], word: str) -> None:
    made = index(names)
    assert len(made) == len(names)
    having = [number for number, name in enumerate(names) if word in split(name)]
    assert made.holding(word).tolist() == having
    begun = {number for number, name in enumerate(names) if any(one.startswith(word) for one in split(name))}
    assert set(made.with_beginning(word).tolist()) == begun
    sizes = [{one for one in split(name) if one not in SMALL_WORDS} for name in names]
    assert all(length >= max(len(size), 1) for length, size in zip(made.lengths, sizes, strict=True))


def test_names_of_many_pieces_are_read_alike() -> None:
    names = [f"Space{number}.point_{number % 7}_near" for number in range(30_000)]
    made = index([*names, "x" * 400_000 + "_far"])
    assert made.holding("3").tolist() == [number for number in range(30_000) if number % 7 == 3]
    assert made.holding("space17").tolist() == [17] and made.holding("far").tolist() == [30_000]


def asked(text: str) -> list[str]:
    return [concept.word for concept in concepts(text)]


def ways(text: str) -> set[tuple[str, ...]]:
    return {way for concept in concepts(text) for way, _ in concept.ways}


def test_a_query_is_what_it_asks_for() -> None:
    assert asked("the deriv of sin") == ["deriv", "sin"]
    assert asked("of the") == ["of", "the"]
    assert asked("x is at most y") == ["x", "at most", "y"]
    assert asked("L'Hôpital's rule") == ["l hopital", "rule"]
    assert asked("") == asked("...!?") == asked("\0\0") == []
    assert ("le",) in ways("at most") and ("dvd",) in ways("divisible")
    assert {("sq",), ("pow", "two"), ("mul", "self")} <= ways("squares")
    assert ("sq",) in ways("pow two") and ("comm",) in ways("commutativity")


def test_vague_words_count_less_and_the_last_word_may_be_unfinished() -> None:
    theorem, value = concepts("theorem val")
    assert theorem.share < value.share == 1
    assert value.is_last and not theorem.is_last
    assert not any(concept.is_last for concept in concepts("theorem val "))


@given(st.text(max_size=300))
@example("∑ ∏ 漢字 \ud800 .*[(+")
def test_any_text_asks_for_few_things(text: str) -> None:
    assert len(concepts(text)) <= MAX_QUERY_WORDS


def test_a_long_text_is_cut() -> None:
    assert len(concepts(" ".join(f"w{number}" for number in range(5000)))) == MAX_QUERY_WORDS


def test_every_line_of_the_table_can_be_asked_for() -> None:
    for spellings, asked in synonyms():
        assert spellings and asked and all((*spellings, *asked))
        for phrase in asked:
            assert set(spellings) <= ways(" ".join(phrase)), phrase
        for way in spellings:
            assert all(split(word) == [word] for word in way), way
    assert not SMALL_WORDS & VAGUE_WORDS
