"""Printed goals are read and print back as they were, whatever Lean puts into them."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.common.errors import BadState, NoGoalHere
from lean_extract.goals import format_goal, format_state, parse_goal, parse_plain_goal, parse_state
from lean_extract.records import Goal, Hypothesis, ProofState

TWO_GOALS = """\
case intro.inl
α : Type u_1
β✝ : Type ?u.481
inst✝¹ : Monoid α
inst✝ : TotallyOrdered α
a✝ b✝ : α
f : (α → β✝) → α × β✝
h : ∀ x : α, x ≤ a✝ → x = b✝
hlong :
  ∀ (first second third : α), first ≤ second → second ≤ third →
    f (fun _ => first) = f (fun _ => third)
n : ℕ := 5
s : Set α := {x | x ≤ a✝}
x✝ : a✝ = b✝
⊢ ∃ y,
    y ≤ a✝ ∧
      y = b✝

case intro.inr
α : Type u_1
⊢ True"""


def test_a_state_with_everything_in_it_is_read_and_prints_back() -> None:
    state = parse_state(TWO_GOALS)
    first, second = state.goals
    assert first.case == "intro.inl"
    assert first.hypotheses[2] == Hypothesis(("inst✝¹",), "Monoid α")
    assert first.hypotheses[4] == Hypothesis(("a✝", "b✝"), "α")
    assert first.hypotheses[5] == Hypothesis(("f",), "(α → β✝) → α × β✝")
    assert first.hypotheses[6] == Hypothesis(("h",), "∀ x : α, x ≤ a✝ → x = b✝")
    assert first.hypotheses[7].type.startswith("\n∀ (first second third : α)")
    assert first.hypotheses[8] == Hypothesis(("n",), "ℕ", "5")
    assert first.hypotheses[9] == Hypothesis(("s",), "Set α", "{x | x ≤ a✝}")
    assert first.target == "∃ y,\n  y ≤ a✝ ∧\n    y = b✝"
    assert second == Goal((Hypothesis(("α",), "Type u_1"),), "True", "intro.inr")
    assert format_state(state) == TWO_GOALS


@pytest.mark.parametrize(
    ("line", "hypothesis"),
    [
        ("h : let y := 2; y = x", Hypothesis(("h",), "let y := 2; y = x")),
        ("x : ℕ := let y := 2; y", Hypothesis(("x",), "ℕ", "let y := 2; y")),
        ("h : (let y := 2; y) = x", Hypothesis(("h",), "(let y := 2; y) = x")),
        ("h : have y := 2; y = x", Hypothesis(("h",), "have y := 2; y = x")),
        ("h : foo (n := 3) = 3", Hypothesis(("h",), "foo (n := 3) = 3")),
        ("p : Point := { x := 1, y := 2 }", Hypothesis(("p",), "Point", "{ x := 1, y := 2 }")),
        ("x :\n  ℕ :=\n  5", Hypothesis(("x",), "\nℕ", "\n5")),
        ('s : String := "a := (b"', Hypothesis(("s",), "String", '"a := (b"')),
        ("c : Char := '('", Hypothesis(("c",), "Char", "'('")),
        ("h : f' (a, 'b') = x", Hypothesis(("h",), "f' (a, 'b') = x")),
        ("«a : b» «c» : ℕ", Hypothesis(("«a : b»", "«c»"), "ℕ")),
        ("this : a = b", Hypothesis(("this",), "a = b")),
        (": 0 < n", Hypothesis((), "0 < n")),
        ("[Group G]", Hypothesis((), "[Group G]")),
        ("h₁ _h' : p", Hypothesis(("h₁", "_h'"), "p")),
        ("𝕜 : Type*", Hypothesis(("𝕜",), "Type*")),
    ],
)
def test_hypotheses(line: str, hypothesis: Hypothesis) -> None:
    goal = parse_goal(f"{line}\n⊢ p")
    assert goal == Goal((hypothesis,), "p")
    assert format_goal(goal) == f"{line}\n⊢ p"


@pytest.mark.parametrize(
    "text",
    [
        "1 goal\nn : ℕ\n⊢ n = n", "n : ℕ\r\n⊢ n = n\r\n", "```lean\nn : ℕ\n⊢ n = n\n```",
        "\ufeffn : ℕ\n\n⊢ n = n\n\n", "    n : ℕ\n    ⊢ n = n\n", "error: unsolved goals\nn : ℕ\n⊢ n = n",
        "n : ℕ\n⊢n = n", "n : ℕ\n| n = n", "n : ℕ\n|- n = n",
    ],
)  # fmt: skip
def test_other_ways_to_print_the_same_goal(text: str) -> None:
    assert parse_state(text) == ProofState((Goal((Hypothesis(("n",), "ℕ"),), "n = n"),))


def test_rendered_goals_are_parted_by_rulers_or_not_at_all() -> None:
    expected = ProofState((Goal((), "p"), Goal((), "q")))
    assert parse_state("```lean\n⊢ p\n```\n---\n```lean\n⊢ q\n```") == expected
    assert parse_state("2 goals\n⊢ p\n⊢ q") == expected


@pytest.mark.parametrize("text", ["no goals", "No goals.", "Goals accomplished!", "Goals accomplished 🎉"])
def test_no_goals_left(text: str) -> None:
    assert parse_state(text) == ProofState(())
    assert format_state(ProofState(())) == "no goals"
    with pytest.raises(BadState, match="no goals"):
        parse_goal(text)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "empty"),
        ("  \n\n", "empty"),
        ("n : ℕ\nm : ℕ", "begins in line 1 has no `⊢`"),
        ("⊢ p\n\nn : ℕ", "begins in line 3 has no `⊢`"),
        ("n m\n⊢ n = m", "Line 1 of the state is not a hypothesis"),
        ("theorem foo := by simp\n⊢ p", "not a hypothesis"),
    ],
)
def test_what_is_no_state_is_told(text: str, complaint: str) -> None:
    with pytest.raises(BadState, match=complaint) as caught:
        parse_state(text)
    assert "⊢" in caught.value.hint


def test_plain_goal_answers() -> None:
    expected = ProofState((Goal((), "p"), Goal((), "q", "right")))
    goals = ["⊢ p", "case right\n⊢ q"]
    assert parse_plain_goal({"rendered": "…", "goals": goals}) == expected
    assert parse_plain_goal({"rendered": "```lean\n⊢ p\n```\n---\n```lean\ncase right\n⊢ q\n```"}) == expected
    assert parse_plain_goal({"rendered": "no goals", "goals": []}) == ProofState(())
    with pytest.raises(NoGoalHere):
        parse_plain_goal(None)


@pytest.mark.parametrize("answer", ["⊢ p", 3, [], {}, {"goals": "⊢ p"}, {"goals": [1]}])
def test_plain_goal_answers_of_another_shape(answer: object) -> None:
    with pytest.raises(BadState):
        parse_plain_goal(answer)


_NAMES = st.sampled_from(["n", "h'", "a✝", "inst✝¹", "β✝²", "𝕜", "x.y", "this", "_h₁", "«a : b»"])
_ATOMS = _NAMES | st.sampled_from(
    ["(x : ℕ)", "fun x => x", "∀ y : T, y", "{x | x ∈ s}", "⟨a, (b := c)⟩", '"(\\""', "p ∧ q", "|x|", "'('"]
)
_LINES = st.lists(_ATOMS, min_size=1, max_size=5).map(" ".join)


@st.composite
def _terms(draw: st.DrawFn) -> str:
    """A printed term: its later lines are indented, the first may be empty."""
    lines = draw(st.lists(_LINES, min_size=1, max_size=3))
    indents = draw(st.lists(st.integers(0, 4), min_size=len(lines), max_size=len(lines)))
    rest = "".join(f"\n{' ' * indent}{line}" for indent, line in zip(indents, lines[1:], strict=False))
    return ("\n" if draw(st.booleans()) else "") + lines[0] + rest


_HYPOTHESES = st.builds(
    Hypothesis, st.lists(_NAMES, min_size=1, max_size=4).map(tuple), _terms(), st.none() | _terms()
)
_GOALS = st.builds(
    Goal,
    st.lists(_HYPOTHESES, max_size=6).map(tuple),
    _terms().map(lambda text: text.removeprefix("\n")),
    st.none() | _NAMES,
)


@given(st.lists(_GOALS, max_size=4).map(tuple))
def test_printing_and_reading_is_the_identity(goals: tuple[Goal, ...]) -> None:
    state = ProofState(goals)
    printed = format_state(state)
    assert parse_state(printed) == state
    assert parse_state(printed.replace("\n", "\r\n")) == state
    if goals:
        assert parse_goal(format_goal(goals[0])) == goals[0]


@given(st.text(alphabet="⊢|:=()[]{}«»\"'\\ \n\tah✝-`", max_size=60))
def test_any_text_is_a_state_or_told_not_to_be(text: str) -> None:
    try:
        state = parse_state(text)
    except BadState as error:
        assert error.message
        assert error.hint
    else:
        assert parse_state(format_state(state)) == state


@pytest.mark.parametrize(
    "piece",
    [
        "h : ∀ x, let y := x; y = 2 ∧\n    True\n", "a ", "(", '"\\', "«", "'\\", "h : (\n", "x : T := ",
        "⊢ p\n",
    ],
)  # fmt: skip
def test_a_goal_of_a_megabyte_takes_no_more_than_its_share(piece: str) -> None:
    """Anything but linear time would be minutes here."""
    text = "h : p " + piece * (1_000_000 // len(piece)) + "\n⊢ p"
    begin = time.process_time()
    try:
        parse_state(text)
    except BadState as error:
        assert len(error.message) < 200
    assert time.process_time() - begin < 20
