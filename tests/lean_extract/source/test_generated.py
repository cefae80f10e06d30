import pytest

from tests.lean_extract.source.reading import names, premises


def test_to_additive_makes_a_twin() -> None:
    text = (
        "@[to_additive (attr := simp) /-- sum -/]\n"
        "theorem mul_one' {M : Type*} [Monoid M] (a : M) : a * 1 = a := x"
    )
    twin = premises(text)["add_zero'"]
    assert twin.statement == "{M : Type*} [AddMonoid M] (a : M) : a + 0 = a"
    assert (twin.generated_by, twin.generated_from) == ("to_additive", "mul_one'")
    assert (twin.doc, twin.attributes, twin.kind) == ("sum", ("simp",), "theorem")


@pytest.mark.parametrize(
    ("attribute", "source", "target"),
    [
        ("to_additive my_add", "Monoid.my_mul", "AddMonoid.my_add"),
        ("to_additive Foo.my_add", "Monoid.my_mul", "Foo.my_add"),
        ("to_additive _root_.my_add", "A.Monoid.my_mul", "my_add"),
        ("to_additive Bar.my_add", "A.Monoid.my_mul", "A.Bar.my_add"),
        ('to_additive "a doc"', "my_mul", "my_add"),
        ("to_dual", "le_sup", "le_inf"),
    ],
)
def test_names_given_in_the_attribute_win(attribute: str, source: str, target: str) -> None:
    assert names(f"@[{attribute}]\ntheorem {source} : p := x") == [source, target]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(
            (f"@[to_additive {option}]\ntheorem mul_foo : p := x", ["mul_foo"])
            for option in ("existing", "existing foo", "self", "none")
        ),
        (
            "@[to_additive (attr := to_additive VAdd_x) SMul_x]\ntheorem Pow_x : p := q",
            ["Pow_x", "SMul_x", "VAdd_x"],
        ),
        ("theorem mul_foo : p := q\nattribute [to_additive] mul_foo", ["mul_foo", "add_foo"]),
        ("@[to_additive]\nclass Group' (G : Type) where one ::", ["Group'", "Group'.one"]),
        ("@[alias_in A.B.C] theorem foo : p := x", ["foo"]),
        ("@[alias_in] theorem A.foo : p := x", ["A.foo"]),
        ("@[ext (iff := false)] theorem a_ext (h : a = b) : f = g := x", ["a_ext"]),
        ("mk_iff_of_inductive_prop List.Chain List.chain_iff", ["List.chain_iff"]),
        ("mk_iff_of_inductive_prop List.Chain", []),
    ],
)
def test_what_is_made_and_what_is_not(text: str, expected: list[str]) -> None:
    assert names(text) == expected


def test_what_the_source_writes_out_wins() -> None:
    found = premises("@[to_additive]\ntheorem mul_foo : a * b = c := x\ntheorem add_foo : d := x")
    assert found["add_foo"].conclusion == "d"
    assert found["add_foo"].generated_by is None


def test_ext_of_structures() -> None:
    assert "P.ext_iff" not in names("@[ext (iff := false)] structure P where\n  x : α")
    found = premises("@[ext]\nstructure P (α : Type) where\n  x : α\n  y : α")
    assert found["P.ext"].statement == "(α : Type) {x y : P α} (x : x.x = y.x) (y : x.y = y.y) : x = y"
    assert found["P.ext_iff"].conclusion == "x = y ↔ x.x = y.x ∧ x.y = y.y"


def test_ext_of_theorems() -> None:
    found = premises("@[ext]\ntheorem foo_ext {f g : T} (h : ∀ x, f x = g x) : f = g := x")
    assert found["foo_ext_iff"].statement == "{f g : T} : f = g ↔ ∀ x, f x = g x"


