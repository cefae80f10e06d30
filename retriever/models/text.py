"""The text of a proof state and of a premise that the models read. It is decided here only.

Both come out in the form of the paper's section 3.2.1, so that one encoder reads both and training and
serving cannot drift apart:

    state:    `<VAR> n m : ℕ <VAR> h : n < m <GOAL> n + m = m + n`
    premise:  context `<VAR> G : Type* <VAR> Group G <VAR> a b : G` and goal `<GOAL> a * b = b * a`

A premise's name is not in its text. An encoder that is a bag of terms reads it as a title, as `name [SEP] text`.
A change of the form must raise `VERSION`: it is part of the encoder's fingerprint, so indexes made
with the older form are rebuilt.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence

from lean_extract.common.lru import kept_if_short
from lean_extract.records import Goal, Hypothesis, Premise
from lean_extract.syntax.brackets import BINDER_PAIRS, PAIR_DEPTH
from lean_extract.syntax.canonical import normal_form as normal_form
from lean_extract.syntax.canonical import well_formed
from lean_extract.syntax.inaccessible import without_marks
from lean_extract.syntax.lexer import raw_tokens
from retriever.limits import MAX_HYPOTHESES, MAX_HYPOTHESIS_NAMES, MAX_TEXT_CHARACTERS

VERSION = 2
VAR = "<VAR>"
GOAL = "<GOAL>"

_INSTANCE_NAME = re.compile(r"inst(?:[A-Z_]\w*|\d*)?\Z")
_NAMED = re.compile(r"[^\s:()\[\]{}]+\s*:(?!=)\s*")
_NAMESPACES = re.compile(r"(?<![\w.'!?»])(?:[^\W\d_a-zα-ω][\w'!?]*\.)+(?=[^\W\d])")
"""The namespaces of a dotted name; they begin with capitals, and local names rarely do."""


def readable(goal: Goal) -> Goal:
    """The goal as far as it is read to rank premises for it: nobody writes more, but a program may send it.

    The hypotheses nearest to the target stay, and the beginning of each text.
    """
    last = goal.hypotheses[-MAX_HYPOTHESES:]
    names = [one.names[-MAX_HYPOTHESIS_NAMES:] for one in last]
    is_short = len(last) == len(goal.hypotheses) and len(goal.target) <= MAX_TEXT_CHARACTERS
    if is_short and all(
        len(one.type) <= MAX_TEXT_CHARACTERS
        and len(one.value or "") <= MAX_TEXT_CHARACTERS
        and len(kept) == len(one.names)
        for one, kept in zip(last, names, strict=True)
    ):
        return goal
    hypotheses = [
        Hypothesis(
            kept,
            one.type[:MAX_TEXT_CHARACTERS],
            None if one.value is None else one.value[:MAX_TEXT_CHARACTERS],
        )
        for one, kept in zip(last, names, strict=True)
    ]
    return Goal(tuple(hypotheses), goal.target[:MAX_TEXT_CHARACTERS], goal.case)


def without_namespaces(goal: Goal, is_known: Callable[[str], bool]) -> Goal:
    """The goal with its constants' names from the first part on that a model knows: `LIM` for `Chapter5.LIM`.

    Lean prints a name in full outside its namespaces; the statements about it are written inside them.
    """

    def read(text: str) -> str:
        return _NAMESPACES.sub(lambda found: _from_known(found[0], is_known), text)

    return goal.rewritten(read)


def _from_known(namespaces: str, is_known: Callable[[str], bool]) -> str:
    parts = namespaces.split(".")[:-1]
    known = next((at for at, part in enumerate(parts) if is_known(part)), len(parts))
    return "".join(f"{part}." for part in parts[known:])


def state_text(goal: Goal) -> str:
    """`<VAR> … <GOAL> …` of one goal, hypotheses in the order that Lean printed them."""
    return " ".join([*(f"{VAR} {text}" for text in hypothesis_texts(goal)), goal_text(goal)])


def goal_text(goal: Goal) -> str:
    """`<GOAL> …` of a goal's target alone."""
    return f"{GOAL} {normal_form(goal.target)}"


def hypothesis_texts(goal: Goal) -> list[str]:
    """The context of a goal without marks: one text a hypothesis, in order."""
    return [_hypothesis_text(hypothesis) for hypothesis in goal.hypotheses]


