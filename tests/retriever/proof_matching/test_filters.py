from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retriever.proof_matching.readers.filters import draw, english, is_english, kept, split, with_own_keys
from retriever.proof_matching.schema import StatementProof, Token
from retriever.proof_matching.tokens import words
from tests.retriever.proof_matching.articles import GERMAN, PROOF, STATEMENT


def text(word: str, length: int) -> tuple[Token, ...]:
    return (Token(word, "word"), *([Token("x", "identifier")] * (length - 1)))


def pair(
    key: str, statement: str = "", proof: str = "", source: str = "a", *, sizes: tuple[int, int] = (30, 30)
) -> StatementProof:
    sides = text(statement or f"s{key}", sizes[0]), text(proof or f"p{key}", sizes[1])
    return StatementProof(key, *sides, "lemma", "math.AG", source, "a:1")


@pytest.mark.parametrize(
    ("sizes", "reason"),
    [
        ((20, 20), None),
        ((500, 500), None),
        ((19, 30), "pairs with a statement of fewer than 20 tokens"),
        ((30, 19), "pairs with a proof of fewer than 20 tokens"),
        ((501, 30), "pairs with a statement of more than 500 tokens"),
        ((30, 501), "pairs with a proof of more than 500 tokens"),
    ],
)
def test_20_to_500_tokens_a_side(sizes: tuple[int, int], reason: str | None) -> None:
    dropped: Counter[str] = Counter()
    one = pair("a", sizes=sizes)
    assert list(kept([one], dropped)) == ([] if reason else [one])
    assert dropped == ({reason: 1} if reason else {})


def test_the_same_pair_is_kept_once() -> None:
    dropped: Counter[str] = Counter()
    pairs = [pair("a", "s", "p"), pair("b", "s", "p"), pair("c", "s", "q")]
    assert [one.key for one in kept(pairs, dropped)] == ["a", "c"]
    assert dropped == {"pairs the same as an earlier one": 1}


def test_a_symbol_in_another_font_is_another_pair() -> None:
    bold = replace(pair("b", "s", "p"), proof=(*text("p", 29), Token("x", "identifier", "bold")))
    assert len(list(kept([pair("a", "s", "p"), bold], Counter()))) == 2


@pytest.mark.parametrize(
    ("language", "sample"),
    [
        ("en", STATEMENT),
        ("en", PROOF),
        ("en", "Let A be a B C-algebra. Assume a, b, c are regular elements of A. Then B is flat."),
        ("en", "Die casting of der Waerden and de Rham theory: it is the same as in the case that we"),
        ("de", GERMAN),
        ("de", "Nach Voraussetzung ist die Abbildung stetig, also folgt es aus dem vorigen Satz."),
        ("fr", "Soit G un groupe fini dont les sous-groupes sont simples. Alors il existe un nombre"),
        ("fr", "D'après ce qui précède, la suite est exacte et donc le morphisme est injectif."),
        ("es", "Sea G un grupo finito. Entonces existe un subgrupo que es normal en el grupo"),
        ("pt", "Seja G um grupo finito com uma ação que não é trivial. Então existe um subgrupo"),
        ("it", "Sia G un gruppo finito. Allora esiste un sottogruppo che non è normale per gli elementi"),
        ("nl", "Laat G een eindige groep zijn. Dan is het aantal elementen niet deelbaar door dit getal"),
        ("pl", "Niech G będzie grupą skończoną. Wtedy istnieje podgrupa normalna, która nie jest trywialna"),
        ("ru", "Пусть группа конечна и каждая её подгруппа проста. Тогда существует простое число."),
        ("uk", "Нехай група скінченна і кожна її підгрупа проста. Тоді існує просте число."),
    ],
)
def test_english_is_told_from_others(language: str, sample: str) -> None:
    assert is_english([token.text for token in words(sample)]) == (language == "en")


def test_an_article_in_another_language_goes_as_a_whole() -> None:
    german = replace(pair("g"), statement=tuple(words(GERMAN)), proof=tuple(words(GERMAN)))
    dropped: Counter[str] = Counter()
    assert english([german, pair("few words")], dropped) == ()
    assert dropped == {"pairs of articles that are not English": 2}
    assert len(english([pair("few words")], dropped)) == 1


_PAIRS = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.sampled_from("uvwxyz"), st.sampled_from(["one", "two", "three"])),
    max_size=40,
).map(lambda drawn: [pair(str(n), s, p, source) for n, (s, p, source) in enumerate(drawn)])


@given(_PAIRS, st.sampled_from(["mixed", "unmixed"]), st.integers(0, 99))
def test_no_text_is_in_two_parts(pairs: list[StatementProof], kind: str, seed: int) -> None:
    dropped: Counter[str] = Counter()
    made = split(pairs, kind, seed, dropped)  # type: ignore[arg-type]
    assert len(made.pairs) + dropped.total() == len(pairs)
    assert set(made.splits) == {one.key for one in made.pairs}
    parts: dict[tuple[str, str], set[str]] = {}
    for one in made.pairs:
        for side in (("s", one.statement[0].text), ("p", one.proof[0].text)):
            parts.setdefault(side, set()).add(made.splits[one.key])
        if kind == "unmixed":
            parts.setdefault(("source", one.source), set()).add(made.splits[one.key])
    assert all(len(found) == 1 for found in parts.values())
    for one in pairs:
        if draw(one.key if kind == "mixed" else one.source, seed) == "test":
            assert made.splits[one.key] == "test"


def test_a_part_does_not_depend_on_what_else_there_is() -> None:
    pairs = [pair(f"k{number}") for number in range(2000)]
    whole = split(pairs, "mixed", 0, Counter())
    half = split(pairs[::-2], "mixed", 0, Counter())
    assert all(whole.splits[key] == part for key, part in half.splits.items())
    sizes = Counter(whole.splits.values())
    assert 1500 < sizes["train"] < 1700
    assert 140 < sizes["valid"] < 260
    assert 140 < sizes["test"] < 260
    assert split(pairs, "mixed", 1, Counter()).splits != whole.splits


def test_articles_may_be_mixed_or_kept_whole() -> None:
    pairs = [
        pair(f"{source}#{number}", source=source) for source in map(str, range(40)) for number in range(20)
    ]
    for kind, whole in (("mixed", False), ("unmixed", True)):
        made = split(pairs, kind, 0, Counter())  # type: ignore[arg-type]
        parts: dict[str, set[str]] = {}
        for one in made.pairs:
            parts.setdefault(one.source, set()).add(made.splits[one.key])
        assert all(len(found) == 1 for found in parts.values()) == whole
        assert set().union(*parts.values()) == {"train", "valid", "test"}


def test_keys_are_made_unique() -> None:
    twice = [pair("a"), pair("b"), pair("a"), pair("a")]
    named = list(with_own_keys(twice, lambda one, key: replace(one, key=key)))
    assert [one.key for one in named] == ["a", "b", "a@2", "a@3"]
