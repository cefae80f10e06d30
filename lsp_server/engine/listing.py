"""The premises that an answer lists for a goal: the form of each, and which of them a tactic uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lean_extract.records import Goal, Premise, TacticOutcome
from lean_extract.source.names.scopes import namespaces_of
from lsp_server.engine.items import premise_item, shown_tactic, tactic_item
from lsp_server.engine.project_index import ProjectIndex
from lsp_server.engine.schema_items import PremiseItem, TacticItem
from prover.candidates import Candidate
from prover.forms import PremiseForms
from prover.used import ListedPremises
from prover.verify import GoalPosition
from retriever.lean.eligibility import RankedPremise
from retriever.lean.spelling import respelled


@dataclass(frozen=True, slots=True)
class Listing:
    """The premises of an answer, and the names by which its tactics may use them."""

    premises: list[PremiseItem]
    names: ListedPremises

    def tactic(self, outcome: TacticOutcome) -> TacticItem:
        """An outcome as the documented object, with the listed premises that it uses."""
        return tactic_item(outcome, self.names.used_by(shown_tactic(outcome)))


def listed(
    index: ProjectIndex,
    goal: Goal,
    premises: Sequence[RankedPremise],
    position: GoalPosition | None,
    rewrites: Sequence[Candidate] = (),
) -> Listing:
    """The premises with their forms, written as they have to be at the position. Raises as `index.context_at`.

    `rewrites`: the tactics that rewrite a selected part of the goal, best first; they are the forms then.
    """
    forms = PremiseForms(goal)
    spelled, names = names_at(index, goal, [one.premise.written for one in premises], position)
    rewriting = {name: one.tactic for one in reversed(rewrites) for name in names.used_by(one.tactic)}

    def form(premise: Premise) -> str:
        return respelled(rewriting.get(premise.written) or forms.of(premise)[0], spelled)

    return Listing([premise_item(one, form(one.premise)) for one in premises], names)


def names_at(
    index: ProjectIndex, goal: Goal, names: Sequence[str], position: GoalPosition | None
) -> tuple[dict[str, str], ListedPremises]:
    """Those of the names that have to be written otherwise at a position, and all as tactics there may write them."""
    if position is None:
        return {}, ListedPremises(goal, names)
    spelled = index.spellings(position, names, {name for one in goal.hypotheses for name in one.names})
    namespaces = namespaces_of(index.context_at(position).namespace)
    return spelled, ListedPremises(goal, names, spelled, namespaces)
