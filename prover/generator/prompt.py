"""The generator's prompts and tactics as symbols. Pure; training and serving share this code.

`reprover` is the form of ReProver's checkpoints (LeanDojo, section 5; our paper, 3.3.3): the premises in full,
with the best one nearest to the state, then the state as Lean prints it. The model writes a tactic as plain text.
`numbered` is our own: each premise is listed as a symbol and its name, and the tactic refers to it by that symbol.
Prompts are short, and a name costs one symbol in the tactic, so a small model trained on a CPU can learn to choose
names instead of spelling them.

The other forms are those of checkpoints that read the state alone (`TEMPLATES`).

Symbols are ByT5's alphabet: UTF-8 bytes, a few special symbols, and spare ones that serve as pointers to premises. In
the numbered form the words of a premise's name that occur in the state are marked: `Finset.sum_add_distrib` has `sum`
and `add` in common with a state that has `∑` and `+`, since Mathlib's naming convention gives each operator a word
(`lean_extract.syntax.words`). A small byte-level model does not learn this by itself in the time available on a CPU.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Literal, get_args

from lean_extract.goals import format_goal
from lean_extract.records import Goal, Hypothesis, Premise
from lean_extract.syntax.canonical import canonical
from lean_extract.syntax.inaccessible import MARK
from lean_extract.syntax.lexer import is_identifier, raw_tokens
from lean_extract.syntax.premise_mentions import pieces
from lean_extract.syntax.words import WORDS

PAD, END, UNKNOWN = 0, 1, 2
FIRST_BYTE = 3
FIRST_EXTRA = 259
"""The first of the 125 symbols beyond the bytes (`<extra_id_0>`)."""
SIZE = 384


Form = Literal["numbered", "reprover", "state", "llmstep", "bfs-prover"]
FORMS: tuple[Form, ...] = get_args(Form)
TEMPLATES: dict[Form, tuple[str, str]] = {
    "state": ("", ""),
    "llmstep": ("[GOAL]", "[PROOFSTEP]"),
    "bfs-prover": ("", ":::"),
}
"""What comes before and after the state in forms without premises: ReProver's without retrieval, llmstep's
(Welleck and Saha, 2023), and BFS-Prover's (Xin et al., 2025)."""
IN_TARGET, IN_CONTEXT = FIRST_EXTRA + 102, FIRST_EXTRA + 103
"""Marks after a word of a premise's name (numbered form): the target has the word, or only a hypothesis has it."""
VERSION = 1
"""The version of the numbered form; part of a model's configuration."""
MAX_PREMISES = 32
"""How many pointers the numbered form has."""
STATE = FIRST_EXTRA + 100
"""The symbol before the state (numbered form) when a tactic is wanted."""
_TERM = FIRST_EXTRA + 101
"""The same when `exact` and a term are wanted: goals that terms prove are training data, too."""

_INSTANCE = re.compile(rf"inst(?:{MARK})?\Z|_\Z")
_SORT = re.compile(r"(?:Type|Sort)\b\S*\Z")
_MARKS = re.compile(r"</?a>")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def encode_prompt(
    form: Form, goals: Sequence[Goal], premises: Sequence[Premise], max_bytes: int, *, term: bool = False
) -> list[int]:
    """A ByT5's input: at most `max_bytes` symbols, ending with END.

    Args:
        form: how premises and state are written.
        goals: the state's goals, the main one first; `numbered` reads only that one.
        premises: best first; those that do not fit are left out.
        term: whether a term is wanted (numbered form).
        max_bytes: for the whole prompt. If the state alone is too long, its beginning is cut (numbered form),
            or its end (other forms).
    """
    if not goals:
        raise ValueError("a state without goals has no prompt")
    if form == "numbered":
        return _numbered(goals[0], premises, max_bytes, _TERM if term else STATE)
    return _in_full(form, goals, premises, max_bytes)


def premises_in(form: Form, prompt: Sequence[int], premises: Sequence[Premise]) -> Sequence[Premise]:
    """The first premises: those that fitted into the prompt and can be pointed to. All of them in the form
    without pointers."""
    if form != "numbered":
        return premises
    return premises[: sum(FIRST_EXTRA <= symbol < FIRST_EXTRA + MAX_PREMISES for symbol in prompt)]


def encode_tactic(
    form: Form, tactic: str, premises: Sequence[Premise], names: Collection[str] = ()
) -> tuple[list[int], list[bool]]:
    """The symbols that the model should write, ending with END, and for each whether it spells one of `names`.

    Args:
        form: how premises are referred to.
        tactic: with the full names of premises.
        premises: those in the prompt (`premises_in`).
        names: further premises that the tactic may name (numbered form).
    """
    if form != "numbered":
        symbols = [*byte_symbols(tactic), END]
        return symbols, [False] * len(symbols)
    numbers = {premise.name: number for number, premise in enumerate(premises)}
    known = {name: name for name in (*numbers, *names)}
    written: list[tuple[int, bool]] = []
    for text, name in pieces(tactic, known):
        if name in numbers:
            written.append((FIRST_EXTRA + numbers[name], False))
        else:
            written += [(symbol, True) for symbol in byte_symbols(name)]
        written += [(symbol, False) for symbol in byte_symbols(text)]
    written.append((END, False))
    return [symbol for symbol, _ in written], [spelled for _, spelled in written]


