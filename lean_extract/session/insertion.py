"""Has Lean judge the documents that the edits of tactics make, and what their proofs rest on."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from lean_extract.records import ProofState, TacticOutcome
from lean_extract.session.inserted import DocumentMessages, problem, read_inserted, same_errors
from lean_extract.session.places import tactic_texts
from lean_extract.session.soundness import (
    axioms_of_names,
    filled,
    is_named_and_whole,
    print_axioms,
    unfinished_by_text,
    unfinished_names,
)
from lean_extract.session.tactic_sites import Inserted, TacticSite
from lean_extract.syntax.axioms import SORRY_AXIOM, refuses_axioms

GAVE_UP = "it leaves the goal to `sorry`"
_TRUSTS = "it trusts compiled code"
_NAMES_ITSELF = "it uses the theorem that is being proved"


class Elaborator(Protocol):
    """Elaborates documents, as `LeanServer` does."""

    async def check(self, text: str, seconds: float) -> list[dict[str, Any]]:
        """All diagnostics of a document. Raises TimeoutError, LeanDied."""
        ...

    async def messages_of(self, path: Path, text: str) -> list[dict[str, Any]] | None:
        """The same of a file, if it has just been elaborated with this text."""
        ...


class Insertion:
    """One place in a document, at which edits are judged.

    Args:
        server: elaborates the documents.
        path: the file.
        site: the place.
        seconds: the time for the document with `sorry`.
    """

    def __init__(self, server: Elaborator, path: Path, site: TacticSite, seconds: float) -> None:
        self._server = server
        self._path = path
        self._site = site
        self._seconds = seconds
        self._asking = asyncio.Lock()
        self._with_sorry: DocumentMessages | None = None
        self._anyway: frozenset[str] | None = None
        self._sorry_seconds = 0.0

    async def judged(self, tactic: str, accepted: TacticOutcome, seconds: float) -> TacticOutcome:
        """The outcome of a tactic that was accepted between braces, in the document that its edit makes.

        Raises TimeoutError: the document took longer than `seconds` more than with `sorry`. LeanDied.
        """
        closes = accepted.status == "closes"
        with_sorry = await self._sorry()
        first: str | None = None
        for written in tactic_texts(self._site.document, self._site.place, tactic):
            found = await self._found(written, seconds)
            why = problem(found, with_sorry, closes=closes, in_term=self._site.place.in_term)
            if why is None:
                return await self._accepted(tactic, written, found, accepted, seconds)
            first = first or why
        return replace(accepted, status="fails", state=None, message=(first or "").strip())

    async def closed(self, tactic: str, seconds: float) -> TacticOutcome:
        """The outcome of a tactic where only the whole document can be judged: it closes the goal if the errors are
        those with `sorry`. Raises as `judged`."""
        begin = time.perf_counter()
        with_sorry = await self._sorry()
        first = ""
        for written in tactic_texts(self._site.document, self._site.place, tactic):
            found = await self._found(written, seconds)
            took = (time.perf_counter() - begin) * 1000
            if same_errors(found, with_sorry):
                closes = TacticOutcome(tactic, "closes", ProofState(()), "", took)
                return await self._accepted(tactic, written, found, closes, seconds)
            first = first or next((message for _, message in found.own), "it does not close the goal")
        return TacticOutcome(tactic, "fails", None, first.strip(), (time.perf_counter() - begin) * 1000)

    def unjudged(self, tactic: str, outcome: TacticOutcome) -> TacticOutcome:
        """An outcome that was not judged in the document, with the likeliest edit."""
        written = tactic_texts(self._site.document, self._site.place, tactic)[0]
        return self._with_edit(outcome, written)

    async def _accepted(
        self, tactic: str, written: str, found: DocumentMessages, outcome: TacticOutcome, seconds: float
    ) -> TacticOutcome:
        outcome = self._with_edit(outcome, written)
        if outcome.status != "closes":
            return outcome
        if found.is_unchecked and self._site.names_itself(tactic):
            return replace(outcome, status="fails", state=None, message=_NAMES_ITSELF, edit=None)
        return await self._with_soundness(tactic, written, found, outcome, seconds)

    async def _with_soundness(
        self, tactic: str, written: str, found: DocumentMessages, outcome: TacticOutcome, seconds: float
    ) -> TacticOutcome:
        """The outcome, with what the proof rests on; it fails if it is the tactic that leaves the goal to `sorry`."""
        shown = await self._telling(written, found, seconds)
        doubtful = shown.doubtful if shown is not None else None
        if doubtful is not None and not doubtful:
            return outcome
        if shown is not None and shown.uses_sorry:
            return replace(outcome, status="fails", state=None, message=GAVE_UP, edit=None)
        own = doubtful - await self._doubtful_anyway(seconds) if doubtful else frozenset[str]()
        if own - {SORRY_AXIOM}:
            return replace(outcome, status="fails", state=None, message=_TRUSTS, edit=None)
        names = await self._unfinished(tactic, seconds)
        if names or own:
            return replace(outcome, rests_on_sorry=True, unfinished=names)
        return outcome

    async def _telling(
        self, written: str, found: DocumentMessages, seconds: float
    ) -> DocumentMessages | None:
        """The messages that tell what the tactic's proof rests on; None where an error leaves that open."""
        if found.is_unchecked:
            return None
        if await asyncio.to_thread(is_named_and_whole, self._site):
            return found
        copy = await asyncio.to_thread(filled, self._site, written)
        shown = None if copy is None else await self._check(copy, seconds)
        return None if shown is None or shown.is_unchecked else shown

    async def _unfinished(self, tactic: str, seconds: float) -> tuple[str, ...]:
        """The declarations that a tactic names and that rest on `sorry`."""
        text = axioms_of_names(self._site, tactic)
        if text is None:
            return ()
        diagnostics = await self._server.check(text, self._limit(seconds))
        if not any(refuses_axioms(str(item.get("message", ""))) for item in diagnostics):
            return unfinished_names(diagnostics)
        return await asyncio.to_thread(unfinished_by_text, self._site, tactic)

    async def _doubtful_anyway(self, seconds: float) -> frozenset[str]:
        """The doubtful axioms that the rest of the declaration rests on, whatever the tactic uses."""
        async with self._asking:
            if self._anyway is None:
                copy = await asyncio.to_thread(filled, self._site, None)
                found = None if copy is None else await self._check(copy, seconds)
                self._anyway = (found.doubtful if found is not None else None) or frozenset()
            return self._anyway

    async def _sorry(self) -> DocumentMessages:
        """The messages with `sorry` at the place."""
        async with self._asking:
            if self._with_sorry is None:
                begin = time.perf_counter()
                copy = self._site.inserted("sorry")
                found = await self._server.messages_of(self._path, copy.text)
                if found is None:  # it is not what Lean was given to find the goal
                    found = await self._server.check(copy.text, self._seconds)
                self._with_sorry = read_inserted(found, copy)
                self._sorry_seconds = time.perf_counter() - begin
            return self._with_sorry

    async def _found(self, written: str, seconds: float) -> DocumentMessages:
        names = [self._site.name] if await asyncio.to_thread(is_named_and_whole, self._site) else []
        return await self._check(self._site.inserted(written, print_axioms(names)), seconds)

    async def _check(self, copy: Inserted, seconds: float) -> DocumentMessages:
        return read_inserted(await self._server.check(copy.text, self._limit(seconds)), copy)

    def _limit(self, seconds: float) -> float:
        return seconds + self._sorry_seconds

    def _with_edit(self, outcome: TacticOutcome, written: str) -> TacticOutcome:
        return replace(outcome, edit=self._site.edit(written), in_term=self._site.place.in_term)
