"""Statement-proof pairs from articles in XHTML or HTML with MathML (section 3.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import Element, TreeBuilder

from lean_extract.common.errors import BadSource
from lean_extract.common.files.reading import read_regular_text
from lean_extract.limits import MAX_DOCUMENT_BYTES
from retriever.documents.latex_names import listed
from retriever.documents.xml_parser import check_depth
from retriever.proof_matching.readers.markup import read_markup
from retriever.proof_matching.readers.mathml import linearise, local
from retriever.proof_matching.schema import StatementProof, Token
from retriever.proof_matching.tokens import words

_SUFFIXES = (".xhtml", ".html", ".htm", ".xml")
_PROOF = frozenset(("proof", "ltx_proof"))
_INLINE = listed("a abbr b bdo cite code em font i small span strong sub sup tt u")
_UNSEEN = listed("script style h1 h2 h3 h4 h5 h6 cite head svg object")
_POINTERS = listed(
    """title ltx_title ltx_ref ltx_cite ltx_bibref ltx_tag ltx_eqn_eqno ltx_note_mark ltx_note_type
    refnum eqno ref cite"""
)
_LINE = "premise-suggest-line"


@dataclass(frozen=True, slots=True)
class _Block:
    """A `div` of a theorem or a proof."""

    classes: str
    id: str
    line: int
    element: Element


@dataclass(slots=True)
class _Scan:
    """Finds a `div` of a theorem with a `div` of a proof right after it; keeps no other part of the file."""

    found: list[tuple[_Block, _Block]] = field(default_factory=list)
    orphans: list[int] = field(default_factory=list)
    """Lines of proofs that have no statement right before them."""
    before: list[_Block | None] = field(default_factory=lambda: [None])
    """Of each open element outside blocks, the statement that ended last in it, if nothing came since."""
    builder: TreeBuilder | None = None
    depth: int = 0
    began: tuple[str, str, int] = ("", "", 0)

    def start(self, tag: str, attributes: Mapping[str, str], line: int) -> None:
        """See markup.Events."""
        check_depth(len(self.before) + self.depth)
        classes = attributes.get("class", "")
        if self.builder is None and tag == "div" and ("theorem" in classes or _PROOF & {*classes.split()}):
            self.builder, self.depth = TreeBuilder(), 0
            self.began = classes, attributes.get("id", ""), line
        if self.builder is None:
            self.before[-1] = None
            self.before.append(None)
        else:
            self.depth += 1
            extra = {_LINE: str(line)} if tag == "math" else {}
            self.builder.start(tag, {**attributes, **extra})

    def end(self) -> None:
        """See markup.Events."""
        if self.builder is None:
            self.before.pop()
            return
        self.builder.end("")
        self.depth -= 1
        if self.depth == 0:
            block = _Block(*self.began, self.builder.close())
            self.builder = None
            self.ended(block)

    def data(self, text: str) -> None:
        """See markup.Events."""
        if self.builder is not None:
            self.builder.data(text)

    def ended(self, block: _Block) -> None:
        """Take a block that is whole."""
        statement = self.before[-1]
        if "theorem" in block.classes:
            self.before[-1] = block
            return
        self.before[-1] = None
        if statement is None:
            self.orphans.append(block.line)
        else:
            self.found.append((statement, block))


def article_files(source: Path) -> list[Path]:
    """The articles in a folder, at any depth, in the order of their names. Raises BadSource without any."""
    if source.is_file():
        return [source]
    files = sorted(path for path in source.rglob("*") if path.suffix.lower() in _SUFFIXES and path.is_file())
    if not files:
        raise BadSource(f"{source} has no file that ends in {', '.join(_SUFFIXES)}.", "Name another folder.")
    return files


def read_categories(path: Path, complaints: list[str]) -> dict[str, str]:
    """Each article's first category. Raises BadSource when the file cannot be read."""
    try:
        lines = read_regular_text(path, MAX_DOCUMENT_BYTES).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadSource(f"{path} cannot be read: {error}.", "Name a text file.") from error
    found = {}
    for number, line in enumerate(lines, 1):
        article, tab, rest = line.partition("\t")
        if tab and rest.strip():
            found[article.strip()] = rest.partition("\t")[0].partition("|")[0].strip()
        elif line.strip():
            complaints.append(f"{path}:{number}: no tab between an article and its categories.")
    return found


def article_pairs(
    path: Path, root: Path, categories: Mapping[str, str], complaints: list[str], skipped: Counter[str]
) -> Iterator[StatementProof]:
    """The pairs of an article, as yet without filters; `root` is what its name is relative to.

    In a file that is not well-formed, what comes before the error is kept. Titles (`Theorem 1.3.`, `Proof of
    Theorem 1.3.`), equation numbers, links to other places and citations are left out on both sides: they
    would show which proof belongs to which statement. `skipped` counts annotations in content markup.
    """
    scan = _Scan()
    try:
        wrong = read_markup(path, scan)
    except OSError as error:
        complaints.append(f"{path}: cannot be read: {error.strerror}.")
        return
    source = path.relative_to(root).with_suffix("").as_posix()
    lost: list[str] = []
    for number, (statement, proof) in enumerate(scan.found, 1):
        sides = [tuple(_tokens(one.element, lost, skipped)) for one in (statement, proof)]
        yield StatementProof(
            key=f"{source}#{statement.id or number}",
            statement=sides[0],
            proof=sides[1],
            kind=_kind(statement.classes),
            category=categories.get(path.stem, categories.get(source, "")),
            source=source,
            location=f"{path}:{statement.line}",
        )
    complaints += (f"{path}:{line}: a formula in content markup alone is left out." for line in lost)
    complaints += (f"{path}:{line}: a proof with no statement right before it." for line in scan.orphans)
    if wrong:
        open_ = f" The theorem or proof of line {scan.began[2]} is cut off." if scan.builder else ""
        complaints.append(f"{path}:{wrong}; what comes before is kept.{open_}")


def _kind(classes: str) -> str:
    """`lemma` of `ltx_theorem ltx_theorem_lemma`."""
    for name in reversed(classes.split()):
        if name.startswith("ltx_theorem_"):
            return name.removeprefix("ltx_theorem_")
    return "theorem"


def _tokens(block: Element, lost: list[str], skipped: Counter[str]) -> Iterator[Token]:
    """Words and symbols of a block, in the order of the document."""
    todo: list[Element | str] = [block]
    text: list[str] = []
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            text.append(item)
        elif item.tag == "math":
            yield from words("".join(text))
            text.clear()
            formula = linearise(item)
            skipped["annotations in content markup"] += formula.annotations
            lost += [item.get(_LINE, "")] * bool(formula.lost)
            yield from formula.tokens
        elif not _unseen(item):
            edge = "" if local(item.tag) in _INLINE else " "
            parts: list[Element | str] = [edge, item.text or ""]
            for child in item:
                parts += (child, child.tail or "")
            todo += reversed([*parts, edge])
    yield from words("".join(text))


def _unseen(element: Element) -> bool:
    """Whether an element is not part of the text of a statement or proof, or points elsewhere."""
    points = element.tag == "a" and element.get("href", "").startswith("#")
    return points or element.tag in _UNSEEN or bool(_POINTERS & {*element.get("class", "").split()})
