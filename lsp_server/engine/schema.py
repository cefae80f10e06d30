"""The JSON objects of all answers, for the command line, the language server and HTTP.

`python -m lsp_server.engine.schema_files` writes docs/json.md, the JSON Schema and the TypeScript types of the
VS Code extension from these classes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from lsp_server.engine.schema_items import (
    CollectionHit,
    GoalPlace,
    IndexItem,
    PartItem,
    PremiseItem,
    QueryKind,
    RangeItem,
    SorryItem,
    TacticItem,
    TacticsStatus,
    UseItem,
)
from lsp_server.engine.schema_proofs import FillAnswer, ProofAnswer, ProofProgress, RepairAnswer


@dataclass(frozen=True, slots=True)
class Suggestion:
    """The whole answer."""

    goal: Annotated[str, "The goal as Lean prints it: the main one, unless another was requested."]
    premises: Annotated[list[PremiseItem], "The premises that fit, best first."]
    tactics: Annotated[list[TacticItem], "The tactics that Lean accepted; empty if none were requested."]
    index: Annotated[IndexItem, "What was searched, and how fresh it is."]
    timings_ms: Annotated[
        dict[str, float], "Milliseconds for each part: `goal` (from Lean), `premises`, `tactics`, `total`."
    ]
    warnings: Annotated[
        list[str],
        "Sentences for a person: what could not be done, and how to fix it; imports that have changed since they were "
        "built, so that the goal and the verdicts are those of the last build. Empty if all went well.",
    ] = field(default_factory=list)
    notes: Annotated[
        list[str],
        "Sentences for a person: parts of the goal that the model did not read (too long), or does not know; which "
        "Lean answered, if it is not the one that the project needs. Empty for most goals.",
    ] = field(default_factory=list)
    goal_number: Annotated[int, "Which of the state's goals `goal` is, from 1."] = 1
    goal_count: Annotated[int, "How many goals the state has."] = 1
    tactics_status: Annotated[TacticsStatus, "The result of trying tactics."] = TacticsStatus.NOT_ASKED
    parts: Annotated[
        list[PartItem],
        "The subexpressions of the target, in order, each before those inside it; each can be selected. Empty if "
        "this was not requested.",
    ] = field(default_factory=list)
    place: Annotated[GoalPlace, "Where the goal is."] = GoalPlace.HERE
    replaces: Annotated[
        RangeItem | None,
        "The failing or unfinished tactic before which the goal is, and which a suggestion replaces; else null.",
    ] = None


@dataclass(frozen=True, slots=True)
class TacticsSoFar:
    """A partial result after the first one, which is a Suggestion."""

    tactics: Annotated[list[TacticItem], "All that Lean has accepted so far, in the order to show."]


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """The answer to a search."""

    kind: Annotated[QueryKind, "How the query was read."]
    premises: Annotated[list[PremiseItem], "What was found, best first; names that match come first."]
    index: Annotated[IndexItem, "What was searched, and how fresh it is."]
    warnings: Annotated[list[str], "As in Suggestion."] = field(default_factory=list)
    notes: Annotated[list[str], "As in Suggestion."] = field(default_factory=list)
    other_kind: Annotated[
        QueryKind | None,
        "How else the query may be read; a search with this as `as` reads it so. Null where there is no doubt.",
    ] = None


@dataclass(frozen=True, slots=True)
class IndexAnswer:
    """The answer to `premiseSuggest/index`."""

    premises: Annotated[int, "How many premises the project's own index holds now."]
    stopped: Annotated[
        bool, "Whether it was cancelled; what was read is kept, and the next run continues from there."
    ]
    index: Annotated[IndexItem, "What is searched from now on."]


@dataclass(frozen=True, slots=True)
class StatusItem:
    """The notification `$/premiseSuggest/status`: an update of an index begins, makes progress, or has ended."""

    root: Annotated[str, "The folder of the project."]
    indexing: Annotated[bool, "False when it has ended."]
    stage: Annotated[str, "What is being done, in words; empty at the beginning and at the end."]
    done: Annotated[int, "How much of it is done."]
    total: Annotated[int, "Out of how much; 0 where that is not known."]
    index: Annotated[IndexItem | None, "The index at the end; null before, and where the update failed."]


@dataclass(frozen=True, slots=True)
class TrialsAnswer:
    """Lean's verdicts on tactics that the caller sent."""

    goal: Annotated[str, "The goal that they were tried on, as Lean prints it."]
    tactics: Annotated[list[TacticItem], "The tactics in the order in which they were sent."]
    timings_ms: Annotated[dict[str, float], "Milliseconds for each part: `goal`, `tactics`, `total`."]
    warnings: Annotated[list[str], "As in Suggestion."] = field(default_factory=list)
    notes: Annotated[list[str], "As in Suggestion."] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class DeclarationAnswer:
    """The known data of one declaration."""

    premise: Annotated[PremiseItem, "The declaration. Its score is 0."]
    path: Annotated[str | None, "The file that declares it; null where that is not on this machine."]
    line: Annotated[int | None, "The line of the declaration, from 1; null where it is not known."]
    source: Annotated[str, "Its text, cut after 4,000 characters; empty where it is not on this machine."]
    index: Annotated[IndexItem, "What was searched, and how fresh it is."]
    doc: Annotated[str, "Its doc string, if it has one and its file is on this machine."] = ""
    reading: Annotated[
        str, "Its statement in English, made by rules: no translation. Empty where they cannot read it."
    ] = ""


