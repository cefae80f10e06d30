"""What is kept from Lean: text that is no single tactic, that proves nothing, or that nobody could read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.syntax.refused_words import WORDS
from lean_extract.syntax.tactic_text import LONGEST, brackets, code, defect, proves_nothing


@pytest.mark.parametrize(
    "tactic",
    [
        "sorry", "exact sorry", "exact (by · admit)", "unhygienic sorry", "exact sorryAx _ true",
        "exact «sorryAx» _ true", "exact _root_.sorryAx _ true", "exact @sorryAx p false",
        'exact absurd s!"{(sorry : p)}" h', "stop", "apply?", "sorry_if_sorry", "plausible",
    ],
)  # fmt: skip
def test_giving_up_in_any_spelling(tactic: str) -> None:
    found = defect(tactic)
    assert found is not None and found.endswith(" leaves the goal to `sorry`")
    assert proves_nothing(tactic) == found


@pytest.mark.parametrize(
    "tactic",
    [
        "native_decide", "decide +native", "decide (config := {native := true})", "decide +«native»",
        "decide («native» := true)", "decide (config := ⟨false, true, false, false⟩)",
        "decide -kernel (zetaReduce := true) («config» := .mk false true false false)",
        "decide (config := mine)", "decide (config := {mine with kernel := false})",
        "have native := true; decide (config := {native})",
        "exact (by decide (config := (⟨false, true, false, false⟩)))", "exact Lean.ofReduceBool f true rfl",
        "bv_decide",
    ],
)  # fmt: skip
def test_compiled_code_is_not_trusted(tactic: str) -> None:
    found = proves_nothing(tactic)
    assert found is not None and "trusts compiled code" in found
    assert defect(tactic) is not None


@pytest.mark.parametrize(
    ("tactic", "reason"),
    [
        ("} theorem evil : False := by { trivial", "the command `theorem`"),
        ("exact h }\nexample : True := by { trivial", "the command `example`"),
        ("} ; { trivial", "closes nothing"),
        ("exact h -- }\n} {", "closes nothing"),
        ('exact r"\\" } ; skip; { skip -- "', "raw string"),
        ('exact r#"\\"# } ; skip; { skip -- "', "raw string"),
        ("rw [<--h]", "comments"),
        ("exact h /--/ } { skip -/", "comments"),
        ("exact foo (", "`(` is not closed"),
        ("simp [a)", "closes nothing"),
        ("/-", "a comment in it is not closed"),
        ("exact h /- /- -/", "a comment in it is not closed"),
        ('exact "', "a string in it is not closed"),
        ("#eval 1", "the command `#eval`"),
        ("exact h\n#print axioms h", "the command `#print`"),
        ("end", "the command `end`"),
        ("exact h\nend N", "the command `end`"),
        ("set_option maxRecDepth 100000 in simp", "the command `set_option`"),
        ("set_option debug.skipKernelTC true in exact h", "the command `set_option`"),
        ("run_tac do pure ()", "`run_tac` runs code"),
        ('exact include_str "/etc/passwd"', "`include_str` reads files"),
        ('bv_check "proof.lrat"', "`bv_check` trusts compiled code"),
        ("bv_decide?", "`bv_decide?` trusts compiled code"),
        ('#leansearch "sum of two squares."', "`leansearch` may contact"),
        ('first | exact !r"\\" | native_decide -- "', "raw string"),
        ("first | exact !'\"' | native_decide -- \"", "`native_decide` trusts"),
        ('exact f "\\q eval x "', "where a string in it ends"),
        ('exact s!"{h}"', "where a string in it ends"),
        ("exact f ⁻¹'\"' \"", "what a quote in it means"),
        ("exact λ'\"' \"", "what a quote in it means"),
        ("exact 1'\"' x", "what a quote in it means"),
        ("exact (h).end", "the command `end`"),
        ("exact h.end", "the command `end`"),
        ('intro "#eval x"', "the command `#eval`"),
        ("exact h -- #eval x", "the command `#eval`"),
        ("exact h /- theorem -/", "the command `theorem`"),
        ("exact «a", "what a quote in it means"),
        ("rw [h *-- c\n]", "where its comments begin"),
        ("polyrith", "`polyrith` may contact another machine"),
        ("exact h\0", "control character"),
        ("exact \ud800", "control character"),
        ("exact\th", "control character"),
        ("exact h \u202e", "control character"),
        ("exact\u2028h", "control character"),
        ("exact " + "(" * 201 + "h" + ")" * 201, "brackets"),
        ("exact " + "f " * LONGEST, "characters"),
        (" \n ", "no tactic"),
    ],
)
def test_what_is_refused(tactic: str, reason: str) -> None:
    found = defect(tactic)
    assert found is not None
    assert reason in found


@pytest.mark.parametrize("word", sorted(WORDS))
def test_each_refused_word_is_found(word: str) -> None:
    for tactic in (word, f"exact ({word} x)", f"skip; {word}"):
        assert WORDS[word] in (defect(tactic) or "")


@pytest.mark.parametrize(
    "tactic",
    [
        "exact h.eval % 2", "exact eval % 2",
        "exact hs.end", "simp [IsOpen.inter, sorry_free, Foo.stop, h.admit']", "exact sorry'",
        "exact ⟨hq, hp⟩ -- } sorry", 'exact f "} sorry # eval"', "open Nat in exact h",
        "simp only [← foo, #s]", "exact #[1, 2]", "decide (config := {kernel := true})",
        "decide +kernel (config := { zetaReduce := true, revert := false, })", "decide",
        "exact of_decide_eq_true (by decide +revert)", "simp +decide (config := mine)",
        "simp (config := {decide := true})", "exact native", "constructor\n· exact hq\n· exact hp",
        "exact «theorem»", "exact f 'r' (g r)", "show p from h", "repeat' constructor", "exact f ⁻¹' s",
        "simp [Set.image, f '' s]", "exact f 'a' 'b'", "rcases h with ⟨x', -, rfl⟩", "exact h₁'.2 x'",
        'exact f "a } b" "\\n"', "nlinarith [sq_nonneg (x - 2⁻¹ * y')]",
    ],
)  # fmt: skip
def test_what_is_not(tactic: str) -> None:
    assert defect(tactic) is None


@given(st.text(max_size=40), st.text(max_size=40))
def test_no_text_breaks_it_and_no_suffix_hides_a_sorry(before: str, after: str) -> None:
    defect(before + after)
    if defect(before) is None and "--" not in before:
        assert defect(f"{before}\nsorry {after}") is not None


@given(st.text("()[]{}⟨⟩ab-/\"'«»\n", max_size=30))
def test_what_has_no_defect_closes_no_bracket_of_its_surroundings(tactic: str) -> None:
    if defect(tactic) is None:
        assert brackets(f"{{ {tactic}\n}}") == (None, [])
        assert set(code(tactic)) <= set(tactic) | {" "}
