import pytest

from tests.lean_extract.source.reading import link, read, uses

LOGIC = """prelude
inductive Eq : α → α → Prop
  | refl : Eq a a
structure And (a b : Prop) : Prop where
  intro ::
  left : a
  right : b
structure Iff (a b : Prop) : Prop where
  intro ::
  mp : a → b
  mpr : b → a
inductive Or (a b : Prop) : Prop
  | inl (h : a) : Or a b
  | inr (h : b) : Or a b
inductive Nat
  | zero : Nat
  | succ (n : Nat) : Nat
notation "ℕ" => Nat
theorem Eq.symm (h : a = b) : b = a := x
theorem Eq.trans (h : a = b) (k : b = c) : a = c := x
theorem Iff.symm (h : a ↔ b) : b ↔ a := x
theorem Or.symm (h : a ∨ b) : b ∨ a := x
def Both (p q : Prop) : Prop := p = q ∧ q = p
theorem foo (a b : ℕ) : a = b := x
theorem iff_foo : (a = b) ↔ (p ∧ q = r) := x
theorem Nat.le_bar (n : ℕ) : n = n := x
"""


def premises_of(statement: str, extra: str = "") -> set[str]:
    return uses(f"{LOGIC}{extra}\ntheorem t {statement}\n", "t")


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        (": p := foo a b", {"foo"}),
        (": p := Nat.le_bar n", {"Nat.le_bar"}),
        (": p := (foo a b).symm", {"foo", "Eq.symm"}),
        (": p := iff_foo.symm", {"iff_foo", "Iff.symm"}),
        (": p := iff_foo.mp.1", {"iff_foo", "Iff.mp", "And.left"}),
        (": p := (iff_foo.mp h).2.symm", {"iff_foo", "Iff.mp", "And.right", "Eq.symm"}),
        ("(h : a = b) : p := h.symm.trans h", {"Eq.symm", "Eq.trans"}),
        ("(h : a = b ∧ p) : p := h.1.symm", {"And.left", "Eq.symm"}),
        ("(h : ∀ x, a = x) : p := (h y).symm", {"Eq.symm"}),
        ("(h : Both p q) : p := h.left", {"And.left"}),
        ("(n : ℕ) : p := n.le_bar", {"Nat.le_bar"}),
        (": a = b ∧ p → q := fun h => h.1.symm", {"And.left", "Eq.symm"}),
        (": a = b → q := by\n  intro h\n  exact h.symm", {"Eq.symm"}),
        (": a = b ↔ p = q := ⟨fun h => h.symm, fun h => h.trans h⟩", {"Eq.symm", "Eq.trans"}),
        (": (a ↔ b) ↔ c = d := by\n  constructor\n  · intro h\n    exact h.symm\n  · intro h\n"
         "    exact h.trans x",
         {"Iff.symm", "Eq.trans"}),
        ("(h : a = b ∧ (p ↔ q)) : p := by\n  obtain ⟨h, k⟩ := h\n  exact f h.symm k.symm",
         {"Eq.symm", "Iff.symm"}),
        ("(h : a = b ∨ p) : p := by\n  rcases h with h | h\n  · exact h.symm\n  · exact h", {"Eq.symm"}),
        ("(h : Both p q) : p := by\n  obtain ⟨h, k⟩ := h\n  exact k.symm", {"Eq.symm"}),
        (": p := by\n  have h := foo a b\n  exact h.symm", {"foo", "Eq.symm"}),
        (": p := by\n  have h : a ↔ b := x\n  exact h.symm", {"Iff.symm"}),
        (": a = a := by\n  induction n with\n  | zero => exact x\n  | succ n ih => exact ih.symm",
         {"Nat.zero", "Nat.succ", "Eq.symm"}),
        ("(h : p ∨ q) : r := by\n  cases h with\n  | inl h => exact x\n  | inr h => exact y",
         {"Or.inl", "Or.inr"}),
        (": p ∨ q := .inl h", {"Or.inl"}),
        (": p ∧ q where\n  left := foo a b\n  right x := x", {"foo"}),
        (": p := bar (foo := 1) { foo := 2 }", set()),
        (": p := fun foo => foo", set()),
        (": p := by\n  rintro ⟨foo, bar⟩\n  exact foo", set()),
        (": p := by\n  obtain ⟨x, foo⟩ : q := y\n  exact foo", set()),
        (": p := by\n  rcases x with ⟨foo⟩ | foo\n  exact foo", set()),
        (": p := by\n  simp only [foo, Nat.le_bar] at h ⊢", {"foo", "Nat.le_bar"}),
        (": ∀ n, p n\n  | 0 => foo a b\n  | foo + 1 => x", {"foo"}),
        (": p := t", set()),
    ],
)  # fmt: skip
def test_mentions(statement: str, expected: set[str]) -> None:
    assert premises_of(statement) == expected


