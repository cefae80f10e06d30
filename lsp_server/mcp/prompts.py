"""What agents' users can ask for by name, such as with a slash: prompts that say which tools to call, and when."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AgentPrompt:
    """One prompt. `tool`: the one without which it is not offered.

    `lines` name tools and arguments (`{file}`); those that name a tool that is not offered are left out.
    """

    name: str
    title: str
    description: str
    tool: str
    arguments: dict[str, str]
    """What each argument is; all are needed."""
    lines: tuple[str, ...]


_FILE = "A Lean file."
_EDITS = "Apply its edits in the order in which they are listed: the last in the file comes first."
_FALSE = "If it says that the goal is false, change nothing there and report the counterexample."
_STEPS = (
    "Where that finds no proof, call `suggest` there: take what closes the goal, else a step that makes progress.",
    "Have several ideas of your own tried in one call of `try_tactics`.",
    "Look for lemmas with `search`.",
)
_HONEST = "Do not change the statement, and say plainly what is not proved in the end."

PROMPTS = (
    AgentPrompt(
        "prove_goal",
        "Prove a goal",
        "Has a whole proof searched for, and works on step by step where none is found.",
        "prove",
        {"file": _FILE, "place": "The line of the goal, or the name of the declaration."},
        (
            "Prove the goal in {file} at {place}.",
            f"Call `prove` there first. {_EDITS}",
            _FALSE,
            *_STEPS,
            _HONEST,
        ),
    ),
    AgentPrompt(
        "fill_sorries",
        "Fill the sorrys of a file",
        "Replaces each `sorry` by a proof that Lean accepts.",
        "sorries",
        {"file": _FILE},
        (
            "Replace every `sorry` in {file} by a proof.",
            "List them with `sorries`, and work from the last to the first, so that the lines above stay as they are.",
            f"Call `prove` at each. {_EDITS}",
            _FALSE,
            *_STEPS,
            _HONEST,
        ),
    ),
    AgentPrompt(
        "find_lemma",
        "Find a lemma",
        "Finds the declaration that says something, in the project, its packages and Mathlib.",
        "search",
        {"words": "What it says, in words, as a statement or as a pattern such as `?a * _ ≤ ?b * _`."},
        (
            "Find the lemma that says: {words}",
            "Call `search` with these words; then with a pattern or a part of its likely name, if it is not there.",
            "Read the statement of what fits best with `declaration`.",
            "Answer with its name, its statement and its module. If there is none, say so; invent no name.",
        ),
    ),
    AgentPrompt(
        "repair_file",
        "Repair a file",
        "Repairs proofs that broke, such as after a change of Lean or of a library.",
        "repair",
        {"file": _FILE},
        (
            "Repair the proofs of {file} that Lean does not accept any more.",
            f"Call `repair` with the file. {_EDITS}",
            "For each error that is left, call `suggest` on its line, or find its lemma with `search`.",
            _HONEST,
        ),
    ),
)
"""All prompts."""
