"""Judges the documents that the edits of tactics make, and what their proofs rest on, with Lean."""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from lean_extract.common.errors import BadSource
from lean_extract.common.files.settings_files import settings_text
from lean_extract.records import Goal, ProofState, TacticOutcome
from lean_extract.session.document import LeanDocument
from lean_extract.session.goals_left import Written, written_forms
from lean_extract.session.places import edit_of, tactic_texts
from lean_extract.session.tactic_sites import Inserted, TacticSite, end_of
from lean_extract.session.verdict import GAVE_UP, DocumentMessages, problem, read_inserted, same_errors
from lean_extract.source.open_file import resting_on_sorry
from lean_extract.source.projects.packages import LAKEFILES
from lean_extract.source.reader import read_module
from lean_extract.syntax.axioms import SORRY_AXIOM, axioms_in, refuses_axioms
from lean_extract.syntax.lexer import is_identifier, tokenize
from lean_extract.syntax.tactic_text import code, has_sorry

_HIDDEN = re.compile(r"(set_option\s+warn\.sorry\s+)false(?![\w.'])")
_SHOWN = "set_option warn.sorry true"
_BLANK_LINE = re.compile(r"[ \t]*(?:--[^\n]*)?\n[ \t]*(?=\n)")


def with_warnings(document: LeanDocument, project: Path) -> LeanDocument:
    """The document with the option switched on, in the file and, if a lakefile names it, below the imports.

    All else keeps its line and column. Below the imports there has to be a blank line.
    """
    text = unhidden(document.text)
    header = document.header.removesuffix("\n")
    blank = _BLANK_LINE.match(text, len(header))
    if blank is not None and _is_in_lakefile(project):
        text = f"{text[: blank.end()]}{_SHOWN}{text[blank.end() :]}"
    return document if text == document.text else LeanDocument(text)


def unhidden(text: str) -> str:
    """A text whose own options hide no warning; all else keeps its place."""
    return _HIDDEN.sub(r"\1true ", text)


def _is_in_lakefile(project: Path) -> bool:
    within = (os.path.realpath(project),)
    for name in LAKEFILES:
        with suppress(BadSource):  # Lake itself would report it
            if "warn.sorry" in settings_text(project / name, within):
                return True
    return False


# As long as `sorry` and `admit`, so that nothing after it moves. Lean's search does not find such names.
_FILLING = "sorr_"
_FILLER = (
    "axiom _premise_suggest_filling.{u} (α : Sort u) : α"
    f' macro "{_FILLING}" : tactic => `(tactic| exact _premise_suggest_filling _)'
    f' macro "{_FILLING}" : term => `(_premise_suggest_filling _)\n'
)
_UNNAMED = re.compile(
    r"(?<![\w.'])(?:(?P<example>example)|instance(?:\s*\(priority\s*:=[^)\n]*\))?)(?![\w'])"
)
_NAME = "_premise_suggest_named"
_NAMED = re.compile(r"'(?P<name>[^\n]+?)' depends on axioms")
_MOST_NAMES = 32


def _print_axioms(names: Iterable[str]) -> str:
    """The commands that list the axioms of declarations."""
    return "".join(f"#print axioms {name}\n" for name in names)


def _is_named_and_whole(site: TacticSite) -> bool:
    """Whether the axioms of the declaration are those of the proof: it has a name, and no other `sorry`."""
    return bool(site.name) and not has_sorry(site.declaration)


def filled(site: TacticSite, written: str | None) -> Inserted | None:
    """The document with a name for the declaration and an axiom in place of its other `sorry`s, and its axioms.

    Args:
        site: where the tactic goes.
        written: what the edit writes there; None: the same axiom.

    Returns: the copy; None if a `sorry` cannot be replaced, or the declaration cannot be named.
    """
    text, place, first = site.document.text, site.place, site.command
    edit = site.edit(_FILLING if written is None else written)
    before, after = _filled(text[first : place.start]), _filled(text[place.end : site.end])
    named = (before, site.name) if site.name else _with_name(before, site.start - first)
    if named is None or has_sorry(before) or has_sorry(after):
        return None
    head = f"{text[:first]}{_FILLER}{named[0]}{edit.text}"
    gap = "" if after.endswith("\n") else "\n"
    start = end_of(head[: len(head) - len(edit.text)])
    whole = f"{head}{after}{gap}"
    return Inserted(whole + _print_axioms([named[1]]), start, end_of(head), site.line + 1, end_of(whole))


