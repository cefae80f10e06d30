r"""The LaTeX sources (appendix A.1): the Stacks project, and two books.

Stacks, <https://github.com/stacks/stacks-project>, GFDL. At commit 4df67b8, the paper's, it gives Table 3's 12,479
theorems, each with a proof, 1,687 definitions and 968 others. 10,586 theorems have a proof with a reference where
the paper has 10,573, for two reasons. The authors' script passes over labels with one of the words `section`,
`item`, `example` and so on, also where it is a lemma's (14 theorems fewer); and it counts links in
`\begin{proof}[...]` (1 more). With `published` the same is done here, and gives 10,573.

Stein's Elementary Number Theory, `body.tex` at <https://github.com/williamstein/ent>, and Trench's Introduction to
Real Analysis. Stein's proofs are environments; those of Trench run from `\proof` to `\bbox`, although the paper has
it the other way round. Both are read in both books.

Stein has 68 theorems as in Table 3. Of the paper's 37 definitions 6 are commented out: 31 are here. The
authors' script gives a theorem without a proof the next one that comes before its namesake, so that proofs of
algorithms, and of other theorems, are counted: 64. Here 58 of the 69 proofs belong to a theorem, 8 are those
of algorithms, and 3 follow another proof. With `published` it is done the authors' way: 68, 64, 37.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lean_extract.common.errors import BadSource
from retriever.documents.schema import Corpus, StatementType
from retriever.naturalproofs.readers.drafts import Rules
from retriever.naturalproofs.readers.latex import LatexSource
from retriever.naturalproofs.readers.statements import read_statements

_STACKS_TYPES: Mapping[str, StatementType] = {
    "theorem": "theorem",
    "lemma": "theorem",
    "proposition": "theorem",
    "definition": "definition",
    "remark": "other",
    "remarks": "other",
}
"""Table 15, as are the others."""
_TRENCH_TYPES: Mapping[str, StatementType] = {
    "theorem": "theorem",
    "lemma": "theorem",
    "corollary": "theorem",
    "definition": "definition",
}
STEIN_TYPES: Mapping[str, StatementType] = {**_TRENCH_TYPES, "proposition": "theorem"}
MARKS = ("proof", "bbox")
OTHERS = frozenset(("algorithm", "claim", "conjecture", "exercise", "problem", "question"))
_NOT_LINKED = frozenset(("section", "subsection", "item", "equation", "situation", "exercise", "example"))
_ABOUT_STYLE = "coding.tex"
"""Shows how to write a lemma; its example is not one."""


def read_stacks(folder: Path, complaints: list[str], published: bool = False) -> Corpus:
    """The corpus of a checkout; `complaints` as in `read_statements`. Raises BadSource."""
    paths = sorted(path for path in folder.glob("*.tex") if path.name != _ABOUT_STYLE)
    if not paths:
        raise BadSource(
            f"{folder} has no LaTeX files.", "Name a checkout of github.com/stacks/stacks-project."
        )
    rules = Rules(
        _STACKS_TYPES,
        label_as_title=True,
        chapters=True,
        published=published,
        not_linked=_NOT_LINKED if published else frozenset(),
    )
    return _read(paths, rules, complaints)


def read_stein(source: Path, complaints: list[str], published: bool = False) -> Corpus:
    """The corpus of `body.tex`, or of the checkout that has it; `complaints` as in `read_statements`.

    Raises BadSource.
    """
    return _read_book(source, "body.tex", STEIN_TYPES, complaints, published)


def read_trench(source: Path, complaints: list[str], published: bool = False) -> Corpus:
    """The corpus of `TRENCH_REAL_ANALYSIS.tex`, or of its folder; `complaints` as in `read_statements`.

    Raises BadSource.
    """
    return _read_book(source, "TRENCH_REAL_ANALYSIS.tex", _TRENCH_TYPES, complaints, published)


def _read_book(
    source: Path, name: str, types: Mapping[str, StatementType], complaints: list[str], published: bool
) -> Corpus:
    path = source / name if source.is_dir() else source
    if not path.is_file():
        raise BadSource(f"{path} does not exist.", f"Name the book's {name}, or the folder that it is in.")
    return _read([path], Rules(types, MARKS, OTHERS, published=published), complaints)


def _read(paths: list[Path], rules: Rules, complaints: list[str]) -> Corpus:
    sources = [(path.stem, LatexSource.read(path, complaints, comments=rules.published)) for path in paths]
    return read_statements(sources, rules, complaints)
