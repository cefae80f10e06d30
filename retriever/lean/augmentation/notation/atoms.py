"""Applications, and what they are made of: names, brackets, sets, postfix operators."""

from __future__ import annotations

from lean_extract.syntax.brackets import PAIRS
from lean_extract.syntax.lexer import is_identifier
from lean_extract.syntax.operators import (
    CONGRUENT,
    ENCLOSING,
    MAX,
    NULLARY,
    OVER,
    POSTFIX,
    PREFIX,
)
from retriever.lean.augmentation.notation.binders import Binders
from retriever.lean.augmentation.notation.cursor import WORDS, Unreadable
from retriever.lean.augmentation.notation.pieces import Piece, Tightness, Variable, apply, bind

_SORTS = frozenset(("Type", "Sort", "Prop"))


class Atoms(Binders):
    """Reads applications."""

    def application(self) -> Piece:
        """A head and its arguments; a `fun` may come last."""
        head = self.atom()
        arguments: list[str] = []
        while self._starts_atom():
            arguments.append(self.atom().argument)
        if self.next in ("fun", "λ"):
            arguments.append(self.function().text)
            return Piece(" ".join([head.argument, *arguments]), Tightness.LOOSE)
        return Piece(" ".join([head.argument, *arguments]), Tightness.APPLICATION) if arguments else head

    def _starts_atom(self) -> bool:
        token = self.next
        if token in ENCLOSING and token.startswith("|"):
            here = self.tokens[self.at]
            return here.is_apart and not here.is_apart_behind
        if token in ENCLOSING:
            return self.tokens[self.at].is_apart
        if token in ("(", "⟨", "{", "@", "_", "·", "?_", "↑", "⇑", "↥", "⌊", "⌈", "⟪", "["):
            return token != "[" or (self.tokens[self.at].is_apart and self.following not in CONGRUENT)
        return (
            token in NULLARY
            or (PREFIX.get(token, (0, ""))[0] == MAX)
            or token[:1].isdigit()
            or (token[:1] == "." and token[1:2] != "." and self.tokens[self.at].is_apart)
            or (is_identifier(token) and token not in WORDS and token not in ("fun", "if"))
        )

    def atom(self) -> Piece:
        """What stands as an argument without parentheses, with its postfix operators."""
        piece = self._bare_atom()
        while True:
            token = self.next
            if token in POSTFIX and (self.is_glued() or token in ("!", "⁻¹", "ᶜ")):
                self.at += 1
                piece = self.change(apply(POSTFIX[token], piece))
            elif token[:1] == "." and len(token) > 1 and token[1] not in ".{" and self.is_glued():
                self.at += 1
                piece = Piece(piece.argument + token, Tightness.ATOM)
            elif token in OVER and self.is_glued():
                piece = self.change(self._over(piece))
            elif token == "(" and self.is_glued():
                raise Unreadable
            elif token == ".{":
                while self.take() != "}":
                    continue
            else:
                return piece

    def _over(self, ring: Piece) -> Piece:
        """`R[X]` and `R⟦X⟧`."""
        constant = OVER[self.take()]
        self.take("X")
        if self.take() not in ("]", "⟧"):
            raise Unreadable
        return apply(constant, ring)

    def _bare_atom(self) -> Piece:
        token = self.take()
        if token in NULLARY:
            return self.change(Piece(NULLARY[token], Tightness.ATOM))
        if token in PREFIX and PREFIX[token][0] == MAX:
            return self.change(apply(PREFIX[token][1], self.atom()))
        if token in ENCLOSING:
            inner = self.term(0)
            constant = ENCLOSING[token].get(self.take())
            if constant is None:
                raise Unreadable
            return self.change(apply(constant, inner))
        if token in ("↑", "⇑", "↥", "@"):
            return Piece(token + self.atom().argument, Tightness.ATOM)
        if token == "(":
            return self._round()
        if token == "{":
            return self.change(self._curly())
        if token == "⟪":
            return self.change(apply("Inner.inner", Piece("_", Tightness.ATOM), *self._items("⟫")))
        if token in ("⟨", "["):
            close = PAIRS[token]
            return Piece(
                token + ", ".join(piece.text for piece in self._items(close)) + close, Tightness.ATOM
            )
        if token in ("_", "·", "?_") or token[:1].isdigit() or token[:1] in ".":
            return Piece(token, Tightness.ATOM)
        if not is_identifier(token) or token in WORDS:
            raise Unreadable
        if token in _SORTS and is_identifier(self.next):
            return Piece(f"{token} {self.take()}", Tightness.APPLICATION)
        return Piece(token, Tightness.ATOM)

    def _items(self, close: str) -> list[Piece]:
        if self.accept(close):
            return []
        found = [self.term(0)]
        while self.accept(","):
            found.append(self.term(0))
        self.take(close)
        return found

    def _round(self) -> Piece:
        if self.following == ":=":
            name = self.name()
            self.take(":=")
            value = self.term(0)
            self.take(")")
            return Piece(f"({name} := {value.text})", Tightness.ATOM)
        if self.accept(")"):
            return Piece("()", Tightness.ATOM)
        if self.next in ("↑", "⇑", "↥") and self.following == ")":
            section = f"({self.take()})"
            self.at += 1
            return Piece(section, Tightness.ATOM)
        first = self.term(0)
        if self.accept(":"):
            type_ = self.term(0)
            self.take(")")
            return Piece(f"({first.text} : {type_.text})", Tightness.ATOM)
        if self.next != ",":
            self.take(")")
            return first
        self.take(",")
        items = [first, *self._items(")")]
        pair = items[-1]
        for item in reversed(items[:-1]):
            pair = self.change(apply("Prod.mk", item, pair))
        return pair

    def _curly(self) -> Piece:
        if self.accept("}"):
            return Piece("EmptyCollection.emptyCollection", Tightness.ATOM)
        variable = self._set_variable()
        if variable is not None:
            constant = "Subtype" if self.take() == "//" else "setOf"
            body = self.term(0)
            self.take("}")
            if variable.bound:
                body = apply("And", Piece(variable.bound, Tightness.APPLICATION), body)
            return bind(constant, variable, body)
        items = self._items("}")
        result = apply("Singleton.singleton", items[-1])
        for item in reversed(items[:-1]):
            result = apply("Insert.insert", item, result)
        return result

    def _set_variable(self) -> Variable | None:
        """`x`, `x : T` or `x ∈ s` before `|` or `//`; None, with nothing read, where elements are listed."""
        start = self.at
        if not is_identifier(self.next) and self.next != "_":
            return None
        name = self.name()
        if self.next not in ("|", "//", ":", "∈"):
            self.at = start
            return None
        [variable] = [Variable(name)] if self.next in ("|", "//") else self.typed([name], "")
        if self.next not in ("|", "//"):
            raise Unreadable
        return variable
