"""Symbol replacement: proofs as if somebody else had written them (thesis, chapter 4).

    python -m retriever match-replace PAIRS.jsonl LEVEL OUT.jsonl [--seed N]

writes the pairs with the symbols of their proofs replaced, at a level: `conservation` (none), `partial` (half
of those that statement and proof share), `full` (all of them) or `transposition` (permuted among themselves).
Which symbols a proof gets depends on the pair itself, the level and the seed alone, so other pairs can be
left out or put in another order. Statements stay as they are. Pairs that cannot be read are reported with their
line, and left out.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from tqdm import tqdm

from lean_extract.common.terminal_text import complaints_printed
from retriever.proof_matching.schema import LEVELS, Level, StatementProof, StatementProofs, Token
from retriever.proof_matching.store import digest_of, read_pairs, write_pairs
from retriever.proof_matching.symbols import (
    fresh_letters,
    is_variable,
    letter_of,
    protected_positions,
    variables,
    with_letter,
)

_Forms = Mapping[str, Sequence[Token]]
"""The shared variables by their letter."""


@dataclass(frozen=True, slots=True)
class Renaming:
    """New names for a proof's variables."""

    shared: frozenset[Token]
    """The variables that are in both statement and proof."""
    names: Mapping[Token, Token]
    """Those of `shared` that are replaced, and by what: of the same case and font, no two by the same."""


def _find_renaming(
    statement: Sequence[Token], proof: Sequence[Token], level: Level, random: Random
) -> Renaming:
    """New names for variables that statement and proof share.

    `partial` replaces half of the shared letters (of an odd number, one more or one fewer by chance), so each
    with probability 0.5; `full` all. A new letter is in no symbol of the proof, in either case and any font,
    and no other's new letter. Once there is none, letters are taken that are in the proof in another case or
    font only; where there is none of those either, the letter stays.

    `transposition` permutes the letters of each alphabet among themselves, and none stays, if there are two.
    A letter whose new name would be another symbol of the proof, one that is not shared, cannot go there;
    while that leaves no permutation without fixed points, the letter with the fewest ways stays out of it.
    """
    shared = variables(statement) & variables(proof)
    forms: defaultdict[str, list[Token]] = defaultdict(list)
    for token in shared:
        forms[letter_of(token)].append(token)
    inside = protected_positions(proof)
    fixed = (frozenset(proof) - shared) | {proof[index] for index in inside}
    letters: dict[str, str] = {}
    if level in ("partial", "full"):
        chosen = sorted(forms)
        random.shuffle(chosen)
        if level == "partial":
            chosen = chosen[: (len(chosen) + random.randrange(2)) // 2]
        letters = _fresh(chosen, forms, frozenset(proof), random)
    elif level == "transposition":
        for alphabet in sorted({fresh_letters(letter) for letter in forms}):
            mine = sorted(letter for letter in forms if fresh_letters(letter) == alphabet)
            letters |= _permuted(mine, forms, fixed, random)
    names = {token: with_letter(token, new) for letter, new in letters.items() for token in forms[letter]}
    return Renaming(shared, names)


def _fresh(chosen: Sequence[str], forms: _Forms, proof: frozenset[Token], random: Random) -> dict[str, str]:
    """A letter that the proof does not have for each of those chosen."""
    used = {letter_of(token) for token in proof}
    given: dict[str, str] = {}
    for letter in chosen:
        taken = frozenset(given.values())
        ways = [new for new in fresh_letters(letter) if new not in taken and _fits(forms[letter], new, proof)]
        free = [new for new in ways if new not in used] or ways
        if free:
            given[letter] = random.choice(free)
    return given


def _permuted(
    letters: Sequence[str], forms: _Forms, fixed: frozenset[Token], random: Random
) -> dict[str, str]:
    """A permutation without fixed points of as many letters as there is one for."""
    ways = {
        letter: [new for new in letters if new != letter and _fits(forms[letter], new, fixed)]
        for letter in letters
    }
    while ways:
        for targets in ways.values():
            random.shuffle(targets)
        given = _matched(ways)
        if len(given) == len(ways):
            return given
        leaves = {letter: sum(letter in targets for targets in ways.values()) for letter in ways}
        out = min(ways, key=lambda letter: (min(leaves[letter], len(ways[letter])), letter))
        ways = {
            letter: [new for new in targets if new != out]
            for letter, targets in ways.items()
            if letter != out
        }
    return {}


def _fits(forms: Sequence[Token], letter: str, others: frozenset[Token]) -> bool:
    """Whether a letter in these forms is a variable each time, and none of the other symbols."""
    new = [with_letter(token, letter) for token in forms]
    return all(is_variable(token) and token not in others for token in new)


def _matched(ways: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """A largest matching, by augmenting paths: each letter at most one of its targets, no target twice."""
    owner: dict[str, str] = {}

    def assign(letter: str, seen: set[str]) -> bool:
        for target in ways[letter]:
            if target not in seen:
                seen.add(target)
                if target not in owner or assign(owner[target], seen):
                    owner[target] = letter
                    return True
        return False

    for letter in ways:
        assign(letter, set())
    return {letter: target for target, letter in owner.items()}


def replace_symbols(pair: StatementProof, level: Level, seed: int = 0) -> StatementProof:
    """The pair with the symbols of its proof replaced at a level; see `_find_renaming`.

    Tokens keep their positions, kinds and fonts. The same for the same pair, level and seed. A pair is left as
    it is where nothing can be done: no shared symbol, or for a transposition only one of an alphabet.
    """
    return _replaced(pair, renaming_of(pair, level, seed))


def renaming_of(pair: StatementProof, level: Level, seed: int = 0) -> Renaming:
    """Which symbols `replace_symbols` replaces, and by what."""
    return _find_renaming(pair.statement, pair.proof, level, Random(f"{seed}:{level}:{pair.key}"))


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
    done: list[StatementProof] = []
    changed = shared = replaced = 0
    for pair in tqdm(pairs.pairs, unit=" pairs", disable=not sys.stderr.isatty()):
        renaming = renaming_of(pair, options.level, options.seed)
        done.append(_replaced(pair, renaming))
        changed += bool(renaming.names)
        shared += len(renaming.shared)
        replaced += len(renaming.names)
    write_pairs(options.out, StatementProofs(tuple(done), pairs.splits))
    print(
        f"{options.level}, seed {options.seed}: {changed:,} of {len(done):,} pairs changed; "
        f"a mean of {replaced / max(len(done), 1):.2f} symbols replaced, "
        f"{100 * replaced / max(shared, 1):.1f}% of the {shared:,} shared ones; "
        f"pairs sha256 {digest_of(options.pairs)[:12]}"
    )
