"""Declarations that attributes make: `to_additive`, `to_dual`, `ext`, `simps`, `mk_iff`, `reassoc`, ..."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lean_extract.records import Premise
from lean_extract.source.declarations import Attribute, parse_attributes
from lean_extract.source.lexer import Tokens, is_identifier
from lean_extract.source.scopes import split_name
from lean_extract.source.syntax import THEOREM_WORDS, close
from lean_extract.source.translation import TRANSLATIONS, Translation


@dataclass(frozen=True, slots=True)
class Request:
    """What a translating attribute asks for."""

    translation: Translation
    target: str
    makes_new: bool
    nested: tuple[Attribute, ...]
    """The attributes of `(attr := ...)`."""
    doc: str | None


def parse_request(tokens: Tokens, attribute: Attribute) -> Request | None:
    """`to_additive (attr := simp) foo /-- doc -/` as a request; None for any other attribute."""
    translation = TRANSLATIONS.get(attribute.name)
    if translation is None:
        return None
    texts = tokens.texts
    target, makes_new, doc = "", True, None
    nested: list[Attribute] = []
    index = attribute.begin + 1
    while index < attribute.end:
        text = texts[index]
        if text == "(":
            behind = close(texts, index, attribute.end) + 1
            if texts[index + 1] == "attr" and texts[index + 2] == ":=":
                nested += parse_attributes(tokens, index + 3, behind - 1)
            index = behind
            continue
        if text in ("existing", "self", "none"):
            makes_new = False
        elif text[:3] == "/--":
            doc = text[3:].removesuffix("-/").strip()
        elif text[:1] == '"':
            doc = text[1:-1]
        elif is_identifier(text):
            target = text
        index += 1
    return Request(translation, target, makes_new, tuple(nested), doc)


def target_name(request: Request, source: str) -> str:
    """The name that the attribute gives the translation of `source`.

    An explicit target replaces as many last components as it has itself.
    """
    parts = split_name(source)
    namespace = split_name(request.translation.name(".".join(parts[:-1]))) if len(parts) > 1 else []
    if not request.target:
        return ".".join([*namespace, request.translation.component(parts[-1])])
    if request.target.startswith("_root_."):
        return request.target[7:]
    kept = namespace[: max(0, len(namespace) - (len(split_name(request.target)) - 1))]
    return ".".join([*kept, request.target])


def translated(request: Request, premise: Premise) -> Premise:
    """The declaration that the attribute makes of `premise`."""
    translation = request.translation
    return replace(
        premise,
        name=target_name(request, premise.name),
        context=tuple([translation.statement(binder) for binder in premise.context]),
        conclusion=translation.statement(premise.conclusion),
        doc=request.doc,
        attributes=tuple([attribute.text for attribute in request.nested]),
        generated_by=translation.attribute,
        generated_from=premise.name,
    )


def generate(
    tokens: Tokens, premise: Premise, attributes: Sequence[Attribute], fields: Sequence[str] = ()
) -> Iterator[Premise]:
    """Everything that the attributes of a declaration make of it, as far as the text tells.

    `fields` are the names of a structure's own fields. The translation of a structure or inductive type
    is always written out in the source; only what else its attributes make is given.
    """
    for attribute in attributes:
        request = parse_request(tokens, attribute)
        if request is None:
            yield from _derive(tokens, premise, attribute, fields)
        elif premise.kind in _TYPES:
            for nested in request.nested:
                yield from _derive(tokens, premise, nested, fields)
        else:
            yield from _translate(tokens, premise, request)


def _translate(tokens: Tokens, premise: Premise, request: Request) -> Iterator[Premise]:
    twin = translated(request, premise)
    if request.makes_new and twin.name != premise.name:
        yield twin
    for attribute in request.nested:
        inner = parse_request(tokens, attribute)
        if inner is not None:
            # `to_additive (attr := to_additive)`: the translation is translated once more
            yield from _translate(tokens, twin, inner)
            continue
        for derived in _derive(tokens, premise, attribute):
            yield derived
            again = translated(replace(request, target="", doc=None, nested=()), derived)
            if again.name != derived.name:
                yield replace(again, generated_by=request.translation.attribute, generated_from=twin.name)


_TYPES = frozenset(("structure", "class", "inductive", "class inductive"))
_SUFFIXED = {"reassoc": "assoc", "elementwise": "apply", "to_app": "app"}


def _derive(
    tokens: Tokens, premise: Premise, attribute: Attribute, fields: Sequence[str] = ()
) -> Iterator[Premise]:
    """What a plain attribute makes."""
    name = attribute.name.removesuffix("!").removesuffix("?")
    if name in _SUFFIXED and premise.kind in THEOREM_WORDS:
        yield _made(premise, f"{premise.name}_{_SUFFIXED[name]}", name, premise.conclusion)
    elif name == "ext" and premise.kind in ("structure", "class"):
        yield from _extensionality(premise, fields)
    elif name == "ext" and premise.kind in THEOREM_WORDS:
        yield from _ext_iff(premise)
    elif name == "mk_iff" and premise.kind in _TYPES:
        yield _made(premise, _mk_iff_name(tokens, premise, attribute), name, "")


def _made(
    premise: Premise, name: str, attribute: str, conclusion: str, context: tuple[str, ...] | None = None
) -> Premise:
    return Premise(
        name=name,
        kind="theorem",
        module=premise.module,
        context=premise.context if context is None else context,
        conclusion=conclusion,
        span=premise.span,
        is_private=premise.is_private,
        generated_by=attribute,
        generated_from=premise.name,
    )


def _extensionality(premise: Premise, fields: Sequence[str]) -> Iterator[Premise]:
    """`Foo.ext` and `Foo.ext_iff` of a structure, by its own fields (inherited ones are not seen)."""
    names = " ".join(name for binder in premise.context for name in _explicit_names(binder))
    elements = f"{{x y : {split_name(premise.name)[-1]} {names}".rstrip() + "}"
    equations = [f"x.{field} = y.{field}" for field in fields]
    hypotheses = [f"({field} : {equation})" for field, equation in zip(fields, equations, strict=True)]
    context = (*premise.context, elements)
    yield _made(premise, f"{premise.name}.ext", "ext", "x = y", (*context, *hypotheses))
    right = " ∧ ".join(equations)
    yield _made(premise, f"{premise.name}.ext_iff", "ext", f"x = y ↔ {right}" if right else "x = y", context)


def _explicit_names(binder: str) -> list[str]:
    return binder[1:].partition(":")[0].rstrip(" )").split() if binder[:1] == "(" else []


def _ext_iff(premise: Premise) -> Iterator[Premise]:
    """`foo_ext_iff` of `theorem foo_ext (h : ∀ x, f x = g x) : f = g`."""
    if not split_name(premise.name)[-1].rstrip("'").endswith("ext"):
        return
    context = list(premise.context)
    hypotheses: list[str] = []
    while context and context[-1][:1] == "(" and _explicit_names(context[-1])[:1]:
        hypothesis = context[-1][1:-1].partition(":")[2].strip()
        if "=" not in hypothesis and "↔" not in hypothesis:
            break
        hypotheses.insert(0, hypothesis)
        context.pop()
    right = " ∧ ".join(f"({text})" if len(hypotheses) > 1 and "," in text else text for text in hypotheses)
    conclusion = f"{premise.conclusion} ↔ {right}" if right else premise.conclusion
    yield _made(premise, f"{premise.name}_iff", "ext", conclusion, tuple(context))


def _mk_iff_name(tokens: Tokens, premise: Premise, attribute: Attribute) -> str:
    words = [text for text in tokens.texts[attribute.begin + 1 : attribute.end] if is_identifier(text)]
    parts = split_name(premise.name)
    if words:
        return ".".join([*parts[:-1], words[0]])
    last = parts[-1]
    return ".".join([*parts[:-1], f"{last[:1].lower()}{last[1:]}_iff"])
