"""Which attributes and commands of a library's text declare something, next to what the reader makes of them.

    python scripts/attribute_table.py MATHLIB [--out docs/attributes.md]

MATHLIB is a checkout (the folder that holds `Mathlib/`). The table holds names and numbers only.
"""

from __future__ import annotations

import argparse
import textwrap
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise, takewhile
from pathlib import Path

from lean_extract.records import Premise
from lean_extract.source.grammar.commands import Command, split_commands
from lean_extract.source.grammar.declarations import (
    Attribute,
    nested_attributes,
    parse_attributes,
    parse_prefix,
)
from lean_extract.source.names.scopes import split_name
from lean_extract.source.projects.project import find_sources
from lean_extract.source.reader import SourceModule, read_module
from lean_extract.syntax.brackets import close
from lean_extract.syntax.keywords import TYPE_WORDS
from lean_extract.syntax.lexer import Tokens, is_identifier, tokenize

MAKING = (
    *("to_additive", "to_dual", "to_fun", "simps", "reassoc", "elementwise", "to_app", "ext", "mk_iff"),
    *("higher_order", "alias_in", "irreducible_def", "structure"),
)
"""What declares something: attributes, and commands under their own names."""
LEFT_OUT = {
    "deriving": "instances that `deriving` generates (`instDecidableEqFoo`)",
    "parents": "projections to the parents of a structure (`Foo.toBar`)",
    "recursors": "declarations that Lean generates for inductive types (`rec`, `casesOn`, ...), counted in types",
    "simprocs": "`simproc_decl` and similar commands",
    "elsewhere": "attributes of declarations in other files (`attribute [reassoc] foo`), counted in names",
    "silent simps": "`simps` whose projections cannot be read from the text",
}
_SIMPROCS = frozenset(("simproc_decl", "dsimproc_decl", "simproc", "dsimproc"))
_COMMON = frozenset(("mk", "ext", "ext_iff"))


@dataclass
class Table:
    """What was counted."""

    written: Counter[str] = field(default_factory=Counter)
    nested: Counter[str] = field(default_factory=Counter)
    made: dict[str, list[str]] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    components: set[str] = field(default_factory=set)
    pairs: set[tuple[str, str]] = field(default_factory=set)
    exported: int = 0
    """Names that `export` gives premises of its own file."""
    files: int = 0

    def add(self, tokens: Tokens, module: SourceModule) -> None:
        """Count one file."""
        self.files += 1
        for attribute, is_nested in _attributes(tokens):
            name = attribute.name.removesuffix("?").removesuffix("!")
            (self.nested if is_nested else self.written)[name] += 1
        for premise in module.premises:
            if premise.generated_by:
                self.made.setdefault(premise.generated_by, []).append(premise.name)
            self.exported += premise.exported_as is not None
        self._count_left_out(tokens, module)
        for text in set(tokens.texts):
            parts = split_name(text.lstrip("."))
            if is_identifier(parts[0]):
                self.components.update(parts)
                self.pairs.update(pairwise(parts))

    def _count_left_out(self, tokens: Tokens, module: SourceModule) -> None:
        texts = tokens.texts
        self.written["structure"] += sum(p.kind in ("structure", "class") for p in module.premises)
        self.written["irreducible_def"] += sum(p.kind == "irreducible_def" for p in module.premises)
        self.left_out["deriving"] += sum(
            _derived(texts, place) for place, t in enumerate(texts) if t == "deriving"
        )
        self.left_out["parents"] += sum(len(parents) for _, parents, _ in module.parents)
        self.left_out["recursors"] += sum(p.kind.split()[-1] in TYPE_WORDS for p in module.premises)
        words = [_word(tokens, command) for command in split_commands(tokens)]
        self.left_out["simprocs"] += sum(word in _SIMPROCS for word in words)
        self.left_out["elsewhere"] += _elsewhere(tokens, module)
        self.left_out["silent simps"] += _silent(module)

    def rows(self) -> Iterator[tuple[str, int, int, int, int]]:
        """(what, entries, nested entries, names made, of those written anywhere in the text)."""
        for name in sorted(MAKING, key=lambda name: -len(self.made.get(name, ()))):
            made = self.made.get(name, [])
            yield name, self.written[name], self.nested[name], len(made), sum(map(self._is_written, made))

    def _is_written(self, name: str) -> bool:
        parts = split_name(name)
        if parts[-1] in _COMMON and len(parts) > 1:
            return (parts[-2], parts[-1]) in self.pairs
        return parts[-1] in self.components


