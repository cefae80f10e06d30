"""Whatever the text, reading ends and tells; it never raises."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lean_extract.source.reader import read_module
from lean_extract.source.resolution.link import resolve

SAMPLE = """module
public import A.B
/-- doc -/
@[to_additive (attr := simp) foo, ext]
theorem A.mul_x.{u} {α : Type u} [Group α] (h : a = b ∧ c := by simp) : ∀ x, f x * 1 = x⁻¹ ↔ p := by
  constructor
  · rintro ⟨x, hx | ⟨y, rfl⟩⟩
    calc a = b := by rw [foo, bar]
      _ = c := h.1.symm
  · obtain ⟨x, hx⟩ : ∃ x, p x := foo
    induction n with
    | zero => exact .inl (h x).2
    | succ n ih => refine ⟨fun h => ?_, fun h => ?_⟩
structure Foo (α) extends Bar α where
  mk ::
  x y : α := 3
namespace N
variable {α : Type*} (x : α) [Group α]
open Foo hiding x in
instance : Add (α × α) where
  add a b := go a
where
  go : α → α
    | x => x
mutual
inductive T | a (x : α) : T
end
alias ⟨a, b⟩ := foo
attribute [simp, to_dual] foo
notation3 "‖" x "‖" => norm x
end N
"""
PIECES = SAMPLE.split(" ")


def check(text: str) -> None:
    module = read_module(text, "M", "M.lean", states=True)
    assert not [problem for problem in module.problems if "Error)" in problem.message]
    assert len(module.scopes) == len(module.premises)
    for proof in resolve([module]):
        assert len(set(proof.premises)) == len(proof.premises)


def test_the_sample_is_read_without_problems() -> None:
    module = read_module(SAMPLE, "M", "M.lean")
    assert not module.problems
    assert {"A.mul_x", "A.foo", "Foo.y", "N.T.a", "N.instAddProd_m.go"} <= {p.name for p in module.premises}


def test_every_beginning() -> None:
    ends = [
        len(SAMPLE[:end].rstrip())
        for end in range(len(SAMPLE))
        if SAMPLE[end].isspace() or SAMPLE[end] in "([⟨|"
    ]
    for end in sorted({*ends, *(end + 1 for end in ends)}):
        check(SAMPLE[:end])


@settings(max_examples=150)
@given(st.lists(st.sampled_from(PIECES), max_size=80))
def test_shuffled_lean(pieces: list[str]) -> None:
    check(" ".join(pieces))


@settings(max_examples=150)
@given(st.data())
def test_mutilated_lean(data: st.DataObject) -> None:
    begin = data.draw(st.integers(0, len(SAMPLE)))
    end = data.draw(st.integers(begin, min(len(SAMPLE), begin + 40)))
    junk = data.draw(
        st.text(max_size=5) | st.sampled_from(["(", ")", "⟨", "⟩", ":=", "|", "\n", "by", "/-", '"'])
    )
    check(SAMPLE[:begin] + junk + SAMPLE[end:])


@settings(max_examples=100)
@given(st.text(max_size=300))
def test_any_text(text: str) -> None:
    check(text)


def test_an_open_comment_is_a_problem() -> None:
    problems = read_module("theorem a : p := q\n/- and so on", "M", "M.lean").problems
    assert [problem.message for problem in problems] == ["The file ends inside a comment."]


def test_windows_line_ends() -> None:
    module = read_module("theorem a :\r\n    p := by\r\n  simp\r\n  rfl\r\n", "M", "M.lean")
    assert [step.tactic for step in module.proofs[0].steps] == ["simp", "rfl"]


@pytest.mark.slow
def test_fifty_thousand_lines() -> None:
    text = "".join(f"theorem x{i} (a : T) : p a := by\n  intro h\n  simp [x{i - 1}]\n" for i in range(17_000))
    module = read_module(text, "M", "M.lean")
    assert len(module.premises) == 17_000
    assert next(iter(resolve([module]))).theorem == "x0"


@pytest.mark.parametrize(
    "text",
    [
        *("", "\n", "-- only\n", "/- open", "\ufeff", "theorem", "@[", "/--", "end", "|", "by"),
        "theorem t : p := by\n  have h : = (",
        "theorem t : p := by\n  have ⟨x, y⟩ := (",
        "structure with where\n  (",
        "theorem t : p := by\n  induction with |",
        "theorem t : p := by\n  match with | @",
        "attribute [",
        "theorem a : p := " + "(" * 3000 + ")" * 3000,
        "theorem a : p := " + "⟨" * 3000 + "⟩" * 3000,
        "theorem a : " + "p → " * 3000 + "q := by\n  intro h\n",
        "theorem a : " + "¬" * 3000 + "q := fun h => h.symm\n",
        "theorem a : p := by\n" + "".join(" " * i + "· simp\n" for i in range(1, 300)),
        "namespace A\n" * 3000,
        "theorem a : p := fun " + "x " * 5000 + "=> x",
        "/-" * 5000 + "-/" * 5000 + "theorem a : p := q",
    ],
)
def test_almost_nothing_texts_that_break_off_and_deep_nesting(text: str) -> None:
    check(text)
