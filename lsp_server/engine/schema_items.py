"""What the JSON objects of answers (`schema.py`) consist of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from lsp_server.engine.documented_json import DocumentedEnum


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
    GOAL_NOT_FIRST = (
        "goal_not_first",
        "None was tried: the goal is not the first, and `case` does not reach it.",
    )
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

    WORDS = "words", "As words of English, with or without formulas in LaTeX or Lean."
    NAME = "name", "As a name or a part of one."
    GOAL = "goal", "As a goal: it has a `⊢`, is a declaration with its `:=`, or is a statement."
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
    doc: Annotated[
        str,
        "The first sentence of its doc string on one line, without Markdown, at most 200 characters. Empty where it "
        "has none of its own, and where only a name is known.",
    ] = ""


@dataclass(frozen=True, slots=True)
class RangeItem:
    """A part of a file. Lines and columns count from 1, columns in code points."""

    line: Annotated[int, "The line in which it begins."]
    column: Annotated[int, "The column in which it begins."]
    end_line: Annotated[int, "The line in which it ends."]
    end_column: Annotated[int, "The column after its last character."]


@dataclass(frozen=True, slots=True)
class EditItem(RangeItem):
    """An edit of a file: the replaced range and its new text. Lines and columns count from 1, columns in code points;
    nothing is replaced if the end is the start."""

    text: Annotated[str, "The text that replaces it; `\\n` ends a line."]


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
    import_line: Annotated[
        str | None,
        "The line (`import M`) without which Lean does not accept it: it uses a premise that is not in scope. Null "
        "where none is needed.",
    ] = None
    import_edit: Annotated[
        EditItem | None,
        "The edit that adds this line. Lean has judged the file with both edits; apply this one last, so that it "
        "does not move the other. Null where none is needed.",
    ] = None


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
class SorryItem(PositionItem):
    """A `sorry` of a file. Line and column count from 1, the column in code points."""

    declaration: Annotated[str, "The name of the declaration around it, as written; empty if it has none."]


@dataclass(frozen=True, slots=True)
class UseItem:
    """A declaration in an answer to `uses`."""

    name: Annotated[str, "Its name as people write it."]
    kind: Annotated[str, "As in PremiseItem."]
    module: Annotated[str, "The module that declares it."]
    path: Annotated[str | None, "The file that declares it; null where that is not on this machine."]
    line: Annotated[int | None, "The line, from 1, when it was indexed; null where it is not known."]
    deprecated: Annotated[bool, "As in PremiseItem."] = False


@dataclass(frozen=True, slots=True)
class CollectionHit:
    """One document of a collection, best first."""

    title: Annotated[str, "Its title, or its label where it has none."]
    kind: Annotated[str, "Its type: `theorem`, `definition`, `other`, `proof`, ..."]
    body: Annotated[str, "Its text, as its source has it (LaTeX)."]
    where: Annotated[str, "Its label, or the part of the source that contains it; empty if unknown."]
    score: Annotated[float, "How well it fits; higher is better, comparable within one answer only."]
