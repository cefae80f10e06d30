"""Live goals from leanprover-community/repl, a process that speaks JSON on standard input and output."""

from lean_extract.repl.session import ReplSession

__all__ = ["ReplSession"]
