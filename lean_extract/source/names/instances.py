"""The names that Lean gives to anonymous instances, by the rule of Lean's DeclNameGen.

Lean elaborates the type, and names it by its constants in order: `instAddProd` for `Add (α × β)`. What the text does
not show is not known here: most implicit arguments, what coercions insert, and which library a name comes from, except
for the names of Lean's own library.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lean_extract.source.names.binders import Binder
from lean_extract.source.names.type_names import Bound, Surroundings, TypeNames, bound_in
from lean_extract.syntax.lexer import is_identifier
from lean_extract.syntax.operators import OPERATORS, RELATION
from lean_extract.syntax.statement_syntax import Word, read_words, words_of
from lean_extract.syntax.terms import SyntaxNode

_ARROWS = frozenset(("→", "->"))
_MOST_WORDS = 2000
_RARELY_TAKEN = frozenset(
    ("DecidableEq", "DecidableLT", "DecidableLE", "Decidable", "DecidablePred", "DecidableRel", "BEq", "Hashable",
     "Monad", "Pure", "Functor", "Applicative", "Inhabited", "Nonempty", "Fintype", "Finite", "Countable", "Infinite",
     "Repr", "ToString", "Ord", "Subsingleton", "Nontrivial", "Fact", "NeZero", "Small")
)  # fmt: skip
"""Classes whose instances operators and most types do not take."""
_PROPERTIES = (
    "Is", "Lawful", "No", "Has", "Ordered", "Continuous", "Covariant", "Contravariant", "Char", "Compact", "Discrete",
    "Complete", "Locally", "Separ", "Second", "First", "SMulComm", "Proper", "WellFounded", "Order", "Archimedean",
    "Directed", "Trans", "Refl", "Equiv", "T0", "T1", "T2", "T3", "T4", "T5",
)  # fmt: skip
"""The beginnings of the names of classes that state a property of other instances."""


def instance_name(type_: str, binders: Sequence[Binder], around: Surroundings) -> str:
    """The name of `instance (binders) : type`, as far as the text determines it.

    It is `inst` followed by the last component, capitalised, of each constant in the type, each once; then by
    `Of` and the same for each binder that the type does not depend on; then, if all constants are of other
    libraries, by the name of this one.
    """
    words: Sequence[Word] = words_of(type_)
    if not 0 < len(words) <= _MOST_WORDS:
        return "inst"
    own = [Bound(binder.names, words_of(binder.type)) for binder in binders]
    more, words = _quantified(words)
    own += more
    names = TypeNames(around, {name: binder.type for binder in binders for name in binder.names})
    dependence = _Dependence(around, names)
    result = names.of(words)
    foralls: list[str] = []
    later: list[Sequence[Word]] = [words]
    for bound in reversed(own):
        if not dependence.takes(later, bound):
            found = names.of(bound.words, omits_top=True)
            foralls += [f"Of{found}"] if found else []
        later.append(bound.words)
    return f"inst{result}{''.join(reversed(foralls))}{_suffix(around, names)}"


def _suffix(around: Surroundings, names: TypeNames) -> str:
    """`_mathlib` for an instance of Mathlib whose constants are all Lean's own."""
    root = around.root
    if not root or names.names_own_constant:
        return ""
    return f"_{root[:1].lower()}{root[1:]}"


def _quantified(words: Sequence[Word]) -> tuple[list[Bound], Sequence[Word]]:
    """The antecedents of a type `A → ∀ [B x], C`, and `C`."""
    found: list[Bound] = []
    while True:
        node = read_words(words)
        if node.end < len(words) or any(part.end == part.start for part in node.parts):
            return found, words
        if node.kind == "infix" and node.text in _ARROWS:
            left, right = node.parts
            found += bound_in(words[left.start : left.end], is_type=True)
            words = words[right.start : right.end]
        elif node.kind == "binder" and node.text in ("∀", "Π"):
            found += bound_in(words[1 : 1 + len(node.bound)])
            words = words[node.parts[0].start :]
        else:
            return found, words


@dataclass(frozen=True, slots=True)
class _Dependence:
    """Says which binders the rest of an instance's type depends on."""

    around: Surroundings
    names: TypeNames

    def takes(self, later: Sequence[Sequence[Word]], bound: Bound) -> bool:
        """Whether what follows mentions a binder: by name, or as an instance that a constant takes."""
        names = set(bound.names) - {"_"}
        if names & {word.text.partition(".")[0] for words in later for word in words}:
            return True
        class_ = next((word.text for word in bound.words if is_identifier(word.text)), "")
        if not class_ or self._is_property(class_):
            return False
        variables = {word.text for word in bound.words if self.names.is_local(word.text)}
        return any(self._takes_instance(words, variables, class_) for words in later)

    def _is_property(self, class_: str) -> bool:
        """Whether a class is taken for a property, which few types depend on."""
        known = self.around.required(class_)
        return known != () and class_.rpartition(".")[2].startswith(_PROPERTIES)

    def _takes_instance(self, words: Sequence[Word], variables: set[str], class_: str) -> bool:
        """Whether a constant that takes an instance of the class is applied to one of the variables."""
        for node in _within(read_words(words)):
            if node.kind == "infix" and node.text in OPERATORS:
                if OPERATORS[node.text].precedence >= RELATION and class_ not in _RARELY_TAKEN:
                    types = [self.names.type_of(word.text) for word in words[node.start : node.end]]
                    texts = {word.text for text in types for word in words_of(text)} | _heads(words, node)
                    if texts & variables or "·" in texts:
                        return True
            elif node.kind == "applied" and _heads(words, node) & variables:
                head = node.parts[0].text
                required = () if self.names.is_local_function(head) else self.around.required(head)
                if class_ not in _RARELY_TAKEN if required is None else self._gives(class_, required):
                    return True
        return False

    @staticmethod
    def _gives(class_: str, required: Sequence[str]) -> bool:
        """Whether an instance of the class can be what a constant requires: of this class, or of one above it."""
        return class_ in required or (bool(required) and class_ not in _RARELY_TAKEN)


def _heads(words: Sequence[Word], node: SyntaxNode) -> set[str]:
    return {word.text.partition(".")[0] for word in words[node.start : node.end]}


def _within(node: SyntaxNode) -> Iterator[SyntaxNode]:
    """A node and all nodes in it."""
    waiting = [node]
    while waiting:
        found = waiting.pop()
        yield found
        waiting += found.parts
