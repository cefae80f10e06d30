"""What Lean says to try or to write instead, and its errors of the compiler alone, in the forms of its versions."""

from __future__ import annotations

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.records import Position
from lean_extract.session.faults import is_about_compiling
from lean_extract.session.suggested import apply_suggestion, is_query, lint_of, suggested_in

FORMS = {
    "Try this: exact foo a b": ("exact foo a b",),
    "Try this: exact foo a\n    (bar b)": ("exact foo a (bar b)",),
    "Try these:\n• simp\n• simp only [foo]": ("simp", "simp only [foo]"),
    "Try this:\n  [apply] grind only [= foo]": ("grind only [= foo]",),
    "Try these:\n  [apply] grind only [!foo]\n  [apply] grind =>\n      instantiate only [!foo]": (
        "grind only [!foo]",
        "grind => instantiate only [!foo]",
    ),
    "Try this: refine foo ?_\n-- Remaining subgoals:\n-- ⊢ p": ("refine foo ?_",),
    "\nTry this:\n  [apply] simp\n  [apply] simp": ("simp",),
    "The `grind` tactic is new": (),
    "Try this:": (),
    "": (),
}


@pytest.mark.parametrize("message", FORMS)
def test_the_forms_of_lean_s_versions(message: str) -> None:
    assert suggested_in(message) == FORMS[message]


TEXTS = st.text(st.sampled_from("ab ≤⟨⟩[],.!?=>←"), min_size=1, max_size=20).map(str.split).map(" ".join)
TACTICS = TEXTS.filter(bool)


@given(st.lists(TACTICS, min_size=1, max_size=4, unique=True), st.sampled_from(["[apply] ", "• "]))
def test_each_tactic_is_read_as_it_is_printed(tactics: list[str], mark: str) -> None:
    printed = "Try these:" + "".join(f"\n  {mark}{tactic}" for tactic in tactics)
    assert suggested_in(printed) == tuple(tactics)


@given(st.text())
def test_any_message_is_read(message: str) -> None:
    for tactic in suggested_in(f"Try this: {message}"):
        assert tactic == " ".join(tactic.split()) != ""


def test_what_asks() -> None:
    asking = ["exact?", "grind? [foo]", " simp? at h", "aesop?", "norm_num?"]
    others = ["grind only [foo]", "exact a?", "exact ?_", "refine ?x", "foo?bar", "head?'", "", "?"]
    assert [one for one in [*asking, *others] if is_query(one)] == asking


NOTE = "Note: This linter can be disabled with `set_option linter.unusedSimpArgs false`"


def struck(old: str, new: str) -> str:
    """A change as Lean 4.22 to 4.27 write it: what is deleted is struck through, what is inserted underlined."""
    parts = []
    for kind, i, j, k, m in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            parts.append(old[i:j])
        else:
            parts += [f"{letter}\u0335" for letter in old[i:j]]
            parts += [f"{letter}\u0332" for letter in new[k:m]]
    return "".join(parts)


def suggested(message: str) -> str:
    (lint,) = lint_of(message, Position(0, 0), Position(0, 1))
    return lint.suggestion


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("simp [id_eq]", "simp"),
        ("simp [id_eq, and_self]", "simp [and_self]"),
        ("simp only [foo, ← bar, baz]", "simp only [foo, baz]"),
        ("simp_all (config := {zeta := true}) [foo]", "simp_all (config := {zeta := true})"),
    ],
)
def test_an_argument_that_is_struck_through_is_left_out(old: str, new: str) -> None:
    message = (
        "This simp argument is unused:\n  id_eq\n\nHint: Omit it from the simp argument list.\n  "
        f"{struck(old, new)}\n\n{NOTE}"
    )
    start = Position(3, 2 + old.index("[") + 1)
    lints = list(lint_of(message, start, Position(3, start.column + 2)))
    assert apply_suggestion(old, lints, Position(3, 2)) == new


WORDS = st.lists(st.from_regex(r"[a-z_.\[\](),←]{1,8}", fullmatch=True), min_size=1, max_size=8).map(" ".join)


@given(WORDS, WORDS)
def test_the_new_text_of_any_change_is_read(old: str, new: str) -> None:
    diff = struck(old, new)
    expected = new if diff != old else ""
    assert suggested(f"Unused:\n  x\n\nHint: Omit it.\n  {diff}\n\n{NOTE}") == expected


def test_a_hint_without_a_change_suggests_nothing() -> None:
    assert suggested(f"Unused:\n  x\n\nHint: Think again.\n  simp [x]\n\n{NOTE}") == ""


@pytest.mark.parametrize(
    ("message", "instead"),
    [
        ("Try `simp at h` instead of `simpa using h`", "simp at h"),
        ("try 'simp' instead of 'simpa'", "simp"),
        ("try `simp at h` instead of `simpa using h`", "simp at h"),
    ],
)
def test_simpa_gives_way_to_simp(message: str, instead: str) -> None:
    note = "Note: This linter can be disabled with `set_option linter.unnecessarySimpa false`"
    assert suggested(f"{message}\n\n{note}") == instead


@pytest.mark.parametrize(
    "message",
    [
        "code generator does not support recursor `Nat.rec` yet, consider using `match ... with`",
        "code generator does not support recursor 'Nat.rec' yet, consider using 'match ... with'",
        "code generator failed, unsupported occurrence of `Or.casesOn`",
        "`f` not supported by code generator; consider marking definition as `noncomputable`",
        "failed to compile definition, compiler IR check failed at 'f'. Error: unknown declaration 'g'",
    ],
)
def test_errors_of_the_compiler_alone(message: str) -> None:
    assert is_about_compiling(message)


def test_what_the_user_wrote_of_the_compiler_is_no_error_of_it() -> None:
    assert not is_about_compiling("Unknown identifier `does_not_support_recursor`")
