"""Found proofs as text for people: one, all that `fill` found, and the state of a search. Pure."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator

from lsp_server.engine.schema_proofs import (
    FillAnswer,
    FilledSorry,
    ModelUseItem,
    ProofAnswer,
    ProofProgress,
    ProofStatus,
)
from lsp_server.rendering.labels import counted, shorten
from lsp_server.rendering.style import Style

_NARROWEST = 20
_RESULTS = {
    ProofStatus.PROVED: "proved",
    ProofStatus.FALSE: "false",
    ProofStatus.NOT_PROVED: "not proved",
    ProofStatus.STOPPED: "stopped",
    ProofStatus.FAILED: "failed",
}


def result_label(answer: ProofAnswer) -> str:
    """How a search ended, in a few words."""
    if answer.status == ProofStatus.PARTIAL:
        return f"proved {answer.proved} of {counted(answer.goals, 'goal')}"
    return _RESULTS[answer.status]


def outcome_line(answer: ProofAnswer) -> str:
    """How a search ended, in a sentence or two: `Proved 2 of 3 goals.`"""
    label = "" if answer.status == ProofStatus.FALSE else f"{result_label(answer).capitalize()}."
    return " ".join(filter(None, [label, answer.message, *answer.warnings]))


def proof_text(place: str, answer: ProofAnswer, style: Style) -> str:
    """The script with how it was found; without one, the goal and the reason. `place`: where, `A.lean:6:3`."""
    result = f"{result_label(answer)} in {answer.seconds:.1f} s"
    if answer.checked:
        result += ", checked by a new Lean"
    paint = style.good if answer.status == ProofStatus.PROVED else style.caution
    lines = [f"{style.bold(place)}  {answer.declaration}".rstrip(), paint(result)]
    lines += textwrap.indent(answer.script or answer.goal, "  ").splitlines()
    lines += map(
        style.caution, [*filter(None, [answer.message]), *(f"warning: {one}" for one in answer.warnings)]
    )
    return "\n".join(lines) + "\n"


def effort_line(answer: ProofAnswer) -> str:
    """What a search took."""
    processes = f"{answer.processes:,} Lean process{'' if answer.processes == 1 else 'es'}"
    states, tactics = counted(answer.states, "state"), counted(answer.tactics, "tactic")
    return f"{states}, {tactics}, {processes} with at most {answer.memory_mb:,} MB{_asked(answer.model)}"


def _asked(model: ModelUseItem | None) -> str:
    """What a model at a server was asked."""
    if model is None:
        return ""
    about = "about " if model.is_estimate else ""
    tokens = f"{about}{model.prompt_tokens:,} + {model.answer_tokens:,} tokens"
    return f"; {counted(model.requests, 'request')} to the model, {tokens}, {model.seconds:.1f} s"


def progress_line(progress: ProofProgress) -> str:
    """The state of a search."""
    proved = f", {progress.proved} of {progress.goals} goals proved" if progress.goals > 1 else ""
    states = counted(progress.states, "state")
    doing = "trying lemmas that need an import" if progress.imports else f"{states}{proved}"
    return f"{progress.seconds:.0f} s of {progress.limit:.0f} s, {doing}"


def fill_table(answer: FillAnswer, style: Style) -> str:
    """A row for each `sorry`, and a summary."""
    rows = [_row(one) for one in answer.sorries]
    widths = [max(map(len, column)) for column in zip(_HEADING, *(row[:3] for row in rows), strict=False)]
    room = max(_NARROWEST, style.width - sum(widths) - len(_HEADING) * 2 - len("seconds") - 2)
    heading = [*_HEADING, "result", "seconds"]
    lines = [style.bold(_line(heading, widths, room))]
    for one, row in zip(answer.sorries, rows, strict=True):
        is_proved = one.proof is not None and one.proof.status == ProofStatus.PROVED
        lines.append((style.good if is_proved else str)(_line(row, widths, room)))
    return "\n".join([*lines, "", *_summary(answer)]) + "\n"


_HEADING = ("file", "line", "declaration")


def _row(one: FilledSorry) -> list[str]:
    seconds = f"{one.proof.seconds:.1f}" if one.proof is not None else ""
    return [one.file, str(one.sorry.line), one.sorry.declaration, _result(one), seconds]


def _result(one: FilledSorry) -> str:
    """How the search for a proof of a `sorry` ended, and what was found."""
    if one.proof is None:
        return "not tried"
    label = "written" if one.written else result_label(one.proof)
    detail = "" if _is_explained(one.proof) else one.proof.script or one.proof.message
    return " ".join(f"{label}: {detail}".split()) if detail else label


def _is_explained(proof: ProofAnswer) -> bool:
    """Whether its message is a sentence of its own below the table: the goal is false, or nothing was searched."""
    return proof.status in (ProofStatus.FALSE, ProofStatus.FAILED) or not (proof.script or proof.states)


def _line(row: list[str], widths: list[int], room: int) -> str:
    file, line, declaration, result, seconds = row
    left = f"{file:<{widths[0]}}  {line:>{widths[1]}}  {declaration:<{widths[2]}}"
    return f"{left}  {shorten(result, room):<{room}}  {seconds:>7}"


def _summary(answer: FillAnswer) -> Iterator[str]:
    for one in answer.sorries:
        if one.proof is not None and _is_explained(one.proof):
            yield f"{one.file}:{one.sorry.line}: {one.proof.message}"
    warnings = (warning for one in answer.sorries if one.proof is not None for warning in one.proof.warnings)
    yield from (f"warning: {warning}" for warning in dict.fromkeys(warnings))
    files = Counter(one.file for one in answer.sorries if one.written)
    written = f"; {counted(files.total(), 'proof')} written to {counted(len(files), 'file')}" if files else ""
    yield f"{answer.proved:,} of {len(answer.sorries):,} proved in {answer.seconds:.0f} s{written}"
    untried = sum(one.proof is None for one in answer.sorries)
    if answer.stopped:
        yield f"stopped; {untried:,} not tried. `--resume` goes on from here."
