"""What `#print axioms` lists, and which axioms do not count as a proof. Pure functions."""

from __future__ import annotations

import re

SORRY_AXIOM = "sorryAx"
UNPROVED = frozenset({SORRY_AXIOM, "ofReduceBool", "ofReduceNat", "trustCompiler"})
"""Last components of axioms that do not count as a proof: a gap, or trust in compiled code."""
COMPILED = "_native"
"""A component of the name of each axiom that newer Leans add when compiled code decides."""

_DEPENDS = "depends on axioms: ["
_NO_AXIOMS = "does not depend on any axioms"
_REFUSED = "cannot use `#print axioms`"
_NAME = re.compile(r"(?P<name>(?:«[^«»]*»|(?!\.\{)[^\s,«»])+)(?:\.\{[^{}]*\})?")
"""A name, without the universes that the option `pp.universes` adds: `sorryAx.{u}`."""
_PART = re.compile(r"«[^«»]*»|[^.«»]+")


def axioms_in(message: str) -> tuple[str, ...] | None:
    """The axioms that `#print axioms` lists, in Lean's order; None for another message."""
    _, is_list, listed = message.partition(_DEPENDS)
    if is_list:
        return tuple(_NAME.findall(listed.rpartition("]")[0]))  # a name may contain `]`
    return () if message.rstrip().endswith(_NO_AXIOMS) else None


def refuses_axioms(message: str) -> bool:
    """Whether Lean does not list axioms here. Lean 4.27 does not in a `module` file, Lean 4.35 does."""
    return message.startswith(_REFUSED)


def is_doubtful(axiom: str) -> bool:
    """Whether an axiom is a gap (`sorryAx`) or trust in compiled code. Axioms that a file declares are neither."""
    parts = _PART.findall(axiom)
    # Compare the last component: Lean prints `_root_.sorryAx` if the file has a `sorryAx` of its own.
    return COMPILED in parts or not UNPROVED.isdisjoint(parts[-1:])
