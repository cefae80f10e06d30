"""Where commands begin and end, and which declarations other modules see."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lean_extract.records import Premise
from lean_extract.source.reader import SourceModule
from tests.lean_extract.source.reading import link, names, premises, read, uses

pytestmark = pytest.mark.field_case

IN = """namespace N
whatsnew in
theorem a (n : Nat) : n = n := rfl
suppress_compilation in
theorem b (n : Nat) : n = n := rfl
notation3 "ball_{" x "}" => N.f x in
instance c : Nonempty Nat := ⟨0⟩
local instance [Inhabited Nat] : Inhabited (Nat → Nat) where
  default d := d in
/-- doc -/
@[specialize] protected partial def d (n : Nat) : Nat := d n
end N
"""
QUOTE = """import Lean
open Lean Elab Command
elab "mk " n:ident : command => do
  elabCommand <| ← `(
    section
    private def $n : Nat := 1
    end)
"""
HIDDEN = """module
namespace Hd
theorem hidden_by_default (n : Nat) : n + 7 = 7 + n := by omega
public theorem shown_here (n : Nat) : n + 8 = 8 + n := by omega
end Hd
"""


def test_field_case_of_declarations_after_other_commands() -> None:
    module = read(IN)
    assert {"N.a", "N.b", "N.c", "N.d"} <= {premise.name for premise in module.premises}
    assert module.problems == ()
    assert premises(IN)["N.d"].doc == "doc"
    assert premises(IN)["N.d"].is_protected


BEFORE = (
    *("whatsnew", "count_heartbeats", "#guard_msgs (drop info)", "my_command 1 2", "suppress_compilation"),
    *("set_option x.y true", "open Foo Bar", "open scoped Foo", "omit [C α]", "include h", "unseal f"),
    *("variable (x : A)", "attribute [local simp] foo", 'local notation "a" => B', 'infix:50 " ≺ " => r'),
    *("local instance : C T := x", "@[simp] theorem first : p ∧ q := ⟨x, y⟩", "deriving instance A for B"),
    *("alias a := b", "universe u", "def f : Nat := by\n  open Foo in\n  exact 1", "/-- doc -/ def g := 1"),
)


@given(st.lists(st.sampled_from(BEFORE), max_size=4), st.booleans(), st.booleans())
def test_every_command_may_come_before_in(before: list[str], in_lines: bool, has_doc: bool) -> None:
    text = "".join(f"{command} in{chr(10) if in_lines else ' '}" for command in before)
    text += "/-- doc -/\n" * has_doc + "theorem last (n : Nat) : n = n := rfl\ntheorem other : p := x\n"
    assert names(text)[-2:] == ["last", "other"]


def test_in_inside_a_proof_ends_nothing() -> None:
    text = "theorem a : p := by\n  open Foo in\n  set_option x true in\n  exact h\ntheorem h : p := x"
    assert names(text) == ["a", "h"]
    assert uses("theorem h : p := x\ntheorem a : p := by\n  open Foo in\n  exact h", "a") == {"h"}


def test_what_is_opened_before_in_counts_once() -> None:
    text = "theorem F.h : p := x\nopen F in\ntheorem a : p := h\ntheorem b : p := h"
    found = link({"Test": text})
    assert (found["a"].premises, found["b"].premises) == (("F.h",), ())


def test_field_case_of_a_quotation() -> None:
    module = read(QUOTE + "theorem after : p := x\n")
    assert (module.problems, [premise.name for premise in module.premises]) == ((), ["after"])


@pytest.mark.parametrize(
    "quotation",
    [
        "`(section\n  private def $n : Nat := 1\nend)",
        "`(command|\n    theorem $(mkIdent `x) : p := (y)\n    end)",
        "`(namespace $n\n@[simp] def f := `(def $m := 1)\nend $n)",
    ],
)
def test_quotations_hold_no_commands(quotation: str) -> None:
    module = read(f"macro_rules | `(foo) => {quotation}\ntheorem after : p := x\n")
    assert (module.problems, [premise.name for premise in module.premises]) == ((), ["after"])


def test_a_quotation_that_is_not_closed_hides_nothing() -> None:
    assert names("def f := `(\ntheorem after : p := (x)\n") == ["f", "after"]


def hidden(text: str) -> list[str]:
    return [premise.name for premise in read(text).premises if premise.is_private]


def test_field_case_of_a_module_file() -> None:
    assert hidden(HIDDEN) == ["Hd.hidden_by_default"]
    assert hidden(HIDDEN.removeprefix("module\n")) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def a := 1", ["a"]),
        ("public def a := 1", []),
        ("@[expose] public def a := 1", []),
        ("public section\ndef a := 1", []),
        ("@[expose] public section\nnamespace N\ndef a := 1\nend N\nend\ndef b := 1", ["b"]),
        ("public section\nsection S\ndef a := 1\nend S\nprivate def b := 1", ["b"]),
        ("section\npublic section\ndef a := 1\nend\ndef b := 1\nend", ["b"]),
        ("structure S where\n  x : Nat", ["S", "S.x", "S.mk"]),
        ("public structure S where\n  x : Nat", []),
        ("@[to_additive] theorem mul_a : p := x", ["mul_a", "add_a"]),
        ("public theorem a : p := x\nalias b := a", ["b"]),
        ("public theorem a : p := x\npublic alias b := a", []),
        ("open Foo in\npublic theorem a : p := x", []),
    ],
)
def test_a_module_shows_what_is_public(text: str, expected: list[str]) -> None:
    assert hidden(f"module\npublic import B\n{text}\n") == expected


def test_a_private_declaration_is_seen_in_its_module_only() -> None:
    files = {
        "A": "module\ntheorem here : p := x\ntheorem user : p := here\npublic theorem shown : p := x\n",
        "B": "module\nimport A\ntheorem other : p := here\ntheorem more : p := shown\n",
    }
    found = link(files)
    assert found["user"].premises == ("here",)
    assert found["other"].premises == ()
    assert found["more"].premises == ("shown",)


def test_a_written_twin_replaces_a_made_one_in_a_module_too() -> None:
    module: SourceModule = read(
        "module\n@[to_additive] theorem mul_x : a * b = c := y\ntheorem add_x : d := y\n"
    )
    twins: list[Premise] = [premise for premise in module.premises if premise.name == "add_x"]
    assert [twin.conclusion for twin in twins] == ["d"]
