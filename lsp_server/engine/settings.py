"""The settings: defaults, ranges, and the parsing of what an editor sends (in camelCase).

All good values are used, whatever is wrong with the others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from lean_extract.common.devices import DEVICES, Device
from lean_extract.common.files.json_text import shown
from lean_extract.common.typed import Form, Misfit, updated
from lsp_server.limits import LISTED_SETTINGS, PROOF_SECONDS, QUOTED_NAME_CHARACTERS
from prover.limits import SUGGESTION_SECONDS, SUGGESTION_TACTICS

SECTION = "premiseSuggest"
"""The name under which editors keep these settings."""


def _setting(
    default: Any,
    doc: str,
    low: float | None = None,
    high: float | None = None,
    choices: tuple[str, ...] = (),
) -> Any:
    return field(default=default, metadata={"doc": doc, "low": low, "high": high, "choices": choices})


_LEAN_SOURCES = ("server", "repl")
"""What gives live goals."""
SOURCES = ("both", "templates", "generator")
"""Where candidate tactics may come from."""


@dataclass(frozen=True, slots=True)
class LeanSettings:
    """Which Lean is run, and its limits."""

    source: str = _setting(
        "server",
        "Where goals and verdicts come from: Lean's language server, or leanprover-community/repl.",
        choices=_LEAN_SOURCES,
    )
    repl_command: str = _setting(
        "", "With `source` repl: the command line of the REPL, such as `lake env /path/to/repl`."
    )
    command: str = _setting(
        "",
        "Command line of the Lean server. Empty: found automatically; `premise-suggest doctor` says which.",
    )
    start_seconds: float = _setting(60.0, "Longest wait for Lean to start.", 0.1, 3600)
    request_seconds: float = _setting(60.0, "Longest wait for Lean while it makes no progress.", 0.1, 3600)
    tactic_seconds: float = _setting(
        5.0,
        "Longest time for one tactic once all above it is elaborated, except for those that search a library "
        "(`exact?`, `try?`).",
        0.1,
        600,
    )
    memory_mb: int = _setting(
        0, "Memory limit for one Lean in megabytes; 0: a third of the machine's, 8192 at most.", 0, 1 << 20
    )
    slots: int = _setting(2, "How many tactics are tried in parallel.", 1, 64)


@dataclass(frozen=True, slots=True)
class PremiseSettings:
    """How many premises are shown, and which."""

    count: int = _setting(16, "How many premises a suggestion lists.", 1, 1000)
    out_of_scope: bool = _setting(
        True, "Also show premises that need one more import, and try tactics with it."
    )
    rerank: int = _setting(
        20, "How many of the best premises the re-ranker scores, if the model has one; 0: none.", 0, 200
    )


@dataclass(frozen=True, slots=True)
class TacticSettings:
    """Which tactics are tried."""

    enabled: bool = _setting(True, "Try tactics in Lean and offer those it accepts.")
    count: int = _setting(
        SUGGESTION_TACTICS,
        "How many candidate tactics are tried, from all sources together; Lean's own automation is tried in addition.",
        1,
        200,
    )
    seconds: float = _setting(
        SUGGESTION_SECONDS,
        "Longest time for trying all tactics. Those that Lean has not judged by then are dropped.",
        0.1,
        600,
    )
    source: str = _setting(
        "both",
        "Where candidate tactics come from: `templates` (over the premises and the goal's "
        "shape), the `generator`, or `both`.",
        choices=SOURCES,
    )
    generator: str = _setting(
        "",
        "The tactic generator: a folder, or owner/name on the Hugging Face hub, with `#` and the form of its "
        "prompts where its name does not show it. Empty: the shipped one, if there is one; `byt5`: the shipped one "
        "that writes byte by byte; `http://127.0.0.1:11434/v1#MODEL`: the shipped one and a model that you run.",
    )
    neighbours: bool = _setting(
        True,
        "Also try the tactics of known proofs at similar goals, adapted, unless `tactics.source` is `generator`.",
    )
    generated: int = _setting(8, "How many tactics the generator proposes.", 1, 64)
    premises: int = _setting(16, "How many of the best premises tactics are built from.", 0, 200)
    extra: tuple[str, ...] = _setting((), "Further closing tactics to try, such as `ring` or `aesop`.")


@dataclass(frozen=True, slots=True)
class ProveSettings:
    """The search for whole proofs."""

    seconds: float = _setting(10.0, "How long a search for a proof takes at most.", *PROOF_SECONDS)


@dataclass(frozen=True, slots=True)
class HoverSettings:
    """The hover on a tactic or `sorry`."""

    enabled: bool = _setting(True, "Show a closing tactic and premises when hovering over a tactic.")
    count: int = _setting(5, "How many premises the hover lists.", 1, 50)
    explain: bool = _setting(False, "Explain the rank of each premise in a line below it.")


@dataclass(frozen=True, slots=True)
class CompletionSettings:
    """Completion after `exact`, `apply`, `refine`, `rw [`, `simp [`."""

    enabled: bool = _setting(True, "Complete with ranked premises.")
    count: int = _setting(30, "How many premises a completion lists.", 1, 500)


@dataclass(frozen=True, slots=True)
class CodeActionSettings:
    """The `Try this: …` quick fixes."""

    enabled: bool = _setting(True, "Offer verified tactics as quick fixes.")
    count: int = _setting(8, "How many quick fixes are offered.", 1, 50)


@dataclass(frozen=True, slots=True)
class CodeLensSettings:
    """The lenses `Try tactics` and `Search for a proof`."""

    enabled: bool = _setting(
        True,
        "Show lenses above each declaration with a `sorry`, which try tactics or search for a proof there.",
    )


@dataclass(frozen=True, slots=True)
class InlineCompletionSettings:
    """Ghost text."""

    enabled: bool = _setting(
        False, "On an empty line of a proof, show the best tactic that closes the goal as ghost text."
    )


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """When the project's index is built."""

    auto: bool = _setting(True, "Build or refresh the project's index when one of its files is opened.")
    on_save: bool = _setting(True, "Re-index a file when it is saved, or changed by another program.")


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Where models run, and what a model at a server is asked (`tactics.generator`)."""

    device: Device = _setting(  # noqa: RUF009  # it makes a field, as for the other types
        "auto",
        "Where the encoder, the re-ranker and the generator `byt5` run: `auto` (on an NVIDIA GPU where it can be "
        "used, else on the CPU), `cpu` or `cuda`. `premise-suggest doctor` says which it is.",
        choices=DEVICES,
    )
    allow_hosts: tuple[str, ...] = _setting(
        (),
        "Other machines to which goals, statements and your file's text above the goal may be sent, if "
        "`tactics.generator` is the address of a model there.",
    )
    key_variable: str = _setting(
        "PREMISE_SUGGEST_API_KEY", "The environment variable that holds the key for a model at a server."
    )
    prompts: str = _setting(
        "",
        "A file with your own prompts for a model at a server. Empty: the shipped ones, by the model's name.",
    )
    prompt_tokens: int = _setting(
        3000, "The longest prompt for a model at a server, in tokens, roughly.", 200, 200_000
    )
    answer_tokens: int = _setting(2048, "The longest answer of a model at a server, in tokens.", 16, 65_536)
    premises: int = _setting(
        200, "How many premises a prompt for a model at a server has at most; 0: none.", 0, 200
    )
    proof_tokens: int = _setting(
        0,
        "How many tokens a model at a server may read and write in one search for a proof; 0: what `models.samples` "
        "and `models.repairs` come to.",
        0,
        100_000_000,
    )
    grammar: bool = _setting(
        False,
        "Let a model at a server write only premises that exist, where the server has grammars (llama.cpp, vLLM). "
        "The model can then not think before it answers.",
    )
    samples: int = _setting(
        4, "How many whole proofs a model at a server writes for `prove` at first.", 1, 64
    )
    repairs: int = _setting(
        2, "How often a proof that Lean refused goes back to a model at a server, with Lean's error.", 0, 16
    )
    requests: int = _setting(2, "How many requests a model at a server gets at a time.", 1, 16)


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings."""

    lean: LeanSettings = field(default_factory=LeanSettings)
    premises: PremiseSettings = field(default_factory=PremiseSettings)
    tactics: TacticSettings = field(default_factory=TacticSettings)
    prove: ProveSettings = field(default_factory=ProveSettings)
    hover: HoverSettings = field(default_factory=HoverSettings)
    completion: CompletionSettings = field(default_factory=CompletionSettings)
    code_actions: CodeActionSettings = field(default_factory=CodeActionSettings)
    code_lens: CodeLensSettings = field(default_factory=CodeLensSettings)
    inline_completion: InlineCompletionSettings = field(default_factory=InlineCompletionSettings)
    index: IndexSettings = field(default_factory=IndexSettings)
    models: ModelSettings = field(default_factory=ModelSettings)
    model_folder: str = _setting(
        "", "The encoder: a folder, or owner/name on the Hugging Face hub. Empty: the shipped one."
    )
    model_download: bool = _setting(
        False,
        "Download a model or generator named in these settings from the hub if it is not on "
        "this machine. Nothing else is downloaded.",
    )


