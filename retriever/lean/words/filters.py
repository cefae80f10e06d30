"""Filters beside the words of a query, and what it should be like: `compact image kind:theorem in:scope`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lean_extract.common.errors import BadQuery

KINDS = ("theorem", "def", "instance", "structure", "class", "inductive", "field", "constructor")
"""What `kind:` may be; `theorem` is lemmas too, `def` also abbreviations."""
_SCOPE = "scope"
_KEYS = ("kind", "module", "package", "mentions", "like", "in")
_FILTER = re.compile(rf"(?<!\S)({'|'.join(_KEYS)}):([^\s:=]\S*)(?!\S)")


@dataclass(frozen=True, slots=True)
class SearchFilters:
    """What is searched: all given restrictions must hold, each by one of its values (`mentions` by all)."""

    kinds: tuple[str, ...] = ()
    """Of KINDS."""
    modules: tuple[str, ...] = ()
    """Module prefixes."""
    packages: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    """Names that the statement has."""
    like: tuple[str, ...] = ()
    """The name of a premise: others like it are searched for; at most one."""
    in_scope: bool = False


NO_FILTERS = SearchFilters()


def read_filters(text: str) -> tuple[str, SearchFilters]:
    """A query without its filters, and these. Raises BadQuery: a value is wrong, or there is nothing to look for."""
    found: dict[str, list[str]] = {key: [] for key in _KEYS}
    for key, value in _FILTER.findall(text):
        found[key].append(value)
    kinds, modules, packages, mentions, like, scope = (tuple(found[key]) for key in _KEYS)
    filters = SearchFilters(kinds, modules, packages, mentions, like, bool(scope))
    if filters == NO_FILTERS:
        return text, filters
    for kind in filters.kinds:
        if kind not in KINDS:
            raise BadQuery(f"There is no kind {kind!r}.", f"Kinds are {', '.join(KINDS)}.")
    if any(value != _SCOPE for value in scope):
        raise BadQuery(f"There is no filter in:{scope[0]}.", "Write in:scope.")
    rest = _FILTER.sub("", text).strip()
    if filters.like and (rest or len(filters.like) > 1):
        raise BadQuery("`like:` is a query of its own.", "Leave out the words beside it; filters may stay.")
    if not rest and not filters.like:
        raise BadQuery("The query is filters alone.", "Add words, a name, a goal or a pattern to look for.")
    return rest, filters
