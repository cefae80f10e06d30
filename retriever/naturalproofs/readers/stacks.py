"""The Stacks project's LaTeX (appendix A.1): <https://github.com/stacks/stacks-project>, GFDL.

At commit 4df67b8, the paper's, this gives Table 3's 12,479 theorems, each with a proof, 1,687 definitions and
968 others. 10,586 theorems have a proof with a reference where the paper has 10,573, for two reasons. The
authors' script passes over labels with one of the words `section`, `item`, `example` and so on, also where it
is a lemma's (14 theorems fewer); and it counts links in `\\begin{proof}[...]` (1 more). With `published` the
same is done here, and gives 10,573.
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
    "proposition": "theorem",
    "definition": "definition",
    "remark": "other",
    "remarks": "other",
}
"""Table 15."""
_OTHER_LABELS = frozenset(("section", "subsection", "item", "equation", "situation", "exercise", "example"))
_ABOUT_STYLE = "coding.tex"
"""Shows how to write a lemma; its example is none."""


def read_stacks(folder: Path, complaints: list[str], published: bool = False) -> Corpus:
    """The corpus of a checkout; `complaints` as in `read_statements`. Raises BadSource."""
    paths = sorted(path for path in folder.glob("*.tex") if path.name != _ABOUT_STYLE)
    if not paths:
        raise BadSource(
            f"{folder} has no LaTeX files.", "Name a checkout of github.com/stacks/stacks-project."
        )
    rules = Rules(
        TYPES,
        label_as_title=True,
        chapters=True,
        published=published,
        not_linked=_OTHER_LABELS if published else frozenset(),
    )
    sources = [(path.stem, LatexSource.read(path, complaints, comments=published)) for path in paths]
    return read_statements(sources, rules, complaints)