def camel(name: str) -> str:
    """`start_seconds` as editors write it: `startSeconds`."""
    first, *rest = name.split("_")
    return first + "".join(part.title() for part in rest)


def parse(values: Any, base: Settings | None = None) -> tuple[Settings, list[str]]:
    """Settings from an editor's values, and a complaint for every value that was not used.

    An unknown name, a wrong type or a value out of range keeps the value of `base` (the defaults, if it is not
    given); None means nothing was sent. Settings may be under `premiseSuggest` or at the top.
    """
    if isinstance(values, Mapping) and SECTION in values:
        values = values[SECTION]
    base = base or Settings()
    parsed, problems = fitted(values, base)
    complaints = [complaint(one, base, SECTION) for one in problems[:LISTED_SETTINGS]]
    if len(problems) > LISTED_SETTINGS:
        more = len(problems) - LISTED_SETTINGS
        complaints.append(f"{more:,} further values under {SECTION} were not used.")
    return parsed, complaints


_LONGEST_PATH = len(SECTION) + 1 + QUOTED_NAME_CHARACTERS
_EDITOR = Form(camel, integral=True, converts=True)


def fitted(values: Any, base: Settings) -> tuple[Settings, list[Misfit]]:
    """`base` with those values, by the names that editors use, that fit, and the others."""
    problems: list[Misfit] = []
    return updated(base, values, _EDITOR, problems), problems


