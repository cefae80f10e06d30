"""The faces of premise-suggest: the command line and the language server."""

__version__ = "0.1.0"
