"""Gets the kinds, binders and conclusions of declarations in a compiled library from Lean.

One run of `lean` handles a whole module: `#check N` prints the signature with all included variables, and
`#print sig N` the kind.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lean_extract.common.errors import LeanDied, LeanTimeout, ProjectBroken
from lean_extract.source.names.binders import parse_binders
from lean_extract.syntax.lexer import tokenize

SECONDS = 300.0
_MODIFIERS = frozenset({"private", "protected", "noncomputable", "unsafe", "partial", "public", "meta"})


@dataclass(frozen=True, slots=True)
class Signature:
    """A declaration as Lean prints it. `context` and `conclusion` are as in `records.Premise`."""

    kind: str
    context: tuple[str, ...]
    conclusion: str
    is_protected: bool = False


def ask_signatures(
    command: Sequence[str], environment: Mapping[str, str], module: str, names: Sequence[str]
) -> dict[str, Signature]:
    """The signatures of `names`, which are declared in `module` or its imports. Unknown names are left out.

    Args:
        command: a `lean` that can import the module in this environment.
        environment: variables that are added to the process's own.
        module: the module to import.
        names: the names of the declarations.

    Raises:
        ProjectBroken: the module cannot be imported.
        LeanDied, LeanTimeout: Lean ended early, or did not end in time.
    """
    lines = [
        f"import {module}",
        *(line for name in names for line in (f"#check {name}", f"#print sig {name}")),
    ]
    answers: dict[int, str] = {}
    for message in _messages(command, environment, "\n".join(lines) + "\n"):
        line = message["pos"]["line"]
        if message["severity"] == "error" and line == 1:
            raise ProjectBroken(f"Lean cannot import {module}: {message['data']}", "Build the project first.")
        if message["severity"] == "information":
            answers[line] = message["data"]
    found = {}
    for index, name in enumerate(names):
        check, kind = answers.get(2 + 2 * index), answers.get(3 + 2 * index)
        if check is not None and kind is not None:
            found[name] = _signature(check, kind)
    return found


def _messages(command: Sequence[str], environment: Mapping[str, str], text: str) -> Iterator[dict[str, Any]]:
    try:
        result = subprocess.run(
            [*command, "--json", "--stdin"],
            input=text.encode(),
            env={**os.environ, **environment},
            capture_output=True,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        raise LeanTimeout(
            f"Lean printed no signatures within {SECONDS:.0f} seconds.", "Try again."
        ) from error
    if result.returncode not in (0, 1):
        raise LeanDied(f"Lean ended with code {result.returncode} while printing signatures.", "Try again.")
    for line in result.stdout.decode().splitlines():
        if line.startswith("{"):
            yield json.loads(line)


def _signature(check: str, printed: str) -> Signature:
    context, conclusion = split_signature(check)
    modifiers, kind = _kind(printed)
    return Signature(kind, context, conclusion, "protected" in modifiers)


def split_signature(text: str) -> tuple[tuple[str, ...], str]:
    """Split `Foo.bar.{u} {a : T} (h : p a) : q a` into its binders and its conclusion."""
    tokens = tokenize(text)
    texts = tokens.texts
    begin = 1
    if texts[1:2] == [".{"]:
        begin = tokens.brackets.close(1, len(texts)) + 1
    binders, after = parse_binders(tokens, begin, len(texts))
    if after < len(texts) and texts[after] == ":":
        after += 1
    return tuple(binder.text for binder in binders), tokens.source(after, len(texts))


def _kind(printed: str) -> tuple[set[str], str]:
    words = [word for word in printed.split() if not word.startswith("@[")]
    modifiers = set()
    while words and words[0] in _MODIFIERS:
        modifiers.add(words.pop(0))
    return modifiers, words[0] if words else ""