def complaint(problem: Misfit, base: Settings, section: str = "") -> str:
    """What is wrong with a value, and what is used instead: `base` has it. `section` is named before a setting."""
    full = _full(".".join(filter(None, (section, *problem.path))))
    inner: Any = base
    for name in problem.path[:-1]:
        inner = _members(inner)[name]
    if problem.kind == "object":
        used = "the defaults are used" if base == Settings() else "it is not used"
        return f"{full or 'What is there'} must be an object, not {shown(problem.value)}; {used}."
    known, name = _members(inner), problem.path[-1]
    if problem.kind == "unknown":
        return f"{full} is not a setting{_nearest(name, known)}."
    is_default = inner == type(inner)()
    used = f"{'the default, ' if is_default else ''}{known[name]!r}{',' if is_default else ''} is used."
    return f"{full} must be {problem.wanted}, not {shown(problem.value)}; {used}"


def _members(section: Any) -> dict[str, Any]:
    """The members of a section, by the names that editors use."""
    return {camel(item.name): getattr(section, item.name) for item in fields(section)}


def _full(path: str) -> str:
    return path if len(path) <= _LONGEST_PATH else f"{path[:_LONGEST_PATH]}..."


def _nearest(name: str, known: Mapping[str, object]) -> str:
    folded = re.sub(r"[^a-z]", "", name.lower())
    for candidate in known:
        if candidate.lower() == folded:
            return f"; did you mean {candidate}?"
    return "; the names are " + ", ".join(known)
