"""Files that tests write."""

from __future__ import annotations

from pathlib import Path


def write(root: Path, *paths: str, text: str = "") -> None:
    """Write a text to each of these paths below a folder."""
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")


def write_modules(root: Path, **texts: str) -> None:
    """Write Lean modules below a folder: `A__B` is `A/B.lean`."""
    for name, text in texts.items():
        write(root, f"{name.replace('__', '/')}.lean", text=text)
