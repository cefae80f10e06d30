"""Statements as Lean prints them with `pp.notation false`: `Eq (HAdd.hAdd a b) (HAdd.hAdd b a)`.

A Pratt parser over the operators of `lean_extract/syntax/operators.py` that writes the functions as it reads. It knows
the common notation only; a text with anything else in it is left as it is (`Unreadable` inside, not outside),
and who measures says how many texts were changed. Arrows, `∀`, `fun` and type ascriptions stay.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from lean_extract.records import Goal, Hypothesis
from lean_extract.syntax.brackets import PAIRS
from lean_extract.syntax.operators import (
    ARROW,
    BIG,
    BRACKETED,
    CONGRUENT,
    INFIX,
    MAX,
    PREFIX,
    Infix,
)
from retriever.lean.augmentation.notation.atoms import Atoms
from retriever.lean.augmentation.notation.cursor import Unreadable, tokens_of
from retriever.lean.augmentation.notation.pieces import Piece, Tightness, apply


def notation_off(goal: Goal) -> Goal:
    """The goal with every text that can be read in functional form."""
    return replace(
        goal,
        hypotheses=tuple(
            Hypothesis(
                hypothesis.names,
                functional(hypothesis.type),
                None if hypothesis.value is None else functional(hypothesis.value),
            )
            for hypothesis in goal.hypotheses
        ),
        target=functional(goal.target),
    )


def functional(text: str) -> str:
    """A text without notation; the text itself where it has none, or has some that is not known here."""
    try:
        reader = Reader(tokens_of(text))
        piece = reader.whole()
    except (Unreadable, RecursionError):
        return text
    return piece.text if reader.has_changed else text


class Reader(Atoms):
    """One text, read by the precedence of its operators."""

    def whole(self) -> Piece:
        """The whole text as one term."""
        piece = self.term(0)
        if self.at != len(self.tokens):
            raise Unreadable
        return piece

    def term(self, least: int) -> Piece:
        """A term and the operators behind it that bind at least as tightly as `least`."""
        left = self.leading()
        while True:
            token = self.next
            if token == "→" and least <= ARROW:
                self.at += 1
                left = Piece(f"{left.operand} → {self.term(ARROW).text}", Tightness.LOOSE)
            elif token == "<|" and least <= 10:
                self.at += 1
                left = self.change(apply(left.operand, self.term(0)))
            elif token in ("∉", "≡") and least <= 50:
                left = self.change(self._congruent(left) if token == "≡" else self._not_member(left))
            elif (found := self._infix(token, least)) is not None:
                left = self.change(found(left))
            else:
                return left

    def _infix(self, token: str, least: int) -> Callable[[Piece], Piece] | None:
        if token in BRACKETED and self.following == "[":
            operator = BRACKETED[token]
            return (lambda left: self._bracketed(left, operator)) if operator.precedence >= least else None
        plain = INFIX.get(token)
        if plain is None or plain.precedence < least:
            return None
        return lambda left: self._plain(left, plain)

    def _plain(self, left: Piece, operator: Infix) -> Piece:
        self.at += 1
        right = self.term(operator.precedence + (not operator.is_right))
        operands = (right, left) if operator.is_flipped else (left, right)
        return apply(operator.constant, *operands)

    def _bracketed(self, left: Piece, operator: Infix) -> Piece:
        self.at += 1
        self.take("[")
        parameter = self.term(0)
        self.take("]")
        right = self.term(operator.precedence + (not operator.is_right))
        text = operator.constant.format(parameter.argument, left.argument, right.argument)
        return Piece(text, Tightness.APPLICATION)

    def _not_member(self, left: Piece) -> Piece:
        self.at += 1
        return apply("Not", apply("Membership.mem", self.term(51), left))

    def _congruent(self, left: Piece) -> Piece:
        self.at += 1
        right = self.term(51)
        self.take("[")
        constant = CONGRUENT.get(self.take())
        if constant is None:
            raise Unreadable
        modulus = self.term(0)
        self.take("]")
        return apply(constant, modulus, left, right)

    def leading(self) -> Piece:
        """A term that no infix operator begins."""
        token = self.next
        if token in ("fun", "λ"):
            return self.function()
        if token == "∀":
            return self.for_all()
        if token in ("∀ᶠ", "∃ᶠ", "∀ᵐ"):
            return self.change(self.eventually())
        if token in BIG:
            return self.change(self.big())
        if token in ("∫", "∫⁻"):
            return self.change(self.integral())
        if token == "if":
            return self.change(self._conditional())
        if token in PREFIX:
            return self.change(self._prefix())
        if token in PAIRS and self.is_pi():
            return self.pi()
        return self.application()

    def _prefix(self) -> Piece:
        precedence, constant = PREFIX[self.take()]
        if constant == "nhds" and self.next == "[" and self.is_glued():
            return self._within()
        return apply(constant, self.term(precedence) if precedence < MAX else self.atom())

    def _within(self) -> Piece:
        self.take("[")
        sign = {"≠": "Compl.compl (Singleton.singleton {})", "<": "Set.Iio {}", ">": "Set.Ioi {}"}
        sign |= {"≤": "Set.Iic {}", "≥": "Set.Ici {}"}
        form = sign.get(self.next)
        if form:
            self.at += 1
        else:
            inside = self.term(0)
        self.take("]")
        at = self.term(100)
        if form:
            inside = Piece(form.format(at.argument), Tightness.APPLICATION)
        return apply("nhdsWithin", at, inside)

    def _conditional(self) -> Piece:
        self.take("if")
        condition = self.term(0)
        self.take("then")
        yes = self.term(0)
        self.take("else")
        return apply("ite", condition, yes, self.term(0))
