"""Small invented corpora for the tests of splits, metrics and models."""

from __future__ import annotations

from hypothesis import strategies as st

from retriever.documents.schema import Corpus, DocumentProof, Statement, StatementType


def statement(
    id: int,
    contents: str = "",
    *,
    kind: StatementType = "theorem",
    refs: tuple[int, ...] = (),
    proofs: tuple[tuple[int, ...], ...] = (),
) -> Statement:
    """A statement `s<id>` that refers to `refs`, with a proof for each tuple of ids."""
    return Statement(
        id=id,
        type=kind,
        label=f"s{id}",
        title=f"s{id}",
        contents=(contents or f"claim{id}",),
        refs=tuple(f"s{ref}" for ref in refs),
        ref_ids=refs,
        proofs=tuple(
            DocumentProof(("By what is known.",), tuple(f"s{ref}" for ref in ids), ids) for ids in proofs
        ),
    )


def gardens() -> Corpus:
    """Seven statements on gardens; 3, 4 and 5 have a proof with references, and nothing refers to 4 and 5."""
    return Corpus(
        theorems=(
            statement(1, "A hedge around a pond is closed."),
            statement(2, "A path along a hedge ends at a gate.", proofs=((),)),
            statement(3, "Every gate of a walled garden opens.", proofs=((1, 2, 6, 2),)),
            statement(4, "A walled garden with a pond has a gate.", refs=(6,), proofs=((3, 1), (6,))),
            statement(5, "Roses grow along every path.", proofs=((2, 7, 5),)),
        ),
        definitions=(statement(6, "A garden is walled when a hedge surrounds it.", kind="definition"),),
        others=(statement(7, "Roses are not required to bloom.", kind="other", refs=(1,)),),
    )


@st.composite
def corpora(draw: st.DrawFn) -> Corpus:
    """Any corpus of up to twelve statements that refer to each other at will."""
    count = draw(st.integers(1, 12))
    some = st.lists(st.integers(0, count - 1), max_size=4).map(tuple)
    theorems = draw(st.integers(0, count))
    return Corpus(
        tuple(
            statement(id, refs=draw(some), proofs=draw(st.lists(some, max_size=2).map(tuple)))
            for id in range(theorems)
        ),
        tuple(statement(id, kind="definition", refs=draw(some)) for id in range(theorems, count)),
    )
