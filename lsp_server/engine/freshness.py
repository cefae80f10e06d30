"""Describes an answer's basis: the index searched and its age, and what of the goal was not read.

Pure, except that it reads one small file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from pathlib import Path

from lean_extract.common.errors import LeanNotFound
from lean_extract.pasted import NO_TARGET
from lean_extract.records import Goal
from lean_extract.toolchains.core_sources import CORE_PACKAGES, MINI_CORE
from lean_extract.toolchains.elan import is_lean, version_in
from lean_extract.toolchains.toolchain import asked_toolchain
from lsp_server.engine.schema_items import IndexItem, SourceItem
from retriever.lean.freshness import Freshness
from retriever.lean.index.view import IndexedPackage
from retriever.models.encoder import FittedState

MATHLIB = "mathlib"
_MOSTLY_UNKNOWN = 0.5
"""From this share of unknown tokens on, the ranking is not reliable."""
_MOST_NAMED = 2
_COMMIT = re.compile(r"[0-9a-f]{12,64}")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def index_item(fresh: Freshness, lean: str, today: date | None = None) -> IndexItem:
    """The content of the index as the documented object; `today` is the current day in UTC by default."""
    day = today or datetime.now(UTC).date()
    sources = [_source_item(one, day) for one in fresh.sources]
    stale = len(fresh.stale_files) + len(fresh.unindexed_files)
    return IndexItem(
        sources, fresh.built_at or None, stale, lean or None, freshness_line(sources, lean, stale)
    )


def _source_item(source: IndexedPackage, today: date) -> SourceItem:
    day = _day(source.revision)
    return SourceItem(
        source.package,
        source.revision,
        source.premises,
        source.is_bundled,
        day.isoformat() if day else None,
        max(0, (today - day).days) if day else None,
    )


def _day(revision: str) -> date | None:
    """The day that a revision names, if it is a date, as the bundled Mathlib's is."""
    try:
        return date.fromisoformat(revision) if _DAY.fullmatch(revision) else None
    except ValueError:
        return None


def dated(revision: str, today: date | None = None) -> str:
    """A revision that is a date, with its age: `of 2026-07-01, 4 months old`; others unchanged."""
    day = _day(revision)
    if day is None:
        return revision
    return f"of {revision}, {_age(max(0, ((today or datetime.now(UTC).date()) - day).days))}"


def _age(days: int) -> str:
    if days == 0:
        return "from today"
    number, unit = next(
        (days // size, unit) for size, unit in ((365, "year"), (30, "month"), (1, "day")) if days >= size
    )
    return f"{number} {unit}{'' if number == 1 else 's'} old"


def freshness_line(sources: Sequence[SourceItem], lean: str, stale: int) -> str:
    """One line: Mathlib's revision (else the packages'), Lean's version and core, how many files are missing.

    `Mathlib of 2026-07-01, 4 months old (bundled) · Lean 4.35.0 and its core · 2 files newer than the index`.
    Only files that were read here can be up to date; a bundled source has its age.
    """
    packages = [one for one in sources if one.package not in CORE_PACKAGES]
    pinned = sorted((one for one in packages if one.revision), key=lambda one: one.package.lower() != MATHLIB)
    own = [one for one in packages if not one.revision]
    has_mathlib = any(one.package.lower() == MATHLIB for one in pinned)
    named = pinned[: 1 if has_mathlib else _MOST_NAMED]
    parts = [_source(one) for one in named]
    if rest := len(pinned) - len(named):
        parts.append(f"{rest} more package{'' if rest == 1 else 's'}")
    parts += [one.package or "this project" for one in own[:_MOST_NAMED]]
    core = next((one for one in sources if one.package in CORE_PACKAGES), None)
    parts.append(_lean(lean, core))
    files = "1 file" if stale == 1 else f"{stale:,} files"
    if stale:
        parts.append(f"{files} newer than the index")
    elif not any(one.bundled for one in sources):
        parts.append("up to date")
    elif own:
        parts.append("your files up to date")
    return " · ".join(parts)


def _lean(lean: str, core: SourceItem | None) -> str:
    """Lean's version, and whose core is in the index."""
    named = f"Lean {lean}" if lean else "Lean not pinned"
    if core is None:
        return named
    if core.package == MINI_CORE:
        return f"{named} · packaged mini core"
    return f"{named} and its core" if is_lean(core.revision, lean) else f"{named}, core of {core.revision}"


def _source(source: SourceItem) -> str:
    name = "Mathlib" if source.package.lower() == MATHLIB else source.package
    revision = source.revision
    if _COMMIT.fullmatch(revision):
        revision = revision[:7]
    elif source.date is not None and source.age_days is not None:
        revision = f"of {source.date}, {_age(source.age_days)}"
    return f"{name} {revision}{' (bundled)' if source.bundled else ''}"


def pinned_lean(root: Path) -> str:
    """The version that a project's `lean-toolchain` names, there or in a folder above; empty without one."""
    try:
        found = asked_toolchain(root)
    except LeanNotFound:  # Lean itself would report it
        return ""
    return version_in(found[0]) if found else ""


def reading_notes(goal: Goal, fitted: FittedState) -> Iterator[str]:
    """Sentences on what was missing, not read or unknown in a goal; empty if it was read as a whole."""
    if goal.target == NO_TARGET:
        yield "There is no `⊢` line, so premises were ranked by the hypotheses only."
    if fitted.dropped:
        total = len(goal.hypotheses)
        yield (
            f"The state is longer than the model reads: {len(fitted.dropped):,} of its {total:,} hypotheses "
            "were left out; the goal was kept, and first of all what it mentions."
        )
    if fitted.goal_cut:
        yield "The goal itself is longer than the model reads: its end was left out."
    if fitted.unknown > _MOSTLY_UNKNOWN:
        yield (
            f"The model does not know {fitted.unknown:.0%} of the words in this state, so its ranking says "
            "little; give the state as Lean prints it."
        )
