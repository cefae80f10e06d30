"""Records as objects of the documented JSON (`schema.py`). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lean_extract.doc_text import first_sentence
from lean_extract.goals import format_goal
from lean_extract.records import Edit, Position, Span, TacticOutcome
from lean_extract.session.document import LeanDocument
from lean_extract.session.places import with_by
from lsp_server.engine.schema_items import (
    ContributionItem,
    EditItem,
    FeatureGroup,
    PositionItem,
    PremiseItem,
    RangeItem,
    TacticItem,
    TacticVerdict,
)
from lsp_server.limits import DOC_SENTENCE_CHARACTERS
from retriever.lean.eligibility import RankedPremise
from retriever.lean.explanation import Contribution


def premise_item(ranked: RankedPremise, form: str = "") -> PremiseItem:
    """A ranked premise as the documented object. `form`: the tactic that it suggests for a goal."""
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
        has_error=ranked.has_error,
        deprecated=premise.is_deprecated,
        replaced_by=premise.replacement,
        explanation=explanation,
        why=explanation_line(explanation),
        form=form,
        doc=first_sentence(premise.doc or "", DOC_SENTENCE_CHARACTERS),
    )


def _contribution_item(contribution: Contribution) -> ContributionItem:
    amount = round(contribution.amount, 4) + 0.0  # no -0.0
    return ContributionItem(FeatureGroup(contribution.group), amount)


def shown_tactic(outcome: TacticOutcome) -> str:
    """The tactic as it is shown: after `by` where a term is replaced."""
    return with_by(outcome.shown) if outcome.in_term else outcome.shown


def tactic_item(outcome: TacticOutcome, uses: Sequence[str] = ()) -> TacticItem:
    """An outcome as the documented object. `uses`: the listed premises that it uses."""
    goals = outcome.state.goals if outcome.state else ()
    return TacticItem(
        tactic=shown_tactic(outcome),
        status=TacticVerdict(outcome.status),
        remaining_goals=[format_goal(goal) for goal in goals],
        message=outcome.message,
        origin=outcome.origin,
        rests_on_sorry=outcome.rests_on_sorry,
        unfinished=list(outcome.unfinished),
        edit=edit_item(outcome.edit) if outcome.edit is not None else None,
        cursor=position_item(outcome.edit.cursor) if outcome.edit is not None else None,
        uses=list(uses),
        import_line=outcome.import_line or None,
        import_edit=edit_item(outcome.import_edit) if outcome.import_edit is not None else None,
    )


def range_item(span: Span) -> RangeItem:
    """A span as the documented object."""
    return RangeItem(span.start.line + 1, span.start.column + 1, span.end.line + 1, span.end.column + 1)


def unjudged_warning(outcomes: Sequence[TacticOutcome]) -> list[str]:
    """One sentence on why tactics cannot be judged; none if all can."""
    found = [one.message for one in outcomes if one.status == "unjudged"]
    return [f"Tactics {found[0].rstrip('.')}."] if found else []


def position_item(position: Position | None) -> PositionItem | None:
    """A position as the documented object."""
    return PositionItem(position.line + 1, position.column + 1) if position is not None else None


def edit_item(edit: Edit) -> EditItem:
    """An edit as the documented object."""
    start, end = edit.span.start, edit.span.end
    return EditItem(start.line + 1, start.column + 1, end.line + 1, end.column + 1, edit.text)


def edited(text: str, edits: Iterable[EditItem]) -> str:
    """A text after edits of it, the last in the text first."""
    document = LeanDocument(text)
    text = document.text
    for one in edits:
        start = document.offset(Position(one.line - 1, one.column - 1))
        end = document.offset(Position(one.end_line - 1, one.end_column - 1))
        text = f"{text[:start]}{one.text}{text[end:]}"
    return text


_MOST_REASONS = 3
_SMALLEST_REASON = 0.05
"""A smaller contribution would be shown as 0.0."""
_REASONS = {
    FeatureGroup.MEANING: ("near in meaning", "its meaning"),
    FeatureGroup.WORDS: ("shares words", "its words"),
    FeatureGroup.PROOFS: ("used in proofs of similar theorems", "the proofs of similar theorems"),
    FeatureGroup.TOGETHER: ("used together with other candidates", "what it is used with"),
    FeatureGroup.SHAPE: ("fits the goal's shape", "its shape"),
    FeatureGroup.NAME: ("its name fits", "its name"),
    FeatureGroup.USE: ("how often it is used", "how often it is used"),
    FeatureGroup.PLACE: ("where it is declared and used", "where it is declared and used"),
    FeatureGroup.KIND: ("of a wanted kind", "its kind"),
    FeatureGroup.SCOPE: ("in scope", "its missing import"),
    FeatureGroup.RERANKER: ("fits by the re-ranker", "the re-ranker's score"),
    FeatureGroup.OTHER: ("other features", "other features"),
}
"""What a contribution is called: where it is positive, and after "less for" where it is negative."""


def explanation_line(explanation: Sequence[ContributionItem]) -> str:
    """The largest contributions to a premise's score, and the most negative one; empty if there are none.

    `near in meaning (+1.2), fits the goal's shape (+0.4); less for its name (-0.3)`
    """
    if not explanation:
        return ""
    raising = [one for one in explanation if one.amount >= _SMALLEST_REASON][:_MOST_REASONS]
    last = explanation[-1]  # the largest is first
    reasons = [", ".join(_reason(one) for one in raising)] if raising else []
    if last.amount <= -_SMALLEST_REASON:
        reasons.append(f"less for {_reason(last)}")
    return "; ".join(reasons) or "nothing sets it apart"


def _reason(contribution: ContributionItem) -> str:
    raising, lowering = _REASONS[contribution.group]
    return f"{raising if contribution.amount > 0 else lowering} ({contribution.amount:+.1f})"
