"""A proof that a model at a server writes while a search for one runs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, asynccontextmanager, suppress

from lean_extract.common.errors import ModelError, PremiseSuggestError
from lean_extract.records import Goal, TacticOutcome
from lean_extract.session.live import LiveLean
from lsp_server.engine.proposing import ProjectPremises
from lsp_server.engine.request_context import RequestContext
from lsp_server.engine.tasks import unless_set
from prover.limits import SEARCH_TACTIC_SECONDS
from prover.search.environment import LeanEnvironment
from prover.verify import GoalPosition


class ProofWriter:
    """The writing for one request. Where no model is set, nothing comes of it.

    `ended`: set when the search may stop: a proof was written, or `stop` is set.
    """

    def __init__(
        self, stop: asyncio.Event, writing: asyncio.Task[TacticOutcome | None] | None = None
    ) -> None:
        self.ended = stop if writing is None else asyncio.Event()
        self.beginnings: list[str] = []
        self._stop, self._writing = stop, writing

    async def watch(self) -> None:
        """Set `ended` when it is time."""
        if await unless_set(self._stop, self._written()) is None:
            await self._stop.wait()
        self.ended.set()

    async def proof(self, seconds: float) -> TacticOutcome | None:
        """The proof, waited for so long; None if there is none by then."""
        with suppress(TimeoutError):
            async with asyncio.timeout(max(seconds, 0.0)):
                return await unless_set(self._stop, self._written())
        return None

    async def _written(self) -> TacticOutcome | None:
        return None if self._writing is None else await asyncio.shield(self._writing)


@asynccontextmanager
async def proof_writer(
    context: RequestContext,
    lean: LiveLean,
    position: GoalPosition,
    goal: Goal,
    premises: ProjectPremises,
    stop: asyncio.Event,
    warnings: list[str],
) -> AsyncGenerator[ProofWriter, None]:
    """A context in which the model that the settings name writes proofs of a goal, and Lean judges them."""
    try:
        server = context.generator.server(context.settings)
    except ModelError as error:
        warnings.append(f"The generator gave no proofs: {error}")
        server = None
    if server is None:
        yield ProofWriter(stop)
        return
    from lsp_server.engine.served_models import AskedGoal  # with an HTTP client
    from prover.served.proving import ProofPlan, write_proof

    models = context.settings.models
    plan = ProofPlan(
        models.samples, models.repairs, models.prompt_tokens, models.answer_tokens, models.prompts
    )
    environment = LeanEnvironment(lean, position)

    async def judged(scripts: Sequence[str]) -> list[TacticOutcome]:
        async with aclosing(environment.run((), scripts, timeout=SEARCH_TACTIC_SECONDS)) as outcomes:
            return [one async for one in outcomes]

    async def write() -> TacticOutcome | None:
        try:
            ranked = tuple(await premises.retrieve(goal))
            index = (await context.index.current()).index
            material = await asyncio.to_thread(
                AskedGoal(index, position, goal, ranked).material, context.settings
            )
            written = await write_proof(server, material, judged, plan)
        except PremiseSuggestError as error:  # the search may find a proof without it
            warnings.append(f"The generator gave no proofs: {error}")
            return None
        writer.beginnings += written.beginnings
        return written.proof

    writing = asyncio.create_task(write())
    writer = ProofWriter(stop, writing)
    watching = asyncio.create_task(writer.watch())
    try:
        yield writer
    finally:
        for task in (writing, watching):
            task.cancel()
        await asyncio.gather(writing, watching, return_exceptions=True)
