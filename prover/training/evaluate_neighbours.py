"""Measures the tactics that are adapted from the nearest steps of known proofs.

    python -m prover evaluate-neighbours MODEL STEPS RECORDS [RECORDS ...] [--without NAMES] [--whole]
        [--ranked FILE] [--depth 128] [--count 8] [--limit N] [--cache FOLDER] [--fit FILE] [--json FILE]

STEPS has one tactic a line in LeanDojo's form. The neighbours come from records with states (text-made, from goal
comments, traced); held-out theorems, and those of `--without` with others of their families, are left out. As in
serving, nothing is taken from below the theorem in its own file; `--whole` takes all known steps. There are two
rows: the tactics as they are, and adapted. Figures are as in `python -m prover evaluate`, except that premises are
compared by the last parts of their names. `--ranked` names a file of `python -m prover retrieve` for these steps:
ranked premises then take the place of the neighbours'. `--fit` also fits the weights of
`prover.neighbours.proposals`, writes them to a file, and adds a row in which each fifth of the theorems is measured
with weights fitted to the others.
"""

from __future__ import annotations

import argparse
import hashlib
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np
from tqdm import tqdm

from lean_extract.common.arrays import Floats
from lean_extract.common.errors import BadRecords
from lean_extract.common.option_types import positive
from lean_extract.common.terminal_text import complaints_printed
from lean_extract.common.verbs import add_json_option, write_json
from lean_extract.records import Goal, NearStep, Premise
from lean_extract.syntax.lexer import raw_tokens
from prover.neighbours.features import FEATURES, StepQuery
from prover.neighbours.proposals import candidates, proposals
from prover.training.pairs import TacticPair, pairs_of
from prover.training.steps import WantedStep, last_parts, matches, read_lists, read_steps, share_table, shares
from retriever.lean.dataset.dataset import load_records, names_in
from retriever.lean.index.steps import size_of, split_context, step_vectors
from retriever.lean.near_steps import NEAREST, chosen_steps
from retriever.lean.training.vectors import save_array
from retriever.limits import MAX_STEP_STATE_CHARACTERS, MAX_TACTIC_CHARACTERS
from retriever.metrics.bootstrap import Interval
from retriever.models.encoder import Encoder
from retriever.models.text import readable

_PARTS = 5
"""Parts of the theorems in cross-validation."""
_MOST_RANKED = 16
"""Ranked premises, about as many as in a suggestion."""
_BLOCK = 64
_MARGIN = 6
"""This many more neighbours are looked up, since some are left out."""


@dataclass(frozen=True, slots=True)
class Library:
    """The known steps, with their vectors and the premises that they mention."""

    pairs: Sequence[TacticPair]
    vectors: Floats
    """float32[n, d]"""
    premises: Mapping[str, Premise]
    lines: Mapping[tuple[str, str], int]
    """Where the first records file has a theorem of a module, from 0."""

    def nearest(
        self, wanted: Sequence[WantedStep], vectors: Floats, depth: int, *, whole: bool
    ) -> Iterator[list[NearStep]]:
        """The nearest steps of each wanted one, nearest first. `vectors`: float32[m, d], of `step_vectors`."""
        most = min(depth * _MARGIN, len(self.pairs))
        chosen = partial(chosen_steps, k=depth, is_term=lambda number: self.pairs[number].kind == "term")
        for start in range(0, len(wanted), _BLOCK):
            products = vectors[start : start + _BLOCK] @ self.vectors.T
            best = np.argpartition(-products, most - 1, axis=1)[:, :most]
            for row, one in enumerate(wanted[start : start + _BLOCK]):
                order = best[row][np.argsort(-products[row][best[row]], kind="stable")].tolist()
                allowed = (n for n in order if self._is_allowed(self.pairs[n], one, whole=whole))
                yield [
                    self._near_step(self.pairs[n], float(products[row][n]))
                    for n in chosen(self._distinct(allowed))
                ]

    def _distinct(self, numbers: Iterable[int]) -> Iterator[int]:
        """Without the steps that another of the records has, too."""
        seen: set[tuple[str, str, str]] = set()
        for number in numbers:
            pair = self.pairs[number]
            key = (pair.theorem, last_parts(pair.tactic), last_parts(pair.goal.target))
            if key not in seen:
                seen.add(key)
                yield number

    def _is_allowed(self, pair: TacticPair, wanted: WantedStep, *, whole: bool) -> bool:
        if pair.theorem == wanted.theorem:
            return False
        if whole or pair.module != wanted.module:
            return True
        own = self.lines.get((wanted.module, wanted.theorem))
        other = self.lines.get((pair.module, pair.theorem))
        return own is not None and other is not None and other < own

    def _near_step(self, pair: TacticPair, similarity: float) -> NearStep:
        tokens = [raw.rstrip() for raw in raw_tokens(pair.tactic)]
        mentioned, others = split_context(pair.goal, pair.tactic)
        named = [name for name in pair.gold if any(t == name or t.startswith(f"{name}.") for t in tokens)]
        return NearStep(
            pair.theorem,
            pair.module,
            pair.tactic,
            Goal(mentioned, pair.goal.target),
            similarity,
            others,
            tuple(self.premises[name] for name in named if name in self.premises),
        )


