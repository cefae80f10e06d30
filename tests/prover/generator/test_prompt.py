import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lean_extract.records import Goal, Hypothesis, Premise
from lean_extract.syntax.premise_mentions import endings, pieces, qualified
from prover.generator.prompt import (
    END,
    FIRST_EXTRA,
    FORMS,
    IN_CONTEXT,
    IN_TARGET,
    SIZE,
    Form,
    byte_symbols,
    decode_tactic,
    encode_prompt,
    encode_tactic,
    premises_in,
    state_text,
    text_of,
    words_of,
)

GOAL = Goal((Hypothesis(("a", "b"), "Nat"), Hypothesis(("inst✝",), "Group G")), "a + b = b + a")
COMM = Premise("Nat.add_comm", "theorem", "M", ("(a b : ℕ)",), "a + b = b + a")
OTHER = Premise("Nat.le_refl", "theorem", "M", ("(n : ℕ)",), "n ≤ n")

FEW = settings(max_examples=30)
PREMISES = st.lists(
    st.builds(
        Premise,
        name=st.from_regex(r"[A-Z][a-z]{0,9}\.[a-z_]{1,20}", fullmatch=True),
        kind=st.just("theorem"),
        module=st.just("M"),
        conclusion=st.text(max_size=40),
    ),
    max_size=40,
    unique_by=lambda premise: premise.name,
)
GOALS = st.builds(
    Goal,
    st.lists(
        st.builds(Hypothesis, st.tuples(st.text("abxh'", min_size=1)), st.text(max_size=30)), max_size=6
    ).map(tuple),
    st.text(max_size=200),
)


def test_the_numbered_form() -> None:
    symbols = encode_prompt("numbered", [GOAL], [COMM, OTHER], 512)
    assert symbols[0] == FIRST_EXTRA and symbols[-1] == END
    # `add` is in the target, and so is `nat` in the types
    named = [*byte_symbols("Nat"), IN_CONTEXT, *byte_symbols(".add"), IN_TARGET, *byte_symbols("_comm")]
    assert symbols[1 : 1 + len(named)] == named
    assert symbols[1 + len(named)] == FIRST_EXTRA + 1
    assert (
        text_of(symbols[symbols.index(FIRST_EXTRA + 100) + 1 : -1]) == "a b : ℕ\n[Group G]\n⊢ a + b = b + a"
    )


def test_reprovers_form_has_the_best_premise_next_to_the_state() -> None:
    text = text_of(encode_prompt("reprover", [GOAL], [COMM, OTHER], 2300)[:-1])
    assert text == (
        "theorem <a>Nat.le_refl</a> (n : ℕ) : n ≤ n\n\n"
        "theorem <a>Nat.add_comm</a> (a b : ℕ) : a + b = b + a\n\n"
        "a b : Nat\ninst✝ : Group G\n⊢ a + b = b + a"
    )


@FEW
@pytest.mark.parametrize("form", FORMS)
@given(goals=st.lists(GOALS, min_size=1, max_size=3), premises=PREMISES, size=st.integers(8, 600))
def test_prompts_keep_their_length(form: Form, goals: list[Goal], premises: list[Premise], size: int) -> None:
    symbols = encode_prompt(form, goals, premises, size)
    assert len(symbols) <= size and symbols[-1] == END
    assert all(0 < symbol < SIZE for symbol in symbols) and END not in symbols[:-1]


@FEW
@given(st.text(max_size=80), PREMISES)
def test_the_end_of_a_long_state_is_kept(tail: str, premises: list[Premise]) -> None:
    goal = Goal((Hypothesis(("h",), "x" * 2000),), f"target {tail}")
    symbols = encode_prompt("numbered", [goal], premises, 400)
    kept = byte_symbols(state_text(goal))[-150:]
    assert symbols[-1 - len(kept) : -1] == kept


def test_a_tactic_points_at_the_premises_it_names() -> None:
    tactic = "rw [Nat.add_comm, ← Nat.le_refl.foo h, other]"
    symbols, _ = encode_tactic("numbered", tactic, [OTHER, COMM])
    assert symbols[4:6] == [FIRST_EXTRA + 1, byte_symbols(",")[0]]
    assert decode_tactic("numbered", symbols, [OTHER, COMM]) == tactic
    assert decode_tactic("numbered", symbols, [COMM, OTHER]) == (
        "rw [Nat.le_refl, ← Nat.add_comm.foo h, other]"
    )


