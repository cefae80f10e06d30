"""The names that Lean gives to anonymous instances, by the rule of Lean's DeclNameGen.

Lean elaborates the type, and names it by its constants in order: `instAddProd` for `Add (α × β)`. What the text does
not show is not known here: most implicit arguments, what coercions insert, and which library a name comes from, except
for the names of Lean's own library.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lean_extract.limits import MAX_BINDERS, MAX_PARSED_WORDS
from lean_extract.source.names.binders import Binder
from lean_extract.source.names.instance_context import Bound, Surroundings, bound_in
from lean_extract.source.names.type_names import TypeNames
from lean_extract.syntax.lexer import is_identifier
from lean_extract.syntax.operators import OPERATORS, RELATION
from lean_extract.syntax.statement_syntax import Word, read_words, words_of
from lean_extract.syntax.terms import SyntaxNode

_ARROWS = frozenset(("→", "->"))
_REACH = 40
"""Words of a term in which variables are looked for."""
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
    if not 0 < len(words) <= MAX_PARSED_WORDS:
        return "inst"
    more, words = _quantified(words)
    own = [*(Bound(binder.names, words_of(binder.type)) for binder in binders[: MAX_BINDERS + 1]), *more]
    names = TypeNames(around, {name: binder.type for binder in binders for name in binder.names})
    result = names.of(words)
    if len(own) > MAX_BINDERS or sum(len(bound.words) for bound in own) > MAX_PARSED_WORDS:
        own = []
    foralls: list[str] = []
    dependence = _Dependence(around, names)
    dependence.add(words)
    for bound in reversed(own):
        if not dependence.on(bound):
            found = names.of(bound.words, omits_top=True)
            foralls += [f"Of{found}"] if found else []
        dependence.add(bound.words)
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
        if (
            len(found) > MAX_BINDERS
            or node.end < len(words)
            or any(part.end == part.start for part in node.parts)
        ):
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
class _Use:
    """An application of a function, or an operation, and the variables in it."""

    head: str
    is_operation: bool
    variables: frozenset[str]

    @property
    def is_section(self) -> bool:
        """Whether this is an operation without its operands, as in `(· ≤ ·)`."""
        return self.is_operation and "·" in self.variables


class _Dependence:
    """Says which binders the rest of an instance's type depends on. The rest is added from its end on."""

    def __init__(self, around: Surroundings, names: TypeNames) -> None:
        self._around = around
        self._names = names
        self._mentioned: set[str] = set()
        self._uses: list[_Use] = []

    def add(self, words: Sequence[Word]) -> None:
        """Add a type that follows the binders in question."""
        self._mentioned.update(word.text.partition(".")[0] for word in words)
        for node in _within(read_words(words)):
            is_operation = node.kind == "infix" and node.text in OPERATORS
            if is_operation and OPERATORS[node.text].precedence >= RELATION:
                self._uses.append(_Use(node.text, True, self._variables(words, node, with_types=True)))
            elif node.kind == "applied" and not self._names.is_local_function(node.parts[0].text):
                self._uses.append(_Use(node.parts[0].text, False, self._variables(words, node)))

    def _variables(
        self, words: Sequence[Word], node: SyntaxNode, *, with_types: bool = False
    ) -> frozenset[str]:
        texts = [word.text for word in words[node.start : min(node.end, node.start + _REACH)]]
        if with_types:
            types = [self._names.type_of(text) for text in texts]
            texts += [word.text for type_ in types for word in words_of(type_)[:_REACH]]
        return frozenset([text.partition(".")[0] for text in texts])

    def on(self, bound: Bound) -> bool:
        """Whether what has been added mentions a binder: by name, or as an instance that a constant takes."""
        if (set(bound.names) - {"_"}) & self._mentioned:
            return True
        class_ = next((word.text for word in bound.words if is_identifier(word.text)), "")
        if not class_ or self._is_property(class_):
            return False
        variables = {word.text for word in bound.words if self._names.is_local(word.text)}
        return any(
            self._takes(use, class_) for use in self._uses if use.variables & variables or use.is_section
        )

    def _is_property(self, class_: str) -> bool:
        """Whether a class is taken for a property, which few types depend on."""
        known = self._around.required(class_)
        return known != () and class_.rpartition(".")[2].startswith(_PROPERTIES)

    def _takes(self, use: _Use, class_: str) -> bool:
        """Whether an instance of a class can be what a function or an operator takes."""
        required = None if use.is_operation else self._around.required(use.head)
        if required is None:
            return class_ not in _RARELY_TAKEN
        return class_ in required or (bool(required) and class_ not in _RARELY_TAKEN)


def _within(node: SyntaxNode) -> Iterator[SyntaxNode]:
    """A node and all nodes in it."""
    waiting = [node]
    while waiting:
        found = waiting.pop()
        yield found
        waiting += found.parts
