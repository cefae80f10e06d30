"""Lists the names of Lean's own library that the names of anonymous instances depend on.

    python scripts/core_names.py SOURCES [--out lean_extract/source/names/core_names.txt]

SOURCES is a folder that holds `Init/`, `Std/` and `Lean/`. Listed are types and classes, each with the classes of the
instances that it takes, and the definitions of the root namespace. The list holds names only.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

from lean_extract.records import Premise
from lean_extract.source.names.instance_context import LISTED, ROOTS
from lean_extract.source.names.scopes import split_name
from lean_extract.source.reader import read_file
from lean_extract.syntax.lexer import is_identifier, raw_tokens

_TYPES = frozenset(("class", "structure", "inductive", "class inductive", "class abbrev"))
_DEFINITIONS = frozenset(("def", "abbrev", "opaque"))
_SORTS = ("Type", "Sort", "Prop")
_INTERNAL = re.compile(
    r"Internal|Impl\b|Grind|\bLsp\b|Linear|BVDecide|Omega|\bIR\b|\bLCNF\b|Compiler|Parser\.|Doc\.|Server|Widget|Json\."
    r"|Xml|Time|Sat|\.WF|Format\.|Meta\.[A-Z]\w*\.|Elab\.(?!Command\.CommandElabM|Tactic\.TacticM|Term\.TermElabM)"
)
_MOST_COMPONENTS = 4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sources", type=Path)
    parser.add_argument("--out", type=Path, default=LISTED)
    options = parser.parse_args()
    lines: list[str] = []
    for root in ROOTS:
        lines.append(f"[{root}]")
        lines += sorted(set(_listed(options.sources, root)))
    options.out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(lines) - len(ROOTS)} names in {options.out}")


def _listed(sources: Path, root: str) -> Iterator[str]:
    for path in sorted((sources / root).rglob("*.lean")):
        for premise in read_file(path, root).premises:
            if _is_wanted(premise):
                yield " ".join([premise.name, *_required(premise)])


def _is_wanted(premise: Premise) -> bool:
    name, kind = premise.name, premise.kind
    if premise.generated_by or premise.is_private or not name.isascii() or _INTERNAL.search(name):
        return False
    if kind in _TYPES:
        return len(split_name(name)) <= _MOST_COMPONENTS
    if kind not in _DEFINITIONS:
        return False
    is_type = premise.conclusion.startswith(_SORTS) or not premise.conclusion
    last = split_name(name)[-1]
    return "." not in name or (is_type and last[:1].isupper() and len(split_name(name)) <= _MOST_COMPONENTS)


def _required(premise: Premise) -> list[str]:
    """The classes of the instances that a constant takes, as written."""
    found: list[str] = []
    for binder in premise.context:
        if binder[:1] == "[" and not binder.startswith("[self"):
            words = [token.strip() for token in raw_tokens(binder[1:-1].rpartition(" : ")[2])]
            found += [word for word in words if is_identifier(word)][:1]
    return list(dict.fromkeys(found))


if __name__ == "__main__":
    main()
