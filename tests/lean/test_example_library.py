"""The example library: real Lean checks every module, and that every unfinished proof can be finished."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from lean_extract.toolchains.compile import lean_messages
from lean_extract.toolchains.packaged import PackagedLean
from tests.lean.conftest import EXAMPLE

pytestmark = pytest.mark.lean

AXIOMS = {"propext", "Classical.choice", "Quot.sound"}

SOLUTIONS = {
    "Demo": (
        "exact sup_inf_le_assoc_of_le h",
        "exact sup_eq_right.mpr h",
        "exact inv_eq_of_mul_eq_one_right h",
        "exact f.injective_iff.mp hf",
    ),
    "FirstSteps": (
        "exact Nat.dvd_factorial hk hkn", "exact Nat.add_left_comm a b c",
        "exact Nat.exists_infinite_primes N", "simp", "intro a b c; exact Nat.dvd_trans",
        "intro a; exact List.mem_append_left l", "intro h; exact Nat.not_lt.mpr h",
    ),
    "SeveralGoals": (
        "exact Set.inter_subset_left",
        "exact Set.inter_subset_right",
        "exact Nat.even_zero",
        "exact Nat.even_iff_two_dvd.mpr ⟨n + 1, (Nat.two_mul (n + 1)).symm⟩",
        "exact Nat.add_comm m k",
        "exact Set.image_preimage_subset f t",
        "rw [Set.image_preimage_eq t hf]; exact Set.Subset.refl t",
    ),
    "FarAway": (
        "exact Nat.le_total m n",
        "rw [Nat.mul_self_add, Nat.two_mul (m * m), Nat.add_right_comm, Nat.add_right_comm (m * m)]",
    ),
}  # fmt: skip
"""For every file under `Unfinished`, what its `sorry`s stand for, in their order."""


@dataclass(frozen=True)
class Message:
    severity: str
    text: str
    line: int
    """0-based."""


@dataclass(frozen=True)
class Library:
    """The compiled example library."""

    lean: PackagedLean
    out: Path

    def run(self, text: str) -> list[Message]:
        """What Lean says of a text on top of the library."""
        said = lean_messages(self.lean.lean_command, self.lean.environment_for(self.out, EXAMPLE), text)
        return [Message(one["severity"], one["data"], one["pos"]["line"] - 1) for one in said]

    def declarations(self, module: str) -> list[str]:
        """The names that the module declares, as its `.ilean` file lists them."""
        file = self.out.joinpath(*module.split(".")).with_suffix(".ilean")
        return list(json.loads(file.read_text(encoding="utf-8"))["decls"])


def modules(folder: str) -> list[str]:
    """The modules in one folder of the library, from the names of their files."""
    paths = sorted((EXAMPLE / folder).rglob("*.lean"))
    return [".".join(path.relative_to(EXAMPLE).with_suffix("").parts) for path in paths]


def source(module: str) -> str:
    return EXAMPLE.joinpath(*module.split(".")).with_suffix(".lean").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def library(packaged_lean: PackagedLean, example_oleans: Path) -> Library:
    compiled = {
        ".".join(path.relative_to(example_oleans).with_suffix("").parts)
        for path in example_oleans.rglob("*.olean")
    }
    assert compiled == {"Example", *modules("Example"), *modules("Unfinished")}
    return Library(packaged_lean, example_oleans)


def test_enough_theorems_and_none_rests_on_sorry(library: Library) -> None:
    """Lean itself says which declarations are theorems and which axioms each one needs."""
    finished = modules("Example")
    names = sorted({name for module in finished for name in library.declarations(module)})
    public = [name for name in names if not name.startswith("_private.")]
    questions = [line for name in public for line in (f"#print {name}", f"#print axioms {name}")]
    asking = "\n".join(["import Example", *questions, ""])
    answers = {message.line: message.text for message in library.run(asking)}
    assert sorted(answers) == list(range(1, 1 + len(questions)))
    theorems = [place for place in range(len(public)) if is_theorem(answers[1 + 2 * place])]
    used = {axiom for place in theorems for axiom in axioms_in(answers[2 + 2 * place])}
    assert len(finished) >= 8
    assert len(theorems) >= 150
    assert used == AXIOMS


def is_theorem(answer: str) -> bool:
    """Whether this is what `#print` says of a theorem."""
    return re.match(r"(@\[[^\]]*\]\s*)?(protected )?theorem ", answer) is not None


def axioms_in(answer: str) -> list[str]:
    """The names in an answer of `#print axioms`."""
    _, _, listed = answer.partition("depends on axioms: ")
    return [name.strip() for name in listed.strip("[] \n").split(",") if name.strip()]


def test_every_module_is_imported_by_the_root() -> None:
    root = (EXAMPLE / "Example.lean").read_text(encoding="utf-8")
    assert re.findall(r"^import (\S+)$", root, re.MULTILINE) == modules("Example")


@pytest.mark.parametrize("module", modules("Unfinished"))
def test_unfinished_module_lacks_nothing_but_proofs(library: Library, module: str) -> None:
    messages = library.run(source(module))
    assert messages
    assert {(message.severity, message.text) for message in messages} == {
        ("warning", "declaration uses `sorry`")
    }


@pytest.mark.parametrize("module", modules("Unfinished"))
def test_unfinished_proofs_can_be_finished(library: Library, module: str) -> None:
    parts = source(module).split("sorry")
    solutions = SOLUTIONS[module.removeprefix("Unfinished.")]
    assert len(parts) == len(solutions) + 1
    solved = "".join(part + solution for part, solution in zip(parts, (*solutions, ""), strict=True))
    assert library.run(solved.replace("import ", "import Example\nimport ", 1)) == []


def test_the_lemma_far_away_is_not_in_scope(library: Library) -> None:
    tried = source("Unfinished.FarAway").replace("sorry", SOLUTIONS["FarAway"][0], 1)
    errors = [message.text for message in library.run(tried) if message.severity == "error"]
    assert len(errors) == 1
    assert "Nat.le_total" in errors[0]


def test_showpiece_is_where_the_readme_says() -> None:
    readme = (EXAMPLE / "README.md").read_text(encoding="utf-8")
    place = re.search(r"line (\d+) of `(Unfinished/Demo\.lean)`", readme)
    assert place is not None
    lines = (EXAMPLE / place[2]).read_text(encoding="utf-8").splitlines()
    assert lines[int(place[1]) - 1].strip() == "sorry"
    assert "modular_inequality" in lines[int(place[1]) - 2]


@pytest.mark.parametrize("tactic", ["assumption", "rfl", "simp", "simp_all", "decide", "trivial"])
def test_showpiece_needs_a_lemma(library: Library, tactic: str) -> None:
    tried = source("Unfinished.Demo").replace("sorry", tactic, 1)
    assert [message for message in library.run(tried) if message.severity == "error"]