def _attributes(tokens: Tokens) -> Iterator[tuple[Attribute, bool]]:
    """Every attribute of the text, and whether it is inside another one."""
    texts = tokens.texts
    for index, text in enumerate(texts):
        begin = (
            index
            if text == "@["
            else index + 1
            if text == "attribute" and texts[index + 1 : index + 2] == ["["]
            else -1
        )
        if begin < 0:
            continue
        for attribute in parse_attributes(
            tokens, begin + 1, close(texts, begin, min(len(texts), begin + 2000))
        ):
            yield attribute, False
            waiting = list(nested_attributes(tokens, attribute))
            while waiting:
                inner = waiting.pop()
                yield inner, True
                waiting += nested_attributes(tokens, inner)


def _word(tokens: Tokens, command: Command) -> str:
    """The word that a command begins with, after its doc comment, attributes and modifiers."""
    _, place = parse_prefix(tokens, command.begin, command.end)
    return tokens.texts[place] if place < command.end else ""


def _derived(texts: list[str], place: int) -> int:
    """How many classes are listed after a `deriving`."""
    count, index = 0, place + 1
    while index < len(texts) and is_identifier(texts[index]) and texts[index] != "instance":
        count += 1
        if texts[index + 1 : index + 2] != [","]:
            break
        index += 2
    return count


def _elsewhere(tokens: Tokens, module: SourceModule) -> int:
    """To how many names of other files `attribute [...]` gives an attribute that declares something."""
    texts, own = tokens.texts, {split_name(premise.name)[-1] for premise in module.premises}
    count = 0
    for command in split_commands(tokens):
        _, place = parse_prefix(tokens, command.begin, command.end)
        if place + 2 >= command.end or texts[place] != "attribute" or texts[place + 1] != "[":
            continue
        after = close(texts, place + 1, command.end) + 1
        given = parse_attributes(tokens, place + 2, after - 1)
        makes = {attribute.name.removesuffix("!") for attribute in given} & set(MAKING)
        if not makes or {"existing", "self", "none", "local", "scoped", "-"} & set(texts[place:after]):
            continue
        names = takewhile(lambda text: is_identifier(text) and text != "in", texts[after : command.end])
        count += sum(split_name(name)[-1] not in own for name in names)
    return count


def _silent(module: SourceModule) -> int:
    projected = {premise.generated_from for premise in module.premises if premise.generated_by == "simps"}
    return sum(_has_simps(premise) and premise.name not in projected for premise in module.premises)


def _has_simps(premise: Premise) -> bool:
    return premise.generated_by is None and any(text.startswith("simps") for text in premise.attributes)


def markdown(table: Table) -> str:
    """The table as Markdown."""
    lines = [
        "# Attributes and commands that declare something",
        "",
        "Which attributes and commands of a library declare further names, and how many of those names the reader of",
        "`.lean` text finds.",
        "",
        f"Counted in {table.files:,} files by `scripts/attribute_table.py`.",
        "",
        "- *entries*: how often the attribute or command occurs",
        "- *nested*: how often it occurs inside another attribute's `(attr := …)`",
        "- *made*: how many names the reader derives from it",
        "- *written*: how many of those names occur anywhere in the text (many are only for `simp`)",
        "",
        "| | entries | nested | made | written |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, entries, nested, made, written in table.rows():
        share = f"{written:,} ({100 * written / made:.0f}%)" if made else "0"
        lines.append(f"| `{name}` | {entries:,} | {nested:,} | {made:,} | {share} |")
    lines += [
        "",
        f"`export` gives a shorter name to {table.exported:,} premises of the file it is in.",
        "",
        "Not read:",
        "",
    ]
    lines += [f"- {text}: {table.left_out[key]:,}" for key, text in LEFT_OUT.items()]
    others = [
        (name, count) for name, count in table.written.most_common() if name not in MAKING and count >= 200
    ]
    lines += ["", "Attributes that declare nothing and have at least 200 entries:", ""]
    listed = ", ".join(f"`{name}` {count:,}" for name, count in others) + "."
    lines += textwrap.wrap(listed, 112, break_on_hyphens=False, break_long_words=False)
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("root", type=Path)
    parser.add_argument("--out", type=Path, help="the Markdown file to write instead of printing")
    arguments = parser.parse_args()
    table = Table()
    for source in find_sources(arguments.root).sources:
        text = source.path.read_text(encoding="utf-8").replace("\r\n", "\n")
        table.add(tokenize(text), read_module(text, source.module, str(source.path)))
    if arguments.out:
        arguments.out.write_text(markdown(table), encoding="utf-8")
    else:
        print(markdown(table), end="")


if __name__ == "__main__":
    main()
