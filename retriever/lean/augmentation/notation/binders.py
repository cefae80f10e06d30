"""What binds: `fun`, `∀`, `∃`, big operators, integrals, `(x : T) →`."""

from __future__ import annotations

from lean_extract.syntax.brackets import PAIR_DEPTH, PAIRS
from lean_extract.syntax.lexer import is_identifier
from lean_extract.syntax.operators import ARROW, BIG, INFIX
from retriever.lean.augmentation.notation.cursor import WORDS, Cursor, Unreadable
from retriever.lean.augmentation.notation.pieces import Piece, Tightness, Variable, apply, bind


class Binders(Cursor):
    """Reads binders."""

    def function(self) -> Piece:
        """`fun x y ↦ e`."""
        self.at += 1
        variables = self.variables(("↦", "=>"))
        if any(variable.bound for variable in variables):
            raise Unreadable
        body = self.term(0)
        return Piece(f"fun {' '.join(each.written for each in variables)} ↦ {body.text}", Tightness.LOOSE)

    def for_all(self) -> Piece:
        """`∀ x ∈ s, p`: what is asked of `x` becomes a hypothesis."""
        self.take("∀")
        variables = self.variables((",",))
        text = self.term(0).text
        for variable in reversed(variables):
            text = f"{variable.bound} → {text}" if variable.bound else text
            text = f"∀ {variable.written}, {text}"
        return Piece(text, Tightness.LOOSE)

    def big(self) -> Piece:
        """`∃`, `∑`, `⋃` and their like as functions of functions."""
        symbol = self.take()
        precedence, constant = BIG[symbol]
        variables = self.variables((",",))
        body = self.term(precedence)
        for variable in reversed(variables):
            body = self._bound(symbol, constant, variable, body)
        return body

    def _bound(self, symbol: str, constant: str, variable: Variable, body: Piece) -> Piece:
        if symbol in ("∑", "∏"):
            if variable.bound and not variable.collection:
                raise Unreadable
            return bind(f"{constant} {variable.collection or 'Finset.univ'}", variable, body)
        if variable.bound and symbol in ("∃", "∃!"):
            bound = Piece(variable.bound, Tightness.APPLICATION)
            return bind(constant, variable, apply("And", bound, body))
        if variable.bound:
            body = bind(constant, Variable("_", variable.bound), body)
        return bind(constant, variable, body)

    def eventually(self) -> Piece:
        """`∀ᶠ x in f, p`, `∃ᶠ`, and `∀ᵐ x ∂μ, p`."""
        symbol = self.take()
        name = self._typed_name()
        if self.accept("∂"):
            measure = self.term(70)
            filter_ = apply("MeasureTheory.ae", measure)
        elif symbol == "∀ᵐ":
            filter_ = Piece("MeasureTheory.ae MeasureTheory.MeasureSpace.volume", Tightness.APPLICATION)
        else:
            self.take("in")
            filter_ = self.term(0)
        self.take(",")
        predicate = Piece(f"fun {name} ↦ {self.term(0).text}", Tightness.LOOSE)
        return apply("Filter.Frequently" if symbol == "∃ᶠ" else "Filter.Eventually", predicate, filter_)

    def integral(self) -> Piece:
        """`∫ x in s, f x ∂μ` and `∫⁻`."""
        constant = "MeasureTheory.integral" if self.take() == "∫" else "MeasureTheory.lintegral"
        name = self._typed_name()
        domain = self.term(0) if self.accept("in") else None
        end = self.term(0) if self.accept("..") else None
        self.take(",")
        body = self.term(60)
        measure = (
            self.term(70) if self.accept("∂") else Piece("MeasureTheory.MeasureSpace.volume", Tightness.ATOM)
        )
        function = Piece(f"fun {name} ↦ {body.text}", Tightness.LOOSE)
        if domain is not None and end is not None:
            return apply("intervalIntegral", function, domain, end, measure)
        if domain is not None:
            measure = apply("MeasureTheory.Measure.restrict", measure, domain)
        return apply(constant, measure, function)

    def name(self) -> str:
        """One name, or `_`."""
        token = self.take()
        if token != "_" and (not is_identifier(token) or token in WORDS):
            raise Unreadable
        return token

    def _typed_name(self) -> str:
        """`x`, `x : T` or `(x : T)`, as behind `fun`."""
        close = ")" if self.accept("(") else ""
        name = self.name()
        if not close and self.next != ":":
            return name
        [variable] = self.typed([name], close)
        return variable.written

    def variables(self, ends: tuple[str, ...]) -> list[Variable]:
        """What a binder binds, up to and with the token that ends it."""
        found: list[Variable] = []
        names: list[str] = []
        while self.next not in ends:
            if self.next in ("(", "{", "⦃"):
                close = PAIRS[self.take()]
                found += [Variable(name) for name in names] + self.typed(self.names(), close)
                names = []
            elif names and self.next not in ("_",) and not is_identifier(self.next):
                found += self.typed(names, "")
                names = []
                break
            else:
                names.append(self.name())
        if self.take() not in ends:
            raise Unreadable
        return found + [Variable(name) for name in names]

    def names(self) -> list[str]:
        """One name or more."""
        names = [self.name()]
        while self.next == "_" or (is_identifier(self.next) and self.next not in WORDS):
            names.append(self.name())
        return names

    def typed(self, names: list[str], close: str) -> list[Variable]:
        """`: T` or `∈ s` behind names, and the bracket that closes."""
        if self.accept(":"):
            type_ = self.term(0).text
            found = [Variable(name, type_) for name in names]
        elif self.next == close:
            found = [Variable(name) for name in names]
        else:
            found = self._conditions(names)
        if close:
            self.take(close)
        return found

    def _conditions(self, names: list[str]) -> list[Variable]:
        operator = self.take()
        known = INFIX.get(operator)
        if known is None or known.precedence != 50:
            raise Unreadable
        right = self.term(51)
        self.has_changed = True
        found = []
        for name in names:
            left = Piece(name, Tightness.ATOM)
            condition = apply(known.constant, *((right, left) if known.is_flipped else (left, right)))
            found.append(Variable(name, "", condition.text, right.argument if operator == "∈" else ""))
        return found

    def is_pi(self) -> bool:
        """Whether the bracket here is `(x : T) →`."""
        depth = 0
        for at in range(self.at, len(self.tokens)):
            depth += PAIR_DEPTH.get(self.tokens[at].text, 0)
            if depth == 0:
                inner = [token.text for token in self.tokens[self.at + 1 : at]]
                arrow = at + 1 < len(self.tokens) and self.tokens[at + 1].text == "→"
                names = next(
                    (position for position, token in enumerate(inner) if not is_identifier(token)), 0
                )
                return arrow and (inner[names : names + 1] == [":"] or self.next == "[")
        return False

    def pi(self) -> Piece:
        """`(x : T) → e`."""
        opening = self.take()
        if opening == "[":
            inner = self.term(0).text
        else:
            names = self.names()
            self.take(":")
            inner = f"{' '.join(names)} : {self.term(0).text}"
        close = self.take(PAIRS[opening])
        self.take("→")
        return Piece(f"{opening}{inner}{close} → {self.term(ARROW).text}", Tightness.LOOSE)