NAMES = {
    "the innermost namespace wins, and protected names need a prefix": (
        "theorem x : p := y\ntheorem z : p := y\nnamespace A\ntheorem x : p := y\nprotected theorem z : p := y\n"
        "namespace B\ntheorem t : p := f x z B.u A.z\ntheorem u : p := y\nend B\ntheorem s : p := x\nend A\n"
        "theorem r : p := f x A.x",
        {"A.B.t": {"A.x", "z", "A.z"}, "A.s": {"A.x"}, "r": {"x", "A.x"}},
    ),
    "a theorem stands in its own namespace": (
        "theorem A.B.x : p := y\ntheorem A.t : p := B.x\ntheorem A.B.s : p := x",
        {"A.t": {"A.B.x"}, "A.B.s": {"A.B.x"}},
    ),
    "opened namespaces end with their section": (
        "theorem A.x : p := q\nsection\nopen A\ntheorem t : p := x\nend\ntheorem s : p := x",
        {"t": {"A.x"}, "s": set()},
    ),
    "exported names": (
        "namespace A\ntheorem x : p := q\nend A\nnamespace B\nexport A (x)\nend B\ntheorem t : p := B.x",
        {"t": {"A.x"}},
    ),
    "words that need no quotes behind a dot": (
        "theorem S.«exists» : p := x\nnamespace S\ntheorem «forall» : p := x\nend S\n"
        "theorem t : p := foo S.exists S.«exists» S.forall",
        {"t": {"S.exists", "S.forall"}},
    ),
    "aliases are named themselves": (
        "theorem x : p := q\nalias y := x\ntheorem t : p := y",
        {"t": {"y"}},
    ),
    "only what stands before can be meant": (
        "theorem t : p := x\ntheorem x : p := q\ntheorem s : p := x",
        {"t": set(), "s": {"x"}},
    ),
    "fields of what a structure extends": (
        "structure A (α : Type) where\n  law : p\nclass B (α : Type) extends A α where\n  other : q\n"
        "theorem t (h : B α) : p := f h.law h.other",
        {"t": {"A.law", "B.other"}},
    ),
    "names made by attributes": (
        "@[to_additive]\ntheorem mul_foo : a * b = c := x\ntheorem t : p := add_foo",
        {"t": {"add_foo"}},
    ),
}


@pytest.mark.parametrize("case", NAMES)
def test_what_a_name_means(case: str) -> None:
    text, expected = NAMES[case]
    assert {theorem: uses(text, theorem) for theorem in expected} == expected


@pytest.mark.parametrize(
    ("opening", "expected"),
    [
        ("open A", {"A.x", "A.y", "A.B.w"}),
        ("open A (x)", {"A.x"}),
        ("open A hiding x", {"A.y", "A.B.w"}),
        ("open A renaming x → y", {"A.x"}),
        ("open scoped A", set()),
        ("open A B", {"A.x", "A.y", "A.B.w", "A.B.v"}),
        ("open A in", {"A.x", "A.y", "A.B.w"}),
        ("", set()),
    ],
)
def test_open(opening: str, expected: set[str]) -> None:
    text = f"""namespace A
theorem x : p := q
theorem y : p := q
protected theorem u : p := q
theorem B.w : p := q
theorem B.v : p := q
end A
{opening}
theorem t : p := f x y u B.w v
"""
    assert uses(text, "t") == expected


def test_exports_are_read_where_they_stand() -> None:
    """Both names mean one premise, and the one that people write is told beside the full one."""
    text = "namespace N\nclass C where\n  protected x : p\nexport C (x)\nend N\n"
    text += "theorem t : p := N.x\ntheorem u : p := N.C.x"
    assert uses(text, "t") == uses(text, "u") == {"N.C.x"}
    assert [p.written for p in read(text).premises if p.name == "N.C.x"] == ["N.x"]


def test_exports_of_what_other_modules_declare() -> None:
    files = {
        "A": "class N.C where\n  x : p",
        "B": "import A\nnamespace N\nexport C (x gone)\nend N\nexport Nowhere (y)",
        "D": "import B\ntheorem t : p := foo N.x N.gone y",
    }
    assert link(files)["t"].premises == ("N.C.x",)


def test_only_what_is_imported_can_be_meant() -> None:
    files = {
        "A": "theorem x : p := q\nprivate theorem hidden : p := q\n",
        "B": "import A\ntheorem y : p := f x z hidden\n",
        "C": "import B\ntheorem z : p := f x y\n",
        "D": "theorem w : p := f x y z\n",
    }
    found = link(files)
    assert set(found["y"].premises) == {"x"}
    assert set(found["z"].premises) == {"x", "y"}
    assert set(found["w"].premises) == set()


def test_init_is_imported_unless_the_file_is_a_prelude() -> None:
    files = {
        "Init": "prelude\nimport Core\n",
        "Core": "prelude\ntheorem x : p := q\n",
        "A": "theorem t : p := x\n",
        "B": "prelude\ntheorem s : p := x\n",
    }
    found = link(files)
    assert found["t"].premises == ("x",)
    assert found["s"].premises == ()


def test_circular_imports_and_unknown_modules_are_survived() -> None:
    files = {"A": "import B\nimport Nowhere\ntheorem x : p := y\n", "B": "import A\ntheorem y : p := x\n"}
    assert set(link(files)) == {"x", "y"}


def test_long_chains_of_imports() -> None:
    files = {"M0": "theorem x : p := q\n"}
    files |= {f"M{i}": f"import M{i - 1}\n" for i in range(1, 3000)}
    files["Last"] = "import M2999\ntheorem t : p := x\n"
    assert link(files)["t"].premises == ("x",)


def test_premises_come_in_order_of_first_use() -> None:
    text = "theorem x : p := q\ntheorem y : p := q\ntheorem t : p := f y x y"
    assert link({"Test": text})["t"].premises == ("y", "x")
