"""The outer shape of propositions, read from text."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prover.facts import telescope
from prover.shapes import head, shape, strip_brackets, symbols, tokens
from prover.terms import parse


@pytest.mark.parametrize(
    ("text", "kind", "operator"),
    [
        ("n + m = m + n", "eq", "="),
        ("a ≤ b", "rel", "≤"),
        ("a → b ↔ c", "iff", "↔"),
        ("p ∧ q → r", "imp", "→"),
        ("p ∨ q ∧ r", "or", "∨"),
        ("¬a = b", "not", "¬"),
        ("¬p ∧ q", "and", "∧"),
        ("∀ x, p x ↔ q x", "forall", "∀"),
        ("∃ m, p m ∧ q m", "exists", "∃"),
        ("p ∧ ∀ x, a x ↔ b x", "and", "∧"),
        ("(a = b)", "eq", "="),
        ("List.Perm (a ++ b) (b ++ a)", "other", ""),
        ("True", "true", ""),
        ("f (a = b) c", "other", ""),
    ],
)
def test_outermost_connective_follows_binding_powers(text: str, kind: str, operator: str) -> None:
    found = shape(text)
    assert (found.kind, found.operator) == (kind, operator)


def test_sides_of_a_relation() -> None:
    found = shape("a * (b + c) = a * b + a * c")
    assert " ".join(found.left) == "a * ( b + c )"
    assert " ".join(found.right) == "a * b + a * c"


@pytest.mark.parametrize(
    ("term", "outermost"),
    [
        ("a + b * c", "+"),
        ("a * b ^ c", "*"),
        ("f (a + b)", "f"),
        ("x :: xs ++ ys", "++"),
        ("(a + b)", "+"),
        ("List.length xs", "List.length"),
        ("-a", "-"),
        ("n.Even", "Even"),
        ("d.IsGcd m n", "IsGcd"),
        ("(m + n).Even", "Even"),
        ("[n].Sorted", "Sorted"),
        ("(H ⊓ K).carrier.Finite", "Finite"),
        ("H.Normal", "Normal"),
        ("Nat.Even n", "Nat.Even"),
    ],
)
def test_head_of_a_term(term: str, outermost: str) -> None:
    assert head(tokens(term), {"H"}) == outermost


def test_symbols_are_the_same_in_dot_notation() -> None:
    assert symbols(tokens("(H ⊓ K).Normal ∧ n.succ.Even"), frozenset("HKn")) == {
        "⊓",
        "Normal",
        "∧",
        "succ",
        "Even",
    }


def test_telescope_takes_binders_quantifiers_and_implications() -> None:
    arguments, core = telescope(("{α : Type u}", "[Group α]", "(a b : α)"), "∀ c, a = b → (c * a = c * b)")
    assert [(one.name, one.is_explicit) for one in arguments] == [
        ("α", False),
        ("", False),
        ("a", True),
        ("b", True),
        ("c", True),
        ("h", True),
    ]
    assert arguments[1].is_instance
    assert " ".join(core) == "c * a = c * b"


@pytest.mark.parametrize(
    ("binder", "is_proof"),
    [
        ("(h : a ≤ b)", True),
        ("(n : ℕ)", False),
        ("(f : α → β)", False),
        ("(hf : Injective f)", True),
        ("(hm : m.Even)", True),
        ("(hH : H.Normal)", True),
        ("(hm : (m + 1).Even)", True),
        ("(hp : p)", True),
        ("(a : p)", True),
        ("(a : q m)", True),
        ("(h : H)", False),
        ("(h : Nat.Even)", False),
        ("(x : α)", False),
    ],
)
def test_proofs_are_distinguished_from_data(binder: str, is_proof: bool) -> None:
    context = ("{p : Prop}", "{q : ℕ → Prop}", "{α : Type u}", "{H : Subgroup α}", "{m : ℕ}")
    (*_, argument), _ = telescope((*context, binder), "p")
    assert argument.is_proof is is_proof


def test_the_context_of_a_statement_tells_what_is_a_proposition() -> None:
    (argument,), _ = telescope((), "p → q", {"p": ("Prop",)})
    assert argument.is_proof
    (argument,), _ = telescope((), "α → q", {"α": ("Type",)})
    assert not argument.is_proof


def test_bounded_quantifier_takes_the_element_and_the_proof() -> None:
    arguments, core = telescope((), "∀ x ∈ s, 0 ≤ x")
    assert [one.name for one in arguments] == ["x", "h"]
    assert arguments[1].is_proof
    assert " ".join(core) == "0 ≤ x"


def test_a_bound_proof_is_no_condition() -> None:
    bounded, named = parse(tokens("∃ x ∈ s, p x")), parse(tokens("∃ h : x ∈ s, p h"))
    assert bounded == parse(tokens("∃ x, x ∈ s ∧ p x"))
    assert named == parse(tokens("∃ h, p h"))


def test_default_arguments_need_not_be_given() -> None:
    arguments, _ = telescope(("(n : ℕ := 0)", "(h : 0 < n := by decide)"), "p")
    assert arguments == ()


@given(st.text(alphabet="ab()[]{}⟨⟩∀∃→↔∧¬=+,: .fun", max_size=80))
def test_any_text_has_a_shape(text: str) -> None:
    parts = tokens(text)
    found = shape(text)
    assert len(found.left) + len(found.right) <= len(parts)
    arguments, core = telescope((text,), text)
    assert len(core) <= len(strip_brackets(parts)) or arguments
    assert symbols(parts) <= {piece for part in parts for piece in (part, *part.split("."))}
    head(parts)


def test_a_huge_proposition_takes_no_long_time() -> None:
    text = " → ".join(["(a ∧ b)"] * 20_000)
    began = time.process_time()
    telescope((), text)
    shape(text)
    assert time.process_time() - began < 2
