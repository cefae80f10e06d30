"""Who uses a declaration, as text. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from lsp_server.engine.schema import UsesAnswer
from lsp_server.engine.schema_items import UseItem
from lsp_server.rendering.labels import counted


def uses_lists(answer: UsesAnswer) -> list[tuple[str, list[str]]]:
    """Each list's heading and its lines: the proofs that use the declaration, and what its own proof uses."""
    users, used = answer.used_by_count, answer.uses_count
    return [
        (
            f"Used by {counted(users, 'proof')}" if users else "No known proof names it",
            _lines(answer.used_by, users),
        ),
        (
            f"Its proof uses {used:,}" if used else "Its proof names nothing that is known",
            _lines(answer.uses, used),
        ),
    ]


def _lines(items: Sequence[UseItem], count: int) -> list[str]:
    more = [f"and {count - len(items):,} more"] if count > len(items) else []
    return [*map(_line, items), *more]


def _line(item: UseItem) -> str:
    mark = "  (deprecated)" if item.deprecated else ""
    return (
        f"{item.name}  {item.path}:{item.line}{mark}"
        if item.path and item.line
        else f"{item.name}  {item.module}{mark}"
    )