def unrelated_share(goal: Goal) -> float:
    """How much of the context, by length, has nothing to do with the target, from 0 to 1.

    Related are the variables that the target mentions, those that their types mention, and so on, and what is
    known of such variables alone. A theorem's own context is nearly all related; inside a proof much is not.
    """
    named = [
        {name for name in map(bare_name, hypothesis.names) if not _INSTANCE_NAME.match(name)}
        for hypothesis in goal.hypotheses
    ]
    variables = frozenset[str]().union(*named)
    mentioned = [_heads(f"{one.type} {one.value or ''}") & variables for one in goal.hypotheses]
    related = _reached(_heads(goal.target) & variables, named, mentioned)
    total = unrelated = 0
    for one, names, others in zip(goal.hypotheses, named, mentioned, strict=True):
        length = len(one.type) + len(" ".join(one.names))
        total += length
        if not (names & related or (others and others <= related)):
            unrelated += length
    return unrelated / total if total else 0.0


def _reached(start: set[str], named: Sequence[set[str]], mentioned: Sequence[set[str]]) -> set[str]:
    """The variables that are mentioned by those of `start`, by what these mention, and so on."""
    rows = defaultdict(list)
    for row, names in enumerate(named):
        for name in names:
            rows[name].append(row)
    found, waiting = set(start), list(start)
    while waiting:
        for row in rows[waiting.pop()]:
            new = mentioned[row] - found
            found |= new
            waiting.extend(new)
    return found


def premise_texts(premise: Premise) -> tuple[str, str]:
    """(context text, goal text) of a premise, embedded apart and averaged (eq. 3).

    The context text is empty when there are no binders. A premise without a statement (an alias
    that could not be followed) is read by its name.
    """
    context = " ".join(f"{VAR} {_binder_text(binder)}" for binder in premise.context)
    return context, f"{GOAL} {normal_form(premise.conclusion or premise.name)}"


def named_texts(premise: Premise) -> tuple[str, str, str]:
    """(name, context text, goal text) of a premise: all that an encoder may read of it."""
    return (premise.name, *premise_texts(premise))


@kept_if_short(8192)
def _binder_text(binder: str) -> str:
    """A binder as a state would print it: no brackets, no default value, no name of an instance."""
    text = normal_form(binder)
    opener = text[:1]
    if opener in BINDER_PAIRS and text.endswith(BINDER_PAIRS[opener]):
        text = text[1:-1].strip()
        if opener == "[":
            named = _NAMED.match(text)
            text = text[named.end() :] if named else text
    return _without_default(text)


@kept_if_short(8192)
def binder_parts(binder: str) -> tuple[tuple[str, ...], str]:
    """(names, type) of a binder as written: `(a b : T)`, `{a b:T}`, `{a}`, `[T]`.

    An instance has no names here; the type is empty where none is written.
    """
    text = _binder_text(binder)
    if binder.startswith("["):
        return (), text
    depth = 0
    for index, letter in enumerate(text):
        depth += PAIR_DEPTH.get(letter, 0)
        if letter == ":" and depth == 0:
            return tuple(text[:index].split()), text[index + 1 :].strip()
    return tuple(text.split()), ""


def bare_name(name: str) -> str:
    """A name of the context without the mark of an inaccessible one."""
    return without_marks(well_formed(name))


def _heads(text: str) -> set[str]:
    """What comes before the first dot of each token: `h` of `h.symm`."""
    return {token.rstrip().partition(".")[0] for token in raw_tokens(text)}


def _hypothesis_text(hypothesis: Hypothesis) -> str:
    names = [bare_name(name) for name in hypothesis.names]
    kept = [name for name in names if not _INSTANCE_NAME.match(name)]
    text = normal_form(hypothesis.type)
    if kept:
        text = f"{' '.join(kept)} : {text}"
    return f"{text} := {normal_form(hypothesis.value)}" if hypothesis.value is not None else text


def _without_default(text: str) -> str:
    """Cut `:= …` where it is outside all brackets."""
    if ":=" not in text:
        return text
    depth = 0
    for index, character in enumerate(text):
        step = PAIR_DEPTH.get(character)
        if step is not None:
            depth += step
        elif depth == 0 and text.startswith(":=", index):
            return text[:index].rstrip()
    return text
