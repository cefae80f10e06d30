from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retriever.proof_matching.pairs import load_pairs
from retriever.proof_matching.replacement import renaming_of, replace_symbols
from retriever.proof_matching.schema import LEVELS, Level, StatementProof, StatementProofs, Token
from retriever.proof_matching.store import read_pairs, write_pairs
from retriever.proof_matching.tokens import decode, encode
from tests.commands import command

main = command("retriever match-replace")

FONTS = st.sampled_from(("", "", "", "bold", "script", "double-struck", "normal"))
LETTERS = st.sampled_from("abcdeixyzABCDEIXYZαβγπϕΩ")
SYMBOLS = st.builds(Token, LETTERS, st.just("identifier"), FONTS)
OTHERS = st.sampled_from(
    (
        Token("let", "word"),
        Token("a", "word"),
        Token("Hom", "identifier"),
        Token("=", "operator"),
        Token("d", "operator"),
        Token("2", "number"),
    )
)
SPELLED = st.sampled_from(("ker", "dim", "Hom", "xyz")).map(
    lambda name: [*(Token(char, "identifier") for char in name), Token("(", "operator")]
)
TEXTS = st.lists(st.one_of(SYMBOLS.map(lambda t: [t]), OTHERS.map(lambda t: [t]), SPELLED), max_size=14).map(
    lambda parts: tuple(token for part in parts for token in part)
)
CHANGING: tuple[Level, ...] = ("partial", "full", "transposition")


def pair_of(statement: tuple[Token, ...], proof: tuple[Token, ...], key: str = "one") -> StatementProof:
    return StatementProof(key, statement, proof, "lemma", "", "here", "here:1")


PAIRS = st.builds(pair_of, TEXTS, TEXTS, st.text("abc", min_size=1, max_size=3))


def of_lines(statement: str, proof: str, key: str = "one") -> StatementProof:
    return pair_of(decode(statement), decode(proof), key)


def renamed(pair: StatementProof, level: Level, seed: int = 0) -> list[tuple[Token, Token]]:
    """The places of the proof, before and after."""
    return list(zip(pair.proof, replace_symbols(pair, level, seed).proof, strict=True))


def bare(token: Token) -> str:
    return token.text.lower()


@given(PAIRS)
def test_conservation_changes_nothing(pair: StatementProof) -> None:
    assert replace_symbols(pair, "conservation") == pair


@given(PAIRS, st.sampled_from(CHANGING), st.integers(0, 3))
@settings(max_examples=100)
def test_what_every_change_keeps(pair: StatementProof, level: Level, seed: int) -> None:
    after = replace_symbols(pair, level, seed)
    assert (after.key, after.statement, after.kind) == (pair.key, pair.statement, pair.kind)
    places = renamed(pair, level, seed)
    for old, new in places:
        assert (old.kind, old.font) == (new.kind, new.font)
        assert old.text.isupper() == new.text.isupper()
        assert old.text.isascii() == new.text.isascii()
        if old != new:
            check_variable(old, new, set(pair.statement))
    names = renaming_of(pair, level, seed).names
    check_distinct(names, places)
    letters: dict[str, set[str]] = {}
    for old, new in names.items():
        letters.setdefault(bare(old), set()).add(bare(new))
    assert all(len(new) == 1 for new in letters.values()), "the forms of a letter go together"
    assert len({min(new) for new in letters.values()}) == len(letters)


def check_variable(old: Token, new: Token, stated: set[Token]) -> None:
    """Only single letters that the statement has change, and no constant."""
    assert old in stated
    assert old.kind == "identifier" and len(old.text) == 1
    for token in (old, new):
        assert token.font != "double-struck"
        assert token.text not in "πΩ"
        assert (token.text, token.font) not in [("e", "normal"), ("i", "normal"), ("d", "normal")]


def check_distinct(names: Mapping[Token, Token], places: list[tuple[Token, Token]]) -> None:
    """Outside of spelled names a symbol always becomes the same, and no other symbol of the proof does."""
    into: dict[Token, set[Token]] = {}
    for old, new in places:
        assert new in (old, names.get(old))
        if new == names.get(old):
            into.setdefault(new, set()).add(old)
        else:
            assert new not in names.values() or new in names
    assert all(len(olds) == 1 for olds in into.values())
    assert not {old for old, new in places if old == new} & set(names.values())


