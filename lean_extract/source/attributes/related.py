"""Generates further declarations that attributes and commands make, except translations and `simps`.

These are those of `reassoc`, `elementwise`, `to_app`, `to_fun`, `higher_order`, `alias_in`, `ext` and `mk_iff`,
the lemma of an `irreducible_def`, and the constructor `mk` of a structure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from lean_extract.records import Premise
from lean_extract.source.attributes.composed import applied, reassociated
from lean_extract.source.attributes.eta import eta_expanded
from lean_extract.source.attributes.nested_attributes import arguments, option
from lean_extract.source.attributes.translation_requests import renamed
from lean_extract.source.grammar.declarations import Attribute
from lean_extract.source.names.scopes import split_name
from lean_extract.syntax.keywords import THEOREM_WORDS
from lean_extract.syntax.lexer import Tokens, is_identifier

TYPES = frozenset(("structure", "class", "inductive", "class inductive"))
PROOFS = THEOREM_WORDS | {"alias", "field"}
"""Kinds of declarations that may be proofs. `attribute [reassoc]` is applied to fields too."""
SUFFIXED = {"reassoc": "assoc", "elementwise": "apply", "to_app": "app"}
_STATED: Mapping[str, Callable[[str, Sequence[str]], tuple[str, tuple[str, ...]]]] = {
    "reassoc": reassociated,
    "elementwise": applied,
    "to_app": lambda conclusion, context: (conclusion, tuple(context)),
}
"""The statement that each of them makes, and its context."""
RELATED = frozenset((*SUFFIXED, "to_fun"))
"""Attributes whose `(attr := ...)` applies both to the declaration and to what they generate."""


def related(
    tokens: Tokens, premise: Premise, attribute: Attribute, fields: Sequence[str] = ()
) -> list[Premise]:
    """The declarations that such an attribute generates. `fields` names a structure's own fields."""
    name = attribute.name.removesuffix("!").removesuffix("?")
    if name in SUFFIXED and premise.kind in PROOFS:
        statement = _STATED[name](premise.conclusion, premise.context)
        return [made(premise, f"{premise.name}_{SUFFIXED[name]}", name, *statement)]
    if name == "to_fun" and premise.kind in PROOFS:
        return [_to_fun(tokens, premise, attribute)]
    if name == "higher_order" and premise.kind in PROOFS:
        return [_higher_order(tokens, premise, attribute)]
    if name == "alias_in":
        return _alias_in(tokens, premise, attribute)
    if name == "ext" and premise.kind in ("structure", "class"):
        found = _extensionality(premise, fields)
        return found[:1] if option(tokens, attribute, "iff") == "false" else found
    if name == "ext" and premise.kind in THEOREM_WORDS and option(tokens, attribute, "iff") != "false":
        return _ext_iff(premise)
    if name == "mk_iff" and premise.kind in TYPES:
        return [made(premise, _mk_iff_name(tokens, premise, attribute), name, "")]
    return []


def made(
    premise: Premise, name: str, attribute: str, conclusion: str, context: tuple[str, ...] | None = None
) -> Premise:
    """A theorem that an attribute generates from `premise`."""
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


def _to_fun(tokens: Tokens, premise: Premise, attribute: Attribute) -> Premise:
    """`Continuous.fun_mul` for `Continuous.mul`, about `fun x => f x * g x`."""
    parts = split_name(premise.name)
    given = arguments(tokens, attribute)
    name = renamed(given[0], parts[:-1]) if given else ".".join([*parts[:-1], f"fun_{parts[-1]}"])
    return made(premise, name, "to_fun", eta_expanded(premise.conclusion, premise.context))


def _higher_order(tokens: Tokens, premise: Premise, attribute: Attribute) -> Premise:
    """`f ∘ g = h` for `∀ x, f (g x) = h x`. The statement keeps the applied form."""
    given = arguments(tokens, attribute)
    parts = split_name(premise.name)
    name = ".".join([*parts[:-1], given[0]]) if given else f"{premise.name}'"
    return made(premise, name, "higher_order", premise.conclusion)


def _alias_in(tokens: Tokens, premise: Premise, attribute: Attribute) -> list[Premise]:
    """`A.Foo.d` for `@[alias_in Foo] def A.B.d`: the innermost namespaces are replaced."""
    given = arguments(tokens, attribute)
    if not given:
        return []
    namespace = split_name(given[0])
    count = int(given[1]) if len(given) > 1 and given[1].isdigit() else len(namespace)
    parts = split_name(premise.name)
    if len(parts) <= count:
        return []
    name = ".".join([*parts[: len(parts) - 1 - count], *namespace, parts[-1]])
    return [made(premise, name, "alias_in", premise.conclusion)]


