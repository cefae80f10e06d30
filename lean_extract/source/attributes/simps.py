"""Generates the lemmas that `simps` declares, as far as the text determines them.

They are those for the projections given to `simps`; otherwise, if the type is a bundled map, for its
projections; otherwise for the fields that the value sets. Projections that Lean finds by unfolding (`simps!` of
a composition) are not found.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from itertools import pairwise

from lean_extract.records import Premise
from lean_extract.source.attributes.related import explicit_names, made
from lean_extract.source.attributes.translation import Translation
from lean_extract.source.grammar.declarations import Attribute, Declaration, arguments, option
from lean_extract.source.names.scopes import split_name
from lean_extract.syntax.brackets import DEPTH, close
from lean_extract.syntax.lexer import Tokens, is_identifier
from lean_extract.syntax.types import outermost, premises_of, strip


@dataclass(frozen=True, slots=True)
class Projection:
    """A projection of a definition for which `simps` generates a lemma, and its value."""

    path: tuple[str, ...]
    """The fields that lead to it."""
    binders: str = ""
    """The arguments of the field, as in `toFun x := ...`."""
    value: str = ""
    """As written; empty if it is not used in the lemma."""

    def translated(self, translation: Translation, fixed: Set[str]) -> Projection:
        """The same projection of the definition's translation. `fixed`: the variables of fixed type."""
        path = tuple([translation.component(step) for step in self.path])
        binders, value = [translation.statement(text, fixed) for text in (self.binders, self.value)]
        return Projection(path, binders, value)


_NAMES = {"toFun": "apply", "invFun": "symm_apply", "carrier": "coe", "hom'": "hom", "arrows": "apply"}
"""The names that `initialize_simps_projections` gives to the fields of Mathlib's bundled maps and sets."""
_PREFIXES = frozenset(("coe",))
_APPLY = ("apply",)
_BY_RELATION = {"≃": (_APPLY, ("symm_apply",)), "→": (_APPLY,), "↪": (_APPLY,)}
"""The projections of bundled maps, by the first character of the arrow in their type."""
_BY_FIELDS_ONLY = frozenset(("→", "->"))
_PROOF_NAMES = frozenset(
    (
        "naturality", "w", "wi", "wι", "wπ", "hι", "hπ", "shape", "uniq", "fac", "property", "prop",
        "left_inv", "right_inv", "hom_inv_id", "inv_hom_id", "downward_closed", "continuous_toFun",
        "continuous_invFun",
        "cont", "continuousOn", "isClosed", "isPushout", "isPullback", "mono", "epi", "assoc", "coassoc",
        "notMem", "chain", "edge_vert", "nonDegenerate",
    )
)  # fmt: skip
_PROOF_BEGINNINGS = (
    *("map_", "isometry_", "left_triangle", "right_triangle", "id_", "comp_", "smul_", "norm_", "comm"),
)
_PROOF_ENDINGS = (
    *(
        "_mem",
        "_comp",
        "_id",
        "_eq",
        "_assoc",
        "_comm",
        "_naturality",
        "_le",
        "_pos",
        "_src",
        "_tgt",
        "_unitality",
    ),
    *("_def", "_ne", "_l_u", "_succ", "_cancel"),
)
_PROOFS = frozenset(("by", "rfl", "Eq.refl", "Subsingleton.elim", "sorry", "inferInstance"))
_DATA = frozenset(
    ("toFun", "invFun", "hom'", "source'", "target'", "toFun'", "invFun'", "map", "obj", "hom", "inv")
)
_MAX_VALUE = 60
"""The most tokens of a value that is included in a lemma."""
_MAX_DEPTH = 4


def simps_projections(tokens: Tokens, declaration: Declaration) -> tuple[Projection, ...]:
    """The projections that `simps` without arguments uses for a definition."""
    found = _of_value(tokens, declaration)
    relation = _relation(tokens, declaration)
    wanted = _BY_RELATION.get(relation[:1], ()) if relation not in _BY_FIELDS_ONLY else ()
    if not wanted:
        if relation == "⥤" and not found:
            return (Projection(("obj",)), Projection(("map",)))
        return tuple(found)
    return tuple(
        [next((p for p in found if p.path == path), Projection(path)) for path in wanted]
        + [projection for projection in found if projection.path[:1] in wanted and len(projection.path) > 1]
    )


def _relation(tokens: Tokens, declaration: Declaration) -> str:
    """The arrow in a definition's type: `≃+*` for `A ≃+* B`."""
    texts = tokens.texts
    conclusion = premises_of(texts, (declaration.type_begin, declaration.type_end))[1]
    begin, end = strip(texts, conclusion)
    found = outermost(texts, begin, end)
    return found[0] if found else ""


def _of_value(tokens: Tokens, declaration: Declaration) -> list[Projection]:
    texts = tokens.texts
    begin, end = declaration.value_begin, declaration.end
    if begin >= end:
        return []
    if texts[begin] == "where":
        return _of_fields(tokens, _margin_fields(tokens, begin + 1, end), 0)
    if texts[begin] == ":=" and begin + 1 < end and texts[begin + 1] == "{":
        return _of_literal(tokens, begin + 1, close(texts, begin + 1, end), 0)
    return []


def _of_literal(tokens: Tokens, opener: int, closer: int, depth: int) -> list[Projection]:
    return _of_fields(tokens, _braced_fields(tokens, opener + 1, closer), depth)


