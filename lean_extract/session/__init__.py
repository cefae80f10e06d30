"""The live session: one Lean language server a project, its goals, and tactics tried in it."""

from lean_extract.session.limits import LeanLimits
from lean_extract.session.session import LeanSession

__all__ = ["LeanLimits", "LeanSession"]
