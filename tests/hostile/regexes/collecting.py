"""The regular expressions of our programs: what Python files give to `re`, and literals in TypeScript."""

from __future__ import annotations

import ast
import importlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.hostile.regexes.tree import Mode

_MODES: Mapping[str, Mode] = {
    "match": "match",
    "fullmatch": "fullmatch",
    "search": "search",
    **dict.fromkeys(("findall", "finditer", "sub", "subn", "split"), "all"),
}
_FLAGS_AT = {"compile": 1, "split": 3, "sub": 4, "subn": 4}
"""Which argument of a function of `re` is its flags, where it is not the third."""
_TYPESCRIPT = re.compile(
    r"(?:[(,=:\[!&|?{};]|\breturn)[ \t\n]*+/(?![*/])(?P<pattern>(?>(?:[^\\/\[\n]|\\.|\[(?>(?:[^\]\\\n]|\\.)*)\])+))"
    r"/(?P<flags>[a-z]*)"
)
_PROPERTY = re.compile(r"\\p\{\w+\}")


class UnreadExpression(Exception):
    """An expression that is not known before the program runs."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A regular expression: where it stands, what it is, and how it is used."""

    place: str
    pattern: str | bytes
    flags: int
    modes: frozenset[Mode]


def python_expressions(root: Path, folders: Iterable[str]) -> Iterator[Expression]:
    """Those of all Python files in these folders of a repository, whose modules are imported.

    Raises UnreadExpression where one is made of more than constants and the formatted values of an f-string.
    """
    trees = {
        path: ast.parse(path.read_text(encoding="utf-8"))
        for folder in folders
        for path in sorted((root / folder).rglob("*.py"))
    }
    shared = defaultdict(set)
    for tree in trees.values():
        for name, modes in _uses(tree).items():
            shared[name] |= modes
    for path, tree in trees.items():
        if any(_is_of_re(node) for node in ast.walk(tree)):
            name = ".".join(path.relative_to(root).with_suffix("").parts)
            own = _uses(tree)
            modes = {one: own[one] if one.startswith("_") else shared[one] for one in own}
            yield from _of_module(name, tree, modes)


def _uses(tree: ast.Module) -> dict[str, set[Mode]]:
    """By name, what methods of patterns are called on it; where it is used as a value, those that are called on
    parameters that are patterns, or all."""
    found: dict[str, set[Mode]] = defaultdict(set)
    known, parameters = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.arg) and node.annotation and "re.Pattern" in ast.unparse(node.annotation):
            parameters.add(node.arg)
        if isinstance(node, ast.Attribute):
            name = getattr(node.value, "id", getattr(node.value, "attr", None))
            known.add(node.value)
            if name and node.attr in _MODES:
                found[name].add(_MODES[node.attr])
    passed = {mode for name in parameters for mode in found[name]} or {"all"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node not in known:
            found[node.id] |= passed
    return found


def _is_of_re(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "re"


def _of_module(name: str, tree: ast.Module, modes: Mapping[str, set[Mode]]) -> Iterator[Expression]:
    values = vars(importlib.import_module(name))
    names = {
        node.value: _target(node) for node in ast.walk(tree) if isinstance(node, ast.Assign | ast.AnnAssign)
    }
    chained = {node.value: node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _is_of_re(node.func) and node.func.attr in {"compile", *_MODES}:
            function = chained.get(node, node.func.attr)
            used = {_MODES[function]} if function in _MODES else modes.get(names.get(node, ""), {"all"})
            place = f"{name}:{node.lineno}"
            yield Expression(place, _pattern(node, values, place), _flags(node, values), frozenset(used))
    for made, value in values.items():
        if isinstance(value, re.Pattern):
            yield Expression(
                f"{name}.{made}",
                value.pattern,
                value.flags & ~re.UNICODE,
                frozenset(modes.get(made, {"all"})),
            )


def _target(node: ast.Assign | ast.AnnAssign) -> str:
    target = node.targets[0] if isinstance(node, ast.Assign) else node.target
    return getattr(target, "id", "")


def _pattern(call: ast.Call, values: Mapping[str, Any], place: str) -> str | bytes:
    found = _evaluated(call.args[0], values)
    if isinstance(found, str | bytes):
        return found
    raise UnreadExpression(f"{place}: {ast.unparse(call.args[0])}")


def _evaluated(node: ast.expr, values: Mapping[str, Any]) -> Any:
    """The value of an expression; what an f-string takes from a running function is taken for `x`."""
    try:
        return eval(compile(ast.Expression(node), "", "eval"), dict(values))
    except Exception:  # noqa: BLE001 - whatever it needs is not there
        if not isinstance(node, ast.JoinedStr):
            return None
    parts = (part if isinstance(part, ast.Constant) else ast.JoinedStr([part]) for part in node.values)
    return "".join("x" if (found := _evaluated_part(part, values)) is None else found for part in parts)


def _evaluated_part(node: ast.expr, values: Mapping[str, Any]) -> str | None:
    try:
        return str(eval(compile(ast.fix_missing_locations(ast.Expression(node)), "", "eval"), dict(values)))
    except Exception:  # noqa: BLE001 - as above
        return None


def _flags(call: ast.Call, values: Mapping[str, Any]) -> int:
    at = _FLAGS_AT.get(call.func.attr, 2)
    given = [word.value for word in call.keywords if word.arg == "flags"] or call.args[at : at + 1]
    return int(_evaluated(given[0], values)) if given else 0


def typescript_expressions(root: Path, folder: str) -> Iterator[Expression]:
    """Those of all TypeScript files in a folder of a repository, as Python would write them."""
    for path in sorted((root / folder).rglob("*.[tj]s")):
        text = path.read_text(encoding="utf-8")
        for match in _TYPESCRIPT.finditer(text):
            place = f"{path.relative_to(root)}:{text.count(chr(10), 0, match.start('pattern')) + 1}"
            flags = sum(getattr(re, one.upper()) for one in match["flags"] if one in "ims")
            yield Expression(place, _as_python(match["pattern"]), flags, frozenset({"all"}))


def _as_python(pattern: str) -> str:
    return (
        _PROPERTY.sub(r"\\w", pattern)
        .replace("(?<", "(?P<")
        .replace("(?P<=", "(?<=")
        .replace("(?P<!", "(?<!")
    )