def test_other_generating_attributes() -> None:
    text = """@[mk_iff] inductive IsFoo (n : ℕ) : Prop
  | intro : p n → IsFoo n
@[mk_iff my_iff] class Bar (n : ℕ) : Prop where
  mk ::
  x : p n
@[reassoc (attr := simp)] theorem comp : f ≫ g = h := x
@[elementwise] lemma app : f = g := x
"""
    made = {p.name: p.generated_by for p in premises(text).values() if p.generated_by}
    assert made == {
        "isFoo_iff": "mk_iff",
        "my_iff": "mk_iff",
        "comp_assoc": "reassoc",
        "app_apply": "elementwise",
    }


def test_nested_attributes_reach_every_declaration() -> None:
    """`(attr := ...)` is given to the declaration and to what the attribute around it makes."""
    binders = "{f g : X → M} [Mul M] (hf : Continuous f) (hg : Continuous g)"
    body = f"theorem Continuous.mul {binders} : Continuous (f * g) := x"
    for attributes in ("to_fun (attr := fun_prop, to_additive)", "to_additive (attr := to_fun)"):
        found = premises(f"@[{attributes}]\n{body}")
        assert found["Continuous.add"].conclusion == "Continuous (f + g)"
        assert found["Continuous.fun_mul"].conclusion == "Continuous (fun x => f x * g x)"
        assert found["Continuous.fun_add"].conclusion == "Continuous (fun x => f x + g x)"
        assert "[Add M]" in found["Continuous.fun_add"].context
        assert {p.generated_from for p in found.values()} == {None, "Continuous.mul"}


@pytest.mark.parametrize(
    ("conclusion", "expected"),
    [
        ("P (g ∘ f)", "P (fun x => g (f x))"),
        ("P f⁻¹", "P fun x => (f x)⁻¹"),
        ("P (-f)", "P (fun x => -f x)"),
        ("P (c • f) s", "P (fun x => c • f x) s"),
        ("P (∑ i ∈ s, F i) x", "P (fun y => ∑ i ∈ s, F i y) x"),
        ("P (f ^ n)", "P (fun x => f x ^ n)"),
        ("P (fun x => f x * g x)", "P (fun x => f x * g x)"),
        ("a + b = c", "a + b = c"),
        ("P (f * g) (c * f z + g z * c) z", "P (fun x => f x * g x) (c * f z + g z * c) z"),
        ("P f⁻¹ s", "P (fun x => (f x)⁻¹) s"),
    ],
)
def test_to_fun_applies_the_functions(conclusion: str, expected: str) -> None:
    text = f"@[to_fun]\ntheorem A.foo {{f g : X → Y}} {{F : ι → X → Y}} (c n : ℕ) : {conclusion} := x"
    assert premises(text)["A.fun_foo"].conclusion == expected


@pytest.mark.parametrize(
    ("attribute", "source", "made"),
    [
        ("to_fun bar", "A.foo", "A.bar"),
        ("to_fun Bar.baz", "A.B.foo", "A.Bar.baz"),
        ("to_fun _root_.bar", "A.foo", "bar"),
        ("higher_order", "A.foo", "A.foo'"),
        ("higher_order bar", "A.foo", "A.bar"),
        ("alias_in C", "A.B.foo", "A.C.foo"),
        ("alias_in C 2", "A.B.foo", "C.foo"),
        ("to_app (attr := reassoc)", "A.foo", "A.foo_app"),
        ("reassoc +to_dual (attr := simp)", "A.foo", "A.foo_assoc"),
    ],
)
def test_names_of_related_lemmas(attribute: str, source: str, made: str) -> None:
    assert made in names(f"@[{attribute}]\ntheorem {source} : p := x")


def test_name_hints_count_below_them_and_both_ways_for_duals() -> None:
    text = "@[to_dual] theorem left_a : p := x\nto_dual_name_hint Left Right, Fst Snd\n"
    text += "@[to_dual] theorem left_b : p := x\n@[to_dual] theorem sndRight : p := x\n"
    text += "to_additive_name_hint Foo Bar\n@[to_additive] theorem foo_mul : p := x\n"
    text += "insert_to_additive_translation Q.A R\n@[to_additive] theorem Q.A.mul : p := x"
    expected = [
        "left_a", "left_b", "right_b", "sndRight", "fstLeft", "foo_mul", "bar_add", "Q.A.mul", "R.add",
    ]  # fmt: skip
    assert names(text) == expected


