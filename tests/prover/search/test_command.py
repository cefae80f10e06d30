"""`python -m prover search`: a search on the example library from the terminal."""

from __future__ import annotations

import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tests.prover.search.helpers import EXAMPLE

pytestmark = [pytest.mark.lean, pytest.mark.usefixtures("packaged_lean")]

ASKED = """\
import Example.Set.Image

theorem image_both {α β : Type} (f : α → β) (s t : Set α) (h : s ⊆ t) :
    f '' s ⊆ f '' t ∧ f '' s ⊆ f '' (s ∪ t) := by
  sorry
"""


pytestmark = pytest.mark.usefixtures("example_oleans")


def run(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    # Without elan and PATH there is only the packaged Lean, for which the example library is made.
    environment = {**os.environ, "PATH": "/usr/bin:/bin", "ELAN_HOME": "/nonexistent"}
    return subprocess.run(
        [sys.executable, "-m", "prover", "search", *arguments],
        input=text,
        capture_output=True,
        text=True,
        timeout=300,
        env=environment,
        check=False,
    )


def test_a_proof_its_file_and_its_picture(tmp_path: Path) -> None:
    picture, proof = tmp_path / "tree.svg", tmp_path / "proof.lean"
    done = run(
        *("-", "--project", str(EXAMPLE), "--picture", str(picture), "--proof", str(proof)),
        *("--premise", "Set.image_subset", "--premise", "Set.subset_union_left"),
        text=ASKED,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("image_both: proved (")
    assert "accepted by a fresh Lean; axioms: none" in done.stdout
    assert proof.read_text().startswith(ASKED.replace("  sorry\n", "  constructor\n"))
    assert "image_both" in "".join(ElementTree.parse(picture).getroot().itertext())


def test_what_cannot_be_proved(tmp_path: Path) -> None:
    proof = tmp_path / "proof.lean"
    done = run(
        "-",
        "--project",
        str(tmp_path),
        "--proof",
        str(proof),
        text="theorem t (p q : Prop) : p → q := by\n  sorry\n",
    )
    assert (done.returncode, done.stderr) == (1, "")
    assert "exhausted" in done.stdout
    assert not proof.exists()


@pytest.mark.parametrize(
    ("arguments", "text", "said"),
    [
        (["-"], "theorem t : True := trivial\n", "error: There is no `sorry` in stdin.lean."),
        (["nowhere.lean"], "", "error: "),
        (["-", "--premise", "No.such"], "theorem t : True := sorry", "does not declare No.such"),
        (["-", "--seconds", "0"], "theorem t : True := sorry", "limit seconds is 0.0"),
    ],
)
def test_bad_questions_are_told(tmp_path: Path, arguments: list[str], text: str, said: str) -> None:
    done = run(*arguments, "--project", str(tmp_path), text=text)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
