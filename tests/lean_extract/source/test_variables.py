import pytest

from tests.lean_extract.source.reading import context

HEAD = "variable {α β : Type u} [Group α] [Foo α β] (a b : α) {f : α → β}\n"


@pytest.mark.parametrize(
    ("declaration", "expected"),
    [
        ("theorem t : a = a := x", "{α : Type u} [Group α] (a : α)"),
        ("theorem t : f a = f b := x", "{α β : Type u} [Group α] [Foo α β] (a b : α) {f : α → β}"),
        ("theorem t (β : Type) (y : β) : y = y := x", "(β : Type) (y : β)"),
        ("theorem t : True := foo a", ""),
        ("def t : ℕ := foo a", "{α : Type u} [Group α] (a : α)"),
        ("theorem t : ∀ a : ℕ, a = a := x", ""),
        ("theorem t : {a | p a} = ∅ := x", ""),
        ("theorem t : (fun a => a) a = y := x", "{α : Type u} [Group α] (a : α)"),
        ("theorem t (a : ℕ) : a = a := x", "(a : ℕ)"),
        ("theorem t (y : α) : y = y := x", "{α : Type u} [Group α] (y : α)"),
        ("theorem t : a.foo := x", "{α : Type u} [Group α] (a : α)"),
    ],
)
def test_variables_in_use_are_included(declaration: str, expected: str) -> None:
    assert context(HEAD + declaration, "t") == expected


GROUP = "{α : Type u} [Group α] (a : α)"


@pytest.mark.parametrize(
    ("text", "of_t", "of_s"),
    [
        (
            "include a\nomit [Group α]\ntheorem t : True := x\nomit a\ntheorem s : True := x",
            "{α : Type u} (a : α)",
            "",
        ),
        ("include a in\ntheorem t : True := x\ntheorem s : True := x", GROUP, ""),
        ("omit [Group α] in\ntheorem t : a = a := x\ntheorem s : a = a := x", "{α : Type u} (a : α)", GROUP),
        (
            "variable {a} (β) in\ntheorem t : f a = f a := x\ntheorem s : a = a := x",
            "{α : Type u} (β : Type u) [Group α] [Foo α β] {a : α} {f : α → β}",
            GROUP,
        ),
        (
            "section\nvariable (n : ℕ)\ntheorem t : n = n := x\nend\ntheorem s : n = n := x",
            "(n : ℕ)",
            "",
        ),
    ],
)
def test_what_changes_the_variables(text: str, of_t: str, of_s: str) -> None:
    assert (context(HEAD + text, "t"), context(HEAD + text, "s")) == (of_t, of_s)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("variable [Fact (Prime 2)]\ntheorem t : True := x", "[Fact (Prime 2)]"),
        (
            "variable {α : Type} [inst : Group α]\ntheorem t (a : α) : inst.one = a := x",
            "{α : Type} [inst : Group α] (a : α)",
        ),
        (
            "variable {α : Type} (s : Set α) (h : s = s)\ninclude h\ntheorem t : True := x",
            "{α : Type} (s : Set α) (h : s = s)",
        ),
        (
            "variable {α : Type} {a : α}\ninstance t : Membership α (Set α) where\n  mem s a := s a\n",
            "{α : Type}",
        ),
    ],
    ids=[
        "no dependencies",
        "a named instance",
        "types of included ones",
        "a name bound in a definition's body",
    ],
)
def test_what_brings_or_hides_a_variable(text: str, expected: str) -> None:
    assert context(text, "t") == expected