@dataclass(frozen=True, slots=True)
class UsesAnswer:
    """The proofs that use a declaration, and what its own proof uses; both the project's own first."""

    premise: Annotated[
        PremiseItem, "The declaration, with its replacement if it is deprecated. Its score is 0."
    ]
    used_by: Annotated[
        list[UseItem], "The first theorems whose proofs name it, in order of modules and lines."
    ]
    used_by_count: Annotated[int, "How many such theorems are known."]
    uses: Annotated[list[UseItem], "The first declarations that its own proof names, in the same order."]
    uses_count: Annotated[int, "How many such declarations are known."]
    index: Annotated[IndexItem, "What was searched, and how fresh it is."]
    warnings: Annotated[list[str], "As in Suggestion."] = field(default_factory=list)
    notes: Annotated[list[str], "Sentences for a person: which uses are not known."] = field(
        default_factory=list
    )


@dataclass(frozen=True, slots=True)
class SorriesAnswer:
    """The `sorry`s of a file."""

    sorries: Annotated[list[SorryItem], "In the order of the text; at most 1,000."]


@dataclass(frozen=True, slots=True)
class SorryGoals:
    """A `sorry` of a file, with its goals."""

    sorry: Annotated[SorryItem, "The `sorry`."]
    goals: Annotated[list[str], "Lean's goals there, as Lean prints them; none where there is an error."]
    error: Annotated[str, "Why its goals are not known, and what to do; else empty."] = ""


@dataclass(frozen=True, slots=True)
class SorryGoalsAnswer:
    """The first `sorry`s of a file, with their goals."""

    sorries: Annotated[list[SorryGoals], "In the order of the text."]
    count: Annotated[int, "How many the file has, counted up to 1,000."]


@dataclass(frozen=True, slots=True)
class AnsweredSorry:
    """A `sorry` of a file, with the answer for it."""

    sorry: Annotated[SorryItem, "The `sorry`."]
    suggestion: Annotated[Suggestion | None, "Its goal, premises and tactics; null if there is an error."]
    error: Annotated[str, "Why it has no suggestion, and what to do; else empty."] = ""


@dataclass(frozen=True, slots=True)
class AllSorriesAnswer:
    """The answer to `suggest FILE --all`."""

    sorries: Annotated[
        list[AnsweredSorry], "In the order of the text; at most 1,000. After Ctrl-C those that were answered."
    ]


@dataclass(frozen=True, slots=True)
class IndexStatusAnswer:
    """The state of the index, and what the project is missing."""

    index: Annotated[IndexItem, "What is searched, and how fresh it is."]
    warnings: Annotated[list[str], "As in Suggestion."]


@dataclass(frozen=True, slots=True)
class CollectionAnswer:
    """The answer to a search in a collection of a backend other than Lean."""

    backend: Annotated[str, "The backend: `naturalproofs`, `match`, or a package's name."]
    collection: Annotated[str, "The collection's name."]
    documents: Annotated[int, "How many documents were searched."]
    hits: Annotated[list[CollectionHit], "What was found, best first."]
    warnings: Annotated[list[str], "As in Suggestion."] = field(default_factory=list)


ANSWERS = (
    Suggestion,
    TacticsSoFar,
    SearchAnswer,
    IndexAnswer,
    StatusItem,
    TrialsAnswer,
    DeclarationAnswer,
    UsesAnswer,
    SorriesAnswer,
    SorryGoalsAnswer,
    AllSorriesAnswer,
    IndexStatusAnswer,
    CollectionAnswer,
    ProofProgress,
    ProofAnswer,
    FillAnswer,
    RepairAnswer,
)
"""The objects that are sent as whole answers."""
