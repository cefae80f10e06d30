from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lean_extract.common.errors import BadSettings, ModelError, UserError
from retriever.proof_matching.explanation.explain import (
    Explanation,
    Side,
    Text,
    Weighted,
    explain,
    explain_pair,
    log_odds,
)
from retriever.proof_matching.explanation.rendering import glyph, has_colour, render_html, render_terminal
from retriever.proof_matching.schema import StatementProof, Token
from retriever.proof_matching.tokens import decode

STATEMENT = decode("let $i:f be a closed map to $idouble-struck:R . then $i:f is proper")
PROOF = decode("the map $i:f is closed , and $i:f $o:( $i:x $o:) is $n:0 . by compactness we win")
TRUTH = {"$f": 2.0, "compactness": 1.5, "closed": 1.0, "win": -1.25, "$0": -0.75}


def linear(variants: Sequence[Text]) -> np.ndarray:
    """The sum of what the distinct tokens are worth."""
    return np.array([sum(TRUTH.get(name, 0.0) for name in {t.spelled for t in text}) for text in variants])


def made(*weighted: Weighted, score: float = 0.0) -> Explanation:
    text = tuple(one.token for one in weighted for _ in range(one.count))
    return Explanation("proof", STATEMENT, text, weighted, score, 0.0, 1.0, 100)


class TestExplaining:
    @pytest.fixture(autouse=True)
    def _installed(self) -> None:
        pytest.importorskip("lime.lime_base")

    def test_a_linear_model_is_told_as_it_is(self) -> None:
        found = explain(linear, STATEMENT, PROOF, samples=800)
        assert [one.token.spelled for one in found.tokens[: len(TRUTH)]] == sorted(
            TRUTH, key=lambda name: -abs(TRUTH[name])
        )
        for one in found.tokens:
            assert one.weight == pytest.approx(TRUTH.get(one.token.spelled, 0.0), abs=0.1)
        assert found.score == pytest.approx(sum(TRUTH.values()))
        assert found.base + sum(found.weights.values()) == pytest.approx(found.score, abs=0.1)
        assert found.fit > 0.99

    @given(st.lists(st.integers(-4, 4), min_size=2, max_size=8), st.integers(0, 3))
    @settings(max_examples=15)
    def test_any_linear_model_is(self, worth: list[int], seed: int) -> None:
        names = tuple(Token(f"{place}", "number") for place in range(len(worth)))

        def scorer(variants: Sequence[Text]) -> np.ndarray:
            return np.array([sum(worth[int(token.text)] for token in text) for text in variants])

        found = explain(scorer, STATEMENT, names, samples=600, seed=seed)
        assert [found.weights[name] for name in names] == pytest.approx(worth, abs=0.25)

    def test_a_token_is_left_out_at_all_its_places_and_something_is_always_left(self) -> None:
        seen: list[Text] = []

        def scorer(variants: Sequence[Text]) -> np.ndarray:
            seen.extend(variants)
            return np.zeros(len(variants))

        found = explain(scorer, STATEMENT, PROOF, samples=150)
        assert seen[0] == PROOF and len(seen) == found.samples == 150
        assert all(variant for variant in seen)
        for variant in seen:
            kept = set(variant)
            assert variant == tuple(token for token in PROOF if token in kept)
        assert [one.count for one in found.tokens if one.token.text == "f"] == [2]
        assert all(one.weight == pytest.approx(0) for one in found.tokens)

    @pytest.mark.parametrize("side", ["statement", "proof"])
    def test_a_pair_is_explained_by_either_side(self, side: Side) -> None:
        pair = StatementProof("one", STATEMENT, PROOF, "lemma", "", "here", "here:1")
        asked: set[tuple[str, Text]] = set()

        def scorer(varied: Side, variants: Sequence[Text], other: Text) -> np.ndarray:
            asked.add((varied, other))
            return linear(variants)

        found = explain_pair(scorer, pair, side=side, samples=300)
        assert asked == {(side, PROOF if side == "statement" else STATEMENT)}
        assert found.explained == getattr(pair, side) and found.weights.keys() == set(getattr(pair, side))
        assert found.tokens[0].token.spelled == "$f"

    def test_the_same_seed_gives_the_same_and_another_does_not(self) -> None:
        first, again, other = (explain(linear, STATEMENT, PROOF, samples=40, seed=n) for n in (1, 1, 2))
        assert first == again != other

    def test_what_cannot_be_explained_is_told(self) -> None:
        with pytest.raises(UserError, match="proof has fewer than two distinct tokens"):
            explain(linear, STATEMENT, decode("trivial trivial"))
        with pytest.raises(BadSettings, match="more than 1 samples"):
            explain(linear, STATEMENT, PROOF, samples=1)
        with pytest.raises(ModelError, match="finite"):
            explain(lambda variants: np.full(len(variants), np.nan), STATEMENT, PROOF)


