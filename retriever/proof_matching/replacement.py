"""Symbol replacement: proofs as if somebody else had written them (thesis, chapter 4).

    python -m retriever match-replace PAIRS.jsonl LEVEL OUT.jsonl [--seed N]

writes the pairs with the symbols of their proofs replaced, at a level: `conservation` (none), `partial` (half
of those that statement and proof share), `full` (all of them) or `transposition` (permuted among themselves).
Which symbols a proof gets depends on the pair itself, the level and the seed alone, so other pairs can be
left out or put in another order. Statements stay as they are. Pairs that cannot be read are told with their
line, and left out.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from tqdm import tqdm

from lean_extract.common.terminal_text import complaints_printed
from retriever.proof_matching.protected import protected_positions
from retriever.proof_matching.renaming import Renaming, find_renaming
from retriever.proof_matching.schema import LEVELS, Level, StatementProof, StatementProofs
from retriever.proof_matching.store import digest_of, read_pairs, write_pairs


@dataclass(frozen=True, slots=True)
class ReplacementFigures:
    """What a replacement came to."""

    pairs: int
    changed: int
    """Pairs whose proof is another one now."""
    shared: int
    """Distinct variables that are in both statement and proof, summed over pairs."""
    replaced: int
    """Those of them that have a new name."""

    def __str__(self) -> str:
        mean = self.replaced / max(self.pairs, 1)
        share = 100 * self.replaced / max(self.shared, 1)
        return (
            f"{self.changed:,} of {self.pairs:,} pairs changed; a mean of {mean:.2f} symbols replaced, "
            f"{share:.1f}% of the {self.shared:,} shared ones"
        )


def replace_symbols(pair: StatementProof, level: Level, seed: int = 0) -> StatementProof:
    """The pair with the symbols of its proof replaced at a level; see `retriever.proof_matching.renaming`.

    Tokens keep their positions, kinds and fonts. The same for the same pair, level and seed. A pair is left as
    it is where nothing can be done: no shared symbol, or for a transposition only one of an alphabet.
    """
    return _replaced(pair, renaming_of(pair, level, seed))


def renaming_of(pair: StatementProof, level: Level, seed: int = 0) -> Renaming:
    """Which symbols `replace_symbols` replaces, and by what."""
    return find_renaming(pair.statement, pair.proof, level, Random(f"{seed}:{level}:{pair.key}"))


def replace_all(
    pairs: Iterable[StatementProof], level: Level, seed: int = 0
) -> Iterator[tuple[StatementProof, Renaming]]:
    """Each pair with its symbols replaced, and which those were."""
    for pair in pairs:
        renaming = renaming_of(pair, level, seed)
        yield _replaced(pair, renaming), renaming


def _replaced(pair: StatementProof, renaming: Renaming) -> StatementProof:
    names = renaming.names
    if not names:
        return pair
    protected = protected_positions(pair.proof)
    return replace(
        pair,
        proof=tuple(
            token if position in protected else names.get(token, token)
            for position, token in enumerate(pair.proof)
        ),
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("pairs", type=Path, help="a file of pairs, or a folder of the authors' release")
    parser.add_argument("level", choices=LEVELS, help="of symbol replacement")
    parser.add_argument("out", type=Path, help="the file to write")
    parser.add_argument("--seed", type=int, default=0, help="of the choice of symbols")


def run(options: argparse.Namespace) -> None:
    """Run the command."""
    with complaints_printed() as complaints:
        pairs = read_pairs(options.pairs, complaints)
    bar = tqdm(pairs.pairs, unit=" pairs", disable=not sys.stderr.isatty())
    done = list(replace_all(bar, options.level, options.seed))
    write_pairs(options.out, StatementProofs(tuple(pair for pair, _ in done), pairs.splits))
    digest = digest_of(options.pairs)
    figures = ReplacementFigures(
        pairs=len(done),
        changed=sum(bool(renaming.names) for _, renaming in done),
        shared=sum(len(renaming.shared) for _, renaming in done),
        replaced=sum(len(renaming.names) for _, renaming in done),
    )
    print(f"{options.level}, seed {options.seed}: {figures}; pairs sha256 {digest[:12]}")
