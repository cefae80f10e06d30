"""One request to a model."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Asked:
    """One request to a model."""

    user: str
    system: str = ""
    is_chat: bool = True
    """Whether it is a message, rather than the beginning of a text."""
    stop: tuple[str, ...] = ()
    tokens: int = 1024
    """The most that are written."""
    temperature: float = 0.0
    seed: int | None = None
    grammar: str = ""
    """In GBNF; used where the server has grammars."""
    schema: str = ""
    """The same as a JSON schema; used for messages where the server has those in place of grammars."""
    schema_note: str = ""
    """What the model is told where the schema is used."""
