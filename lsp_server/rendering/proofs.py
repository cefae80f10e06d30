"""Short texts for people on the search for a proof: how far it is, and how it ended. Pure."""

from __future__ import annotations

from lsp_server.engine.schema_proofs import ProofAnswer, ProofProgress, ProofStatus
from lsp_server.rendering.labels import counted


def progress_line(progress: ProofProgress) -> str:
    """`12 s of 30 s, 41 states`, and `; 2 of 3 goals proved` once a script has led to goals."""
    time = f"{progress.seconds:.0f} s of {progress.limit:.0f} s, {counted(progress.states, 'state')}"
    if not progress.steps:
        return time
    return f"{time}; {progress.proved} of {counted(progress.goals, 'goal')} proved"


def outcome_line(answer: ProofAnswer) -> str:
    """How a search ended, in a sentence or two: `Proved 2 of 3 goals.`"""
    outcome = {
        ProofStatus.PROVED: "Proved.",
        ProofStatus.PARTIAL: f"Proved {answer.proved} of {counted(answer.goals, 'goal')}.",
        ProofStatus.FALSE: "The goal is false.",
        ProofStatus.NOT_PROVED: "No proof was found.",
        ProofStatus.STOPPED: "The search was stopped, and nothing had been proved.",
        ProofStatus.FAILED: "There is nothing to search with.",
    }[answer.status]
    return " ".join(filter(None, [outcome, answer.message, *answer.warnings]))
