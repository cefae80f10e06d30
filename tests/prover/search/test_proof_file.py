"""What was found, checked as a whole file by a fresh Lean."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from lean_extract.common.errors import LeanNotFound
from lean_extract.session.processes import descendants
from lean_extract.toolchains.toolchain import Toolchain
from prover.search.theorem import CheckedProof, Theorem, check_proof, proof_text, write_proof
from tests.prover.search.helpers import theorem

lean = pytest.mark.lean
PRINTED = "set_option pp.fullNames true in #print axioms"
SWAP = "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p"
COMPILED = """namespace Lean.Parser.Tactic
syntax (name := nativeDecide) "native_decide" optConfig : tactic
end Lean.Parser.Tactic

def evil (n : Nat) : Nat := n + 1
@[implemented_by evil] def f (n : Nat) : Nat := n
theorem below : f 0 = 1 := by native_decide
def two : Nat := 2
@[implemented_by two] opaque hidden : Nat
theorem by_code : hidden = 2 := by native_decide
theorem N.inner : f 3 = 4 := by native_decide
macro_rules | `(tactic| rfl) => `(tactic| native_decide)
"""
STRANGE = """import Example.Nat.Order

namespace Shop

theorem hole : 1 = 2 := by
  sorry

private theorem hidden (m n : ℕ) (h : m ≤ n) : m ≤ n + 1 := by sorry

theorem broken : 1 = 2 := foo