def library_of(
    paths: Sequence[Path],
    without: frozenset[str],
    encoder: Encoder,
    cache: Path | None,
    complaints: list[str],
) -> Library:
    """The known steps of records. Raises BadRecords: no step has a state."""
    pairs: list[TacticPair] = []
    premises: dict[str, Premise] = {}
    lines: dict[tuple[str, str], int] = {}
    for path in paths:
        records = load_records(path, complaints)
        is_first = not premises
        for premise in records.premises:
            premises.setdefault(premise.name, premise)
            if is_first and premise.span:
                lines[premise.module, premise.name] = premise.span.start.line
        found = (pair for pair in pairs_of(records, without, Counter()) if pair.split == "train")
        pairs += [  # the index would keep these, too
            one
            for one in found
            if len(one.tactic) <= MAX_TACTIC_CHARACTERS and size_of(one.goal) <= MAX_STEP_STATE_CHARACTERS
        ]
    if not pairs:
        raise BadRecords(
            f"No step in {', '.join(map(str, paths))} has a state.",
            "Extract with `python -m lean_extract extract ROOT OUT --states`.",
        )
    return Library(pairs, _vectors(pairs, encoder, cache), premises, lines)


def _vectors(pairs: Sequence[TacticPair], encoder: Encoder, cache: Path | None) -> Floats:
    """float32[n, d]: the states' vectors, from the cache if they are there."""
    digest = hashlib.sha256(f"joint {encoder.fingerprint}".encode())
    for pair in pairs:
        digest.update(f"{pair.theorem}\0{pair.goal}\n".encode())
    path = cache / f"steps-{digest.hexdigest()[:16]}.npy" if cache else None
    if path is not None and path.exists():
        return np.asarray(np.load(path), dtype=np.float32)
    starts = tqdm(range(0, len(pairs), 512), desc="states", disable=None)
    vectors = np.concatenate(
        [step_vectors(encoder, [pair.goal for pair in pairs[start : start + 512]]) for start in starts]
    )
    if path is not None:
        save_array(path, vectors)
    return vectors


_QueriedStep = tuple[WantedStep, Sequence[NearStep], Sequence[Premise]]
"""A step with its neighbours, and the premises ranked for it."""


@dataclass(frozen=True, slots=True)
class _FittingExample:
    """The proposals of one step, n of them."""

    features: list[list[float]]
    """[n, len(FEATURES)]"""
    own: list[bool]
    """Which of them are the proof's own tactic."""


def _examples_of(sampled: Sequence[_QueriedStep]) -> list[_FittingExample]:
    """What the weights are fitted to, one for each step."""
    found = []
    for one, steps, premises in sampled:
        made, features = proposals(StepQuery(one.goal, one.module, one.theorem), steps, premises)
        own = [last_parts(proposal.tactic) == last_parts(one.tactic) for proposal in made]
        found.append(_FittingExample(features, own))
    return found


def _part_of(theorem: str) -> int:
    """Which part of the theorems one belongs to."""
    return int(hashlib.sha256(theorem.encode()).hexdigest(), 16) // 50 % _PARTS