def _of_fields(tokens: Tokens, fields: list[tuple[int, int]], depth: int) -> list[Projection]:
    """The projections that these fields, as token ranges, set. A nested literal gives those of its own fields."""
    texts = tokens.texts
    found: list[Projection] = []
    for begin, end in fields:
        assignment = _assignment(texts, begin, end)
        name = texts[begin]
        if assignment is None or not is_identifier(name) or name == "__" or assignment + 1 >= end:
            continue
        value = assignment + 1
        if texts[value] in ("fun", "λ"):
            value = _body(texts, value, end)
        if value >= end or _is_proof(name, texts[value]):
            continue
        step = (
            ()
            if name[:2] == "to" and name[2:3].isupper() and name not in _NAMES
            else (_NAMES.get(name, name),)
        )
        if texts[value] == "{" and depth < _MAX_DEPTH:
            inner = _of_literal(tokens, value, close(texts, value, end), depth + 1)
            found += [Projection((*step, *projection.path), "", "") for projection in inner]
        elif step and texts[value] != "⟨":
            has_value = end - value <= _MAX_VALUE and value == assignment + 1
            binders = tokens.source(begin + 1, assignment)
            found.append(Projection(step, binders, tokens.source(value, end) if has_value else ""))
    return found


def _is_proof(name: str, first: str) -> bool:
    """Whether a field holds a proof, judged by its name and the first token of its value."""
    if name in _DATA:
        return False
    return (
        first in _PROOFS
        or name in _PROOF_NAMES
        or name.endswith(("'", *_PROOF_ENDINGS))
        or name.startswith(_PROOF_BEGINNINGS)
    )


def _body(texts: list[str], begin: int, end: int) -> int:
    """The index after the arrow of the `fun` at `begin`."""
    for index in range(begin, end):
        if texts[index] in ("=>", "↦"):
            return index + 1
    return end


def _assignment(texts: list[str], begin: int, end: int) -> int | None:
    """The index of a field's `:=`; None if there is none."""
    depth = 0
    for index in range(begin, end):
        depth += DEPTH.get(texts[index], 0)
        if depth == 0 and texts[index] == ":=":
            return index
        if depth == 0 and texts[index] in ("|", "=>"):
            return None
    return None


def _margin_fields(tokens: Tokens, begin: int, end: int) -> list[tuple[int, int]]:
    """The fields after `where`. Each begins a line in the same column as the first."""
    if begin >= end:
        return []
    margin = tokens.column(begin)
    starts = [index for index in tokens.firsts(begin + 1, end) if tokens.column(index) == margin]
    edges = [begin, *starts, end]
    return list(pairwise(edges))


def _braced_fields(tokens: Tokens, begin: int, end: int) -> list[tuple[int, int]]:
    """The fields of `{ x with a := 1, b := 2 }`, separated by commas or line breaks."""
    texts = tokens.texts
    depth = 0
    starts: list[int] = []
    firsts = frozenset(tokens.firsts(begin + 1, end))
    margin = -1
    for index in range(begin, end):
        text = texts[index]
        if depth == 0 and text in ("with", ","):
            starts.append(index + 1)
            margin = -1
        elif depth == 0 and index in firsts:
            if margin < 0:
                margin = tokens.column(starts[-1] if starts else begin)
            if tokens.column(index) == margin:
                starts.append(index)
        depth += DEPTH.get(text, 0)
    edges = [begin, *starts, end]
    return list(pairwise(edges))


def simps_lemmas(
    tokens: Tokens, premise: Premise, attribute: Attribute, projections: tuple[Projection, ...]
) -> list[Premise]:
    """The lemmas of `simps`, given the projections that the definition's value sets."""
    given = arguments(tokens, attribute)
    known = {"_".join(projection.path): projection for projection in projections}
    wanted = [known.get(name) or Projection((name,)) for name in given] if given else list(known.values())
    stem = option(tokens, attribute, "nameStem")
    stem = stem.strip('"') if stem is not None else _stem(premise)
    return [
        made(premise, _name(premise, stem, projection), "simps", _statement(premise, projection))
        for projection in wanted
    ]


def _stem(premise: Premise) -> str:
    last = split_name(premise.name)[-1]
    return "" if premise.kind == "instance" and last.startswith("inst") else last


def _name(premise: Premise, stem: str, projection: Projection) -> str:
    """The name of the lemma: `foo_apply`; for a coercion, `coe_foo`."""
    parts = [step for step in projection.path if step not in _PREFIXES]
    before = [step for step in projection.path if step in _PREFIXES]
    last = "_".join([step for step in (*before, stem, *parts) if step])
    return ".".join([*split_name(premise.name)[:-1], last])


def _statement(premise: Premise, projection: Projection) -> str:
    """The statement `foo a x = value`; empty if the value is not known."""
    if not projection.value:
        return ""
    names = [name for binder in premise.context for name in explicit_names(binder)]
    itself = " ".join([split_name(premise.name)[-1], *names])
    inner = f"({itself})" if names else itself
    last = projection.path[-1]
    if last == "apply":
        left = f"{itself} {projection.binders}"
    elif last == "symm_apply":
        left = f"{inner}.symm {projection.binders}"
    elif last == "coe":
        left = f"↑{inner}"
    else:
        left = f"{inner}.{last} {projection.binders}"
    return f"{left.strip()} = {projection.value}"
