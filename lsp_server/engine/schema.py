"""The JSON objects of all answers, for the command line, the language server and HTTP.

`python -m lsp_server.engine.schema_files` writes docs/json.md, the JSON Schema and the TypeScript types of the
VS Code extension from these classes.
"""

from __future__ import annotations

from dataclasses import Field, dataclass, field, fields
from enum import StrEnum
from typing import Annotated, Any, Self


class DocumentedEnum(StrEnum):
    """The values that a string field can have, each with its meaning."""

    meaning: str

    def __new__(cls, value: str, meaning: str = "") -> Self:
        """A value and one sentence on its meaning."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        return member


class TacticVerdict(DocumentedEnum):
    """Lean's verdict on one tactic."""

    CLOSES = "closes", "The goal is proved."
    PROGRESS = "progress", "It leaves goals."
    UNJUDGED = "unjudged", "Lean accepts it, but an error above may have changed the goal."
    FAILS = "fails", "Lean rejects it; only if failures were requested."
    TIMEOUT = "timeout", "It takes too long; only if failures were requested."
    UNTRIED = (
        "untried",
        "Lean did not try it: it is unfinished (`sorry`), or the time limit was reached; only in TrialsAnswer.",
    )


class TacticsStatus(DocumentedEnum):
    """The result of trying tactics, for programs; `warnings` has the same for people."""

    NOT_ASKED = "not_asked", "None were requested, or the setting `tactics.enabled` is off."
    RUNNING = "running", "They are being tried; only in a partial result."
    TRIED = "tried", "They were tried, within the limits on number and time."
    PARTIAL = "partial", "Lean failed before all were tried; those that it had accepted are listed."
    WITHOUT_GENERATOR = "without_generator", "Only templates were tried: the generator cannot be used."
    NO_GENERATOR = (
        "no_generator",
        "None was tried: the generator cannot be used, and nothing else proposed any.",
    )
    GOAL_NOT_FIRST = "goal_not_first", "None was tried: Lean tries them on the first goal only."
    GOAL_BROKEN = (
        "goal_broken",
        "None was tried: the goal mentions `sorry`, usually because of an error above.",
    )
    NO_GOAL = "no_goal", "None was tried: Lean has no goal at the position, or a tactic is not allowed there."
    NO_FILE = "no_file", "None was tried: the document is not a file on this machine."
    LEAN_FAILED = "lean_failed", "Lean could not be started, or failed before it had accepted any."


class GoalPlace(DocumentedEnum):
    """Where the goal of an answer is."""

    HERE = "here", "At the position."
    BEFORE = (
        "before",
        "Before the tactic at the position, which fails or is unfinished. A suggestion replaces that tactic.",
    )
    CLOSED = "closed", "Nowhere: no goal is left at the position, and `goal` is empty."


class QueryKind(DocumentedEnum):
    """How a search query was read."""

    GOAL = "goal", "As a goal: it has a `⊢`, or is a declaration with its `:=`."
    TEXT = "text", "As a name, a part of one, or words."
    PATTERN = (
        "pattern",
        "As a pattern (docs/pattern-search.md): it has a hole `_` or `?a`, or a quoted part of a name.",
    )


class FeatureGroup(DocumentedEnum):
    """The groups of features that a premise's score comes from."""

    MEANING = "meaning", "How near its embedding is to the goal's."
    WORDS = "words", "Which words and symbols it shares with the goal."
    PROOFS = "proofs", "How much the proofs of similar theorems use it."
    TOGETHER = "together", "How often it is used with the premises that those proofs use most."
    SHAPE = "shape", "How its statement matches the goal: what it concludes, assumes, or can rewrite."
    NAME = "name", "What its name shares with the goal and with the theorem being proved."
    USE = "use", "How often proofs use it at all."
    PLACE = "place", "Where it is declared and used, seen from the goal."
    KIND = "kind", "Whether it is a theorem or a definition, for the tactic in the request."
    SCOPE = "scope", "Whether the file's imports reach it."
    RERANKER = "reranker", "The re-ranker's score, if the model has one."
    OTHER = "other", "Features of no other group."


