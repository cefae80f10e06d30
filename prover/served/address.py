"""The address of a model: `http://127.0.0.1:11434/v1#MODEL`."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import unquote, urlsplit

from lean_extract.common.errors import ModelError
from lean_extract.common.terminal_text import shown, without_login

EXAMPLE = "http://127.0.0.1:11434/v1#MODEL"


@dataclass(frozen=True, slots=True)
class ModelAddress:
    """Where a model is served."""

    base: str
    """The address of the interface, without a slash at its end."""
    host: str
    model: str
    """The model's name at that server; empty: none is named."""

    @property
    def is_here(self) -> bool:
        """Whether the host is this machine."""
        if self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False


def read_address(name: str) -> ModelAddress:
    """The address in a generator's name. Raises ModelError: it is none, or holds a password."""
    try:
        parts = urlsplit(name)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        host = ""
    if not host or any(character.isspace() or not character.isprintable() for character in name):
        raise ModelError(f"{shown(without_login(name))} is not the address of a model.", f"Give {EXAMPLE}.")
    if parts.username is not None or parts.password is not None or parts.query:
        raise ModelError(
            f"The address of the model at {host} holds a password or a query.",
            "Leave it out, and put the key into the environment variable that `models.keyVariable` names.",
        )
    base = parts._replace(fragment="").geturl().rstrip("/")
    return ModelAddress(base, host.lower(), unquote(parts.fragment))
