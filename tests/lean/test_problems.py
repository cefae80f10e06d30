"""The held-out problems: real Lean accepts them, they are graded as they say, and they are new."""

from __future__ import annotations

import ast
import os
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from lean_extract.records import Premise, Record
from lean_extract.source.reader import read_module
from lean_extract.toolchains.compile import read_sources
from lean_extract.toolchains.packaged import PackagedLean
from lean_extract.traced.extract import Compiled
from tests.lean.conftest import EXAMPLE
from tests.lean.problem_set import PROBLEMS, Checked, check, traced
from tests.lean.statement_key import statement_key
from tests.lean.test_example_library import AXIOMS, axioms_in

pytestmark = [pytest.mark.lean, pytest.mark.slow]

TESTS = Path(__file__).parents[1]
CLOSERS = ("simp", "rfl", "decide", "simp_all", "trivial")
STEPS = {1: range(1, 2), 2: range(2, 4), 3: range(4, 9)}
"""How many tactics a reference proof has, by level."""


@pytest.fixture(scope="module")
def checked(
    packaged_lean: PackagedLean,
    example_oleans: Path,
    traced_example: list[Record],
    tmp_path_factory: pytest.TempPathFactory,
) -> Checked:
    return check(packaged_lean, example_oleans, traced_example, tmp_path_factory.mktemp("problems"))


def test_levels_are_about_equal_and_as_long_as_they_say(checked: Checked) -> None:
    counts = Counter(problem.level for problem in checked.problems)
    assert sum(counts.values()) >= 72
    assert max(counts.values()) - min(counts.values()) <= 6
    lengths = {one.name: (one.level, len(one.proof.steps)) for one in checked.problems}
    assert {name: found for name, found in lengths.items() if found[1] not in STEPS[found[0]]} == {}


def test_proofs_rest_on_no_more_than_the_library(checked: Checked) -> None:
    names = [problem.name for problem in checked.problems]
    imports = [f"import {module}" for module in read_sources(PROBLEMS)]
    messages = checked.library.run("\n".join([*imports, *(f"#print axioms {name}" for name in names)]))
    assert [message.severity for message in messages] == ["information"] * len(names)
    assert {axiom for message in messages for axiom in axioms_in(message.text)} <= AXIOMS


def test_proofs_use_the_library_and_no_other_problem(checked: Checked) -> None:
    names = {problem.name for problem in checked.problems}
    without = [problem for problem in checked.problems if not checked.oracle(problem)]
    assert all(problem.level == 1 and problem.begins_with(*CLOSERS) for problem in without)
    assert [problem.name for problem in checked.problems if names & set(problem.proof.premises)] == []


def test_ways_to_prove_them(checked: Checked) -> None:
    """A dozen that one lemma closes, a dozen that rewriting closes, some that are taken apart first."""
    alone = [problem for problem in checked.problems if problem.level == 1]
    exact = [one for one in alone if one.begins_with("exact") and len(checked.oracle(one)) == 1]
    rewriting = [one for one in alone if one.begins_with("rw") and len(checked.oracle(one)) <= 2]
    apart = [one for one in checked.problems if one.begins_with("constructor", "rcases", "induction")]
    assert min(len(exact), len(rewriting), len(apart)) >= 12


def test_few_are_closed_without_a_lemma(checked: Checked) -> None:
    closed = {tactic: checked.closed_by(tactic) for tactic in CLOSERS}
    some = set().union(*closed.values())
    assert len(some) <= len(checked.problems) // 6
    assert {problem.name for problem in checked.problems if problem.level > 1} & some == set()
    assert readme_counts("`", "`") == {tactic: len(names) for tactic, names in closed.items()}


def test_one_lemma_closes_only_the_first_level(checked: Checked) -> None:
    found = checked.closed_by("exact?")
    assert {problem.level for problem in checked.problems if problem.name in found} == {1}


def test_the_readme_counts_them(checked: Checked) -> None:
    levels = Counter(str(problem.level) for problem in checked.problems)
    files = Counter(str(problem.path.relative_to(PROBLEMS)) for problem in checked.problems)
    assert readme_counts("level ") == levels
    assert readme_counts("`Problems/", "`") == {
        name.removeprefix("Problems/"): n for name, n in files.items()
    }


