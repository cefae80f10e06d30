"""The answer to `repair` as text for a terminal, and as Markdown for a pull request. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from lean_extract.common.terminal_text import shown
from lean_extract.syntax.lexer import tokenize
from lsp_server.engine.schema_proofs import RepairAnswer, RepairedError, RepairKind
from lsp_server.rendering.labels import counted, shorten
from lsp_server.rendering.style import Style

REPAIR_LABELS = {
    RepairKind.RENAMED: "renamed",
    RepairKind.IMPORT: "another import",
    RepairKind.ARGUMENTS: "other arguments",
    RepairKind.TACTIC: "another tactic",
    RepairKind.PROOF: "another proof",
    RepairKind.NONE: "not repaired",
}
"""What repaired an error, in two words."""
_PLACES = 5
"""The most places in a cell in Markdown."""
_CELL = 160
"""The most characters of a cell in Markdown."""


def repair_table(answer: RepairAnswer, style: Style) -> str:
    """Two lines for each declaration that was repaired, three for each error that is left, and a summary."""
    lines: list[str] = []
    left = _left(answer)
    for one in answer.errors:
        is_repaired = one.kind != RepairKind.NONE
        places = [_place(one)] if is_repaired else left.pop(_same(one), [])
        if not places or (is_repaired and not one.edits):  # with the first error of its kind or declaration
            continue
        where = style.bold(shown(_listed(places, 1), longest=0))
        label = (style.good if is_repaired else style.caution)(REPAIR_LABELS[one.kind])
        lines.append("  ".join(filter(None, [where, shown(one.declaration), label])))
        for detail in [_change(one)] if is_repaired else [one.message, one.reason]:
            lines.append(f"  {shown(shorten(detail, style.width - 2), longest=0)}")
    return "\n".join([*lines, *([""] if lines else []), *repair_totals(answer)]) + "\n"


def repair_summary(answer: RepairAnswer) -> str:
    """What was repaired and what is left, in Markdown."""
    repaired = [one for one in answer.errors if one.edits]
    left = _left(answer)
    lines = ["## Repairs", "", *repair_totals(answer)]
    if repaired:
        lines.append("A new Lean process accepts each repair, and no statement has changed.")
    names: dict[tuple[str, str], list[str]] = {}
    for one in repaired:
        for pair in _renames(one):
            names.setdefault(pair, []).append(_place(one))
    if names:
        lines += ["", "### Names", "", "| before | after | places |", "|---|---|---|"]
        lines += [
            f"| {_code(old)} | {_code(new)} | {_cell(_listed(at, _PLACES))} |"
            for (old, new), at in names.items()
        ]
    others = [one for one in repaired if not _renames(one)]
    if others:
        lines += [
            "",
            "### Proofs",
            "",
            "| place | declaration | repair | before | after |",
            "|---|---|---|---|---|",
        ]
        lines += [
            _row([_place(one)], one.declaration, REPAIR_LABELS[one.kind], _code(one.before), _code(one.after))
            for one in others
        ]
    if left:
        lines += ["", "### Still to do", "", "| place | declaration | error | why |", "|---|---|---|---|"]
        lines += [_row(places, name, _cell(what), _cell(why)) for (name, what, why), places in left.items()]
    return "\n".join(lines) + "\n"


def _renames(one: RepairedError) -> list[tuple[str, str]]:
    """The names that were replaced, each with its replacement, if nothing else was changed."""
    old, new = tokenize(one.before).texts, tokenize(one.after).texts
    if one.kind not in (RepairKind.RENAMED, RepairKind.IMPORT) or len(old) != len(new):
        return []
    return [*dict.fromkeys(pair for pair in zip(old, new, strict=True) if pair[0] != pair[1])]


def _left(answer: RepairAnswer) -> dict[tuple[str, str, str], list[str]]:
    """The places of what is not repaired, by declaration, message and reason."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for one in answer.errors:
        if one.kind == RepairKind.NONE:
            found.setdefault(_same(one), []).append(_place(one))
    return found


def _same(one: RepairedError) -> tuple[str, str, str]:
    return one.declaration, one.message, one.reason


def _place(one: RepairedError) -> str:
    return f"{one.file}:{one.line}"


def _listed(places: Sequence[str], most: int) -> str:
    more = len(places) - most
    return ", ".join(places[:most]) + (f" and {more:,} more" if more > 0 else "")


def repair_totals(answer: RepairAnswer) -> Iterator[str]:
    """How many errors were repaired, and how; what was written."""
    count = len(answer.errors)
    if not count:
        yield "Stopped before an error was found." if answer.stopped else "No errors."
        return
    kinds = Counter(REPAIR_LABELS[one.kind] for one in answer.errors if one.kind != RepairKind.NONE)
    how = ", ".join(f"{kinds[label]:,} {label}" for label in REPAIR_LABELS.values() if kinds[label])
    how = f" ({how})" if how else ""
    yield f"{answer.repaired:,} of {counted(count, 'error')} repaired{how} in {answer.seconds:.0f} s."
    if answer.written:
        yield f"{counted(len(answer.written), 'file')} written."
    if answer.stopped:
        yield "Stopped; the same command goes on."


def _change(one: RepairedError) -> str:
    pairs = _renames(one) or [(one.before or "(nothing)", one.after or "(nothing)")]
    return " ".join(", ".join(f"{old} → {new}" for old, new in pairs).split())


def _row(places: Sequence[str], declaration: str, *cells: str) -> str:
    return f"| {' | '.join([_cell(_listed(places, _PLACES)), _code(declaration), *cells])} |"


def _cell(text: str) -> str:
    """A text on one line in which nothing is Markdown."""
    plain = shown(shorten(" ".join(text.split()), _CELL), longest=0)
    return "".join(f"\\{letter}" if letter in "\\`*_{}[]<>#|~" else letter for letter in plain)


def _code(text: str) -> str:
    plain = shown(shorten(" ".join(text.split()), _CELL), longest=0).replace("|", "\\|")
    fence = "``" if "`" in plain else "`"
    return f"{fence} {plain} {fence}" if "`" in plain else f"`{plain}`" if plain else ""
