"""What Lean says to try in place of a tactic that asks, in the forms that its versions print."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.session.suggested import asks, suggested_in

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
    assert [one for one in [*asking, *others] if asks(one)] == asking
