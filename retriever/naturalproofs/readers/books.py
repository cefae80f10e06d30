r"""The two books (appendix A.1): Stein's Elementary Number Theory and Trench's Introduction to Real Analysis.

Stein's `body.tex` is at <https://github.com/williamstein/ent>. Its proofs are environments; those of Trench
run from `\proof` to `\bbox`, although the paper has it the other way round. Both are read in both books.

Stein has 68 theorems as in Table 3. Of the paper's 37 definitions 6 are commented out: 31 are here. The
authors' script gives a theorem without a proof the next one that comes before its namesake, so that proofs of
algorithms, and of other theorems, are counted: 64. Here 58 of the 69 proofs belong to a theorem, 8 are those
of algorithms, and 3 stand behind another proof. With `published` it is done the authors' way: 68, 64, 37.
"""

from __future__ import annotations

from pathlib import Path

from lean_extract.common.errors import BadSource
from retriever.documents.schema import Corpus, StatementType
from retriever.naturalproofs.readers.drafts import Rules
from retriever.naturalproofs.readers.latex import LatexSource
from retriever.naturalproofs.readers.statements import read_statements

TYPES: dict[str, StatementType] = {
    "theorem": "theorem",
    "lemma": "theorem",
    "corollary": "theorem",
    "proposition": "theorem",
    "definition": "definition",
}
"""Table 15."""
MARKS = ("proof", "bbox")
OTHERS = frozenset(("algorithm", "claim", "conjecture", "exercise", "problem", "question"))


def read_stein(source: Path, complaints: list[str], published: bool = False) -> Corpus:
    """The corpus of `body.tex`, or of the checkout that has it; `complaints` as in `read_statements`.

    Raises BadSource.
    """
    return _read(source, "body.tex", TYPES, complaints, published)


def read_trench(source: Path, complaints: list[str], published: bool = False) -> Corpus:
    """The corpus of `TRENCH_REAL_ANALYSIS.tex`, or of its folder; `complaints` as in `read_statements`.

    Raises BadSource.
    """
    types = {name: kind for name, kind in TYPES.items() if name != "proposition"}
    return _read(source, "TRENCH_REAL_ANALYSIS.tex", types, complaints, published)


def _read(
    source: Path, name: str, types: dict[str, StatementType], complaints: list[str], published: bool
) -> Corpus:
    path = source / name if source.is_dir() else source
    if not path.is_file():
        raise BadSource(f"{path} does not exist.", f"Name the book's {name}, or the folder that it is in.")
    text = LatexSource.read(path, complaints, comments=published)
    rules = Rules(types, MARKS, OTHERS, published=published)
    return read_statements([(path.stem, text)], rules, complaints)