def axioms_of_names(site: TacticSite, tactic: str) -> str | None:
    """The document up to the declaration, with the axioms of each name in a tactic; None if there is no name."""
    names = _names_in(tactic)
    above = site.document.text[: site.command]
    return f"{above}\n{_print_axioms(names)}" if names else None


def _unfinished_by_text(site: TacticSite, tactic: str) -> tuple[str, ...]:
    """The declarations above that a tactic names and that rest on `sorry`, as their text shows."""
    source = read_module(site.document.text[: site.command], "", "")
    words = _names_in(tactic)
    resting = resting_on_sorry(source)
    return tuple(sorted(name for name in resting if any(_may_mean(word, name) for word in words)))


def unfinished_names(diagnostics: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The declarations that rest on `sorry` according to `#print axioms`."""
    found = []
    for item in diagnostics:
        message = str(item.get("message", ""))
        axioms, named = axioms_in(message), _NAMED.match(message)
        if named is not None and axioms is not None and SORRY_AXIOM in axioms:
            found.append(named["name"])
    return tuple(dict.fromkeys(found))


def _names_in(tactic: str) -> list[str]:
    texts = tokenize(code(tactic)).texts
    return list(dict.fromkeys(token for token in texts if is_identifier(token)))[:_MOST_NAMES]


def _may_mean(word: str, name: str) -> bool:
    """Whether a name as written may mean a declaration, or a field of it."""
    word = word.removeprefix("_root_.")
    return f".{name}".endswith(f".{word}") or word.startswith(f"{name}.")


def _with_name(text: str, start: int) -> tuple[str, str] | None:
    """A declaration without a name, with one; None if it is of another kind."""
    found = _UNNAMED.search(text, start)
    if found is None:
        return None
    keyword = "def" if found["example"] else found[0]
    return f"{text[: found.start()]}{keyword} {_NAME}{text[found.end() :]}", _NAME


def _filled(text: str) -> str:
    raw = tokenize(text)
    parts, offset = [], 0
    for token, start in zip(raw.texts, raw.starts, strict=True):
        if token in ("sorry", "admit"):
            parts += [text[offset:start], _FILLING]
            offset = start + len(token)
    return "".join([*parts, text[offset:]])


_TRUSTS = "it trusts compiled code"
_NAMES_ITSELF = "it uses the theorem that is being proved"


class _Elaborator(Protocol):
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
        goal: the goal there; None: not known.
    """

    def __init__(
        self, server: _Elaborator, path: Path, site: TacticSite, seconds: float, goal: Goal | None = None
    ) -> None:
        self._server = server
        self._path = path
        self._site = site
        self._seconds = seconds
        self._goal = goal
        self._lock = asyncio.Lock()
        self._with_sorry: DocumentMessages | None = None
        self._anyway: frozenset[str] | None = None
        self._sorry_seconds = 0.0

    async def judged(self, tactic: str, accepted: TacticOutcome, seconds: float) -> TacticOutcome:
        """The outcome of a tactic that was accepted between braces, in the document that its edit makes.

        With a `sorry` for each goal that it leaves, the document may have no new error.

        Raises TimeoutError: the document took longer than `seconds` more than with `sorry`. LeanDied.
        """
        with_sorry = await self._sorry()
        why: str | None = None
        for form in self._forms(tactic, accepted):
            found = await self._found(form, seconds)
            why = problem(found, with_sorry, closes=form.is_whole, in_term=self._site.place.in_term)
            if why is None:
                return await self._accepted(tactic, form, found, accepted, seconds)
        return replace(accepted, status="fails", state=None, message=(why or "").strip())

    def _forms(self, tactic: str, outcome: TacticOutcome) -> Iterator[Written]:
        site, left = self._site, outcome.state.goals if outcome.state is not None else ()
        return written_forms(site.document, site.place, (site.start, site.end), tactic, left, self._goal)

    async def closed(self, tactic: str, seconds: float) -> TacticOutcome:
        """The outcome of a tactic where only the whole document can be judged: it closes the goal if the errors are
        those with `sorry`. Raises as `judged`."""
        begin = time.perf_counter()
        with_sorry = await self._sorry()
        first = ""
        for text in tactic_texts(self._site.document, self._site.place, tactic):
            form = Written(self._site.place, text, is_whole=True)
            found = await self._found(form, seconds)
            took = (time.perf_counter() - begin) * 1000
            if same_errors(found, with_sorry):
                closes = TacticOutcome(tactic, "closes", ProofState(()), "", took)
                return await self._accepted(tactic, form, found, closes, seconds)
            first = first or next((message for _, message in found.own), "it does not close the goal")
        return TacticOutcome(tactic, "fails", None, first.strip(), (time.perf_counter() - begin) * 1000)

    def unjudged(self, tactic: str, outcome: TacticOutcome) -> TacticOutcome:
        """An outcome that was not judged in the document, with the likeliest edit."""
        return self._with_edit(outcome, next(self._forms(tactic, outcome)))

    async def _accepted(
        self, tactic: str, form: Written, found: DocumentMessages, outcome: TacticOutcome, seconds: float
    ) -> TacticOutcome:
        outcome = self._with_edit(outcome, form)
        if outcome.status != "closes":
            return outcome
        if has_sorry(tactic):  # the caller knows
            return replace(outcome, rests_on_sorry=True, unfinished=await self._unfinished(tactic, seconds))
        if found.is_unchecked and self._site.names_itself(tactic):
            return replace(outcome, status="fails", state=None, message=_NAMES_ITSELF, edit=None)
        return await self._with_soundness(tactic, form.text, found, outcome, seconds)

    async def _with_soundness(
        self, tactic: str, written: str, found: DocumentMessages, outcome: TacticOutcome, seconds: float
    ) -> TacticOutcome:
        """The outcome, with what the proof rests on; it fails if it is the tactic that leaves the goal to `sorry`."""
        shown = await self._axiom_messages(written, found, seconds)
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

    async def _axiom_messages(
        self, written: str, found: DocumentMessages, seconds: float
    ) -> DocumentMessages | None:
        """The messages about the axioms that the tactic's proof rests on; None if an error hides them."""
        if found.is_unchecked:
            return None
        if await asyncio.to_thread(_is_named_and_whole, self._site):
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
        return await asyncio.to_thread(_unfinished_by_text, self._site, tactic)

    async def _doubtful_anyway(self, seconds: float) -> frozenset[str]:
        """The doubtful axioms that the rest of the declaration rests on, whatever the tactic uses."""
        async with self._lock:
            if self._anyway is None:
                copy = await asyncio.to_thread(filled, self._site, None)
                found = None if copy is None else await self._check(copy, seconds)
                self._anyway = (found.doubtful if found is not None else None) or frozenset()
            return self._anyway

    async def _sorry(self) -> DocumentMessages:
        """The messages with `sorry` at the place."""
        async with self._lock:
            if self._with_sorry is None:
                begin = time.perf_counter()
                copy = self._site.inserted("sorry")
                found = await self._server.messages_of(self._path, copy.text)
                if found is None:  # it is not what Lean was given to find the goal
                    found = await self._server.check(copy.text, self._seconds)
                self._with_sorry = read_inserted(found, copy)
                self._sorry_seconds = time.perf_counter() - begin
            return self._with_sorry

    async def _found(self, form: Written, seconds: float) -> DocumentMessages:
        names = [self._site.name] if await asyncio.to_thread(_is_named_and_whole, self._site) else []
        site = replace(self._site, place=form.place)
        return await self._check(site.inserted(form.text, _print_axioms(names)), seconds)

    async def _check(self, copy: Inserted, seconds: float) -> DocumentMessages:
        return read_inserted(await self._server.check(copy.text, self._limit(seconds)), copy)

    def _limit(self, seconds: float) -> float:
        return seconds + self._sorry_seconds

    def _with_edit(self, outcome: TacticOutcome, form: Written) -> TacticOutcome:
        edit = edit_of(self._site.document, form.place, form.text)
        return replace(outcome, edit=edit, in_term=self._site.place.in_term)
