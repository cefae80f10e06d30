"""What Lean's refusals at one goal say of tactics that have not been tried there. Pure."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from lean_extract.records import TacticOutcome
from lean_extract.syntax.complete_tactics import head
from lean_extract.syntax.lexer import is_identifier, raw_tokens, tokenize
from prover.neighbours.adapting import introduced_at
from prover.tactic_words import heads, unknown_word

_UNKNOWN = re.compile(
    r"(?i:unknown (?:identifier|constant)) [`'](?P<name>[^`'\n]+(?:'+(?=[`']))?)[`']"
    r"|Invalid field `(?P<field>[^`\n]+)`: The environment does not contain `(?P<full>[^`\n]+)`"
    r"|invalid field '(?P<old>[^\n]+?)', the environment does not contain '(?P<old_full>[^\n]+?)'(?:\s|$)"
)
_INTRO = re.compile(r"intro(?P<names>(?: [\w'✝]+)*+)")
_NO_BINDER = "no additional binders"
_EXT, _NO_EXTENSIONALITY = "ext", "No applicable extensionality theorem"


@dataclass(frozen=True, slots=True)
class UnknownName:
    """A name that Lean does not know: as it is written, with a dot before a field, and as Lean has searched for it."""

    written: str
    full: str

    @property
    def space(self) -> str:
        """The namespace in which Lean has searched."""
        return self.full.rpartition(".")[0]

    def within(self, text: str) -> UnknownName:
        """The same as a text has it, which may lack the first parts of the full name."""
        parts = self.written.split(".")
        endings = (".".join(parts[count:]) for count in range(len(parts)))
        found = frozenset(tokenize(text).texts)
        known = next(
            (one for one in endings if any(f"{token}.".startswith(f"{one}.") for token in found)), ""
        )
        return self if self.written.startswith(".") or not known else UnknownName(known, self.full)


def unknown_name(message: str) -> UnknownName | None:
    """The name that an error says is unknown; None for other errors."""
    found = _UNKNOWN.match(message)
    if found is None:
        return None
    field = found["field"] or found["old"]
    if field:
        return UnknownName(f".{field}", found["full"] or found["old_full"])
    return UnknownName(found["name"], found["name"])


class Refusals:
    """Lean's refusals at one goal."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._words: set[str] = set()
        self._binders = math.inf
        self._is_extensional = True

    def hear(self, outcome: TacticOutcome) -> bool:
        """Note a verdict, and say whether it shows that further tactics would fail."""
        known = self._known()
        if outcome.status == "fails":
            if (unknown := unknown_name(outcome.message)) is not None:
                self._names |= {one for one in _used(outcome.tactic) if _is(unknown, one)}
            if (word := unknown_word(outcome)) is not None:
                self._words.add(word)
            if head(outcome.tactic) == _EXT and _NO_EXTENSIONALITY in outcome.message:
                self._is_extensional = False
            if _NO_BINDER in outcome.message:
                self._binders = min(self._binders, _binders(outcome.tactic) or math.inf)
        return known != self._known()

    def _known(self) -> tuple[object, ...]:
        return len(self._names), len(self._words), self._binders, self._is_extensional

    def excludes(self, tactic: str) -> bool:
        """Whether a tactic would fail, too: it uses a name or a tactic that Lean does not know there, introduces as
        much as there is not, or needs a law of extensionality."""
        is_known = self._names.isdisjoint(_used(tactic)) if self._names else True
        is_known &= self._words.isdisjoint(heads(tactic)) if self._words else True
        is_extensional = self._is_extensional or head(tactic) != _EXT
        return not is_known or not is_extensional or _binders(tactic) >= self._binders


def _binders(tactic: str) -> float:
    """How many names plain `intro` introduces; none for others, and without names as many as there are."""
    found = _INTRO.fullmatch(tactic)
    return len(found["names"].split()) or 1 if found is not None else 0


def _used(tactic: str) -> frozenset[str]:
    """The names of a tactic that it does not introduce itself."""
    texts = [token.rstrip() for token in raw_tokens(tactic)]
    return frozenset(filter(is_identifier, texts)) - {texts[place] for place in introduced_at(texts)}


def _is(unknown: UnknownName, written: str) -> bool:
    is_field = unknown.written.startswith(".")
    return written.endswith(unknown.written) if is_field else written == unknown.written
