"""ProofWiki's XML dump (appendix A.1 and A.2): <https://proofwiki.org/xmldump/latest.xml>, CC BY-SA.

The kind of a page, as the authors' notebook has it: with a section *Theorem* it is a theorem; with
`Definition:` in its title, a definition; what else a proof links to is another page, taken whole. A proof is
the section *Proof* of the theorem's page or of a page `theorem/...proof...` below it. Redirects are followed;
talk, user, help, file, category and template pages are passed over.

Two things differ. A page `theorem/...proof...` that takes its statement from the theorem's page is a proof of
it and no theorem again, and a section that only takes in another page is not a proof of its own.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tqdm import tqdm

from lean_extract.common.errors import BadSource
from retriever.documents.schema import Corpus, DocumentProof, Statement, StatementType
from retriever.limits import MAX_CATEGORIES, MAX_TITLE_CHARACTERS
from retriever.naturalproofs.readers.dump import Page, read_pages
from retriever.naturalproofs.readers.wikitext import (
    Passage,
    WikiLink,
    categories,
    links,
    section,
    shown,
    title_of,
    visible,
)

_NOT_CONTENT = re.compile(
    r"(?:[^:/]* )?(?:Talk|talk):|(?:User|Help|File|Category|Template|MediaWiki|Module|Special):"
)
_NOT_LINKED = ("Category:", ":Category:", "File:", ":File:", "Image:")
_WANTED = frozenset(("{{proofwanted}}", "{{proof wanted}}", "{{finish}}"))
_TAKEN_IN = re.compile(r"(?:\s*\{\{:[^{}]*\}\})+\s*")
_CATEGORY = "Category:"
_ROOT = "proofs by topic"


@dataclass(frozen=True, slots=True)
class _Wiki:
    """The pages of a dump, sorted."""

    name: str
    theorems: dict[str, Page] = field(default_factory=dict)
    definitions: dict[str, Page] = field(default_factory=dict)
    remaining: dict[str, Page] = field(default_factory=dict)
    proofs: dict[str, list[tuple[Page, Passage]]] = field(default_factory=dict)
    """By theorem."""
    redirects: dict[str, str] = field(default_factory=dict)
    """Where each leads in the end; those in a circle lead to one of them."""
    parents: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Of categories."""

    def resolved(self, title: str) -> str:
        """Where a link to a title leads."""
        return self.redirects.get(title, title)

    def has(self, title: str) -> bool:
        return title in self.theorems or title in self.definitions or title in self.remaining

    def at(self, page: Page, position: int) -> str:
        return f"{self.name}:{page.line + page.text.count(chr(10), 0, position)}"


def read_proofwiki(dump: Path, complaints: list[str], quiet: bool = True) -> Corpus:
    """The corpus of a dump, ids by theorems, definitions, others, each as in the dump.

    In `complaints`, as `file:line: ...`: XML that is cut off (what comes before is kept), two pages of one
    title, links to pages that are not there, empty proofs. Raises BadSource when there is no dump, or nothing
    in it.
    """
    wiki = _sorted(dump.name, tqdm(read_pages(dump, complaints), unit=" pages", disable=quiet), complaints)
    _find_proofs(wiki, complaints)
    if not wiki.theorems and not wiki.definitions:
        raise BadSource(f"{dump} has no theorem and no definition.", "Name the dump of all ProofWiki pages.")
    linked = _linked_from_proofs(wiki)
    others = {title: page for title, page in wiki.remaining.items() if title in linked}
    kinds: tuple[tuple[StatementType, Mapping[str, Page]], ...] = (
        ("theorem", wiki.theorems),
        ("definition", wiki.definitions),
        ("other", others),
    )
    ids = {title: number for number, title in enumerate(title for _, pages in kinds for title in pages)}
    writer = _WikiWriter(wiki, ids, Topics(wiki.parents), complaints)
    return Corpus(*(tuple(writer.statement(kind, page) for page in pages.values()) for kind, pages in kinds))


def _sorted(name: str, pages: Iterable[Page], complaints: list[str]) -> _Wiki:
    wiki = _Wiki(name)
    for raw in pages:
        page = Page(title_of(raw.title), visible(raw.text), raw.line, title_of(raw.redirect))
        if max(len(page.title), len(page.redirect)) > MAX_TITLE_CHARACTERS:
            complaints.append(
                f"{name}:{page.line}: the title is longer than {MAX_TITLE_CHARACTERS:,} characters."
            )
        elif page.redirect:
            wiki.redirects[page.title] = page.redirect
        elif page.title.startswith(_CATEGORY):
            wiki.parents[title_of(page.title.removeprefix(_CATEGORY))] = categories(page.text)
        elif not _NOT_CONTENT.match(page.title):
            if wiki.has(page.title):
                complaints.append(f"{name}:{page.line}: a second page {page.title}; the first is kept.")
                continue
            statement = section(page.text, "Theorem")
            if statement is not None:
                wiki.theorems[page.title] = page
            elif "Definition:" in page.title:
                wiki.definitions[page.title] = page
            else:
                wiki.remaining[page.title] = page
    wiki.redirects.update(_followed_through(wiki.redirects))
    return wiki


def _followed_through(redirects: Mapping[str, str]) -> dict[str, str]:
    """Where each redirect leads in the end."""
    ends: dict[str, str] = {}
    for title in redirects:
        path: dict[str, None] = {}
        while title in redirects and title not in ends and title not in path:
            path[title] = None
            title = redirects[title]
        ends |= dict.fromkeys(path, ends.get(title, title))
    return ends


