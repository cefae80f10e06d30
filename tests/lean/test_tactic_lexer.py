"""No generated text that the filter of tactics lets through runs a command in a real Lean."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from lean_extract.syntax.tactic_text import defect
from lean_extract.toolchains.compile import lean_messages
from lean_extract.toolchains.packaged import PackagedLean

pytestmark = [pytest.mark.field_case, pytest.mark.lean]

HIDDEN = "#print axioms evil"
PIECES = [
    *('"', "'", '\\"', "\\\\", "\\q", "\\", 'r"', 'r#"', '"#', "!", "?", "«", "»", "--", "/-", "-/", "{", "}", "\n"),
    *(" ", "h", "h'", "x₁'", "λ", "⁻¹", "''", "'a'", "'\"'", "'\\'", 's!"', 'm!"', "exact ", "first | ", ";"),
    *("1", "`", "``", "✝", "∘", "𝕜", "é", "·", "#", ".", "x.", "_", "@", "[", "]", "⟨", "⟩", "<;>", "|", ","),
    *("(", ")", "#pr", "int ", "print axioms evil", "axioms ", "evil", "h.#", "x'#", '"h"', "'h", "print"),
    *(HIDDEN, f'"{HIDDEN}"', f" {HIDDEN} ", f"-- {HIDDEN}\n", f"/- {HIDDEN} -/", f'" {HIDDEN}'),
]  # fmt: skip
HIDDEN_ONCE = [
    'first | exact !r"\\" | native_decide -- "',
    "first | exact !'\"' | native_decide -- \"",
    f'exact "\\q {HIDDEN} "',
    f'intro "{HIDDEN}"',
    f"h'-- {HIDDEN}\n[]",
    f'_\'h"{HIDDEN}"',
    f"exact h ⁻¹'\"' {HIDDEN} \"",
    f"exact λ'\"' {HIDDEN} \"",
    f'exact s!"{{h}} {HIDDEN}"',
]


def texts(seed: int, count: int) -> Iterator[str]:
    """Texts that the filter lets through."""
    rng = random.Random(seed)
    while count:
        text = "".join(rng.choices(PIECES, k=rng.randint(2, 14)))
        if defect(text) is None:
            count -= 1
            yield text


def said(lean: PackagedLean, tactics: list[str]) -> list[str]:
    """Lean's messages about a file with each tactic in a proof of its own, and a canary after each."""
    parts = ["theorem evil : True := trivial\n"]
    for number, tactic in enumerate(tactics):
        parts.append(f"theorem t{number} : True := by\n  ({{ {tactic}\n  }})\n")
        parts.append(f"theorem canary{number} : True := trivial\n#print axioms canary{number}\n")
    return [one["data"] for one in lean_messages(lean.lean_command, lean.environment, "".join(parts))]


def ran_to(messages: list[str], count: int) -> int:
    """How many of the canaries were reached, one after the other."""
    reached = {message.split("'")[1] for message in messages if message.startswith("'canary")}
    return next((number for number in range(count) if f"canary{number}" not in reached), count)


@pytest.mark.parametrize("seed", range(3))
def test_nothing_that_is_hidden_runs(packaged_lean: PackagedLean, seed: int) -> None:
    tactics = list(texts(seed, 250))
    while tactics:
        messages = said(packaged_lean, tactics)
        assert not [message for message in messages if message.startswith("'evil'")], tactics
        done = ran_to(messages, len(tactics))
        # After an error Lean may be in the middle of a string, which then goes on behind the tactic.
        tactics = tactics[done + 1 :]


def test_it_would_be_seen_if_it_ran(packaged_lean: PackagedLean) -> None:
    messages = said(packaged_lean, [f'exact "\\q {HIDDEN} "', "trivial"])
    assert any(message.startswith("'evil'") for message in messages)
    assert ran_to(messages, 2) == 2
    assert ran_to(said(packaged_lean, ["trivial", "exact h /-", "trivial"]), 3) == 1


@pytest.mark.parametrize("tactic", HIDDEN_ONCE)
def test_what_once_hid_code_is_refused(tactic: str) -> None:
    assert defect(tactic) is not None
