"""LeanPremise's interface: `POST /retrieve` and the lists, for `hammer`, `premises` and lean-lsp-mcp."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from lean_extract.records import Goal, Premise
from lsp_server.engine.project_index import ProjectIndex
from lsp_server.http.backend import HttpBackend
from lsp_server.http.decoding import JsonRoute
from lsp_server.http.new_premises import NewPremises
from lsp_server.http.problems import Refusal
from lsp_server.http.revisions import ServedIndex
from lsp_server.limits import (
    HTTP_PREMISES,
    LISTED_NAMES,
    NAME_CHARACTERS,
    NEW_PREMISES,
    NEW_PREMISES_CHARACTERS,
    STATES,
    HttpLimits,
)
from retriever.lean.callers import caller_of
from retriever.lean.eligibility import Allowed, Kinds, RankedPremise, RankRequest, admits
from retriever.lean.goal_context import GoalContext
from retriever.lean.snapshot import Snapshot
from retriever.limits import MAX_LOCAL_PREMISES

_Listed = Annotated[list[str | int], Field(max_length=LISTED_NAMES, fail_fast=True)]


class NewPremise(BaseModel):
    """A declaration that is not indexed."""

    model_config = ConfigDict(strict=True)
    name: str
    decl: str = Field(description="As Lean prints it: `theorem foo (n : Nat) : Eq n n`.")


class RetrievalRequest(BaseModel):
    """A request for premises."""

    model_config = ConfigDict(strict=True)
    state: str | Annotated[list[str], Field(max_length=STATES)] = Field(
        description="A proof state, or several.", examples=["n : Nat\n⊢ Eq (HAdd.hAdd n 0) n"]
    )
    imported_modules: _Listed | None = Field(
        None, description="Whose premises may be answered: names, or positions in /indexed-modules."
    )
    local_premises: _Listed | None = Field(
        None, description="Further premises that may be: names, or positions in /indexed-premises."
    )
    new_premises: list[NewPremise] | None = Field(
        None, description=f"Declarations that are not indexed; the last {NEW_PREMISES} count."
    )
    k: int = Field(description=f"How many, at most {HTTP_PREMISES}; none for 0 and below.", examples=[16])
    caller: Annotated[str, Field(max_length=NAME_CHARACTERS)] | None = Field(
        None,
        description="The tactic that the premises are for, as `Config.caller` of Lean's `LibrarySuggestions`. "
        "For `simp`, `rw`, `unfold` and their like definitions are answered, too; otherwise only theorems.",
        examples=["simp"],
    )
    caller_in_module_system: bool = Field(
        False,
        description="If true, only theorems are answered: importers may not see the bodies of definitions.",
    )
    imported_all_modules: _Listed | None = Field(None, description="Changes nothing here.")


class ScoredName(BaseModel):
    """One premise."""

    name: str
    score: float = Field(description="Comparable within one answer only.")


class _ListRoute(JsonRoute):
    """A route whose body may name every premise of a library."""

    @staticmethod
    def most_bytes(limits: HttpLimits) -> int:
        return limits.body_bytes


def router(backend: HttpBackend) -> APIRouter:
    """The interface over these indexes."""
    routes = APIRouter(tags=["LeanPremise"], route_class=_ListRoute)
    fresh = NewPremises()

    @routes.post("/retrieve", response_model=list[ScoredName] | list[list[ScoredName]])
    async def retrieve(request: RetrievalRequest, asked: Request) -> Any:
        """The premises that fit a state, best first; for a list of states a list of such lists."""
        k = min(request.k, HTTP_PREMISES)
        states = [request.state] if isinstance(request.state, str) else request.state
        if k <= 0 or not states:
            return JSONResponse([])
        if sum(len(one.decl) for one in request.new_premises or ()) > NEW_PREMISES_CHARACTERS:
            limit = f"All together may have {NEW_PREMISES_CHARACTERS:,} characters."
            raise Refusal(413, "The new premises are too long.", limit)
        library = backend.library(asked)
        goals = [await backend.goal_of(state) for state in states]
        answers = [await backend.work(_Job(library, request, fresh, goal, k).run) for goal in goals]
        whole = answers[0] if isinstance(request.state, str) else b"[" + b",".join(answers) + b"]"
        return Response(whole, media_type="application/json")

    @routes.get("/max-new-premises")
    async def max_new_premises() -> int:
        """How many new premises are used in one request."""
        return NEW_PREMISES

    @routes.get("/indexed-premises", response_model=list[str])
    async def indexed_premises(asked: Request) -> Response:
        """The names of all indexed premises; a position in this list stands for a name in /retrieve."""
        library = backend.library(asked)
        return await backend.work(lambda: _list(library, premises=True))

    @routes.get("/indexed-modules", response_model=list[str])
    async def indexed_modules(asked: Request) -> Response:
        """The names of all indexed modules; a position in this list stands for a name in /retrieve."""
        library = backend.library(asked)
        return await backend.work(lambda: _list(library, premises=False))

    return routes


async def _list(library: ServedIndex, *, premises: bool) -> Response:
    index = await library.engine.project_index()
    names = library.numbering.premises if premises else library.numbering.modules

    def read() -> bytes:
        with index.service.reading() as snapshot:
            return names.listed(snapshot)

    return Response(await asyncio.to_thread(read), media_type="application/json")


class _Job:
    """One state of one request."""

    def __init__(
        self, library: ServedIndex, request: RetrievalRequest, fresh: NewPremises, goal: Goal, k: int
    ) -> None:
        self._library, self._request, self._fresh = library, request, fresh
        self._goal, self._k = goal, k
        self._caller = caller_of(request.caller or "")

    async def run(self) -> bytes:
        """The premises and their scores as JSON (a list of `ScoredName`, not checked again)."""
        request = self._request
        is_plain = request.imported_modules is None and request.local_premises is None
        if is_plain and not request.new_premises and not request.caller_in_module_system:
            ranked = await self._library.rank(RankRequest(self._goal, k=self._k, caller=self._caller))
        else:
            index = await self._library.engine.project_index()
            ranked = await asyncio.to_thread(self._rank, index)
        return _written(ranked)

    def _rank(self, index: ProjectIndex) -> list[RankedPremise]:
        kinds: Kinds | None = "theorems" if self._request.caller_in_module_system else None
        parts = (kinds,) if kinds else index.kinds_for(self._goal, None, self._caller)
        sent = self._sent(index, parts)
        with index.service.reading() as snapshot:
            context = GoalContext(imports=_all_modules(snapshot), local=tuple(sent)) if sent else None
            allowed = self._allowed(snapshot, sent)
        return index.rank(RankRequest(self._goal, context, self._k, kinds, allowed, self._caller))

    def _sent(self, index: ProjectIndex, kinds: Sequence[Kinds]) -> list[Premise]:
        """The new premises of these kinds, and if there are very many, those nearest to the goal."""
        items = (self._request.new_premises or [])[-NEW_PREMISES:]
        read = (self._fresh.read(item.name, item.decl) for item in items)
        premises = [premise for premise in read if any(admits(one, premise) for one in kinds)]
        if len(premises) <= MAX_LOCAL_PREMISES:
            return premises
        return self._fresh.nearest(index.service.encoder, self._goal, premises, MAX_LOCAL_PREMISES)

    def _allowed(self, snapshot: Snapshot, sent: Sequence[Premise]) -> Allowed | None:
        """The allowed premises: those of the imported modules, the listed ones, and those that were sent."""
        request, numbering = self._request, self._library.numbering
        if request.imported_modules is None and request.local_premises is None:
            return None
        modules = numbering.modules.named(snapshot, request.imported_modules or ())
        listed = request.local_premises or []
        names = numbering.premises.named(snapshot, listed) if listed else frozenset()
        return Allowed(
            declared_in=frozenset(name.removesuffix(".lean").replace("/", ".") for name in modules),
            names=names | {premise.name for premise in sent},
        )


def _written(ranked: Sequence[RankedPremise]) -> bytes:
    found = [{"name": one.premise.name, "score": one.score} for one in ranked]
    return json.dumps(found, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _all_modules(snapshot: Snapshot) -> tuple[str, ...]:
    """With these imports everything is in scope; the answers are restricted by name instead."""
    return tuple(sorted(file.module for file in snapshot.view.live_files))
