"""The model card of a generator of shapes."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lean_extract.common.files.atomic import replacing
from prover.shaped.files import read

_CARD = """---
license: apache-2.0
tags: [lean4, mathlib, tactic-generation]
---

# The generator of tactic shapes of premise-suggest

A classifier of tactic shapes with pointers to premises and hypotheses. It reads a Lean 4 goal and ranked premises, and
writes tactics. `prover/shaped/` runs it with numpy; `docs/generator.md` has its figures.

- Fingerprint `{fingerprint}`.
- {shapes:,} shapes, and how often {premises:,} premises stand where in tactics. A shape is a tactic without its
  premises and hypotheses; shapes of fewer than {least} theorems, or of fewer than three files, are not kept.
- Data: {sources} (records and their revisions), data hash `{pairs}`; {steps:,} tactic steps of the train split.
- Hash split: a theorem is test if the sha256 of its name is 0 modulo 50, and valid if it is 1. Neither these nor the
  names left out when the pairs were made are trained on or counted, save that the pointers to premises are fitted
  on what the retriever offers for steps of: {lists}.
- Trained with `python -m prover fit-shapes`. Loss on the valid steps after each pass (nats):
{losses}

## Limits

- It writes no terms: a tactic with a lambda, a statement or a rare name of its own cannot be written.
- Nearly all of its training states were read from Mathlib's text and from goals that Lean printed there.
- What it writes is a guess. A suggestion is shown only once Lean has accepted it.
"""


def write_card(folder: Path, about: Mapping[str, Any], sources: Sequence[str], least: int) -> None:
    """Write the `README.md` of a folder. Raises ModelError, OSError."""
    contents = read(folder)
    losses = "\n".join(
        f"  - {name}: {', '.join(f'{loss:.3f}' for loss in values)}"
        for name, values in about["losses"].items()
    )
    text = _CARD.format(
        fingerprint=contents.fingerprint,
        shapes=len(contents.shapes) - 1,
        premises=len(contents.uses),
        least=least,
        sources="; ".join(sources),
        pairs=about["pairs"],
        steps=about["steps"],
        lists=" and ".join(about["lists"]) or "(none)",
        losses=losses,
    )
    wrapped = [_wrapped(line) if line.startswith("- ") else line for line in text.splitlines()]
    with replacing(folder / "README.md") as stream:
        stream.write("\n".join(wrapped) + "\n")


def _wrapped(line: str) -> str:
    return textwrap.fill(line, 118, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
