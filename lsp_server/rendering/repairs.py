"""The answer to `repair` as text for a terminal, and as Markdown for a pull request. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from lean_extract.common.terminal_text import shown
from lsp_server.engine.schema_proofs import RepairAnswer, RepairedError, RepairKind
from lsp_server.rendering.labels import counted, shorten
from lsp_server.rendering.style import Style

_LABELS = {
    RepairKind.RENAMED: "renamed",
    RepairKind.ARGUMENTS: "other arguments",
    RepairKind.TACTIC: "another tactic",
    RepairKind.PROOF: "another proof",
    RepairKind.NONE: "not repaired",
}
_CELL = 160
"""The most characters of a cell in Markdown."""


def repair_table(answer: RepairAnswer, style: Style) -> str:
    """Two lines for each declaration that was repaired, three for each error that is left, and a summary."""
    lines: list[str] = []
    for one in answer.errors:
        is_repaired = one.kind != RepairKind.NONE
        if is_repaired and not one.edits:  # with the first error of its declaration
            continue
        where = style.bold(shown(f"{one.file}:{one.line}", longest=0))
        label = (style.good if is_repaired else style.caution)(_LABELS[one.kind])
        lines.append("  ".join(filter(None, [where, shown(one.declaration), label])))
        for detail in [_change(one)] if is_repaired else [one.message, one.reason]:
            lines.append(f"  {shown(shorten(detail, style.width - 2), longest=0)}")
    return "\n".join([*lines, *([""] if lines else []), *_totals(answer)]) + "\n"


def repair_summary(answer: RepairAnswer) -> str:
    """What was repaired and what is left, in Markdown."""
    lines = ["## Repairs", "", *_totals(answer)]
    repaired = [one for one in answer.errors if one.edits]
    left = [one for one in answer.errors if one.kind == RepairKind.NONE]
    if repaired:
        lines += ["", "| place | declaration | repair | before | after |", "|---|---|---|---|---|"]
        lines += [_row(one, _LABELS[one.kind], _code(one.before), _code(one.after)) for one in repaired]
    if left:
        lines += ["", "Still to do:", "", "| place | declaration | error | why |", "|---|---|---|---|"]
        lines += [_row(one, _cell(one.message), _cell(one.reason)) for one in left]
    return "\n".join(lines) + "\n"


def _totals(answer: RepairAnswer) -> Iterator[str]:
    count = len(answer.errors)
    if not count:
        yield "Stopped before an error was found." if answer.stopped else "No errors."
        return
    kinds = Counter(_LABELS[one.kind] for one in answer.errors if one.kind != RepairKind.NONE)
    how = ", ".join(f"{kinds[label]:,} {label}" for label in _LABELS.values() if kinds[label])
    how = f" ({how})" if how else ""
    yield f"{answer.repaired:,} of {counted(count, 'error')} repaired{how} in {answer.seconds:.0f} s."
    if answer.written:
        yield f"{counted(len(answer.written), 'file')} written."
    if answer.stopped:
        yield "Stopped; the same command goes on."


def _change(one: RepairedError) -> str:
    return " ".join(f"{one.before or '(nothing)'} → {one.after or '(nothing)'}".split())


def _row(one: RepairedError, *cells: str) -> str:
    return f"| {' | '.join([_cell(f'{one.file}:{one.line}'), _code(one.declaration), *cells])} |"


def _cell(text: str) -> str:
    """A text on one line in which nothing is Markdown."""
    plain = shown(shorten(" ".join(text.split()), _CELL), longest=0)
    return "".join(f"\\{letter}" if letter in "\\`*_{}[]<>#|~" else letter for letter in plain)


def _code(text: str) -> str:
    plain = shown(shorten(" ".join(text.split()), _CELL), longest=0).replace("|", "\\|")
    fence = "``" if "`" in plain else "`"
    return f"{fence} {plain} {fence}" if "`" in plain else f"`{plain}`" if plain else ""
