"""The parts of a printed target that can be selected: its subexpressions, as ranges of the text. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Set

from lean_extract.syntax.placed import TextRange, range_of
from lean_extract.syntax.symbol_terms import SymbolTerm, syntax_of
from lean_extract.syntax.terms import SyntaxNode
from retriever.lean.patterns.rewriting import subterms, term_of
from retriever.lean.tokens import placed_tokens

LONGEST_PART = 4_000
"""Characters; a longer part cannot be selected."""


def parts_of(target: str, local: Set[str]) -> list[TextRange]:
    """The ranges of a target's subexpressions: each once, in order, a part before those inside it.

    Args:
        target: as Lean prints it; tokens after `symbol_terms.MOST_TOKENS` have no parts.
        local: the names of hypotheses.
    """
    tokens = placed_tokens(target)
    terms: set[SymbolTerm] = set(subterms(term_of(target, local)))
    ranges = {range_of(node, tokens) for node in _selectable(syntax_of([token.text for token in tokens]))}
    texts = {target[start:end] for start, end in ranges if end - start <= LONGEST_PART}
    # A few spellings read otherwise without what stands around them.
    readable = {text for text in texts if term_of(text, local) in terms}
    return sorted(
        (part for part in ranges if target[part.start : part.end] in readable),
        key=lambda part: (part.start, -part.end),
    )


def _selectable(node: SyntaxNode) -> Iterator[SyntaxNode]:
    """The nodes that are subexpressions. Brackets around one are left out, and names that are applied."""
    waiting = [node]
    while waiting:
        here = waiting.pop()
        parts = here.parts
        if here.end > here.start and not _is_wrapper(here):
            yield here
        if here.kind == "applied" and parts[0].kind == "name":
            parts = parts[1:]
        waiting += parts


def _is_wrapper(node: SyntaxNode) -> bool:
    """Whether a node is brackets around one term, without a type: `(a + b)`, not `(a : ℝ)`."""
    if node.kind == "set":
        return True
    return (
        node.kind == "brackets"
        and node.text == "("
        and len(node.parts) == 1
        and node.parts[0].end == node.end - 1
    )
