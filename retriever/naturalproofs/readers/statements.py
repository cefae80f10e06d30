"""LaTeX files in, a corpus out: whose proof each proof is, and what the links lead to (appendix A.1)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from retriever.documents.schema import Corpus, DocumentProof, Statement, StatementType
from retriever.naturalproofs.readers.drafts import (
    PROOF,
    Draft,
    DraftProof,
    File,
    Link,
    Rules,
    read_file,
    read_proof,
)
from retriever.naturalproofs.readers.latex import LatexSource

_KINDS: tuple[StatementType, ...] = ("theorem", "definition", "other")


@dataclass(slots=True)
class _Labels:
    """The labels of all files, each with its file's name before it: `sets-lemma-bound`."""

    locations: dict[str, str] = field(default_factory=dict)
    drafts: dict[str, Draft] = field(default_factory=dict)
    within: dict[str, set[str]] = field(default_factory=dict)
    """By file, as they are written there."""

    def full(self, file: File, link: Link) -> str | None:
        """A link leads into its own file, or names another one; None where it leads nowhere.

        In `spaces.tex` the link `groupoids-lemma-a` leads to `groupoids.tex`, although `spaces-groupoids.tex`
        may have a lemma of that name.
        """
        if link.label in self.within[file.stem]:
            return f"{file.stem}-{link.label}"
        return link.label if link.label in self.locations else None


def read_statements(
    sources: Iterable[tuple[str, LatexSource]], rules: Rules, complaints: list[str]
) -> Corpus:
    """The corpus of (name without suffix, source) pairs; ids count the statements of all files in order.

    What does not fit is reported in `complaints` as `file:line: ...`, and the rest goes on: environments that are
    not balanced, a label defined twice, a link to nothing, an empty proof, a proof without a theorem before
    it, a second proof.
    """
    files = [read_file(stem, source, rules, complaints) for stem, source in sources]
    labels = _Labels()
    for file in files:
        _define(file, labels, complaints)
    for file in files:
        (_give_as_published if rules.published else _give)(file, rules, labels, complaints)
    drafts = [draft for file in files for draft in file.drafts.values()]
    writer = _LatexWriter(rules, labels, {draft: number for number, draft in enumerate(drafts)}, complaints)
    statements = [writer.statement(draft) for draft in drafts]
    return Corpus(*(tuple(one for one in statements if one.type == kind) for kind in _KINDS))


def _define(file: File, labels: _Labels, complaints: list[str]) -> None:
    """Note a file's labels. The first use of one counts; a statement without one is named by its line."""
    owners = {start: draft for draft in file.drafts.values() for start in draft.labels}
    labels.within[file.stem] = {label for label, _ in file.labels}
    for label, start in file.labels:
        full, location = f"{file.stem}-{label}", file.source.at(start)
        if full in labels.locations:
            complaints.append(
                f"{location}: label {label} is defined twice, first at {labels.locations[full]}."
            )
            continue
        labels.locations[full] = location
        draft = owners.get(start)
        if draft:
            labels.drafts[full] = draft
            draft.label = draft.label or full
    for draft in file.drafts.values():
        if not draft.label:
            event = draft.environment
            draft.label = f"{file.stem}-{event.name}-line-{file.source.line(event.start)}"


def _give(file: File, rules: Rules, labels: _Labels, complaints: list[str]) -> None:
    """A proof belongs to the theorem that its brackets name, else to the statement right before it."""
    before: Draft | None = None
    for event in file.events:
        if event.name != PROOF:
            before = file.drafts.get(event)
            continue
        if not event.closed:
            continue
        proof = read_proof(file.source, event)
        named = [labels.drafts.get(labels.full(file, link) or "") for link in proof.named]
        target = named[0] if named else before
        _attach(proof, target, file, rules, complaints)


def _attach(proof: DraftProof, target: Draft | None, file: File, rules: Rules, complaints: list[str]) -> None:
    location = file.source.at(proof.environment.start)
    if target is None or rules.types[target.environment.name] != "theorem":
        complaints.append(f"{location}: a proof of no theorem that is known; it is left out.")
    elif not proof.contents:
        complaints.append(f"{location}: the proof of {target.label} is empty; it is left out.")
    elif target.proof:
        complaints.append(f"{location}: a second proof of {target.label}; the first is kept.")
    else:
        target.proof = proof


def _give_as_published(file: File, rules: Rules, labels: _Labels, complaints: list[str]) -> None:
    """Section A.1 as the authors' scripts have it: see `Rules.published`. One proof may serve several."""
    proofs = [
        _unnamed(read_proof(file.source, one)) for one in file.events if one.name == PROOF and one.closed
    ]
    starts = [one.environment.start for one in proofs]
    drafts = [draft for draft in file.drafts.values() if rules.types[draft.environment.name] == "theorem"]
    limits: dict[str, int] = {}
    for draft in reversed(drafts):
        own = draft.environment
        first = bisect_left(starts, own.end)
        if first < len(starts) and starts[first] < limits.get(own.name, len(file.source.text)):
            draft.proof = proofs[first]
        limits[own.name] = own.start


def _unnamed(proof: DraftProof) -> DraftProof:
    """The links in its brackets among those in its text."""
    return replace(proof, links=(*proof.named, *proof.links))


@dataclass(frozen=True, slots=True)
class _LatexWriter:
    rules: Rules
    labels: _Labels
    ids: dict[Draft, int]
    complaints: list[str]

    def statement(self, draft: Draft) -> Statement:
        refs, ref_ids = self._followed(draft.links, draft.file)
        return Statement(
            id=self.ids[draft],
            type=self.rules.types[draft.environment.name],
            label=draft.label,
            title=draft.label if self.rules.label_as_title else draft.title,
            contents=draft.contents,
            refs=refs,
            ref_ids=ref_ids,
            proofs=(self._proof(draft.proof, draft.file),) if draft.proof else (),
            categories=(draft.file.stem,) if self.rules.chapters else (),
        )

    def _proof(self, proof: DraftProof, file: File) -> DocumentProof:
        return DocumentProof(proof.contents, *self._followed(proof.links, file))

    def _followed(self, links: Sequence[Link], file: File) -> tuple[tuple[str, ...], tuple[int, ...]]:
        """Labels of what links lead to, and the ids of the statements among them."""
        refs: list[str] = []
        ids: list[int] = []
        for link in links:
            full = self.labels.full(file, link)
            if full is None:
                self.complaints.append(
                    f"{file.source.at(link.position)}: a link to {link.label}, which is nowhere."
                )
            elif self.rules.not_linked.isdisjoint(link.label.split("-")):
                target = self.labels.drafts.get(full)
                refs.append(target.label if target else full)
                ids += [self.ids[target]] if target else []
        return tuple(refs), tuple(ids)
