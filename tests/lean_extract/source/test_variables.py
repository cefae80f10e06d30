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


def test_include_and_omit() -> None:
    text = HEAD + "include a\nomit [Group α]\ntheorem t : True := x\nomit a\ntheorem s : True := x"
    assert context(text, "t") == "{α : Type u} (a : α)"
    assert context(text, "s") == ""


def test_include_in_holds_for_one_declaration() -> None:
    text = HEAD + "include a in\ntheorem t : True := x\ntheorem s : True := x"
    assert context(text, "t") == "{α : Type u} [Group α] (a : α)"
    assert context(text, "s") == ""


def test_omit_in_of_an_instance() -> None:
    text = HEAD + "omit [Group α] in\ntheorem t : a = a := x\ntheorem s : a = a := x"
    assert context(text, "t") == "{α : Type u} (a : α)"
    assert context(text, "s") == "{α : Type u} [Group α] (a : α)"


def test_variable_updates_change_brackets() -> None:
    text = HEAD + "variable {a} (β) in\ntheorem t : f a = f a := x\ntheorem s : a = a := x"
    assert context(text, "t") == "{α : Type u} (β : Type u) [Group α] [Foo α β] {a : α} {f : α → β}"
    assert context(text, "s") == "{α : Type u} [Group α] (a : α)"


def test_variables_end_with_their_section() -> None:
    text = "section\nvariable (n : ℕ)\ntheorem t : n = n := x\nend\ntheorem s : n = n := x"
    assert context(text, "t") == "(n : ℕ)"
    assert context(text, "s") == ""


def test_an_instance_without_dependencies_is_always_there() -> None:
    assert context("variable [Fact (Prime 2)]\ntheorem t : True := x", "t") == "[Fact (Prime 2)]"


def test_named_instances() -> None:
    text = "variable {α : Type} [inst : Group α]\ntheorem t (a : α) : inst.one = a := x"
    assert context(text, "t") == "{α : Type} [inst : Group α] (a : α)"


def test_types_of_included_variables_bring_their_own() -> None:
    text = "variable {α : Type} (s : Set α) (h : s = s)\ninclude h\ntheorem t : True := x"
    assert context(text, "t") == "{α : Type} (s : Set α) (h : s = s)"


def test_names_bound_in_a_definition_s_body_are_no_variables() -> None:
    text = "variable {α : Type} {a : α}\ninstance t : Membership α (Set α) where\n  mem s a := s a\n"
    assert context(text, "t") == "{α : Type}"