def _find_proofs(wiki: _Wiki, complaints: list[str]) -> None:
    """Give theorems their proofs; pages that are no more than a proof of a theorem leave the theorems."""
    for page in (*wiki.theorems.values(), *wiki.remaining.values()):
        above, _, last = page.title.rpartition("/")
        below = above in wiki.theorems and "proof" in last.lower()
        if below and page.title in wiki.theorems and _taken_in(section(page.text, "Theorem")):
            wiki.remaining[page.title] = wiki.theorems.pop(page.title)
        passage = section(page.text, "Proof")
        if passage is None or passage.text.strip().lower() in _WANTED or _taken_in(passage):
            continue
        targets = [title for title in (page.title, above if below else "") if title in wiki.theorems]
        if not passage.text.strip():
            complaints.append(f"{wiki.at(page, passage.start)}: the proof in {page.title} is empty.")
        else:
            for title in targets:
                wiki.proofs.setdefault(title, []).append((page, passage))


def _taken_in(passage: Passage | None) -> bool:
    return passage is not None and _TAKEN_IN.fullmatch(passage.text) is not None


def _followed(wiki: _Wiki, text: str) -> list[tuple[WikiLink, str]]:
    """The links of a text to content, and the titles that they lead to."""
    found = (link for link in links(text) if not link.title.startswith(_NOT_LINKED))
    return [(link, wiki.resolved(link.title)) for link in found]


def _linked_from_proofs(wiki: _Wiki) -> set[str]:
    passages = (passage for proofs in wiki.proofs.values() for _, passage in proofs)
    return {title for passage in passages for _, title in _followed(wiki, passage.text)}


@dataclass(frozen=True, slots=True)
class _WikiWriter:
    wiki: _Wiki
    ids: Mapping[str, int]
    topics: Topics
    complaints: list[str]

    def statement(self, kind: StatementType, page: Page) -> Statement:
        passage = self._passage(kind, page)
        refs, ref_ids = self._links(page, passage)
        tagged = categories(page.text)
        return Statement(
            id=self.ids[page.title],
            type=kind,
            label=page.title,
            title=page.title,
            contents=shown(passage.text),
            refs=refs,
            ref_ids=ref_ids,
            proofs=self._proofs(self.wiki.proofs.get(page.title, ()) if kind == "theorem" else ()),
            categories=tagged,
            toplevel_categories=self.topics.toplevel(tagged),
            recursive_categories=self.topics.recursive(tagged),
        )

    def _passage(self, kind: StatementType, page: Page) -> Passage:
        if kind == "other":
            return Passage(page.text, 0)
        if kind == "theorem":
            found = section(page.text, "Theorem", subsections=False)
        else:
            found = section(page.text, "Definition")
        return found or Passage("", 0)

    def _proofs(self, proofs: Sequence[tuple[Page, Passage]]) -> tuple[DocumentProof, ...]:
        return tuple(
            DocumentProof(shown(passage.text), *self._links(page, passage)) for page, passage in proofs
        )

    def _links(self, page: Page, passage: Passage) -> tuple[tuple[str, ...], tuple[int, ...]]:
        refs: list[str] = []
        line, counted = page.line, 0
        for link, title in _followed(self.wiki, passage.text):
            if title in self.ids or self.wiki.has(title):
                refs.append(title)
            elif not _NOT_CONTENT.match(title):
                position = passage.start + link.position
                line, counted = line + page.text.count("\n", counted, position), position
                self.complaints.append(f"{self.wiki.name}:{line}: a link to {link.title}, which is nowhere.")
        return tuple(refs), tuple(self.ids[title] for title in refs if title in self.ids)


class Topics:
    """The graph of categories (appendix A.2), each with those that it is put into. It may have cycles."""

    def __init__(self, parents: Mapping[str, Iterable[str]]) -> None:
        self._parents = {name: tuple(above) for name, above in parents.items()}
        children: dict[str, list[str]] = {}
        for name, above in self._parents.items():
            for one in above:
                children.setdefault(one, []).append(name)
        roots = [name for name in children if name.casefold() == _ROOT]
        self._top = frozenset(name for root in roots for name in children[root])
        self._below = _flood(self._top, children) - set(roots)

    def toplevel(self, categories: Iterable[str]) -> tuple[str, ...]:
        """Those directly under *Proofs by Topic* that are above categories, by name."""
        return tuple(sorted(self._above(categories) & self._top))

    def recursive(self, categories: Iterable[str]) -> tuple[str, ...]:
        """The categories and all above them that are under *Proofs by Topic*, by name."""
        return tuple(sorted(self._above(categories) & self._below))

    def _above(self, categories: Iterable[str]) -> set[str]:
        own = (name for name in categories if name in self._below)
        return _flood(own, self._parents, MAX_CATEGORIES)


def _flood(start: Iterable[str], edges: Mapping[str, Iterable[str]], most: int | None = None) -> set[str]:
    """What can be reached; of more than `most`, the nearest."""
    reached = set(start)
    waiting = deque(reached)
    while waiting:
        for name in edges.get(waiting.popleft(), ()):
            if name not in reached:
                if len(reached) == most:
                    return reached
                reached.add(name)
                waiting.append(name)
    return reached
