"""What is read in a model's answer: tactics and proofs, and nothing that must not be tried."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.syntax.tactic_text import defect
from prover.limits import MAX_WRITTEN_TACTICS
from prover.search.theorem import script
from prover.served.answers import AnswerReader, read_answer, steps_of

BLOCK = "Sure, here you are:\n```lean\nexact h\nsimp [foo]\n```\nHope it helps."

CASES = "cases h with\n| inl a => exact a\n| inr b =>\n  exact b"
THEOREM = "theorem x : p := by\n  intro h\n\n  exact h\n"

TACTICS = [
    (BLOCK, ["exact h", "simp [foo]", "exact h\nsimp [foo]"]),
    ("<think>\n```lean\nexact wrong\n```\n</think>\n```lean4\nexact h\n```", ["exact h"]),
    ("<think>a `exact wrong` b</think>`exact h`", ["exact h"]),
    ("first `simp`\n</think>\n```\nexact h\n```", ["simp", "exact h"]),
    ("<think>I think without end\n```lean\nexact h\n```", []),
    ("```lean\n1. exact h\n2. omega\n```", ["exact h", "omega", "1. exact h\n2. omega"]),
    ("```lean\nconstructor\n· exact a\n· exact b\n```", ["constructor\n· exact a\n· exact b"]),
    (f"```lean\n{CASES}\n", [CASES]),
    ("Try `exact h`, or `foo`.", ["exact h"]),
    ("1. exact h\n- omega\nThat is all.", ["exact h", "omega"]),
    ("```lean\n-- the idea\nexact h -- done\n```", ["exact h -- done"]),
    ("```lean\ntheorem x (a : Nat := 1) : p := by\n  intro h\n  exact h\n```", ["intro h\nexact h", "intro h"]),
    ("```lean\ntheorem x : p :=\n  foo bar\n```", ["exact foo bar"]),
    ("```lean\nby\n  intro h\n```", ["intro h"]),
    ("```python\nexact h\n```", []),
    ("```json\n{}\n```\n```lean\nexact h\n```", ["exact h"]),
    ("", []),
    ("I do not know.", []),
    ("```lean\nexact h\x07\x1b[31m\n```", ["exact h[31m"]),
]  # fmt: skip

PROOFS = [
    (f"```lean4\nimport Mathlib\n\nlemma y : q := sorry\n\n{THEOREM}\nend Foo\n#eval 1\n```", ["intro h\n\nexact h"]),
    ("```lean\nintro h\nexact h\n```", ["intro h\nexact h"]),
    ("theorem x : p := by intro h; exact h", ["intro h; exact h"]),
    ("```lean\nexample : p := by simp\n```\nor\n```lean\nexample : p := by omega\n```", ["simp", "omega"]),
    ("```lean\ntheorem x : p\n```", []),
    ("The proof is simple.", []),
    ("intro h\nexact h", ["intro h\nexact h"]),
]  # fmt: skip

DANGEROUS = (
    "sorry", "exact sorry", "admit", "native_decide", "exact h\n#eval 1", "#eval IO.println 1", "axiom x : False",
    "exact (by sorry)", "simp; sorry", "exact sorryAx _ true", "run_tac pure ()", "exact h)", "intro h /- open",
    'exact "', "decide +native", "end Foo\ntheorem y : False := x", "stop", "exact Lean.ofReduceBool _ _ rfl",
)  # fmt: skip


@pytest.mark.parametrize(("text", "tactics"), TACTICS)
def test_tactics_for_the_next_step(text: str, tactics: list[str]) -> None:
    found = read_answer(text)
    assert found == [one for one in tactics if defect(one) is None]
    assert len(found) >= len(tactics) - 1


@pytest.mark.parametrize(("text", "proofs"), PROOFS)
def test_whole_proofs(text: str, proofs: list[str]) -> None:
    assert read_answer(text, whole=True) == proofs


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("tactic", DANGEROUS)
def test_what_must_not_be_tried_is_not_read(tactic: str, whole: bool) -> None:
    for text in (f"```lean\n{tactic}\n```", f"```lean\ntheorem x : p := by\n  {tactic}\n```", f"`{tactic}`"):
        assert [one for one in read_answer(text, whole=whole) if tactic in one] == []


def test_a_tactic_comes_as_soon_as_the_next_one_begins() -> None:
    reader = AnswerReader()
    assert reader.feed("```lean\nexact h\n") == []
    assert reader.feed("o") == []
    assert reader.feed("mega\n") == ["exact h"]
    assert reader.feed("```\n") == ["omega", "exact h\nomega"]
    assert reader.finish() == []


def test_a_model_that_repeats_itself_is_read_once() -> None:
    reader = AnswerReader()
    found = reader.feed("```lean\n" + "exact h\n" * 10_000)
    assert found == ["exact h"]
    reader.feed("".join(f"exact h{n}\n" for n in range(10_000)))
    assert reader.is_full


def test_a_thought_on_one_long_line() -> None:
    thought = "so `simp` " * 5_000
    assert read_answer(f"<think>{thought}</think>`exact h`") == ["exact h"]
    assert read_answer("<think></think>" * 10_000 + "`exact h`") == ["exact h"]
    assert read_answer(f"<think>{thought}") == []


FRAGMENTS = st.sampled_from(
    ["```", "```lean\n", "\n", "<think>", "</think>", "`", "exact h", "theorem x : p := by", "  ", "· ", "| ", "-- c",
     "sorry", "#eval 1", "/-", "-/", '"', "1. ", "⟨", "⟩", "(", ")", ":=", "by", "\x00", "\u202e", "∀ x, p x", "end A"]
)  # fmt: skip


@given(st.lists(FRAGMENTS | st.text(max_size=8), max_size=40), st.booleans())
def test_any_text_in_any_pieces(parts: list[str], whole: bool) -> None:
    text = "".join(parts)
    expected = read_answer(text, whole=whole)
    assert all(defect(one) is None for one in expected)
    assert len(expected) == len(set(expected)) <= MAX_WRITTEN_TACTICS
    reader = AnswerReader(whole=whole)
    pieces = [text[begin : begin + 3] for begin in range(0, len(text), 3)]
    assert [one for piece in pieces for one in reader.feed(piece)] + reader.finish() == expected


@given(
    st.lists(st.sampled_from(["exact h", "intro x", "  simp", "· rfl", "", "| a => b", "omega"]), max_size=12)
)
def test_steps_are_the_whole_proof(lines: list[str]) -> None:
    proof = script(["\n".join(lines)])
    assert "\n".join(steps_of(proof)).split() == proof.split()
