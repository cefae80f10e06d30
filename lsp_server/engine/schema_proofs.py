"""The JSON objects of found proofs: `prove`, `fill` and `repair`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from lsp_server.engine.documented_json import DocumentedEnum
from lsp_server.engine.schema_items import EditItem, PositionItem, SorryItem


class ProofStatus(DocumentedEnum):
    """How a search for a proof ended."""

    PROVED = "proved", "Lean accepts the file with the proof."
    PARTIAL = "partial", "Some goals are proved; a `sorry` stands for each of the others."
    FALSE = "false", "The goal is false: `message` has a counterexample, or Lean's `decide` refutes it."
    NOT_PROVED = "not_proved", "Nothing was found within the limits, or nothing was left to try."
    STOPPED = "stopped", "The search was stopped, and nothing had been proved."
    FAILED = "failed", "There is nothing to search with: `message` has the reason."


@dataclass(frozen=True, slots=True)
class ProofProgress:
    """A search for a proof, while it runs."""

    seconds: Annotated[float, "How long it has run."]
    limit: Annotated[float, "After how many seconds it ends."]
    states: Annotated[int, "How many states were expanded."]
    tactics: Annotated[int, "How many tactics Lean has judged."]
    proved: Annotated[int, "How many of the goals of `steps` are proved."]
    goals: Annotated[int, "How many goals `steps` leads to."]
    steps: Annotated[str, "The script that has come furthest; empty if none has."]
    imports: Annotated[bool, "Whether it has found no proof, and tries what needs an import."] = False


@dataclass(frozen=True, slots=True)
class ModelUseItem:
    """What a model at a server was asked in a search for a proof."""

    requests: Annotated[int, "How many requests it got; answers that were known are not asked for again."]
    prompt_tokens: Annotated[int, "The tokens of the prompts."]
    answer_tokens: Annotated[int, "The tokens of the answers."]
    seconds: Annotated[float, "How long at least one request was under way."]
    is_estimate: Annotated[bool, "Whether the server did not count some of the tokens."]


@dataclass(frozen=True, slots=True)
class ProofAnswer:
    """The result of a search for the proof of one `sorry`, or of one goal."""

    status: Annotated[ProofStatus, "How the search ended."]
    goal: Annotated[str, "The goal, as Lean prints it; empty if Lean gave none."]
    declaration: Annotated[
        str, "The name of the declaration around it, as written; empty if it has none."
    ] = ""
    script: Annotated[
        str,
        "The tactics, as they are inserted; with `sorry` for goals that are not proved. Empty if there are none.",
    ] = ""
    edits: Annotated[
        list[EditItem],
        "The edits that insert the script and the imports it needs, the last in the file first. Empty if there is no "
        "script.",
    ] = field(default_factory=list)
    cursor: Annotated[
        PositionItem | None,
        "Where the cursor belongs after the edits: on the first `sorry` that is left, else after the script.",
    ] = None
    imports: Annotated[list[str], "The lines (`import M`) that the edits add."] = field(default_factory=list)
    uses: Annotated[list[str], "The premises that the script uses, by full name."] = field(
        default_factory=list
    )
    proved: Annotated[int, "How many of `goals` the script proves."] = 0
    goals: Annotated[int, "How many goals the script leads to; 1 if it closes the goal without a branch."] = 1
    checked: Annotated[bool, "Whether a new Lean process has accepted the file with the edits."] = False
    message: Annotated[str, "A sentence on why there is no proof, or what Lean says of it; else empty."] = ""
    seconds: Annotated[float, "How long the search took."] = 0.0
    states: Annotated[int, "How many states were expanded."] = 0
    tactics: Annotated[int, "How many tactics Lean judged."] = 0
    memory_mb: Annotated[int, "The most private memory of all Lean processes together, in megabytes."] = 0
    processes: Annotated[int, "The most Lean processes at the same time."] = 0
    warnings: Annotated[list[str], "As in Suggestion."] = field(default_factory=list)
    model: Annotated[ModelUseItem | None, "What a model at a server was asked; null if none is set."] = None


@dataclass(frozen=True, slots=True)
class FilledSorry:
    """A `sorry` that `fill` has tried to replace."""

    file: Annotated[str, "The file, relative to the folder in which the command runs."]
    sorry: Annotated[SorryItem, "The `sorry`, with its place before anything was written."]
    proof: Annotated[ProofAnswer | None, "The result of the search; null if it was not reached."]
    written: Annotated[bool, "Whether the file has the proof now."] = False


@dataclass(frozen=True, slots=True)
class FillAnswer:
    """The answer to `fill`."""

    sorries: Annotated[list[FilledSorry], "In the order of files and text."]
    proved: Annotated[int, "How many are proved."]
    seconds: Annotated[float, "How long it took."]
    stopped: Annotated[bool, "Whether it was stopped, or its time ran out, before all had been tried."] = (
        False
    )


class RepairKind(DocumentedEnum):
    """What repaired an error."""

    RENAMED = "renamed", "Another name in place of one that is deprecated, was renamed, or does not exist."
    IMPORT = "import", "Another import, or a further one."
    ARGUMENTS = "arguments", "The same lemmas with other arguments, or in another form."
    TACTIC = "tactic", "Another tactic that Lean accepts for the goal."
    PROOF = "proof", "A proof that the search found."
    NONE = "none", "Nothing: the error is still there."


@dataclass(frozen=True, slots=True)
class RepairedError:
    """An error of a build, and its repair."""

    file: Annotated[str, "The file, relative to the folder in which the command runs."]
    line: Annotated[int, "The line of the error, from 1, before anything was written."]
    declaration: Annotated[
        str, "The name of the declaration with the error, as written; empty if it has none."
    ]
    message: Annotated[str, "The first line of Lean's message."]
    kind: Annotated[RepairKind, "What repaired it."]
    before: Annotated[str, "The lines that were replaced; empty if it was not repaired."] = ""
    after: Annotated[str, "The lines in their place."] = ""
    edits: Annotated[list[EditItem], "The edits of the file, the last in the file first."] = field(
        default_factory=list
    )
    reason: Annotated[str, "A sentence on why it was not repaired; else empty."] = ""


@dataclass(frozen=True, slots=True)
class RepairAnswer:
    """The answer to `repair`."""

    errors: Annotated[list[RepairedError], "In the order in which they were found."]
    repaired: Annotated[int, "How many are repaired."]
    written: Annotated[list[str], "The files that were written."]
    seconds: Annotated[float, "How long it took."]
    stopped: Annotated[bool, "Whether it was stopped, or its time ran out."] = False
