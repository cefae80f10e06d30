"""Which pairs are kept (section 3.3), and in which part each is (section 7.1)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

from retriever.documents.latex_names import listed
from retriever.proof_matching.schema import StatementProof, StatementProofs, Token
from retriever.search.splits import Split

_SHORTEST, _LONGEST = 20, 500
"""Tokens of a statement, and of a proof, that is kept."""
SetKind = Literal["mixed", "unmixed"]
_TENTHS: dict[int, Split] = {0: "test", 1: "valid"}
_ENOUGH = 10
"""Fewer words than this are not judged."""
_SHARE = 0.05
"""Of words that have to be among the English ones."""
_LATIN = 0.7
"""Of words that have to be of ASCII letters."""
_ENGLISH = listed(
    """the of and is that we be for it this with by are which have has from let then there where if such as
    any if not hence thus since follows proof given some all every exists"""
)
_OTHERS = tuple(
    listed(words)
    for words in (
        # French
        """le les des une est et que qui dans pour par sur nous avec il existe sont soit soient alors si donc
        tout toute du au aux ce cette""",
        # German
        """der die das und ist ein eine von mit den dem des zu für auf sei wir nicht sind daß dass gilt es so
        aus durch jede""",
        # Italian
        """il della che di è per una con sono dei delle nel allora sia non se gli questo esiste""",
        # Spanish
        """el los las del que una es para con por entonces sea como se su si existe en lo tiene""",
        # Portuguese
        """os as dos das que uma é para com por então seja como se não em existe do da temos""",
        # Dutch
        """het een van dat voor met zijn niet als dan op zij laat er bij wordt deze""",
    )
)


def kept(pairs: Iterable[StatementProof], dropped: Counter[str]) -> Iterator[StatementProof]:
    """The pairs of 20 to 500 tokens a side, each once; `dropped` counts the others by reason.

    As in the thesis, length is what leaves out proofs such as "omitted", "trivial" or "see [3]": a proof is
    as long as it is without its links and citations. Two pairs with the same tokens on both sides are one.
    """
    seen: set[bytes] = set()
    for pair in pairs:
        reason = _length("statement", pair.statement) or _length("proof", pair.proof)
        digest = _digest(pair.statement) + _digest(pair.proof)
        if not reason and digest in seen:
            reason = "pairs the same as an earlier one"
        if reason:
            dropped[reason] += 1
        else:
            seen.add(digest)
            yield pair


def english(pairs: Sequence[StatementProof], dropped: Counter[str]) -> tuple[StatementProof, ...]:
    """The pairs of one article, or none where its words are not English."""
    spoken = [token.text for pair in pairs for token in pair.statement + pair.proof if token.kind == "word"]
    if is_english(spoken):
        return tuple(pairs)
    dropped["pairs of articles that are not English"] += len(pairs)
    return ()


def is_english(words: Sequence[str]) -> bool:
    """Whether these words, in lower case, are of an English text; True where they are too few to decide.

    The thesis uses the package polyglot, whose models have to be downloaded. This rule needs none: each language
    scores by the share of the words that are among its most frequent ones, and English has to be first. Single
    letters count for nothing, as mathematics uses them everywhere.
    """
    spoken = [word for word in words if word.isalpha() and len(word) > 1]
    if len(spoken) < _ENOUGH:
        return True
    if sum(map(str.isascii, spoken)) < _LATIN * len(spoken):
        return False
    own = _score(spoken, _ENGLISH)
    return own >= _SHARE and own > max(_score(spoken, other) for other in _OTHERS)


def _score(words: Sequence[str], frequent: frozenset[str]) -> float:
    return sum(word in frequent for word in words) / len(words)


def split(
    pairs: Iterable[StatementProof], kind: SetKind, seed: int, dropped: Counter[str]
) -> StatementProofs:
    """80% train, 10% valid, 10% test.

    A pair's part is drawn from the hash of the seed and, for `mixed`, its key, so pairs of one article may
    be in different parts; for `unmixed`, its source, so articles are kept whole. That part stays the same
    whatever else there is. What shares its statement or its proof with a pair of a later part (train,
    valid, test, in this order) is left out and counted, so that no evaluated text has been trained on.
    """
    chosen = tuple(pairs)
    drawn = {pair.key: draw(pair.key if kind == "mixed" else pair.source, seed) for pair in chosen}
    taken: set[bytes] = set()
    good: set[str] = set()
    for part in ("test", "valid", "train"):
        texts: set[bytes] = set()
        for pair in chosen:
            if drawn[pair.key] != part:
                continue
            own = {b"s" + _digest(pair.statement), b"p" + _digest(pair.proof)}
            if own & taken:
                dropped["pairs with a statement or proof of another part"] += 1
            else:
                good.add(pair.key)
                texts |= own
        taken |= texts
    left = tuple(pair for pair in chosen if pair.key in good)
    return StatementProofs(left, {pair.key: drawn[pair.key] for pair in left})


def draw(name: str, seed: int) -> Split:
    """The part of a pair or an article."""
    number = int(hashlib.sha256(f"{seed}:{name}".encode()).hexdigest(), 16)
    return _TENTHS.get(number % 10, "train")


def with_own_keys(
    pairs: Iterable[StatementProof], rename: Callable[[StatementProof, str], StatementProof]
) -> Iterator[StatementProof]:
    """The pairs; a key that an earlier one has gets the suffix `@2`, `@3` and so on."""
    seen: Counter[str] = Counter()
    for pair in pairs:
        seen[pair.key] += 1
        yield pair if seen[pair.key] == 1 else rename(pair, f"{pair.key}@{seen[pair.key]}")


def _length(side: str, tokens: Sequence[Token]) -> str:
    if len(tokens) < _SHORTEST:
        return f"pairs with a {side} of fewer than {_SHORTEST} tokens"
    return f"pairs with a {side} of more than {_LONGEST} tokens" if len(tokens) > _LONGEST else ""


def _digest(tokens: Iterable[Token]) -> bytes:
    return hashlib.sha256(" ".join(token.spelled for token in tokens).encode()).digest()[:16]
