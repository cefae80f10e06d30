"""Premises as Markdown for an editor. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from lsp_server.engine.schema import IndexItem, PremiseItem
from lsp_server.rendering.labels import deprecation_label, doubt_label, shorten


def premises_markdown(premises: list[PremiseItem], index: IndexItem, notes: Sequence[str] = ()) -> str:
    """Premises as Markdown for a hover, followed by what was searched and what was not read."""
    parts = ["**Premises that fit this goal**", ""]
    for premise in premises:
        name = f"[`{premise.name}`]({premise.doc_url})" if premise.doc_url else f"`{premise.name}`"
        label = f" — needs `{premise.import_line}`" if premise.import_line else ""
        labels = filter(None, [doubt_label(premise), deprecation_label(premise)])
        label += "".join(f" — {one}" for one in labels)
        parts.append(f"- {name}{label}")
        if premise.statement:
            parts += ["", "  ```lean", f"  {shorten(premise.statement, 300)}", "  ```"]
        if premise.why:
            parts += ["", f"  *{premise.why}*"]
    parts += [line for note in notes for line in ("", f"*note: {note}*")]
    parts += ["", f"*index: {index.line}*"]
    return "\n".join(parts)
