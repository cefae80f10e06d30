"""What a model at a server reads and writes for one proof, counted, and kept within a budget of tokens."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from lean_extract.common.errors import ModelError
from prover.limits import CHARACTERS_OF_A_TOKEN, LEAST_ANSWER_TOKENS


@dataclass(frozen=True, slots=True)
class ModelUse:
    """What a model was asked, in all.

    `seconds`: how long at least one request was under way. `is_estimate`: whether a server did not count some of the
    tokens, which are counted by the length of their text. `error`: what kept the model from writing more.
    """

    requests: int = 0
    prompt_tokens: int = 0
    answer_tokens: int = 0
    seconds: float = 0.0
    is_estimate: bool = False
    error: str = ""

    @property
    def tokens(self) -> int:
        """Of prompts and answers together."""
        return self.prompt_tokens + self.answer_tokens


class BudgetSpent(ModelError):
    """A further answer would take more tokens than the budget has."""


@dataclass(slots=True)
class ModelRequest:
    """A request under way. `most`: how many tokens its answer may have."""

    prompt_tokens: int
    most: int
    pieces: int = 0
    characters: int = 0
    counted: tuple[int, int] | None = None
    """The tokens of prompt and answer, as the server counts them."""

    @property
    def tokens(self) -> tuple[int, int]:
        """Those of prompt and answer. Where the server does not count, an answer has as many as it has pieces, or more
        by its length."""
        return self.counted or (self.prompt_tokens, max(self.pieces, tokens_of(self.characters)))


class Spending:
    """Counts what is spent for one proof. `budget`: tokens of prompts and answers together; 0: any number."""

    def __init__(self, budget: int = 0, clock: Callable[[], float] = time.monotonic) -> None:
        self._budget, self._clock = budget, clock
        self._running: list[ModelRequest] = []
        self._since = 0.0
        self._requests, self._prompt, self._answer, self._seconds = 0, 0, 0, 0.0
        self._is_estimate = False

    @contextmanager
    def request(self, prompt_tokens: int, answer_tokens: int) -> Iterator[ModelRequest]:
        """A context for one request. What those under way may take is not given to others.

        Args:
            prompt_tokens: of its prompt, about.
            answer_tokens: the most that is wanted.

        Raises BudgetSpent.
        """
        most = answer_tokens
        if self._budget:
            kept = sum(one.prompt_tokens + one.most for one in self._running)
            most = min(most, self._budget - self._prompt - self._answer - kept - prompt_tokens)
            if most < min(answer_tokens, LEAST_ANSWER_TOKENS):
                raise BudgetSpent(
                    f"Another answer of the model would take more than its budget of {self._budget:,} tokens.",
                    "Raise `models.proofTokens` for more.",
                )
        asked, failed = ModelRequest(prompt_tokens, most), False
        if not self._running:
            self._since = self._clock()
        self._running.append(asked)
        self._requests += 1
        try:
            yield asked
        except ModelError:
            failed = True
            raise
        finally:
            self._running.remove(asked)
            if not self._running:
                self._seconds += self._clock() - self._since
            if not failed or asked.pieces or asked.counted:
                prompt, answer = asked.tokens
                self._prompt, self._answer = self._prompt + prompt, self._answer + answer
                self._is_estimate |= asked.counted is None

    def use(self, error: str = "") -> ModelUse:
        """What was spent by the requests that have ended."""
        seconds = round(self._seconds, 3)
        return ModelUse(self._requests, self._prompt, self._answer, seconds, self._is_estimate, error)


def tokens_of(characters: int) -> int:
    """How many tokens a text of so many characters has, about."""
    return math.ceil(characters / CHARACTERS_OF_A_TOKEN)