NAME = st.from_regex(r"[a-z]{1,4}(\.[a-z]{1,4})?", fullmatch=True)
TACTICS = st.lists(
    st.one_of(NAME, st.sampled_from([" ", "[", "]", "←", ", ", "(", "α ", "∘"])), min_size=1
).map(lambda parts: "".join(parts).strip())


@FEW
@pytest.mark.parametrize("form", FORMS)
@given(tactic=TACTICS.filter(bool), premises=PREMISES)
def test_what_was_encoded_is_read_back(form: Form, tactic: str, premises: list[Premise]) -> None:
    assert decode_tactic(form, encode_tactic(form, tactic, premises)[0], premises) == tactic


@FEW
@given(goal=GOALS, premises=PREMISES, size=st.integers(8, 120), data=st.data())
def test_what_is_pointed_to_is_in_the_prompt_and_the_rest_is_spelled(
    goal: Goal, premises: list[Premise], size: int, data: st.DataObject
) -> None:
    names = [premise.name for premise in premises]
    used = data.draw(st.lists(st.sampled_from([*names, "simp", "only"]), max_size=4))
    prompt = encode_prompt("numbered", [goal], premises, size)
    listed = premises_in("numbered", prompt, premises)
    tactic = f"rw [{', '.join(used)}]"
    symbols, spelled = encode_tactic("numbered", tactic, listed, names)
    assert len(symbols) == len(spelled)
    pointers = [symbol for symbol in symbols if symbol >= FIRST_EXTRA]
    assert set(pointers) <= set(prompt)
    assert decode_tactic("numbered", symbols, listed) == tactic
    known = {premise.name for premise in listed}
    assert len(pointers) == sum(name in known for name in used)
    spelt = [symbol for symbol, is_name in zip(symbols, spelled, strict=True) if is_name]
    missing = "".join(name for name in used if name in names and name not in known)
    assert spelt == byte_symbols(missing)


@pytest.mark.parametrize(
    "symbols",
    [
        [END],
        [],
        byte_symbols("simp\nsorry"),
        [*byte_symbols("sim"), 3 + 0xC3],  # half a letter
        [FIRST_EXTRA + 5],  # there is no sixth premise
        [0, *byte_symbols("simp")],
        byte_symbols("\u2028"),
        byte_symbols("\x07 rfl"),
    ],
)
def test_what_is_no_tactic(symbols: list[int]) -> None:
    assert decode_tactic("numbered", symbols, [COMM]) is None


@FEW
@given(st.lists(st.integers(0, SIZE - 1), max_size=30), PREMISES)
def test_any_symbols_give_one_line_or_nothing(symbols: list[int], premises: list[Premise]) -> None:
    tactic = decode_tactic("numbered", symbols, premises)
    assert tactic is None or (tactic.strip() == tactic and "\n" not in tactic and tactic.encode("utf-8"))


def test_mentions_are_written_in_full() -> None:
    names = ["Nat.add_comm", "Finset.sum_congr", "foo"]
    assert qualified("rw [add_comm, Nat.add_comm a]", names) == "rw [Nat.add_comm, Nat.add_comm a]"
    assert qualified("exact (sum_congr rfl h).symm", names) == "exact (Finset.sum_congr rfl h).symm"
    assert qualified("exact foo.trans (add_comm).symm", names) == "exact foo.trans (Nat.add_comm).symm"
    assert qualified("simp [foo]", names, frozenset({"foo"})) == "simp [foo]"
    assert qualified("simp [bar]", names) == "simp [bar]"


def test_a_full_name_is_never_taken_for_an_ending() -> None:
    assert endings(["A.b", "b"])["b"] == "b"
    assert pieces("exact b.symm", endings(["A.b", "b"])) == [("exact ", ""), (".symm", "b")]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Nat.gcdA m n + 1 ∣ k", {"nat", "gcd", "add", "one", "dvd"}),
        ("∑ i ∈ s, f i = 0", {"sum", "mem", "eq", "zero"}),
        ("IsOpenMap f", {"is", "open", "map"}),
        ("x", set()),
    ],
)
def test_the_words_of_a_text(text: str, words: set[str]) -> None:
    assert words_of(text) == words
