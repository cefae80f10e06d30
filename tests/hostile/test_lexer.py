"""The lexer on texts that make lexers slow, and in windows of any size."""

from __future__ import annotations

import threading
import time
from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lean_extract.syntax.lexer import raw_tokens, token_runs, tokenize
from tests.hostile.shapes import LEXICAL, TERMS

PIECES = (
    "theorem", "x", "Nat.add", "«a b».c", "«", "»", " ", "\n  ", "(", "fun", "/-", "-/", "-/", "--\n", '"',
    '"', '"#', 'r"', 'r#"', '"##', 'r##"', 'r###"', '"###', "'", "\\", "#", "1.5", "1e", "+5", "0x", "'\\u00",
    "af'", "\t", "Type", "*", ".", "<|", "|>", "a" * 400, " " * 300, "b c d " * 50, "1" * 100,
    "«" + "e f " * 50 + "»",
)  # fmt: skip
long_texts = st.lists(st.sampled_from(PIECES), min_size=20, max_size=200).map("".join)


@given(long_texts, st.sampled_from([1, 260, 400, 1000, 4000]))
@settings(max_examples=150, deadline=None)
def test_windows_change_nothing(text: str, window: int) -> None:
    assert list(chain.from_iterable(token_runs(text, window))) == raw_tokens(text)


@pytest.mark.parametrize("shape", [*LEXICAL.values(), *TERMS.values()], ids=[*LEXICAL, *TERMS])
def test_windows_change_nothing_of_hostile_texts(shape) -> None:
    text = shape(6000)
    tokens = list(chain.from_iterable(token_runs(text, 1000)))
    assert tokens == raw_tokens(text)
    assert "".join(tokens) == text


@pytest.mark.parametrize("opener", ['"', 'r"', 'r#"', 'r##"', 'r###"'])
def test_behind_a_string_that_is_not_closed_all_is_read(opener: str) -> None:
    texts = tokenize(f"""a "b" {opener} b /- c -/ d «e f»""").texts
    assert texts[:2] == ["a", '"b"']
    assert texts[-3:] == ["b", "d", "«e f»"]


def test_an_open_string_of_one_kind_leaves_the_other_kinds_alone() -> None:
    assert tokenize('r#" a " b r"c" d').texts == ["r", "#", '" a "', "b", 'r"c"', "d"]
    assert tokenize('" r#\\" a').texts == ['"', "r", "#", "\\", '"', "a"]


def test_another_thread_gets_its_turn_while_a_long_text_is_lexed() -> None:
    text = "theorem t (a b : α) : a + b = b + a := by simp\n" * 60_000
    is_done, longest = threading.Event(), [0.0]

    def wait() -> None:
        before = time.perf_counter()
        while not is_done.is_set():
            now = time.perf_counter()
            longest[0] = max(longest[0], now - before)
            before = now

    waiting = threading.Thread(target=wait)
    waiting.start()
    start = time.perf_counter()
    raw_tokens(text)
    took = time.perf_counter() - start
    is_done.set()
    waiting.join()
    assert longest[0] < took / 2