def decode_tactic(form: Form, symbols: Sequence[int], premises: Sequence[Premise]) -> str | None:
    """The tactic that the model wrote, with or without END.

    `premises` are those in the prompt (`premises_in`).

    None if it is not a tactic: invalid UTF-8, a line break or another control character, nothing at all, or a
    pointer to a missing premise.
    """
    symbols = symbols[: symbols.index(END)] if END in symbols else symbols
    text = ""
    begin = 0
    for index in [*(i for i, symbol in enumerate(symbols) if symbol >= FIRST_EXTRA), len(symbols)]:
        part = text_of(symbols[begin:index])
        if part is None:
            return None
        text += part
        if index < len(symbols):
            number = symbols[index] - FIRST_EXTRA
            if form != "numbered" or number >= len(premises):
                return None
            text += premises[number].name
        begin = index + 1
    return plain_tactic(text if form == "numbered" else without_marks(text))


def without_marks(text: str) -> str:
    """A text without ReProver's marks of names."""
    return _MARKS.sub("", text)


def plain_tactic(text: str) -> str | None:
    """A text without spaces around it; None if it is empty, or has a line break or another control character."""
    text = text.strip()
    return None if not text or has_control(text) else text


def has_control(text: str) -> bool:
    """Whether a text has a line break or another control character."""
    return _CONTROL.search(text) is not None


def state_text(goal: Goal) -> str:
    """One goal in the numbered form: a line per hypothesis, instances as `[Group G]`, then `⊢ target`."""
    lines = filter(None, map(_hypothesis, goal.hypotheses))
    return "\n".join([*lines, f"⊢ {canonical(goal.target)}"])


def _hypothesis(hypothesis: Hypothesis) -> str:
    """A line of the context; empty for a type variable (`α : Type*`), which is common and says little."""
    type_ = canonical(hypothesis.type)
    if hypothesis.value is None and _SORT.match(type_):
        return ""
    value = f" := {canonical(hypothesis.value)}" if hypothesis.value is not None else ""
    if all(_INSTANCE.match(name) for name in hypothesis.names):
        return f"[{type_}]{value}"
    return f"{' '.join(hypothesis.names)} : {type_}{value}"


def _numbered(goal: Goal, premises: Sequence[Premise], max_bytes: int, mark: int) -> list[int]:
    state = byte_symbols(state_text(goal))
    listed: list[int] = []
    room = max(max_bytes // 2, max_bytes - 2 - len(state))
    target = words_of(goal.target)
    context = words_of(" ".join(hypothesis.type for hypothesis in goal.hypotheses))
    for number, premise in enumerate(premises[:MAX_PREMISES]):
        entry = [FIRST_EXTRA + number, *_marked(premise.name, target, context)]
        if len(listed) + len(entry) > room:
            break
        listed += entry
    kept = max(0, max_bytes - len(listed) - 2)
    return [*listed, mark, *state[max(0, len(state) - kept) :], END]


def _marked(name: str, target: frozenset[str], context: frozenset[str]) -> list[int]:
    """A premise's name, with a mark after each of its words that occurs in the state."""
    symbols: list[int] = []
    begin = 0
    for word, end in _humps(name):
        mark = IN_TARGET if word.lower() in target else IN_CONTEXT if word.lower() in context else None
        if mark is not None:
            symbols += [*byte_symbols(name[begin:end]), mark]
            begin = end
    return [*symbols, *byte_symbols(name[begin:])]


def printed_state(goals: Sequence[Goal]) -> str:
    """The goals as Lean prints them."""
    return "\n\n".join(map(format_goal, goals))


def printed_premise(premise: Premise) -> str:
    """A premise as ReProver's checkpoints read it."""
    return f"{premise.kind} <a>{premise.name}</a> {premise.statement}\n\n"


def _in_full(form: Form, goals: Sequence[Goal], premises: Sequence[Premise], max_bytes: int) -> list[int]:
    before, after = map(byte_symbols, TEMPLATES.get(form, ("", "")))
    room = max(0, max_bytes - 1 - len(before) - len(after))
    state = [*before, *byte_symbols(printed_state(goals))[:room], *after][: max_bytes - 1]
    listed: list[int] = []
    for premise in premises if form == "reprover" else ():
        entry = byte_symbols(printed_premise(premise))
        if len(entry) + len(listed) + len(state) + 1 <= max_bytes:
            listed = entry + listed
    return [*listed, *state, END]


def byte_symbols(text: str) -> list[int]:
    """The symbols of a text: each byte plus 3."""
    return [byte + FIRST_BYTE for byte in text.encode("utf-8", "surrogatepass")]


def text_of(symbols: Sequence[int]) -> str | None:
    """The text of byte symbols; None if they are not bytes or not valid UTF-8."""
    if any(not FIRST_BYTE <= symbol < FIRST_EXTRA for symbol in symbols):
        return None
    try:
        return bytes(symbol - FIRST_BYTE for symbol in symbols).decode("utf-8")
    except UnicodeDecodeError:
        return None


_HUMP = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_SHORTEST = 2
"""The shortest word, in letters; shorter ones are variables."""


def words_of(text: str) -> frozenset[str]:
    """The words of a text in lower case: the parts of its identifiers, and the words of operators and numerals.

    >>> sorted(words_of("Nat.gcdA m n + 1 ∣ k"))
    ['add', 'dvd', 'gcd', 'nat', 'one']
    """
    found: set[str] = set()
    for raw in raw_tokens(text):
        token = raw.rstrip()
        if token in WORDS:
            found.add(WORDS[token])
        elif is_identifier(token):
            found.update(word.lower() for word, _ in _humps(token))
    return frozenset(found)


def _humps(name: str) -> Iterator[tuple[str, int]]:
    """The words of a name, split at dots, underscores and capitals, each with the offset of its end."""
    for match in _HUMP.finditer(name):
        if len(match[0]) >= _SHORTEST:
            yield match[0], match.end()