def readme_counts(before: str, behind: str = "") -> dict[str, int]:
    """The numbers in the README's tables, by what stands between `before` and `behind` in the first cell."""
    readme = (PROBLEMS / "README.md").read_text(encoding="utf-8")
    row = rf"^\| {re.escape(before)}([\w.?]+){behind} \| (\d+) \|"
    return {name: int(count) for name, count in re.findall(row, readme, re.MULTILINE)}


def test_names_are_not_the_library_s(checked: Checked) -> None:
    taken = {part for name in checked.theorems for part in (name, name.rpartition(".")[2])}
    names = [problem.name.removeprefix("Problems.") for problem in checked.problems]
    assert len(set(names)) == len(names)
    assert set(names) & taken == set()


def test_statements_are_new(checked: Checked) -> None:
    known = checked.known_as()
    assert [(one.name, known[one.key]) for one in checked.problems if one.key in known] == []
    assert len({problem.key for problem in checked.problems}) == len(checked.problems)


DISGUISED = """import Example

theorem d₁ {β : Type} [Lattice β] {z y x : β} : x ≤ z → x ⊔ y ⊓ z ≤ (x ⊔ y) ⊓ z := sup_inf_le_assoc_of_le
theorem d₂ (n : ℕ) : ∀ k : ℕ, k ≤ n → 0 < k → k ∣ n.factorial := fun _ h p => Nat.dvd_factorial p h
theorem d₃ {γ : Type} (u v : Set γ) : (u ∩ v)ᶜ = uᶜ ∪ vᶜ := Set.compl_inter u v
theorem other {γ : Type} (u v : Set γ) : (u ∩ v)ᶜ = vᶜ ∪ uᶜ := by rw [Set.compl_inter, Set.union_comm]
"""


def test_a_theorem_in_disguise_is_known(checked: Checked, tmp_path: Path) -> None:
    (tmp_path / "Disguised.lean").write_text(DISGUISED, encoding="utf-8")
    lean, out = checked.library.lean, checked.library.out
    place = Compiled(tmp_path, out, lean.lean_command, lean.environment_for(out))
    olean, ilean = out / "Disguised.olean", out / "Disguised.ilean"
    subprocess.run(
        [*lean.lean_command, "-o", str(olean), "-i", str(ilean), "Disguised.lean"],
        cwd=tmp_path,
        env={**os.environ, **place.environment},
        check=True,
        timeout=120,
    )
    known, (premises, _) = checked.known_as(), traced(place, "Disguised")
    found = {name: known.get(statement_key(one.context, one.conclusion)) for name, one in premises.items()}
    assert found == {
        "d₁": "sup_inf_le_assoc_of_le",
        "d₂": "Nat.dvd_factorial",
        "d₃": "Set.compl_inter",
        "other": None,
    }


def test_statements_are_in_no_test() -> None:
    """By text, for what tests write is not always what Lean accepts."""
    written = {
        statement_key(one.context, one.conclusion) for text in texts_of_tests() for one in stated(text)
    }
    here = {
        statement_key(one.context, one.conclusion): one.name
        for path in PROBLEMS.rglob("*.lean")
        for one in stated(path.read_text(encoding="utf-8"))
    }
    assert len(written) >= 50
    assert len(here) >= 72
    assert [name for key, name in here.items() if key in written] == []


def stated(text: str) -> Iterator[Premise]:
    """The theorems of a text, `example`s among them."""
    named = re.sub(r"^( *)example\b", r"\1theorem nameless", text, flags=re.MULTILINE)
    for premise in read_module(named, "Read", "Read.lean").premises:
        if premise.kind in ("theorem", "lemma") and premise.conclusion:
            yield premise


def texts_of_tests() -> Iterator[str]:
    for path in sorted(TESTS.rglob("*.lean")):
        yield path.read_text(encoding="utf-8")
    for path in sorted(TESTS.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def test_nothing_imports_them() -> None:
    sources = [*read_sources(EXAMPLE).values(), *read_sources(PROBLEMS).values()]
    assert [one.module for one in sources if any(name.startswith("Problems") for name in one.imports)] == []
