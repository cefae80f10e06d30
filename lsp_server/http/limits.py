"""The limits of one server: sizes, counts, rates and times."""

from __future__ import annotations

import os
from dataclasses import dataclass

MAX_K = 1024
"""How many premises one answer holds at most; LeanPremise's own cap."""
MAX_NEW_PREMISES = 2048
"""How many declarations a request may bring; LeanPremise's own cap."""
MAX_QUERY = 40_000
"""Characters of a query in a URL, which takes up to twelve bytes for each."""
MAX_CALLER = 1000
"""Characters of a tactic that premises are asked for."""
MAX_STATES = 64
"""How many states one request may ask about."""
MAX_LISTED = 1_000_000
"""How many modules or premises a request may name."""
MAX_NEW_TEXT = 4_000_000
"""Characters of all declarations together that a request may bring."""
MAX_PARAMETERS = 64
"""How many parameters a URL may have."""
MAX_PATH = 4096
"""Bytes of a path, as it is sent."""
MAX_FIELDS = 100
"""How many header lines a request may have."""
MAX_FIELD_BYTES = 64 << 10
"""Bytes of all header lines together."""


@dataclass(frozen=True, slots=True)
class HttpLimits:
    """Limits of a server, the same for every client."""

    body_bytes: int = 16 << 20
    """Of a body at `/retrieve`, which may name every premise of a library."""
    state_bytes: int = 8 << 20
    """Of a body where a state and a file are sent: each character may be written with six bytes."""
    other_bytes: int = 64 << 10
    """Of a body that nobody reads."""
    header_bytes: int = 512 << 10
    """The request line and headers together: a goal in a URL takes nine bytes for a symbol."""
    connections: int = 512
    """How many may be open; one more is answered 503."""
    seconds: float = 60.0
    """Longest time until an answer begins, and for a body to arrive."""
    rate: float = 500.0
    """Requests a second from one address, in the long run."""
    burst: float = 1000.0
    """Requests that may come at once after a pause."""
    workers: int = max(1, min(4, os.cpu_count() or 1))
    """Rankings side by side."""
    waiting: int = 256
    """Requests that wait for their turn; one more is answered 503."""


BEYOND_LOOPBACK = HttpLimits(rate=20.0, burst=100.0)
"""The limits if other machines can reach the server."""