@dataclass(frozen=True, slots=True)
class ContributionItem:
    """What a group of features adds to a premise's score.

    It is the score, less the score with the group's features at their medians over all candidates. Contributions to
    a weighted sum add up; those to the learned ranker's score depend on each other.
    """

    group: Annotated[FeatureGroup, "The group."]
    amount: Annotated[float, "What it adds; below 0 where it takes away."]


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
        "Whether the imports make it usable at the position; null where there is no file to judge by.",
    ]
    import_line: Annotated[
        str | None,
        "The line that brings it into scope (`import M`); null where none is needed or there is no file.",
    ]
    doc_url: Annotated[str | None, "Its page in Mathlib's online documentation; null where it has none."]
    rests_on_sorry: Annotated[
        bool, "Whether its proof, or the proof of a lemma of the project that it uses, has a `sorry`."
    ] = False
    has_error: Annotated[
        bool, "Whether Lean reports an error in its declaration, in the open file above the goal."
    ] = False
    deprecated: Annotated[
        bool,
        "Whether it is marked as deprecated; it is listed after its replacement. Never true for the bundled Mathlib "
        "index, which does not know.",
    ] = False
    replaced_by: Annotated[
        str,
        "The replacement that a deprecated premise names, as written; empty if it names none.",
    ] = ""
    explanation: Annotated[
        list[ContributionItem],
        "What its score comes from, the largest contribution first. Empty if this was not requested, and for "
        "premises found by words.",
    ] = field(default_factory=list)
    why: Annotated[
        str,
        "The same for people: the largest contributions and the most negative one, such as `near in meaning "
        "(+1.2); less for its name (-0.3)`. Empty where there is no explanation.",
    ] = ""
    form: Annotated[
        str,
        "The tactic that its statement suggests for the goal, such as `rw [Nat.add_comm]`; Lean has not tried it. "
        "Empty where there is no goal.",
    ] = ""


@dataclass(frozen=True, slots=True)
class EditItem:
    """An edit of a file: the replaced range and its new text. Lines and columns count from 1, columns in code points;
    nothing is replaced if the end is the start."""

    line: Annotated[int, "The line in which it begins."]
    column: Annotated[int, "The column in which it begins."]
    end_line: Annotated[int, "The line in which it ends."]
    end_column: Annotated[int, "The column after its last character."]
    text: Annotated[str, "The text that replaces it; `\\n` ends a line."]


@dataclass(frozen=True, slots=True)
class RangeItem:
    """A part of a file. Lines and columns count from 1, columns in code points."""

    line: Annotated[int, "The line in which it begins."]
    column: Annotated[int, "The column in which it begins."]
    end_line: Annotated[int, "The line in which it ends."]
    end_column: Annotated[int, "The column after its last character."]


@dataclass(frozen=True, slots=True)
class PositionItem:
    """A position in a file. Line and column count from 1, the column in code points."""

    line: Annotated[int, "The line."]
    column: Annotated[int, "The column."]


@dataclass(frozen=True, slots=True)
class TacticItem:
    """One tactic that was tried in Lean: what closes first, then fewest goals left, then the best guess; last
    what cannot be judged."""

    tactic: Annotated[
        str,
        "The tactic that was tried, after `by` where a term is expected; it replaces the `sorry` at the position, "
        "if there is one.",
    ]
    status: Annotated[TacticVerdict, "Lean's verdict."]
    remaining_goals: Annotated[list[str], "The remaining goals, as Lean prints them."]
    message: Annotated[
        str, "Lean's own words on a failure, or why it cannot be judged, with the line; else empty."
    ] = ""
    origin: Annotated[
        str, "The theorem whose proof the tactic is taken from and adapted to this goal; else empty."
    ] = ""
    rests_on_sorry: Annotated[
        bool,
        "Whether the proof uses a declaration that is not proved: it rests on `sorry`, or has an error.",
    ] = False
    unfinished: Annotated[
        list[str], "The declarations, named by the tactic, that are not proved; empty where none is known."
    ] = field(default_factory=list)
    edit: Annotated[
        EditItem | None,
        "The edit that inserts it, brackets, indentation and a `sorry` for each goal that it leaves included: Lean "
        "has judged the file that this makes. Null where there is no file.",
    ] = None
    cursor: Annotated[
        PositionItem | None,
        "Where the cursor belongs after the edit: on the first `sorry` of a goal that is left, else after the "
        "inserted text. Null where there is no edit.",
    ] = None
    uses: Annotated[
        list[str], "The listed premises that it uses, by the names under which they are listed."
    ] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SourceItem:
    """One package in the index."""

    package: Annotated[str, "The package's name."]
    revision: Annotated[str, "Its revision: a commit, a version, or a hash of what was read."]
    premises: Annotated[int, "How many premises of it the index holds."]
    bundled: Annotated[bool, "Whether it came with the installation rather than from files read here."]
    date: Annotated[str | None, "Its day (ISO 8601), if its revision is one; else null."] = None
    age_days: Annotated[int | None, "How many days ago that was; null if `date` is null."] = None


