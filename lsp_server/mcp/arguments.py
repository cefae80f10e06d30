"""The arguments of the tools, as agents send them: lines and columns count from 1, columns in code points."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lean_extract.common.errors import UserError
from lean_extract.limits import MAX_STATE_CHARACTERS
from lsp_server.engine.schema_items import QueryKind
from lsp_server.limits import (
    ADDRESS_CHARACTERS,
    LISTED_FIELDS,
    MCP_MODULES,
    MCP_PREMISES,
    NAME_CHARACTERS,
    PROOF_SECONDS,
    TACTIC_CHARACTERS,
    TRIED_TACTICS,
)
from retriever.lean.callers import TACTICS, Caller, caller_of

_USUAL_COUNT = 10
_REPAIR_SECONDS = 60.0

_Count = Annotated[int, Field(ge=1, le=MCP_PREMISES, description="How many premises.")]
_Line = Annotated[
    int | None, Field(ge=1, description="The line of the goal, from 1. Give this or `declaration`.")
]
_Declaration = Annotated[
    str,
    Field(
        max_length=NAME_CHARACTERS,
        description="In place of `line`: the declaration whose first `sorry` is meant, else its first tactic. Its "
        "full name, or the end of it.",
    ),
]
_File = Annotated[
    str,
    Field(
        min_length=1,
        max_length=ADDRESS_CHARACTERS,
        description="A Lean file: absolute, or from the project's root.",
    ),
]
_Column = Annotated[
    int | None,
    Field(
        ge=1,
        description="The column, from 1, in characters. Without it: that of the line's `sorry`, else of its "
        "last `by`, else of its first character.",
    ),
]
_Tactic = Annotated[
    str,
    Field(
        max_length=TACTIC_CHARACTERS,
        description="The tactic that the premises are for (`rw`, `simp`, `exact`, `unfold`, ...): what it can use "
        "is listed. Empty: theorems.",
    ),
]
_Modules = Annotated[
    list[Annotated[str, Field(max_length=NAME_CHARACTERS)]],
    Field(
        max_length=MCP_MODULES,
        description="Only premises of modules with one of these prefixes, such as `Mathlib.Order`.",
    ),
]


class Arguments(BaseModel):
    """The arguments of a tool."""

    model_config = ConfigDict(extra="forbid")


class PlaceArguments(Arguments):
    """The position of a goal: a file, and a line (and column) or a declaration in it."""

    file: _File
    line: _Line = None
    column: _Column = None
    declaration: _Declaration = ""


class SuggestArguments(PlaceArguments):
    """The position of a goal, and what the answer shall have."""

    k: _Count = _USUAL_COUNT
    tactics: bool = Field(True, description="Also have Lean try tactics, and list those that it accepts.")
    goal: int = Field(1, ge=1, description="Which of several goals, from 1.")
    caller: _Tactic = ""
    select: str = Field(
        "",
        max_length=MAX_STATE_CHARACTERS,
        description="A part of the goal's target, as Lean prints it: what rewrites it is listed, and tried with `rw`.",
        examples=["a + b"],
    )


class PremisesArguments(Arguments):
    """A goal as text."""

    state: str = Field(
        min_length=1,
        max_length=MAX_STATE_CHARACTERS,
        description="A proof state as Lean prints it, or a statement `theorem ... :=`.",
        examples=["m n : ℕ\n⊢ m + n = n + m"],
    )
    k: _Count = _USUAL_COUNT
    caller: _Tactic = ""


class SearchArguments(Arguments):
    """A search."""

    query: str = Field(
        min_length=1,
        max_length=MAX_STATE_CHARACTERS,
        description="A name, a part of one, words of English, a statement, or a pattern (`_` is any term); "
        "or `like:NAME` for what is like a declaration.",
        examples=["continuous image of a compact set", "?a * _ ≤ ?b * _", 'Real.sin, "add"'],
    )
    reading: QueryKind | None = Field(
        None,
        alias="as",
        description="How to read the query. Without it: as it looks; `kind` of the answer says how.",
    )
    k: _Count = _USUAL_COUNT
    modules: _Modules = Field(default_factory=list)


class ProveArguments(PlaceArguments):
    """The position of a goal, and how long its proof is searched for."""

    seconds: Annotated[float, Field(ge=PROOF_SECONDS[0], le=PROOF_SECONDS[1])] | None = Field(
        None, description="How long to search, at most. 10 unless the project's settings differ."
    )
    imports: bool = Field(
        True, description="Also try lemmas that the file does not import, each with its import."
    )


class RepairArguments(Arguments):
    """A file, or a text, and how long to work on it."""

    file: Annotated[str, Field(max_length=ADDRESS_CHARACTERS, description="The Lean file to repair.")] = ""
    text: str = Field(
        "",
        max_length=MAX_STATE_CHARACTERS,
        description="The text to repair, with its imports: in place of a file, or of what is saved in it.",
    )
    seconds: Annotated[float, Field(ge=PROOF_SECONDS[0], le=PROOF_SECONDS[1])] = Field(
        _REPAIR_SECONDS, description="How long to work, at most."
    )


class TrialArguments(PlaceArguments):
    """The position of a goal, and the tactics to try there."""

    tactics: Annotated[
        list[str],
        Field(
            min_length=1,
            max_length=TRIED_TACTICS,
            description=f"The tactics, each tried by itself; at most {TRIED_TACTICS}.",
            examples=[["simp", "exact Nat.add_comm m n"]],
        ),
    ]


class DeclarationArguments(Arguments):
    """A declaration."""

    name: str = Field(
        min_length=1, max_length=NAME_CHARACTERS, description="The full name, such as `Nat.add_comm`."
    )
    module: Annotated[str, Field(max_length=NAME_CHARACTERS)] | None = Field(
        None, description="The module that declares it, where several declare the name."
    )


class UsesArguments(DeclarationArguments):
    """A declaration, and how many of its uses."""

    k: int = Field(_USUAL_COUNT, ge=1, le=MCP_PREMISES, description="How many of each list.")


class SorriesArguments(Arguments):
    """A file, and how many of its `sorry`s."""

    file: _File
    k: int = Field(_USUAL_COUNT, ge=1, le=MCP_PREMISES, description="How many, from the first on.")


class StatusArguments(Arguments):
    """No arguments."""


def wrong(error: ValidationError) -> UserError:
    """The error for arguments that are not what a tool takes. Their values are not repeated."""
    found = [f"{'.'.join(map(str, one['loc'])) or 'arguments'}: {one['msg']}" for one in error.errors()]
    more = len(found) - LISTED_FIELDS
    named = "; ".join(found[:LISTED_FIELDS]) + (f"; and {more} more" if more > 0 else "")
    return UserError(
        f"The arguments cannot be used: {named}.", "The tool's input schema lists what it takes."
    )


def caller_named(tactic: str) -> Caller:
    """The group of a tactic. Raises UserError: it is unknown."""
    found = caller_of(tactic)
    if tactic.strip() and not found:
        raise UserError(
            f"`caller` does not know the tactic {tactic!r}.", f"It knows {', '.join(sorted(TACTICS))}."
        )
    return found