def _fitted(examples: Sequence[_FittingExample]) -> dict[str, float]:
    """The weights under which the proofs' own tactics are likeliest: a softmax over each step's proposals.

    Steps whose own tactic nobody proposes are left out; where only such are left, the weights are 0. A small L2
    penalty acts on standardised features.
    """
    import torch

    useful = [one for one in examples if any(one.own)]
    rows = [row for one in useful for row in one.features]
    own = [is_own for one in useful for is_own in one.own]
    lengths = [len(one.own) for one in useful]
    if not lengths:
        return dict.fromkeys(FEATURES, 0.0)
    matrix = torch.tensor(rows, dtype=torch.float64)
    spread = matrix.std(dim=0) + 1e-6
    matrix = (matrix - matrix.mean(dim=0)) / spread
    groups = torch.repeat_interleave(torch.arange(len(lengths)), torch.tensor(lengths))
    mine = torch.tensor(own)
    weights = torch.zeros(len(FEATURES), dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.LBFGS([weights], max_iter=100)

    def loss() -> torch.Tensor:
        optimiser.zero_grad()
        chances = torch.exp(torch.clamp(matrix @ weights, max=50.0))
        whole = torch.zeros(len(lengths), dtype=torch.float64).index_add(0, groups, chances)
        right = torch.zeros(len(lengths), dtype=torch.float64).index_add(0, groups, chances * mine)
        value = torch.log(whole / right).mean() + 0.01 * (weights * weights).sum()
        value.backward()  # type: ignore[no-untyped-call]
        return value

    optimiser.step(loss)  # type: ignore[no-untyped-call]
    return {
        name: round(float(weight), 4)
        for name, weight in zip(FEATURES, (weights.detach() / spread).tolist(), strict=True)
    }


@dataclass(frozen=True, slots=True)
class _NeighbourRow:
    """The figures of one way to use the neighbours."""

    name: str
    figures: dict[str, Interval]
    milliseconds: float
    """Median time per step, without the search for neighbours."""


def _evaluate(sampled: Sequence[_QueriedStep], count: int) -> list[_NeighbourRow]:
    """The figures of tactics as they are, and adapted."""
    copied, adapted, times = [], [], []
    for one, steps, premises in sampled:
        copied.append(matches([step.tactic for step in steps], one.tactic, count))
        began = time.perf_counter()
        found = candidates(StepQuery(one.goal, one.module, one.theorem), steps, premises, 4 * count)
        times.append(1000 * (time.perf_counter() - began))
        adapted.append(matches([candidate.tactic for candidate in found], one.tactic, count))
    return [_row("copied", copied, 0.0, count), _row("adapted", adapted, float(np.median(times)), count)]


def _row(name: str, results: list[tuple[float, float, float]], took: float, count: int) -> _NeighbourRow:
    return _NeighbourRow(name, shares(("exact@1", f"exact@{count}", f"head@{count}"), results), took)


def _cross_validated(
    sampled: Sequence[_QueriedStep], examples: Sequence[_FittingExample], count: int
) -> _NeighbourRow:
    """The figures where each fifth of the theorems is measured with weights fitted to the others."""
    parts = [_part_of(step.theorem) for step, _, _ in sampled]
    weights = [
        _fitted([one for one, own in zip(examples, parts, strict=True) if own != part])
        for part in range(_PARTS)
    ]
    results = []
    for (one, steps, premises), part in zip(sampled, parts, strict=True):
        where = StepQuery(one.goal, one.module, one.theorem)
        found = candidates(where, steps, premises, 4 * count, weights[part])
        results.append(matches([candidate.tactic for candidate in found], one.tactic, count))
    return _row("adapted, cross-validated", results, 0.0, count)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("model", type=Path, help="an encoder's folder")
    parser.add_argument("steps", type=Path, help="steps in LeanDojo's form, one a line (JSONL)")
    parser.add_argument("records", type=Path, nargs="+", help="records with states (JSONL)")
    parser.add_argument("--without", type=Path, help="a file of theorems to leave out, one name per line")
    parser.add_argument("--whole", action="store_true", help="also use later theorems of the same file")
    parser.add_argument("--ranked", type=Path, help="ranked premises of these steps (`prover retrieve`)")
    parser.add_argument("--depth", type=positive, default=NEAREST, help=f"neighbours per step ({NEAREST})")
    parser.add_argument("--count", type=positive, default=8, help="tactics per step (8)")
    parser.add_argument("--limit", type=positive, help="only the first steps")
    parser.add_argument("--cache", type=Path, help="a folder in which vectors are kept")
    parser.add_argument("--fit", type=Path, help="fit the weights on these steps, and write them to a file")
    add_json_option(parser)


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    encoder = Encoder.load(options.model)
    steps = read_steps(options.steps)
    wanted = steps[: options.limit]
    with complaints_printed() as complaints:
        library = library_of(options.records, names_in(options.without), encoder, options.cache, complaints)
    vectors = step_vectors(encoder, [readable(one.goal) for one in wanted])
    digest = hashlib.sha256(options.steps.read_bytes()).hexdigest()
    nearest = library.nearest(wanted, vectors, options.depth, whole=options.whole)
    lists = read_lists(options.ranked, digest, "", len(steps)) if options.ranked else [None] * len(wanted)
    ranked = [[name for name in (names or ())[:_MOST_RANKED] if name in library.premises] for names in lists]
    sampled = [
        (one, near, tuple(library.premises[name] for name in names))
        for one, near, names in zip(wanted, nearest, ranked, strict=False)
    ]
    about = {
        "steps": digest,
        "encoder": encoder.fingerprint,
        "known": len(library.pairs),
        "whole": options.whole,
    }
    print(f"{len(wanted)} steps of {options.steps.name} ({about['steps'][:16]}),"
          f" {len(library.pairs):,} known steps, encoder {encoder.fingerprint}")  # fmt: skip
    if options.fit:
        examples = _examples_of(sampled)
        write_json(options.fit, _fitted(examples))
    rows = _evaluate(sampled, options.count)
    if options.fit:
        rows.append(_cross_validated(sampled, examples, options.count))
    print(share_table("neighbours", [(row.name, row.figures, f"{row.milliseconds:.1f}") for row in rows]))
    write_json(options.json, {**about, "rows": [asdict(row) for row in rows]})