end Shop
"""


async def checked(example: Toolchain, goal: Theorem, *proof: str) -> CheckedProof:
    return await check_proof(goal, proof, example)


@lean
async def test_universes_do_not_hide_what_a_proof_rests_on(example: Toolchain) -> None:
    hole = "set_option pp.universes true\n\ntheorem hole.{u} (α : Sort u) (a b : α) : a = b := by sorry\n"
    goal = Theorem.stated(Path("A.lean"), hole, "theorem t : 1 = 2")
    done = await checked(example, goal, "exact hole _ 1 2")
    assert (done.accepted, done.axioms) == (False, ("sorryAx",))


@lean
async def test_a_proof_is_accepted_and_its_axioms_are_listed(example: Toolchain) -> None:
    done = await checked(example, theorem(SWAP), "exact ⟨h.2, h.1⟩")
    assert (done.accepted, done.axioms, done.message) == (True, (), "")
    done = await checked(
        example,
        theorem("theorem em (p : Prop) : p ∨ ¬p"),
        "by_cases h : p",
        "exact Or.inl h",
        "exact Or.inr h",
    )
    assert done.accepted
    assert set(done.axioms or ()) == {"propext", "Classical.choice", "Quot.sound"}


@lean
@pytest.mark.parametrize(
    ("proof", "message"),
    [
        (["sorry"], "declaration uses `sorry`"),
        (["constructor", "exact h.2", "admit"], "declaration uses `sorry`"),
        (["exact sorryAx _ false"], "declaration uses `sorry`"),
        (["exact h"], "line 2: Type mismatch"),
        (["constructor", "exact h.2"], "line 1: unsolved goals"),
        (["exact ⟨h.2, h.1⟩ -/"], "line 2:"),
        (["exact ⟨h.2, h.1⟩", "/- and so on"], "unterminated comment"),
        (["exact ⟨h.2, h.1⟩", "exact h.1"], "line 3: No goals"),
        (["exact swap p q h"], "line 1: fail to show termination"),
        (["trivial", "axiom a (p : Prop) : p", "theorem u : True := by trivial"], "line 2:"),
    ],
)
async def test_what_is_no_proof_is_refused_with_lean_s_words(
    example: Toolchain, proof: Sequence[str], message: str
) -> None:
    done = await checked(example, theorem(SWAP), *proof)
    assert not done.accepted
    assert message in done.message


@lean
async def test_only_the_theorem_itself_has_to_be_without_sorry(example: Toolchain) -> None:
    goal = Theorem.first(
        Path("Shop.lean"), STRANGE[: STRANGE.index("theorem broken")].replace("sorry", "exact x", 1)
    )
    assert goal.name == "hidden"
    start = STRANGE[: STRANGE.index("theorem broken")]
    goal = Theorem.at(Path("Shop.lean"), start, goal.position)
    done = await checked(example, goal, "exact Nat.le_succ_of_le h")
    assert (done.accepted, done.message) == (True, "")
    done = await checked(example, goal, "exact absurd hole (by decide)")
    assert not done.accepted
    assert (done.axioms, done.message) == (("sorryAx",), "It depends on sorryAx.")


@lean
@pytest.mark.parametrize(
    ("statement", "proof", "axiom"),
    [
        ("theorem t : f 0 = 1", "exact below", "below._native.native_decide.ax_1_1"),
        ("theorem t : f 1 = 2", "rfl", "t._native.native_decide.ax_1_1"),
        ("theorem t : hidden = 2", "exact by_code", "by_code._native.native_decide.ax_1_1"),
        ("theorem t : f 1 = 2", "decide +native", "t._native.decide.ax_1_1"),
        ("theorem t : f 3 = 4", "exact N.inner", "N.inner._native.native_decide.ax_1_1"),
        ("namespace N\ntheorem t : f 3 = 4", "exact inner", "N.inner._native.native_decide.ax_1_1"),
    ],
)
async def test_trust_in_compiled_code_proves_nothing(
    example: Toolchain, statement: str, proof: str, axiom: str
) -> None:
    """Of the false ones among them, too, Lean makes axioms whose names show their origin."""
    done = await checked(example, Theorem.stated(Path("A.lean"), COMPILED, statement), proof)
    assert (done.accepted, done.axioms, done.message) == (False, (axiom,), f"It depends on {axiom}.")


@lean
@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("theorem hole : 1 = 2 := by\n  sorry\nnamespace N\ndef sorryAx := 1", "_root_.sorryAx"),
        ("theorem hole : 1 = 2 := by\n  sorry\naxiom «]» : 1 = 2", "sorryAx"),
        (
            "namespace Lean\naxiom trustCompiler : 1 = 2\ntheorem hole : 1 = 2 := trustCompiler",
            "Lean.trustCompiler",
        ),
    ],
)
async def test_a_gap_counts_however_it_is_printed(example: Toolchain, header: str, name: str) -> None:
    goal = Theorem.stated(Path("A.lean"), header, "theorem t : 1 = 2 ∧ 1 = 2")
    done = await checked(example, goal, "exact ⟨" + ("«]»" if "«" in header else "hole") + ", hole⟩")
    assert not done.accepted
    assert name in (done.axioms or ())
    assert done.message == f"It depends on {name}."


@lean
async def test_an_axiom_that_the_file_declares_is_listed_and_does_no_harm(example: Toolchain) -> None:
    header = "namespace N\naxiom «choice, they say» : 1 = 2\naxiom native : 2 = 3"
    goal = Theorem.stated(Path("A.lean"), header, "theorem t : 1 = 2 ∧ 2 = 3")
    done = await checked(example, goal, "exact ⟨«choice, they say», native⟩")
    assert (done.accepted, done.message) == (True, "")
    assert set(done.axioms or ()) == {"N.«choice, they say»", "N.native"}


@lean
async def test_an_error_above_the_theorem_keeps_it_from_being_accepted(example: Toolchain) -> None:
    text = (
        STRANGE[STRANGE.index("theorem broken") : STRANGE.index("end Shop")]
        + "theorem t : True := by sorry\n"
    )
    done = await checked(example, Theorem.first(Path("A.lean"), text), "trivial")
    assert not done.accepted
    assert "line 1" in done.message


@lean
async def test_an_import_that_is_not_there(example: Toolchain) -> None:
    done = await checked(example, theorem("theorem t : True", "No.Such"), "trivial")
    assert not done.accepted
    assert "No" in done.message


@lean
async def test_the_file_is_written_and_lean_compiles_it(example: Toolchain, tmp_path: Path) -> None:
    goal = theorem(SWAP)
    path = tmp_path / "proofs" / "swap.lean"
    write_proof(path, goal, ["constructor", "exact h.2", "exact h.1"])
    assert (
        path.read_text()
        == proof_text(goal, ["constructor", "exact h.2", "exact h.1"])
        == (f"{SWAP} := by\n  constructor\n  exact h.2\n  exact h.1\n\n{PRINTED} _root_.swap\n")
    )
    assert [path.name for path in path.parent.iterdir()] == ["swap.lean"]


@lean
async def test_a_proof_without_an_end_is_ended(example: Toolchain) -> None:
    before = set(descendants(os.getpid()))
    done = await check_proof(theorem(SWAP), ["sleep 60000", "exact ⟨h.2, h.1⟩"], example, seconds=2)
    assert (done.accepted, done.message) == (False, "Lean did not finish the file within 2 s.")
    assert set(descendants(os.getpid())) <= before


SAYS = "import sys; sys.stdin.read(); print({said!r}); sys.exit({code})"
AXIOMS = (
    '{"severity": "information", "pos": {"line": 4, "column": 0}, "data": "\'swap\' depends on axioms: [%s]"}'
)


@pytest.mark.parametrize(
    ("said", "code", "accepted", "message"),
    [
        (AXIOMS % "propext,\\n Quot.sound", 0, True, ""),
        (AXIOMS % "propext, Lean.ofReduceBool", 0, False, "It depends on Lean.ofReduceBool."),
        (AXIOMS % "propext", 3, False, "Lean exited with code 3: "),
        ("", 0, False, "Lean did not list the axioms that the theorem depends on."),
        ("not json\n[1]\n{}", 0, False, "Lean did not list the axioms that the theorem depends on."),
        (AXIOMS.replace('"line": 4', '"line": 2') % "propext", 0, False, "Lean did not list"),
    ],
)
async def test_what_a_strange_lean_says(said: str, code: int, accepted: bool, message: str) -> None:
    command = (sys.executable, "-c", SAYS.format(said=said, code=code))
    done = await check_proof(theorem(SWAP), ["trivial"], Toolchain("path", command, command))
    assert done.accepted == accepted
    assert done.message.startswith(message)


async def test_a_lean_that_is_not_there(tmp_path: Path) -> None:
    nothing = (str(tmp_path / "lean"),)
    with pytest.raises(LeanNotFound, match="cannot be run"):
        await check_proof(theorem(SWAP), ["trivial"], Toolchain("path", nothing, nothing))


INTERRUPTED = """
import asyncio, json, signal, sys
from pathlib import Path
from lean_extract.toolchains.toolchain import Toolchain
from prover.search.fresh_lean import FreshLean

command, environment = json.loads(sys.argv[1])
toolchain = Toolchain("packaged", (), tuple(command), environment)
signal.signal(signal.SIGINT, lambda *_: None)
lean = FreshLean(toolchain, None, 60, on_start=lambda _: print("started", flush=True))
found = asyncio.run(lean.elaborate(Path("A.lean"), "example : 1 + 1 = 3 := rfl"))
print(found.code, len(found.messages))
"""


def test_ctrl_c_in_a_terminal_does_not_end_a_new_lean(example: Toolchain) -> None:
    argument = json.dumps([example.lean_command, dict(example.environment)])
    command = [sys.executable, "-c", INTERRUPTED, argument]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        os.killpg(process.pid, signal.SIGINT)
        assert process.communicate(timeout=60) == ("1 1\n", None)