def test_without_lime_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lime.lime_base", None)
    with pytest.raises(UserError, match=r"pip install 'premise-suggest\[match\]'"):
        explain(linear, STATEMENT, PROOF)


@given(
    st.lists(st.lists(st.floats(-8, 8), min_size=3, max_size=3), min_size=1, max_size=4), st.integers(0, 2)
)
def test_log_odds_are_those_of_the_softmax(rows: list[list[float]], match: int) -> None:
    odds = log_odds(np.array(rows), match)
    for row, one in zip(rows, odds, strict=True):
        weights = np.exp(np.array(row) - row[match])
        assert one == pytest.approx(-np.log(weights.sum() - 1), abs=1e-6)


def test_log_odds_stay_finite_and_need_a_pool() -> None:
    assert log_odds(np.array([[2000.0, -2000.0]]), 0).tolist() == [4000.0]
    with pytest.raises(BadSettings, match="other candidates"):
        log_odds(np.array([[1.0]]), 0)


F = Weighted(Token("f", "identifier"), 2, 2.0)
BOLD = Weighted(Token("R", "identifier", "double-struck"), 1, -1.0)
WORD = Weighted(Token("so", "word"), 1, 0.5)
NASTY = Weighted(Token("<b>&\x1b'\"", "operator"), 1, 0.0)


def test_sums_are_of_symbols_and_of_words_apart() -> None:
    found = made(F, BOLD, WORD, NASTY)
    assert found.total(math=True, supports=True) == 2.0
    assert found.total(math=True, supports=False) == -1.0
    assert found.total(math=False, supports=True) == 0.5
    assert made(F, score=2.0).probability == pytest.approx(0.8807971)
    assert made(F, score=-5000.0).probability == 0.0


def test_a_plain_terminal_gets_a_ranked_list() -> None:
    shown = render_terminal(made(F, BOLD, WORD, NASTY, score=2.0), most=3)
    assert "\x1b" not in shown
    assert "probability 0.881 (log-odds +2.00)" in shown
    rows = [line.split() for line in shown.splitlines() if line.startswith("  ")]
    assert rows == [
        ["+2.000", "f", "symbol,", "2", "times"],
        ["-1.000", "ℝ", "symbol"],
        ["+0.500", "so", "word"],
    ]
    assert "and 1 more that matter less" in shown
    assert "symbols: +2.00 for, -1.00 against" in shown


def test_a_coloured_terminal_gets_the_text_orange_and_blue() -> None:
    shown = render_terminal(made(F, BOLD, WORD, NASTY), colour=True)
    text = shown.split("proof:\n")[1].splitlines()[0]
    assert text.count("\x1b[38;5;16;48;5;208mf\x1b[0m") == 2, "the weightiest is darkest, at both places"
    assert "\x1b[38;5;16;48;5;153mℝ\x1b[0m" in text, "half as weighty, on a paler blue"
    assert "\x1b'" not in shown, "a token's own control characters are not let through"


