"""The live session: one Lean language server per project, which gives goals and tries tactics."""

from lean_extract.session.live import LeanLimits
from lean_extract.session.session import LeanSession

__all__ = ["LeanLimits", "LeanSession"]
