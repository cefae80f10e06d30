"""States as people paste them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.common.errors import BadState
from lean_extract.goals import format_state, parse_state
from lean_extract.pasted import NO_TARGET, is_statement, read_pasted
from lean_extract.syntax.lexer import raw_tokens, unread_at
from tests.hostile.growth import assert_linear
from tests.hostile.shapes import repeated

GOAL = "n m : ℕ\nh : n < m\n⊢ n + 1 ≤ m"
OTHER = "case inr\nk : ℕ\n⊢ k = k"
INFOVIEW = f"""\
▼ Lib/Some.lean:12:4
▼ Tactic state
2 goals
case inl
{GOAL}

{OTHER}
▼ Messages (1)
▼ Lib/Some.lean:12:4
linarith failed to find a contradiction
a : ℕ
⊢ False
▶ All Messages (3)
"""


def shown(text: str) -> str:
    return format_state(read_pasted(text))


@pytest.mark.parametrize(
    ("pasted", "state"),
    [
        (INFOVIEW, f"case inl\n{GOAL}\n\n{OTHER}"),
        (f"Tactic state\n1 goal\n{GOAL}\nMessages (1)\n12:4: error: linarith failed", GOAL),
        (f"Lib/Some.lean:12:4: error: unsolved goals\n{GOAL}\nerror: Lean exited with code 1", GOAL),
        (f"error: Some.lean:12:4: unsolved goals\n{GOAL}\n", GOAL),
        (f"All Messages (2)\n12:4: warning: unused\n12:9: error: unsolved goals\n{GOAL}\n\n{GOAL}", GOAL),
        ("Expected type\nn : ℕ\n⊢ ℕ", "n : ℕ\n⊢ ℕ"),
        ("Tactic state\nNo goals\nMessages (0)", "no goals"),
        ("\n".join(f"  -- {line}" for line in GOAL.split("\n")), GOAL),
        ("theorem t : p := by\n  intro h\n  -- ⊢ q\n  sorry", "⊢ q"),
        (f"/- {GOAL} -/", GOAL),
        ("have := foo\n/- ⊢ q -/\nexact this", "⊢ q"),
        ("h : p ⊢ q", "h : p\n⊢ q"),
        (
            "@[simp] theorem t {G : Type*} [Group G] (a b c : G)\n"
            "    (h : a * b = a * c) : b = c := by\n  sorry",
            "G : Type*\ninst✝ : Group G\na b c : G\nh : a * b = a * c\n⊢ b = c",
        ),
        ("variable (x : ℝ)\nlemma t : 0 ≤ x ^ 2 := by", "x : ℝ\n⊢ 0 ≤ x ^ 2"),
        ("example (n : ℕ) : n + 0 = n := by", "n : ℕ\n⊢ n + 0 = n"),
        ("theorem a : p := h\ntheorem b : q := by", "⊢ p\n\n⊢ q"),
        ("n m : ℕ\nh : n < m\n", f"n m : ℕ\nh : n < m\n⊢ {NO_TARGET}"),
    ],
)
def test_what_people_paste_is_read(pasted: str, state: str) -> None:
    assert shown(pasted) == state


@pytest.mark.parametrize(
    "text", ["", "   \n", "case inl", "⊢", "hello world", "x ; ℕ\n⊢ x = x", f"{GOAL}\n\nk : ℕ"]
)
def test_what_is_no_state_is_still_told(text: str) -> None:
    with pytest.raises(BadState) as strict:
        parse_state(text)
    with pytest.raises(BadState) as caught:
        read_pasted(text)
    assert caught.value.message == strict.value.message


def test_a_statement_is_told_from_words() -> None:
    assert is_statement("theorem t (n : ℕ) : n = n := by")
    assert is_statement("  private lemma t : p :=")
    assert not is_statement("theorem about primes")
    assert not is_statement("the infinitude of primes := Euclid")


LINES = st.sampled_from([*INFOVIEW.splitlines(), "-- ⊢ a", "/-", "-/", "theorem t", ":=", "é"])


@given(st.lists(LINES).map("\n".join) | st.text())
def test_no_paste_breaks_the_reader(text: str) -> None:
    try:
        state = read_pasted(text)
    except BadState as error:
        assert error.message
    else:
        assert all(goal.target.strip() for goal in state.goals)


@pytest.mark.parametrize(
    "piece",
    [
        "x ", "▼ ", "-- ⊢ a\n", "/-", "theorem t (x : ℕ) : x = x := by\n", "error: ", "@[a",
        "Messages (1)\n", "a ⊢ ", "a : b\n",
    ],
)  # fmt: skip
def test_time_is_linear_in_the_length_of_the_text(piece: str) -> None:
    def read(text: str) -> None:
        try:
            read_pasted(text)
        except BadState as error:
            assert error.message

    assert_linear(read, repeated(piece), 1 << 17)


@given(st.text(alphabet='ab"-/\n r#\\'), st.data())
def test_a_place_is_unread_where_its_token_is_a_comment_or_a_string(text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    found = unread_at(text, offset)
    start = 0
    for token in raw_tokens(text):
        if start < offset < start + len(token.rstrip()):
            is_comment = token.startswith(("--", "/-"))
            is_string = len(token.rstrip()) > 1 and token.lstrip("r#").startswith('"')
            assert found == ("comment" if is_comment else "string" if is_string else "")
        start += len(token)


@pytest.mark.parametrize(
    ("text", "mark", "inside"),
    [
        ("exact h -- why", "--", "comment"),
        ("exact h -- why", " --", ""),
        ("exact h -- why", "END", "comment"),
        ("a /- b\n c -/ d", "c", "comment"),
        ("a /- b\n c -/ d", " d", ""),
        ("a /- /- b -/ c -/ d", "c", "comment"),
        ("a /- never ends", "ends", "comment"),
        ('a "by sorry" b', "sorry", "string"),
        ('a "by sorry" b', '"by', ""),
        ('a r#"x "y" z"# b', "y", "string"),
        ("a -- x\n  sorry", "sorry", ""),
        ("/-- doc sorry -/ theorem t", "sorry", "comment"),
    ],
)
def test_where_nothing_is_read(text: str, mark: str, inside: str) -> None:
    assert unread_at(text, len(text) if mark == "END" else text.index(mark)) == inside
