import pytest

from lean_extract.records import Position
from tests.lean_extract.source.reading import names, premises, read


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "namespace A.B\ntheorem x : p := q\nend B\ntheorem y : p := q\nend A\ntheorem z : p := q\n",
            ["A.B.x", "A.y", "z"],
        ),
        (
            "namespace A\nsection S\ntheorem _root_.Z.x : p := q\ntheorem y : p := q\nend S\nend A",
            ["Z.x", "A.y"],
        ),
        ("example : 1 = 1 := rfl\ntheorem a : p := q", ["a"]),
        (
            "mutual\ninductive A\n  | a : B → A\ninductive B\n  | b : A → B\nend\ntheorem c : p := q",
            ["A", "A.a", "B", "B.b", "c"],
        ),
        (
            "@[expose] public noncomputable section Foo\ntheorem a : p := q\nend Foo\ntheorem b : p := q",
            ["a", "b"],
        ),
        (
            "namespace A\n  /-- d -/\n  @[simp]\n  theorem x : p := by\n    y\n  def z := 1\nend A",
            ["A.x", "A.z"],
        ),
    ],
)
def test_names(text: str, expected: list[str]) -> None:
    module = read(text)
    assert [premise.name for premise in module.premises] == expected
    assert not module.problems


def test_a_wrong_end_is_a_problem_and_reading_goes_on() -> None:
    module = read("namespace A\nend B\ntheorem x : p := q\n")
    assert [problem.position for problem in module.problems] == [Position(1, 0)]
    assert [premise.name for premise in module.premises] == ["x"]


def test_an_end_too_many_is_a_problem() -> None:
    assert "does not match" in read("end A\n").problems[0].message


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("theorem a : p := q", "a", "theorem"),
        ("lemma a : p := q", "a", "lemma"),
        ("def a : T := x", "a", "def"),
        ("abbrev a : T := x", "a", "abbrev"),
        ("instance a : C T := x", "a", "instance"),
        ("instance (priority := 100) a : C T := x", "a", "instance"),
        ("axiom a : p", "a", "axiom"),
        ("opaque a : T", "a", "opaque"),
        ("structure A where\n  x : T", "A", "structure"),
        ("class A (α : Type) : Prop where\n  x : p", "A", "class"),
        ("inductive A : Type\n  | b", "A", "inductive"),
        ("class inductive A : Prop\n  | b", "A", "class inductive"),
        ("@[simp] protected noncomputable def a.{u} : Sort u := x", "a", "def"),
        ("private theorem «a b» : p := q", "«a b»", "theorem"),
    ],
)
def test_every_kind_of_declaration(text: str, name: str, kind: str) -> None:
    assert premises(text)[name].kind == kind


def test_modifiers_docs_and_attributes() -> None:
    text = (
        "/-- What *it* says. -/\n@[simp, foo (bar := 1)]\nprotected theorem a : p := q\nprivate def b := 1\n"
    )
    first, second = read(text).premises
    assert first.doc == "What *it* says."
    assert first.attributes == ("simp", "foo (bar := 1)")
    assert first.is_protected and not first.is_private
    assert second.is_private and not second.is_protected


def test_attributes_given_later_join_the_declaration() -> None:
    text = "namespace N\ntheorem a : p := q\nattribute [simp, aesop safe] a\nattribute [local simp] a\nend N"
    assert premises(text)["N.a"].attributes == ("simp", "aesop safe")


@pytest.mark.parametrize(
    ("signature", "binders", "conclusion"),
    [
        ("(a b : T) {c : U} [C T] ⦃d : V⦄ : p a", ("(a b : T)", "{c : U}", "[C T]", "⦃d : V⦄"), "p a"),
        ("(h : p := by simp) : q", ("(h : p := by simp)",), "q"),
        (": ∀ x : T, fun y : U => p = z", (), "∀ x : T, fun y : U => p = z"),
        ("(f : ∀ x : T, p x) : (x : T) = y", ("(f : ∀ x : T, p x)",), "(x : T) = y"),
        (": let x := 1; x = x", (), "let x := 1; x = x"),
        (":\n    |x|  -- the norm\n      ≤ y", (), "|x| ≤ y"),
        (": {x | p x} = {x : T | q x}", (), "{x | p x} = {x : T | q x}"),
        ("a b : p", ("a", "b"), "p"),
    ],
)
def test_signatures(signature: str, binders: tuple[str, ...], conclusion: str) -> None:
    premise = premises(f"theorem t {signature} := by\n  exact foo\n")["t"]
    assert premise.context == binders
    assert premise.conclusion == conclusion
    assert premise.statement.endswith(f": {conclusion}")


