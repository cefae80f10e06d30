"""`python -m prover search`: a search on the example library from the terminal."""

from __future__ import annotations

import io
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands import command
from tests.prover.search.helpers import EXAMPLE

pytestmark = [pytest.mark.lean, pytest.mark.usefixtures("example_oleans")]

FILE = """\
import Example.Set.Image

theorem image_both {α β : Type} (f : α → β) (s t : Set α) (h : s ⊆ t) :
    f '' s ⊆ f '' t ∧ f '' s ⊆ f '' (s ∪ t) := by
  sorry
"""


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command with this text on standard input; gives the exit code and what it printed."""
    # Without elan and PATH there is only the packaged Lean, for which the example library is made.
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setenv("ELAN_HOME", "/nonexistent")

    def search(*arguments: str, text: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        return command("prover search")(arguments), *capsys.readouterr()

    return search


def test_a_proof_its_file_and_its_picture(run: Run, tmp_path: Path) -> None:
    picture, proof = tmp_path / "tree.svg", tmp_path / "proof.lean"
    code, out, err = run(
        *("-", "--project", str(EXAMPLE), "--picture", str(picture), "--proof", str(proof)),
        *("--premise", "Set.image_subset", "--premise", "Set.subset_union_left"),
        text=FILE,
    )
    assert (code, err) == (0, "")
    assert out.startswith("image_both: proved (")
    assert "accepted by a fresh Lean; axioms: none" in out
    assert proof.read_text().startswith(FILE.replace("  sorry\n", "  constructor\n"))
    assert "image_both" in "".join(ElementTree.parse(picture).getroot().itertext())


def test_what_cannot_be_proved(run: Run, tmp_path: Path) -> None:
    proof = tmp_path / "proof.lean"
    code, out, err = run(
        "-",
        "--project",
        str(tmp_path),
        "--proof",
        str(proof),
        text="theorem t (p q : Prop) : p → q := by\n  sorry\n",
    )
    assert (code, err) == (1, "")
    assert "exhausted" in out
    assert not proof.exists()


@pytest.mark.parametrize(
    ("arguments", "text", "message"),
    [
        (["-"], "theorem t : True := trivial\n", "error: There is no `sorry` in stdin.lean."),
        (["nowhere.lean"], "", "error: "),
        (["-", "--premise", "No.such"], "theorem t : True := sorry", "does not declare No.such"),
        (["-", "--seconds", "0"], "theorem t : True := sorry", "limit seconds is 0.0"),
    ],
)
def test_bad_requests_are_reported(
    run: Run, tmp_path: Path, arguments: list[str], text: str, message: str
) -> None:
    code, _, err = run(*arguments, "--project", str(tmp_path), text=text)
    assert code == 2
    assert message in err
    assert "Traceback" not in err