@given(PAIRS, st.sampled_from(CHANGING), st.integers(0, 3))
def test_spelled_names_stay(pair: StatementProof, level: Level, seed: int) -> None:
    def spelled(proof: tuple[Token, ...]) -> Counter[str]:
        # The strategy closes each name with a bracket and nothing else has one.
        text = "".join(
            token.text if token.kind == "identifier" and not token.font else " " for token in proof
        )
        return Counter(name for name in ("ker ", "dim ", "Hom ") for _ in range(f" {text}".count(f" {name}")))

    before, after = spelled(pair.proof), spelled(replace_symbols(pair, level, seed).proof)
    assert all(after[name] >= number for name, number in before.items())


@given(PAIRS, st.integers(0, 3))
def test_full_replaces_every_shared_symbol_by_one_that_is_not_in_the_proof(
    pair: StatementProof, seed: int
) -> None:
    renaming = renaming_of(pair, "full", seed)
    assert renaming.names.keys() == renaming.shared
    seen = {bare(token) for token in pair.proof if token.kind == "identifier" and len(token.text) == 1}
    assert not {bare(token) for token in renaming.names.values()} & seen


@given(PAIRS, st.integers(0, 3))
def test_partial_replaces_half_of_the_shared_letters(pair: StatementProof, seed: int) -> None:
    renaming = renaming_of(pair, "partial", seed)
    shared = len({bare(token) for token in renaming.shared})
    assert len({bare(token) for token in renaming.names}) in (shared // 2, (shared + 1) // 2)


@given(PAIRS, st.integers(0, 3))
def test_transposition_permutes_letters_without_fixed_points(pair: StatementProof, seed: int) -> None:
    renaming = renaming_of(pair, "transposition", seed)
    given_to = {bare(old): bare(new) for old, new in renaming.names.items()}
    assert sorted(given_to) == sorted(given_to.values())
    assert all(old != new and old.isascii() == new.isascii() for old, new in given_to.items())


@given(st.sets(st.sampled_from("abcdefghijklmnopqrstuvwxyz"), max_size=26), st.integers(0, 50))
def test_transposition_leaves_nothing_where_proofs_have_no_other_symbols(names: set[str], seed: int) -> None:
    text = tuple(
        token for name in sorted(names) for token in (Token(name, "identifier"), Token(",", "operator"))
    )
    moved = renaming_of(pair_of(text, text), "transposition", seed).names
    assert len(moved) == (len(names) if len(names) > 1 else 0)


def test_a_pair_by_hand() -> None:
    pair = of_lines(
        "$i:λ maps $i:ker $i:T $i:r to $i:Ω $i:A $o:( $i:G $o:)",
        "$i:ρ in $i:ker $i:T $i:r goes to $i:λ $o:( $i:γ $o:) of $i:Ω $i:A $o:( $i:G $o:)",
    )
    full = renaming_of(pair, "full")
    assert {token.text for token in full.names} == {"λ", "T", "r", "A", "G"}
    turned = renaming_of(pair, "transposition").names
    assert {old.text for old in turned} == {"T", "r", "A", "G"}, (
        "the one shared Greek letter has none to go to"
    )
    assert all(old.text.isupper() == new.text.isupper() for old, new in turned.items())


def test_a_new_letter_is_in_the_proof_in_no_case_and_no_font() -> None:
    pair = of_lines("$i:A", "$i:A $i:b $o:, $i:C $o:, $iscript:d $o:, $idouble-struck:E $o:, $ibold:Z")
    drawn = {new.text for seed in range(300) for new in renaming_of(pair, "full", seed).names.values()}
    assert drawn == set("FGHIJKLMNOPQRSTUVWXY")


@pytest.mark.parametrize("level", CHANGING)
def test_letters_that_spell_a_name_stay_while_the_same_letters_change_elsewhere(level: Level) -> None:
    pair = of_lines("$i:e $o:+ $i:k $o:+ $i:x", "$i:k $i:e $i:r $o:( $i:e $o:) $o:= $i:x $o:- $i:k")
    ends = set()
    for seed in range(20):
        after = replace_symbols(pair, level, seed).proof
        assert encode(after[:4]) == "$i:k $i:e $i:r $o:("
        ends.add(encode(after[4:]))
        assert not {new.text for new in renaming_of(pair, level, seed).names.values()} & set("ker")
    # The names e and k cannot change places: `ker` keeps them both. So nothing can be permuted.
    assert (len(ends) == 1) == (level == "transposition")


def test_a_letter_does_not_go_where_another_symbol_stands() -> None:
    # A could only become B, which is in the proof alone.
    pair = of_lines("$i:A $i:b", "$i:A $o:+ $i:b $o:+ $i:B")
    assert renaming_of(pair, "transposition").names == {}
    # With c there are A to c's place, and so on round.
    wider = of_lines("$i:A $i:b $i:c", "$i:A $o:+ $i:b $o:+ $i:B $o:+ $i:c")
    for seed in range(20):
        names = {old.text: new.text for old, new in renaming_of(wider, "transposition", seed).names.items()}
        assert names == {"A": "C", "c": "b", "b": "a"}


def test_where_no_letter_is_left_another_case_is_taken_and_then_none() -> None:
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    small = " $o:, ".join(f"$i:{letter}" for letter in alphabet)
    pair = of_lines("$i:A", f"$i:A $o:, {small}")
    (new,) = renaming_of(pair, "full").names.values()
    assert new.text.isupper() and new.text != "A"
    large = " $o:, ".join(f"$i:{letter}" for letter in alphabet.upper())
    crowded = of_lines("$i:A", f"{large} $o:, {small}")
    assert renaming_of(crowded, "full").names == {}
    assert replace_symbols(crowded, "full") == crowded


def test_each_symbol_is_replaced_in_half_of_the_partial_draws() -> None:
    pair = of_lines("$i:x $i:y $i:z", "$i:x $o:+ $i:y $o:+ $i:z")
    drawn = Counter(old.text for seed in range(2000) for old in renaming_of(pair, "partial", seed).names)
    assert all(880 < drawn[name] < 1120 for name in "xyz")


@given(PAIRS, st.sampled_from(LEVELS), st.integers(0, 3))
@settings(max_examples=30)
def test_the_same_pair_level_and_seed_give_the_same(pair: StatementProof, level: Level, seed: int) -> None:
    twin = pair_of(decode(encode(pair.statement)), decode(encode(pair.proof)), pair.key)
    assert replace_symbols(pair, level, seed) == replace_symbols(twin, level, seed)


def test_key_and_seed_draw_anew() -> None:
    def drawn(key: str, seed: int) -> tuple[Token, ...]:
        pair = of_lines("$i:x $i:y $i:α", "$i:x $o:+ $i:y $i:α", key)
        return replace_symbols(pair, "full", seed).proof

    assert len({drawn(key, seed) for key in "abc" for seed in range(3)}) > 5


def pairs_file(path: Path) -> Path:
    pairs = (
        of_lines("for $i:x and $i:y", "take $i:x $o:= $i:y $o:+ $i:z .", "sum"),
        of_lines("nothing here", "is shared : $i:x", "none"),
    )
    write_pairs(path, StatementProofs(pairs, {"sum": "train", "none": "test"}))
    return path


def test_the_command_writes_what_models_are_given(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = pairs_file(tmp_path / "pairs.jsonl")
    assert main([str(source), "full", str(tmp_path / "full.jsonl")]) == 0
    assert "1 of 2 pairs changed; a mean of 1.00 symbols replaced" in capsys.readouterr().out
    assert read_pairs(tmp_path / "full.jsonl") == load_pairs(source, "full").pairs
    assert main([str(source), "conservation", str(tmp_path / "same.jsonl")]) == 0
    assert (tmp_path / "same.jsonl").read_bytes() == source.read_bytes()
    assert main([str(source), "full", str(tmp_path / "again.jsonl"), "--seed", "0"]) == 0
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "full.jsonl").read_bytes()


def test_the_command_tells_bad_lines_and_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = pairs_file(tmp_path / "pairs.jsonl")
    with source.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps({"key": "broken"}) + "\n")
    assert main([str(source), "transposition", str(tmp_path / "out.jsonl")]) == 0
    told = capsys.readouterr()
    assert f"{source}:4: " in told.err
    assert len(read_pairs(tmp_path / "out.jsonl").pairs) == 2
