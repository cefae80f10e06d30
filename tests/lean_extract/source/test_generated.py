import pytest

from lean_extract.source.translation import TO_ADDITIVE, TO_DUAL
from tests.lean_extract.source.reading import names, premises


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mul_comm'", "add_comm'"),
        ("MulEquiv.map_one_le", "AddEquiv.map_nonneg"),
        ("CommMonoid.one_lt_iff", "AddCommMonoid.pos_iff"),
        ("Submonoid.mem_closure", "AddSubmonoid.mem_closure"),
        ("pow_succ", "nsmul_succ"),
        ("DivisionMonoid", "SubtractionMonoid"),
        ("CancelCommMonoid", "AddCancelCommMonoid"),
        ("Finset.prod_eq_one", "Finset.sum_eq_zero"),
        ("Prod.mk_mul_mk", "Prod.mk_add_mk"),
        ("Function.Injective.mul", "Function.Injective.add"),
        ("mulSupport_eq", "support_eq"),
        ("eventuallyLE_one", "eventuallyLE_zero"),
        ("hasFPowerSeries", "hasFPowerSeries"),
    ],
)
def test_additive_names(name: str, expected: str) -> None:
    assert TO_ADDITIVE.name(name) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("sup_le", "inf_le"),
        ("iSup_le_iff", "iInf_le_iff"),
        ("OrderTop.le", "OrderBot.le"),
        ("IsLUB.unique", "IsGLB.unique"),
        ("Set.Ioc_inter", "Set.Ico_inter"),
        ("epi_of_epi", "mono_of_mono"),
    ],
)
def test_dual_names(name: str, expected: str) -> None:
    assert TO_DUAL.name(name) == expected


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("a * b⁻¹ = a / b * 1", "a + -b = a - b + 0"),
        ("[CommGroup G]", "[AddCommGroup G]"),
        ("{G : Type*}", "{G : Type*}"),
        ("a ^ (n + 1) = a ^ n * a", "(n + 1) • a = n • a + a"),
        ("∏ i ∈ s, f i = 1", "∑ i ∈ s, f i = 0"),
        ("f (a * b)⁻¹ = f b⁻¹", "f (-(a + b)) = f (-b)"),
        ("f ⁻¹' s = t", "f ⁻¹' s = t"),
        ("(f : M →* N) (e : M ≃* N)", "(f : M →+ N) (e : M ≃+ N)"),
        ("p.1 = (1 : M)", "p.1 = (0 : M)"),
        ("(1 : ℕ) = n", "(1 : ℕ) = n"),
    ],
)
def test_additive_statements(statement: str, expected: str) -> None:
    assert TO_ADDITIVE.statement(statement) == expected


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("a ⊓ b ≤ c", "c ≤ a ⊔ b"),
        ("a ≤ b → b < c + d ∧ p", "b ≤ a → c + d < b ∧ p"),
        ("⨆ i, f i ≤ a ↔ ∀ i, f i ≤ a", "a ≤ ⨅ i, f i ↔ ∀ i, a ≤ f i"),
        ("(h : ∀ x, f x ≤ g x)", "(h : ∀ x, g x ≤ f x)"),
        ("⊥ = a", "⊤ = a"),
    ],
)
def test_dual_statements(statement: str, expected: str) -> None:
    assert TO_DUAL.statement(statement) == expected


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


@pytest.mark.parametrize("option", ["existing", "existing foo", "self", "none"])
def test_nothing_is_made_where_the_twin_is_written_out(option: str) -> None:
    assert names(f"@[to_additive {option}]\ntheorem mul_foo : p := x") == ["mul_foo"]


def test_attributes_pass_through_translation() -> None:
    text = "@[to_additive (attr := to_additive VAdd_x) SMul_x]\ntheorem Pow_x : p := q"
    assert names(text) == ["Pow_x", "SMul_x", "VAdd_x"]


def test_attribute_commands_generate_too() -> None:
    assert names("theorem mul_foo : p := q\nattribute [to_additive] mul_foo") == ["mul_foo", "add_foo"]


def test_types_are_never_translated_by_the_attribute() -> None:
    assert names("@[to_additive]\nclass Group' (G : Type)") == ["Group'"]


def test_what_the_source_writes_out_wins() -> None:
    found = premises("@[to_additive]\ntheorem mul_foo : a * b = c := x\ntheorem add_foo : d := x")
    assert found["add_foo"].conclusion == "d"
    assert found["add_foo"].generated_by is None


def test_ext_of_structures() -> None:
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