def _extensionality(premise: Premise, fields: Sequence[str]) -> list[Premise]:
    """`Foo.ext` and `Foo.ext_iff` of a structure, from its own fields; inherited ones are not known."""
    names = " ".join(name for binder in premise.context for name in explicit_names(binder))
    elements = f"{{x y : {split_name(premise.name)[-1]} {names}".rstrip() + "}"
    equations = [f"x.{field} = y.{field}" for field in fields]
    hypotheses = [f"({field} : {equation})" for field, equation in zip(fields, equations, strict=True)]
    context = (*premise.context, elements)
    right = " ∧ ".join(equations)
    return [
        made(premise, f"{premise.name}.ext", "ext", "x = y", (*context, *hypotheses)),
        made(premise, f"{premise.name}.ext_iff", "ext", f"x = y ↔ {right}" if right else "x = y", context),
    ]


def explicit_names(binder: str) -> list[str]:
    """The explicit names of a binder: both of `(a b : G)`, none of `{G : Type}`."""
    return binder[1:].partition(":")[0].rstrip(" )").split() if binder[:1] == "(" else []


def _ext_iff(premise: Premise) -> list[Premise]:
    """`foo_ext_iff` for `theorem foo_ext (h : ∀ x, f x = g x) : f = g`."""
    if not split_name(premise.name)[-1].rstrip("'").endswith("ext"):
        return []
    context = list(premise.context)
    hypotheses: list[str] = []
    while context and context[-1][:1] == "(" and explicit_names(context[-1])[:1]:
        hypothesis = context[-1][1:-1].partition(":")[2].strip()
        if "=" not in hypothesis and "↔" not in hypothesis:
            break
        hypotheses.append(hypothesis)
        context.pop()
    hypotheses.reverse()
    right = " ∧ ".join(f"({text})" if len(hypotheses) > 1 and "," in text else text for text in hypotheses)
    conclusion = f"{premise.conclusion} ↔ {right}" if right else premise.conclusion
    return [made(premise, f"{premise.name}_iff", "ext", conclusion, tuple(context))]


def _mk_iff_name(tokens: Tokens, premise: Premise, attribute: Attribute) -> str:
    words = arguments(tokens, attribute)
    parts = split_name(premise.name)
    if words:
        return ".".join([*parts[:-1], words[0]])
    last = parts[-1]
    return ".".join([*parts[:-1], f"{last[:1].lower()}{last[1:]}_iff"])


def irreducible_lemma(tokens: Tokens, premise: Premise, header: tuple[int, int], value: str) -> Premise:
    """`foo_def : foo = value` for an `irreducible_def foo`; `(lemma := bar)` gives it another name.

    `header` is the range of tokens between the name and the binders.
    """
    begin, end = header
    parts = split_name(premise.name)
    options = tokens.texts[begin:end]
    given = options[options.index(":=") + 1 : -1] if ":=" in options else []
    last = given[0] if given else f"{parts[-1]}_def"
    names = " ".join(name for binder in premise.context for name in explicit_names(binder))
    left = f"{parts[-1]} {names}".rstrip()
    name = ".".join([*parts[:-1], last])
    return made(premise, name, "irreducible_def", f"{left} = {value}" if value else left)


def default_constructor(premise: Premise, fields: Sequence[Premise]) -> Premise:
    """`Foo.mk` for a structure that does not name its constructor; inherited fields are not known."""
    names = " ".join(name for binder in premise.context for name in explicit_names(binder))
    # binders that a field does not share with the type are quantified in front of its statement
    own = tuple([f"({split_name(field.name)[-1]} : {_stated(field)})" for field in fields])
    conclusion = f"{split_name(premise.name)[-1]} {names}".rstrip()
    constructor = made(premise, f"{premise.name}.mk", "structure", conclusion, (*premise.context, *own))
    return replace(constructor, kind="constructor")


def _stated(field: Premise) -> str:
    """The type of a field, with its own binders (those after the structure itself) quantified."""
    itself = next((i for i, binder in enumerate(field.context) if "self :" in binder), len(field.context))
    binders = " ".join(field.context[itself + 1 :])
    return f"∀ {binders}, {field.conclusion}" if binders else field.conclusion


def command_iff(tokens: Tokens, begin: int, end: int, premise: Premise | None, module: str) -> Premise | None:
    """The lemma of `mk_iff_of_inductive_prop Foo foo_iff`. `premise` is the type, if this file declares it."""
    texts = tokens.texts
    if begin + 2 >= end or not is_identifier(texts[begin + 2]):
        return None
    source = premise or Premise(texts[begin + 1], "inductive", module, span=tokens.span(begin, end))
    return made(source, texts[begin + 2], "mk_iff", "")
