"""The one JSON object that a suggestion is: for `suggest --json`, the command and the request over LSP.

`docs/json.md` is written from these classes: `python -m lsp_server.engine.schema > docs/json.md`.
"""

from __future__ import annotations

from dataclasses import Field, dataclass, field, fields
from types import UnionType
from typing import Annotated, Any, get_args, get_origin, get_type_hints


@dataclass(frozen=True, slots=True)
class PremiseItem:
    """One premise, best first."""

    name: Annotated[
        str,
        "The declaration's name as people write it: its full name, or the one that an `export` gives it too.",
    ]
    statement: Annotated[
        str,
        "Binders, then `: conclusion`, white space folded. Empty where only a name is known "
        "(the bundled Mathlib index holds no statements).",
    ]
    module: Annotated[str, "The module that declares it."]
    kind: Annotated[str, "Lean's keyword (`theorem`, `lemma`, `def`, ...), or `field`, `constructor`."]
    score: Annotated[float, "How well it fits; higher is better, comparable within one answer only."]
    in_scope: Annotated[
        bool | None,
        "Whether it can be used at this place as the imports stand; null where there is no file to judge by.",
    ]
    import_line: Annotated[
        str | None,
        "The line that brings it into scope (`import M`); null where none is needed or there is no file.",
    ]
    doc_url: Annotated[str | None, "Its page in Mathlib's online documentation; null where it has none."]
    rests_on_sorry: Annotated[
        bool, "Whether its proof, or the proof of a lemma of the project that it uses, has a `sorry`."
    ] = False


@dataclass(frozen=True, slots=True)
class TacticItem:
    """One tactic that was tried in Lean: what closes first, then fewest goals left, then the best guess; last
    what cannot be judged."""

    tactic: Annotated[
        str,
        "The tactic that was tried, behind `by` where a term stands; it replaces the `sorry` at the place, "
        "if there is one.",
    ]
    status: Annotated[
        str,
        "`closes` (the goal is proved), `progress` (it leaves goals), or `unjudged` (Lean accepts it, but an "
        "error above may have changed the goal); `fails` and `timeout` only where failures were asked for.",
    ]
    remaining_goals: Annotated[list[str], "What is left to prove, as Lean prints it."]
    message: Annotated[
        str, "Lean's own words on a failure, or why it cannot be judged, with the line; else empty."
    ] = ""


@dataclass(frozen=True, slots=True)
class SourceItem:
    """One package in the index."""

    package: Annotated[str, "The package's name."]
    revision: Annotated[str, "Its revision: a commit, a version, or a hash of what was read."]
    premises: Annotated[int, "How many premises of it the index holds."]
    bundled: Annotated[bool, "Whether it came with the installation rather than from files read here."]
    date: Annotated[str | None, "The day that it is of (ISO 8601), where its revision is one; else null."] = (
        None
    )
    age_days: Annotated[int | None, "How many days ago that was; null where `date` is."] = None


@dataclass(frozen=True, slots=True)
class IndexItem:
    """What was searched, and how fresh it is."""

    sources: Annotated[list[SourceItem], "The packages in the index."]
    built_at: Annotated[str | None, "When it was last written (ISO 8601, UTC); null where there is no date."]
    stale_files: Annotated[int, "How many source files changed since then, or are not in the index yet."]
    lean: Annotated[
        str | None,
        "The Lean version: the one that runs, else what `lean-toolchain` names; null where unknown.",
    ]
    line: Annotated[str, "All this in one line for a person: revisions, Lean, files newer than the index."]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """The whole answer."""

    goal: Annotated[str, "The goal as Lean prints it: the main one, unless another was asked for."]
    premises: Annotated[list[PremiseItem], "The premises that fit, best first."]
    tactics: Annotated[list[TacticItem], "The tactics that Lean accepted; empty where none were asked for."]
    index: Annotated[IndexItem, "What was searched, and how fresh it is."]
    timings_ms: Annotated[
        dict[str, float], "Milliseconds for each part: `goal` (from Lean), `premises`, `tactics`, `total`."
    ]
    warnings: Annotated[
        list[str],
        "Sentences for a person: what could not be done, and what mends it. Empty where all went well.",
    ] = field(default_factory=list)
    notes: Annotated[
        list[str],
        "Sentences for a person: what of the goal the model did not read (too long), or does not know. "
        "Empty for most goals.",
    ] = field(default_factory=list)
    goal_number: Annotated[int, "Which of the state's goals `goal` is, from 1."] = 1
    goal_count: Annotated[int, "How many goals the state has."] = 1


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """The answer to a search."""

    kind: Annotated[
        str, "How the query was read: `goal` (it has a `⊢`, or is a declaration with its `:=`) or `text`."
    ]
    premises: Annotated[list[PremiseItem], "What was found, best first; names that match come first."]
    index: Annotated[IndexItem, "What was searched, and how fresh it is."]
    warnings: Annotated[list[str], "As in Suggestion."] = field(default_factory=list)
    notes: Annotated[list[str], "As in Suggestion."] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class IndexAnswer:
    """The answer to `premiseSuggest/index`."""

    premises: Annotated[int, "How many premises the project's own index holds now."]
    stopped: Annotated[bool, "Whether it was cancelled; what was read is kept, and it goes on next time."]
    index: Annotated[IndexItem, "What is searched from now on."]


