"""Generates further declarations that attributes and commands make, except translations and `simps`.

These are those of `reassoc`, `elementwise`, `to_app`, `to_fun`, `higher_order`, `alias_in`, `ext` and `mk_iff`,
the lemma of an `irreducible_def`, and the constructor `mk` of a structure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from lean_extract.limits import MAX_PARSED_WORDS
from lean_extract.records import Premise
from lean_extract.source.attributes.eta import eta_expanded
from lean_extract.source.grammar.declarations import Attribute, arguments, option
from lean_extract.source.names.scopes import split_name
from lean_extract.syntax.keywords import THEOREM_WORDS
from lean_extract.syntax.lexer import Tokens, is_identifier
from lean_extract.syntax.operators import OPERATORS
from lean_extract.syntax.statement_syntax import Word, read_words, words_of
from lean_extract.syntax.terms import SyntaxNode

_COMPOSITION = "≫"
_IDENTITY = "𝟙"
_SIMPLIFIED = "dsimp% "
_VARIABLES = ("h", "k", "w", "x")


def _reassociated(conclusion: str, context: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """`f ≫ g ≫ h = k ≫ h` for `f ≫ g = k`, and the context with `h`; unchanged if it is not an equation."""
    sides = _sides(conclusion)
    if sides is None:
        return conclusion, tuple(context)
    following = _unused(_VARIABLES, conclusion, context)
    left, right = [_followed(side, following) for side in sides]
    return f"{left} = {right}", (*context, f"({following} : _ ⟶ _)")


def applied(conclusion: str, context: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """`g (f x) = h x` for `f ≫ g = h`, and the context with `x`; unchanged if it is not an equation."""
    sides = _sides(conclusion)
    if sides is None:
        return conclusion, tuple(context)
    element = _unused(_VARIABLES[::-1], conclusion, context)
    left, right = [_at(side, element) for side in sides]
    return f"{left} = {right}", (*context, f"({element} : _)")


def _unused(names: Sequence[str], conclusion: str, context: Sequence[str]) -> str:
    taken = {word.text for text in (conclusion, *context) for word in words_of(text)}
    return next((name for name in names if name not in taken), f"{names[0]}'")


def _sides(conclusion: str) -> list[Sequence[Word]] | None:
    """The words of the two sides of an equation, neither empty."""
    words = words_of(conclusion.removeprefix(_SIMPLIFIED))
    node = read_words(words) if len(words) <= MAX_PARSED_WORDS else None
    if node is None or (node.kind, node.text, node.end) != ("infix", "=", len(words)):
        return None
    sides: list[Sequence[Word]] = [words[part.start : part.end] for part in node.parts]
    return sides if all(sides) else None


def _followed(side: Sequence[Word], following: str) -> str:
    """The side composed with one more morphism, associated to the right, as `simp` leaves it."""
    factors = [_in_brackets(words, node, composes=True) for words, node in _factors(side, read_words(side))]
    return f" {_COMPOSITION} ".join([*factors, following])


def _at(side: Sequence[Word], element: str) -> str:
    """The value of the composition at an element."""
    value = element
    for words, node in _factors(side, read_words(side)):
        value = f"{_in_brackets(words, node, composes=False)} {f'({value})' if ' ' in value else value}"
    return value


def _factors(words: Sequence[Word], node: SyntaxNode) -> Iterator[tuple[Sequence[Word], SyntaxNode]]:
    """The morphisms that a term composes, the first applied first, without identities."""
    if node.kind == "infix" and node.text == _COMPOSITION:
        for part in node.parts:
            yield from _factors(words, part)
    elif node.kind == "brackets" and node.text == "(" and _is_composition(node.parts):
        yield from _factors(words, node.parts[0])
    elif node.start < node.end and words[node.start].text != _IDENTITY:
        yield words[node.start : node.end], node


def _is_composition(parts: Sequence[SyntaxNode]) -> bool:
    return len(parts) == 1 and parts[0].text == _COMPOSITION


def _in_brackets(words: Sequence[Word], node: SyntaxNode, *, composes: bool) -> str:
    """A morphism as an operand of a composition, or as a function."""
    text = "".join([word.text + word.space for word in words]).strip()
    if node.kind == "infix":
        found = OPERATORS.get(node.text)
        is_tight = composes and found is not None and found.precedence > OPERATORS[_COMPOSITION].precedence
    else:
        is_tight = node.kind not in ("prefix", "binder") and (composes or node.kind != "applied")
    return text if is_tight else f"({text})"


TYPES = frozenset(("structure", "class", "inductive", "class inductive"))
_PROOFS = THEOREM_WORDS | {"alias", "field"}
"""Kinds of declarations that may be proofs. `attribute [reassoc]` is applied to fields too."""
_SUFFIXED = {"reassoc": "assoc", "elementwise": "apply", "to_app": "app"}
_STATED: Mapping[str, Callable[[str, Sequence[str]], tuple[str, tuple[str, ...]]]] = {
    "reassoc": _reassociated,
    "elementwise": applied,
    "to_app": lambda conclusion, context: (conclusion, tuple(context)),
}
"""The statement that each of them makes, and its context."""
RELATED = frozenset((*_SUFFIXED, "to_fun"))
"""Attributes whose `(attr := ...)` applies both to the declaration and to what they generate."""


def related(
    tokens: Tokens, premise: Premise, attribute: Attribute, fields: Sequence[str] = ()
) -> list[Premise]:
    """The declarations that such an attribute generates. `fields` names a structure's own fields."""
    name = attribute.name.removesuffix("!").removesuffix("?")
    if name in _SUFFIXED and premise.kind in _PROOFS:
        statement = _STATED[name](premise.conclusion, premise.context)
        return [made(premise, f"{premise.name}_{_SUFFIXED[name]}", name, *statement)]
    if name == "to_fun" and premise.kind in _PROOFS:
        return [_to_fun(tokens, premise, attribute)]
    if name == "higher_order" and premise.kind in _PROOFS:
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


def renamed(target: str, namespace: list[str]) -> str:
    """The full name for a name given in an attribute: with n components, it replaces the last n."""
    if target.startswith("_root_."):
        return target[7:]
    kept = namespace[: max(0, len(namespace) - (len(split_name(target)) - 1))]
    return ".".join([*kept, target])


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
