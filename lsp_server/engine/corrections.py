"""Names that are not known: tactics with the nearest known names in their place, and whether a library is missing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from lean_extract.records import Goal
from lean_extract.session.places import bare
from lean_extract.syntax.brackets import PAIRS
from lean_extract.syntax.keywords import COMMAND_WORDS
from lean_extract.syntax.lexer import is_identifier, tokenize
from lean_extract.syntax.tactic_text import brackets
from lean_extract.syntax.tactic_words import COMBINATORS, FOCUS_DOTS, SEPARATORS, TACTIC_BLOCKS
from lsp_server.engine.project_index import ProjectIndex
from lsp_server.engine.running_lean import UNKNOWN
from lsp_server.limits import CORRECTED_NAMES, CORRECTIONS, TACTIC_CHARACTERS
from prover.candidates import Candidate
from prover.verify import GoalPosition
from retriever.lean.listing import replacements

SOURCE = "correction"
_UNKNOWN_NAME = re.compile(r"nknown (?:identifier|constant) [`'](?P<name>[^`'\s]+)")
_NEAR = 4
"""How many near names of one typed name are tried."""
_STEP = 0.01
_BEFORE_TACTICS = SEPARATORS | FOCUS_DOTS | TACTIC_BLOCKS | COMBINATORS
_WORDS = frozenset(
    (
        "at",
        "with",
        "using",
        "only",
        "from",
        "fun",
        "by",
        "then",
        "else",
        "show",
        "have",
        "this",
        "generalizing",
    )
)


def corrections(
    index: ProjectIndex, position: GoalPosition, goal: Goal, tactic: str, column: int
) -> tuple[Candidate, ...]:
    """The tactics to try before all others in place of one that fails, likeliest first.

    Args:
        index: knows the names.
        position: where the goal is.
        goal: its hypotheses are known names, too.
        tactic: the text of the tactic.
        column: the column in which it begins.

    Raises BadSource, and what the index raises.
    """
    if len(tactic) > TACTIC_CHARACTERS:
        return ()
    text = bare(" " * column + tactic)
    local = {name for one in goal.hypotheses for name in one.names}
    found = dict.fromkeys(islice(_corrected(index, position, text, local), CORRECTIONS))
    made = [Candidate(one, 1 - _STEP * rank, SOURCE) for rank, one in enumerate(found)]
    return tuple(index.respelled(position, goal, made))


def lacks_names(index: ProjectIndex, position: GoalPosition, messages: Iterable[str]) -> bool:
    """Whether Lean's messages are about something unknown that seems to belong to a library: not to a local name, and
    not to a misspelt one, which has a near name.

    Raises BadSource, and what the index raises.
    """
    unknown = [one for one in messages if UNKNOWN in one]
    names = dict.fromkeys(found["name"] for one in unknown for found in _UNKNOWN_NAME.finditer(one))
    return any(not _UNKNOWN_NAME.search(one) for one in unknown) or any(
        set("._").intersection(name) and next(_other_names(index, position, name), None) is None
        for name in islice(names, CORRECTED_NAMES)
    )


def _corrected(index: ProjectIndex, position: GoalPosition, text: str, local: set[str]) -> Iterator[str]:
    tokens = tokenize(text)
    words = _WORDS | COMMAND_WORDS | local
    names = [
        number
        for number, token in enumerate(tokens.texts)
        if is_identifier(token)
        and words.isdisjoint((token, token.partition(".")[0]))
        and number > 0
        and tokens.texts[number - 1] not in _BEFORE_TACTICS
    ]
    for number in names[:CORRECTED_NAMES]:
        start, end = tokens.starts[number], tokens.end(number)
        for name in _other_names(index, position, tokens.texts[number]):
            yield _closed(f"{text[:start]}{name}{text[end:]}")


def _other_names(index: ProjectIndex, position: GoalPosition, typed: str) -> Iterator[str]:
    """What may be meant by a name: what replaces a deprecated one; names near to it, or to a beginning of it, as in
    `name.symm`. Nothing for another name that is known."""
    parts = typed.split(".")
    for count in range(len(parts), 0, -1):
        head, rest = ".".join(parts[:count]), "".join(f".{part}" for part in parts[count:])
        found = index.near(head, position, _NEAR)
        same = [one.premise for one in found if one.is_same]
        if same:
            yield from (f"{name}{rest}" for one in same for name in replacements(one))
            return
        yield from (f"{one.premise.written}{rest}" for one in found)


def _closed(text: str) -> str:
    """A text with the brackets that it leaves open closed."""
    problem, still_open = brackets(text)
    return text if problem is not None else text + "".join(PAIRS[one] for one in reversed(still_open))
