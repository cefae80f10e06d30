"""The names that Lean generates for anonymous instances."""

from __future__ import annotations

from lean_extract.source.names.binders import Binder
from lean_extract.source.names.scopes import split_name
from lean_extract.syntax.lexer import is_identifier
from lean_extract.syntax.types import head

_SYMBOL_NAMES = {
    "×": "Prod", "∧": "And", "∨": "Or", "¬": "Not", "↔": "Iff", "=": "Eq", "≠": "Ne", "≤": "LE", "<": "LT",
    "∣": "Dvd", "⊕": "Sum", "∃": "Exists", "+": "HAdd", "*": "HMul", "-": "HSub", "∈": "Membership",
    "≃": "Equiv", "≃*": "MulEquiv", "∘": "Comp", "⟶": "Hom", "⥤": "Functor", "∩": "Inter", "∪": "Union",
}  # fmt: skip
_SKIPPED = frozenset(("fun", "by", "let", "have", "if", "then", "else", "infer_instance"))


def instance_name(texts: list[str], begin: int, end: int, binders: list[Binder]) -> str:
    """The name that Lean generates for `instance : T` (tokens [begin, end)), as far as the text determines it.

    It is `inst` followed by the last component, capitalised, of each constant in the type, each once. Implicit
    arguments are not visible in the text. If the type has only one constant, `Of...` is added from the instance
    binders.
    """
    local = frozenset(name for binder in binders for name in binder.names)
    found = dict.fromkeys(_part(text, local) for text in texts[begin:end])
    parts = [part for part in found if part]
    if len(parts) == 1:
        classes = [head(texts, binder.type_tokens) for binder in binders if binder.is_instance]
        parts += [f"Of{_capitalised(name)}" for name in classes[-1:] if is_identifier(name)]
    return "inst" + "".join(parts)


def _part(text: str, local: frozenset[str]) -> str:
    if text in _SYMBOL_NAMES:
        return _SYMBOL_NAMES[text]
    if not is_identifier(text) or text in _SKIPPED or text == "_":
        return ""
    name = text.rstrip("*") if text in ("Type*", "Sort*") else text
    if name in local:
        return ""
    return _capitalised(name)


def _capitalised(name: str) -> str:
    last = split_name(name)[-1].strip("«»")
    return last[:1].upper() + last[1:]
