"""The answer to who uses a declaration, and what its own proof uses. It needs no Lean."""

from __future__ import annotations

import asyncio

from lean_extract.records import Premise
from lsp_server.engine.items import premise_item
from lsp_server.engine.project_index import ProjectIndex
from lsp_server.engine.request_context import RequestContext
from lsp_server.engine.schema import UsesAnswer
from lsp_server.engine.schema_items import UseItem
from lsp_server.engine.searching import ranked_named
from lsp_server.limits import ANSWER_PREMISES
from retriever.lean.declared import DeclarationSite
from retriever.lean.uses import NO_USES, Uses, uses_of

_KNOWN = (
    "Of Mathlib and what it is built on, the proofs of most theorems are known, as they are shipped with the index; "
    "of other packages none."
)


async def uses(context: RequestContext, name: str, module: str | None, k: int | None) -> UsesAnswer:
    """See `Engine.uses`."""
    index = await context.current_index()
    ranked, _ = await asyncio.to_thread(ranked_named, index, name, module)
    wanted = min(k or context.settings.premises.count, ANSWER_PREMISES)
    found = await asyncio.to_thread(_found, index, ranked.premise, wanted)
    return UsesAnswer(
        premise=premise_item(ranked),
        used_by=[_item(*one) for one in found.used_by.first],
        used_by_count=found.used_by.count,
        uses=[_item(*one) for one in found.uses.first],
        uses_count=found.uses.count,
        index=await context.freshness(index),
        warnings=[index.note] if index.note else [],
        notes=[] if found.is_own else [_KNOWN],
    )


def _found(index: ProjectIndex, premise: Premise, k: int) -> Uses:
    with index.service.reading() as snapshot:
        return uses_of(snapshot, premise.name, premise.module, k) or NO_USES


def _item(premise: Premise, site: DeclarationSite) -> UseItem:
    return UseItem(
        premise.written,
        premise.kind,
        premise.module,
        None if site.path is None else str(site.path),
        site.line + 1 if site.line >= 0 else None,
        premise.is_deprecated,
    )