def test_coloured_text_is_wrapped_at_tokens() -> None:
    many = [Weighted(Token(f"word{place}", "word"), 1, 1.0) for place in range(40)]
    shown = render_terminal(made(*many), colour=True, width=60)
    lines = shown.split("proof:\n")[1].split("\n\n")[0].splitlines()
    plain = [line.replace("\x1b[0m", "").replace("\x1b[38;5;16;48;5;208m", "") for line in lines]
    assert max(map(len, plain)) <= 60 and len(plain) > 3
    assert " ".join(plain).split() == [one.token.text for one in many]


def test_colour_is_for_terminals_that_want_it() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    assert has_colour(Terminal(), {"TERM": "xterm"})
    assert not has_colour(Terminal(), {"NO_COLOR": "1"})
    assert not has_colour(Terminal(), {"TERM": "dumb"})
    assert not has_colour(io.StringIO(), {})


def test_the_page_is_well_formed_and_says_what_it_shows() -> None:
    page = render_html(made(F, BOLD, WORD, NASTY, score=2.0), title="Lemma <1>")
    space = {"h": "http://www.w3.org/1999/xhtml"}
    root = ElementTree.fromstring(page)
    assert root.findtext(".//h:h1", namespaces=space) == "Lemma <1>"
    assert not root.findall(".//h:script", space) and "http" not in page.replace(space["h"], "")
    statement, proof = root.findall(".//h:p[@class='text']", space)
    assert "".join(statement.itertext()) == "let f be a closed map to ℝ. then f is proper"
    assert not statement.findall("h:mark", space)
    marks = [(mark.get("class"), "".join(mark.itertext())) for mark in proof.findall("h:mark", space)]
    assert marks == [("for", "f"), ("for", "f"), ("against", "ℝ"), ("for", "so")]
    opacities = [float((mark.get("style") or "").split()[-1]) for mark in proof.findall("h:mark", space)]
    assert opacities[0] == opacities[1] > opacities[2] > opacities[3]
    assert "<b>&\N{REPLACEMENT CHARACTER}'\"" in "".join(proof.itertext())
    rows = [["".join(cell.itertext()) for cell in row] for row in root.findall(".//h:tbody/h:tr", space)]
    assert rows[1] == ["-1.000", "ℝ", "symbol", "1"]
    assert "symbols: +2.00 for, -1.00 against" in [item.text for item in root.findall(".//h:li", space)]


TOKENS = st.builds(Token, st.text(min_size=1, max_size=4), st.sampled_from(("word", "operator")))


@given(st.lists(st.tuples(TOKENS, st.floats(-3, 3)), min_size=1, max_size=6, unique_by=lambda one: one[0]))
def test_any_tokens_make_a_well_formed_page(given_tokens: list[tuple[Token, float]]) -> None:
    ranked = sorted(given_tokens, key=lambda one: -abs(one[1]))
    page = render_html(made(*(Weighted(token, 1, weight) for token, weight in ranked)))
    marked = "".join(ElementTree.fromstring(page).itertext())
    assert all(glyph(token).strip() in marked for token, _ in ranked)
    assert "\x1b" not in render_terminal(made(*(Weighted(token, 1, weight) for token, weight in ranked)))


@pytest.mark.parametrize(
    ("token", "shown"),
    [
        (Token("R", "identifier", "double-struck"), "ℝ"),
        (Token("p", "identifier", "fraktur"), "𝔭"),
        (Token("C", "identifier", "fraktur"), "ℭ"),
        (Token("F", "identifier", "script"), "ℱ"),
        (Token("α", "identifier", "bold"), "𝛂"),
        (Token("Coh", "identifier", "italic"), "𝐶𝑜h"),
        (Token("x", "identifier", "normal"), "x"),
        (Token("é", "identifier", "bold"), "é"),
    ],
)
def test_fonts_are_shown_in_unicodes_alphabets(token: Token, shown: str) -> None:
    assert glyph(token) == shown