@dataclass(frozen=True, slots=True)
class StatusItem:
    """The notification `$/premiseSuggest/status`: an update of an index begins, goes on, or has ended."""

    root: Annotated[str, "The folder of the project."]
    indexing: Annotated[bool, "False when it has ended."]
    stage: Annotated[str, "What is being done, in words; empty at the beginning and at the end."]
    done: Annotated[int, "How much of it is done."]
    total: Annotated[int, "Out of how much; 0 where that is not known."]
    index: Annotated[IndexItem | None, "The index at the end; null before, and where the update failed."]


@dataclass(frozen=True, slots=True)
class CollectionHit:
    """One document of a collection, best first."""

    title: Annotated[str, "Its title, or its label where it has none."]
    kind: Annotated[str, "Its type: `theorem`, `definition`, `other`, `proof`, ..."]
    body: Annotated[str, "Its text, as its source has it (LaTeX)."]
    where: Annotated[str, "Its label, or the part of the source that it stands in; empty where not known."]
    score: Annotated[float, "How well it fits; higher is better, comparable within one answer only."]


@dataclass(frozen=True, slots=True)
class CollectionAnswer:
    """The answer to a search in a collection of another backend than Lean."""

    backend: Annotated[str, "The backend: `naturalproofs`, `match`, or a package's name."]
    collection: Annotated[str, "The collection's name."]
    documents: Annotated[int, "How many documents were searched."]
    hits: Annotated[list[CollectionHit], "What was found, best first."]
    warnings: Annotated[list[str], "As in Suggestion."] = field(default_factory=list)


CLASSES = (
    Suggestion,
    PremiseItem,
    TacticItem,
    IndexItem,
    SourceItem,
    SearchAnswer,
    IndexAnswer,
    StatusItem,
    CollectionAnswer,
    CollectionHit,
)


_JSON_NAMES = {"import_line": "import"}


def json_name(item: Field[Any]) -> str:
    """The name of a field in the JSON object."""
    return _JSON_NAMES.get(item.name, item.name)


def to_json(value: Any) -> Any:
    """A suggestion, or a part of one, as plain JSON values."""
    if hasattr(value, "__dataclass_fields__"):
        return {json_name(item): to_json(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    if isinstance(value, dict):
        return {key: to_json(item) for key, item in value.items()}
    return value


def type_name(hint: Any) -> str:
    """A Python type as JSON calls it."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is UnionType:
        return " or ".join(type_name(argument) for argument in arguments)
    if origin is list:
        return f"list of {type_name(arguments[0])}"
    if origin is dict:
        return f"object of {type_name(arguments[1])}"
    names = {str: "string", float: "number", int: "integer", bool: "boolean", type(None): "null"}
    return names.get(hint) or hint.__name__


def markdown() -> str:
    """The text of docs/json.md."""
    parts = [_HEAD]
    for cls in CLASSES:
        hints = get_type_hints(cls, include_extras=True)
        parts.append(f"## {cls.__name__}\n\n{cls.__doc__}\n\n| field | type | meaning |\n|---|---|---|")
        parts += [
            f"| `{json_name(item)}` | {type_name(hint)} | {doc} |"
            for item in fields(cls)
            for hint, doc in [get_args(hints[item.name])]
        ]
        parts.append("")
    return "\n".join(parts)


_HEAD = """\
# The JSON object

`premise-suggest suggest --json` prints one `Suggestion`. The request `premiseSuggest/suggest` and the
command `premise-suggest.suggest` answer with the same object; a search with a `SearchAnswer`, indexing with
an `IndexAnswer`; `suggest --backend NAME --json` prints a `CollectionAnswer`. The requests themselves are
described in [lsp.md](lsp.md).

`position` counts as LSP does, from 0, in UTF-16 units; the command line counts lines and columns from 1, in
code points.

This page is written by `python -m lsp_server.engine.schema`; a test holds it to the code.

"""

if __name__ == "__main__":
    print(markdown(), end="")
