"""Records as the documented JSON object has them (`schema.py`). Pure."""

from __future__ import annotations

from lean_extract.goals import format_goal
from lean_extract.records import TacticOutcome
from lsp_server.engine.explaining import explanation_line
from lsp_server.engine.schema import ContributionItem, FeatureGroup, PremiseItem, TacticItem, TacticVerdict
from retriever.lean.explanation import Contribution
from retriever.lean.offer import RankedPremise


def premise_item(ranked: RankedPremise) -> PremiseItem:
    """A ranked premise as the documented object has it."""
    premise = ranked.premise
    explanation = [_contribution_item(one) for one in ranked.explanation]
    return PremiseItem(
        name=premise.written,
        statement=premise.statement,
        module=premise.module,
        kind=premise.kind,
        score=round(float(ranked.score), 4),
        in_scope=ranked.in_scope,
        import_line=ranked.import_line,
        doc_url=ranked.doc_url,
        rests_on_sorry=ranked.rests_on_sorry,
        deprecated=premise.is_deprecated,
        replaced_by=premise.replacement,
        explanation=explanation,
        why=explanation_line(explanation),
    )


def _contribution_item(contribution: Contribution) -> ContributionItem:
    amount = round(contribution.amount, 4) + 0.0  # no -0.0
    return ContributionItem(FeatureGroup(contribution.group), amount)


def tactic_item(outcome: TacticOutcome) -> TacticItem:
    """An outcome as the documented object has it."""
    goals = outcome.state.goals if outcome.state else ()
    remaining = [format_goal(goal) for goal in goals]
    return TacticItem(
        outcome.shown, TacticVerdict(outcome.status), remaining, outcome.message, outcome.origin
    )