def test_a_hint_renames_no_universe() -> None:
    text = "to_dual_name_hint U L\n@[to_dual] theorem G.mono_u {α : Type u} {u l : α} (gc : G l u) : M u := x"
    assert premises(text)["G.mono_l"].statement == "{α : Type u} {l u : α} (gc : G u l) : M l"


def test_simps_by_the_type_of_a_bundled_map() -> None:
    text = """@[simps]
def A.foo (a : M) : A ≃ B × C where
  toFun x := a * x
  invFun := g
  left_inv x := h
"""
    found = premises(text)
    assert [name for name, premise in found.items() if premise.generated_by == "simps"] == [
        "A.foo_apply",
        "A.foo_symm_apply",
    ]
    assert found["A.foo_apply"].statement == "(a : M) : foo a x = a * x"
    assert found["A.foo_symm_apply"].conclusion == "(foo a).symm = g"


@pytest.mark.parametrize(
    ("text", "made"),
    [
        (
            "@[simps! apply symm_apply -isSimp (attr := grind =)] def f : A ≃ B := e",
            ["f_apply", "f_symm_apply"],
        ),
        ("@[simps!] def f : A → B ≃+* C := e", ["f_apply", "f_symm_apply"]),
        ("@[simps!] def f : A ⥤ B := e", ["f_obj", "f_map"]),
        ("@[simps] def f : T where\n  x := 1\n  map_x' := p\n  y := by simp\n  z w := 2", ["f_x", "f_z"]),
        (
            "@[simps] def f : T := { e with\n    x := 1\n    hom := { app := g, naturality := h } }",
            ["f_x", "f_hom_app"],
        ),
        ("@[simps] def f : T where\n  toFoo := { x := 1 }\n  __ := e", ["f_x"]),
        ("@[simps] def N.f : T where\n  carrier := s", ["N.coe_f"]),
        ('@[simps (nameStem := "g")] def f : T where\n  x := 1', ["g_x"]),
        ("@[simps] instance : Foo T where\n  x := 1", ["x"]),
        ("@[simps (attr := reassoc) hom] def f : T := e", ["f_hom", "f_hom_assoc"]),
        ("@[simps] def f : T := e", []),
        ("@[simps] def f : T where\n  x | 0 => 1\n  y :=", []),
    ],
)
def test_simps(text: str, made: list[str]) -> None:
    assert [premise.name for premise in premises(text).values() if premise.generated_by] == made


def test_simps_of_a_translation_is_translated() -> None:
    text = "@[to_additive (attr := simps)] def mulMap (a : M) : M →* N where\n  toFun x := a * x"
    assert premises(text)["addMap_apply"].statement == "(a : M) : addMap a x = a + x"


def test_irreducible_definitions_have_a_lemma() -> None:
    found = premises(
        "irreducible_def A.foo (n : ℕ) : ℕ := n + 1\nirreducible_def bar (lemma := baz) : ℕ := 1"
    )
    assert found["A.foo_def"].statement == "(n : ℕ) : foo n = n + 1"
    assert found["baz"].conclusion == "bar = 1"
    assert "bar_def" not in found
    assert found["bar"].context == ()


def test_structures_have_a_constructor() -> None:
    text = (
        "structure A.P (α : Type) where\n  x : α\n  h (n : ℕ) : x = n\nstructure Q where\n  make ::\n  x : α"
    )
    found = premises(text)
    assert found["A.P.mk"].statement == "(α : Type) (x : α) (h : ∀ (n : ℕ), x = n) : P α"
    assert found["A.P.mk"].kind == "constructor"
    assert "Q.mk" not in found


def test_attributes_that_nest_without_end_are_bounded() -> None:
    deep = "to_fun (attr := " * 40 + "simp" + ")" * 40
    assert len(names(f"@[{deep}] theorem foo : p := x")) <= 201
    many = ", ".join(["to_fun", "to_additive", "to_dual"] * 300)
    assert len(names(f"@[to_fun (attr := to_fun (attr := {many}))] theorem mul_sup : p := x")) <= 201