class IndexState(DocumentedEnum):
    """Whether what should be searched was. Only then does an empty answer mean that nothing fits."""

    CONSULTED = "consulted", "All of it was searched."
    WARMING = (
        "warming",
        "The project's index is being brought up to date; what is not read yet was not searched.",
    )
    UNAVAILABLE = "unavailable", "A part is missing or cannot be used; `warnings` names it, and what to do."


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
    state: Annotated[IndexState, "Whether what should be searched was."] = IndexState.CONSULTED


@dataclass(frozen=True, slots=True)
class PartItem:
    """A subexpression of the goal's target, as a range of the text `goal`."""

    start: Annotated[int, "Where it begins: the number of characters (code points) before it."]
    end: Annotated[int, "Where it ends: the number of characters before what follows it."]


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


@dataclass(frozen=True, slots=True)
class SorryItem:
    """A `sorry` of a file. Line and column count from 1, the column in code points."""

    line: Annotated[int, "Its line."]
    column: Annotated[int, "The column in which it begins."]
    declaration: Annotated[str, "The name of the declaration around it, as written; empty if it has none."]


@dataclass(frozen=True, slots=True)
class SorriesAnswer:
    """The `sorry`s of a file."""

    sorries: Annotated[list[SorryItem], "In the order of the text; at most 1,000."]


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
class CollectionHit:
    """One document of a collection, best first."""

    title: Annotated[str, "Its title, or its label where it has none."]
    kind: Annotated[str, "Its type: `theorem`, `definition`, `other`, `proof`, ..."]
    body: Annotated[str, "Its text, as its source has it (LaTeX)."]
    where: Annotated[str, "Its label, or the part of the source that contains it; empty if unknown."]
    score: Annotated[float, "How well it fits; higher is better, comparable within one answer only."]


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
    SorriesAnswer,
    AllSorriesAnswer,
    IndexStatusAnswer,
    CollectionAnswer,
)
"""The objects that are sent as whole answers."""
CLASSES = (
    Suggestion,
    GoalPlace,
    TacticsStatus,
    PremiseItem,
    ContributionItem,
    FeatureGroup,
    TacticItem,
    EditItem,
    RangeItem,
    PositionItem,
    TacticVerdict,
    PartItem,
    IndexItem,
    IndexState,
    SourceItem,
    TacticsSoFar,
    SearchAnswer,
    QueryKind,
    IndexAnswer,
    StatusItem,
    TrialsAnswer,
    DeclarationAnswer,
    SorriesAnswer,
    SorryItem,
    AllSorriesAnswer,
    AnsweredSorry,
    IndexStatusAnswer,
    CollectionAnswer,
    CollectionHit,
)
"""The answers and what they consist of, in the order of the documentation."""

_JSON_NAMES = {"import_line": "import"}


def json_name(item: Field[Any]) -> str:
    """The name of a field in the JSON object."""
    return _JSON_NAMES.get(item.name, item.name)


def to_json(value: Any) -> Any:
    """An answer, or a part of one, as plain JSON values."""
    if hasattr(value, "__dataclass_fields__"):
        return {json_name(item): to_json(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, DocumentedEnum):
        return value.value
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    if isinstance(value, dict):
        return {key: to_json(item) for key, item in value.items()}
    return value
