"""`python -m lean_extract COMMAND`: extracts the records of a Lean library."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from lean_extract.common.python_path import leave_current_folder
from lean_extract.common.verbs import Verb, run_verb

VERBS: Mapping[str, Verb] = {
    "extract": Verb(".source.extract", "extract the records of a project from its text"),
    "extract-all": Verb(".source.extract_all", "extract many projects, on several processes or machines"),
    "trace": Verb(".traced.extract", "extract the records of a library with Lean itself"),
    "goal-comments": Verb(
        ".traced.goal_comments", "add the goals that Lean printed between tactics to records"
    ),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that the command line names, and return the exit code."""
    return run_verb("lean_extract", VERBS, arguments)


if __name__ == "__main__":
    leave_current_folder()
    sys.exit(main())