@pytest.mark.parametrize(
    ("text", "conclusion"),
    [
        ("theorem a : ∀ n, p n\n  | 0 => foo\n  | n + 1 => bar\ntheorem b : p := q", "∀ n, p n"),
        ("theorem a :\n  |x| = y := foo", "|x| = y"),
        ("theorem a : p ∧ q where\n  left := x\n  right := y", "p ∧ q"),
    ],
)
def test_patterns_and_where_end_the_type_and_absolute_values_do_not(text: str, conclusion: str) -> None:
    assert premises(text)["a"].conclusion == conclusion


def test_spans_hold_the_whole_declaration() -> None:
    span = premises("\n/-- doc -/\ntheorem a : p :=\n  q\n\ntheorem b : p := q")["a"].span
    assert span is not None
    assert (span.start, span.end) == (Position(1, 0), Position(3, 3))


def test_structures_declare_their_fields() -> None:
    text = """structure Foo (α : Type u) (n : ℕ) extends Bar α, toBaz : Baz where
  mk' ::
  /-- first -/
  x y : α
  protected z (i : ℕ) : α → α := fun a => a
  (v w : ℕ)
  n := 3
  deriving Repr
"""
    found = premises(text)
    assert set(found) == {"Foo", "Foo.mk'", "Foo.x", "Foo.y", "Foo.z", "Foo.v", "Foo.w"}
    assert found["Foo.mk'"].kind == "constructor"
    assert found["Foo.x"].doc == "first"
    assert found["Foo.x"].context == ("{α : Type u}", "{n : ℕ}", "(self : Foo α n)")
    assert found["Foo.z"].context[-1] == "(i : ℕ)"
    assert (found["Foo.z"].conclusion, found["Foo.z"].is_protected) == ("α → α", True)
    assert found["Foo.w"].conclusion == "ℕ"


def test_a_doc_comment_at_the_margin_may_stand_before_a_field() -> None:
    text = "class C (G) : Prop where\n/-- what it says -/\n  field_of :\n    p = q\n"
    text += "/-- next -/\ntheorem t : p := x"
    assert names(text) == ["C", "C.field_of", "C.mk", "t"]
    assert premises(text)["C.field_of"].doc == "what it says"


def test_class_fields_take_the_instance() -> None:
    found = premises("class Foo (α : Type) where\n  op : α → α\n  law : ∀ a,\n    op a = a\n")
    assert found["Foo.op"].context == ("{α : Type}", "[self : Foo α]")
    assert found["Foo.law"].conclusion == "∀ a, op a = a"


def test_inductive_types_declare_their_constructors() -> None:
    text = """inductive Foo (α : Type) : Type where
  /-- nothing -/
  | nil
  | cons (a : α) (l : Foo α) : Foo α
  | two : Foo α → Foo α
  deriving DecidableEq
"""
    found = premises(text)
    assert [found[name].kind for name in ("Foo.nil", "Foo.cons", "Foo.two")] == ["constructor"] * 3
    assert found["Foo.nil"].doc == "nothing"
    assert found["Foo.cons"].context == ("{α : Type}", "(a : α)", "(l : Foo α)")
    assert found["Foo.two"].conclusion == "Foo α → Foo α"


def test_commands_governed_by_in() -> None:
    text = (
        "open Foo in\nset_option maxHeartbeats 4 in\n/-- d -/\n@[simp]\ntheorem a : p := q\n"
        "theorem b : p := q"
    )
    module = read(text)
    assert [premise.name for premise in module.premises] == ["a", "b"]
    assert module.premises[0].attributes == ("simp",)
    assert [len(proof.scope.opens) for proof in module.proofs] == [1, 0]


def test_aliases() -> None:
    text = """theorem foo (a : T) : p a ↔ q a := x
alias bar := foo
@[simp] protected alias ⟨to_q, _⟩ := foo
alias ⟨_, of_q⟩ := foo
alias far := Elsewhere.foo
"""
    found = premises(text)
    assert found["bar"].statement == "(a : T) : p a ↔ q a"
    assert found["to_q"].conclusion == "p a → q a"
    assert found["to_q"].attributes == ("simp",) and found["to_q"].is_protected
    assert found["of_q"].conclusion == "q a → p a"
    assert found["far"].conclusion == ""
    assert {premise.kind for name, premise in found.items() if name != "foo"} == {"alias"}


def test_local_declarations_behind_where() -> None:
    text = (
        "variable {α : Type}\ndef f (a : α) : ℕ :=\n  go 0\nwhere\n  go : ℕ → ℕ\n"
        "    | 0 => 1\n    | n + 1 => go n\n"
    )
    assert premises(text)["f.go"].conclusion == "ℕ → ℕ"


def test_headers() -> None:
    module = read(
        "module\n\npublic import A.B\npublic meta import C\nimport all D\nimport E\n\npublic section\n"
    ).module
    assert module.in_module_system
    assert [(line.module, line.is_public, line.is_meta, line.is_all) for line in module.imports] == [
        ("A.B", True, False, False),
        ("C", True, True, False),
        ("D", False, False, True),
        ("E", False, False, False),
    ]
    assert read("prelude\nimport A\n").is_prelude
