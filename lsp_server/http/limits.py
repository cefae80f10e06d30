"""What one server takes on: sizes, counts, rates and times."""

from __future__ import annotations

import os
from dataclasses import dataclass

MAX_K = 1024
"""How many premises one answer holds at most; LeanPremise's own cap."""
MAX_NEW_PREMISES = 2048
"""How many declarations a request may bring; LeanPremise's own cap."""
MAX_STATES = 64
"""How many states one request may ask about."""
MAX_LISTED = 1_000_000
"""How many modules or premises a request may name."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a server, the same for every client."""

    body_bytes: int = 16 << 20
    header_bytes: int = 512 << 10
    """The request line and headers together: a goal in a URL takes nine bytes for a symbol."""
    seconds: float = 60.0
    """Longest time for one request."""
    rate: float = 500.0
    """Requests a second from one address, in the long run."""
    burst: float = 1000.0
    """Requests that may come at once after a pause."""
    workers: int = max(1, min(4, os.cpu_count() or 1))
    """Rankings side by side."""
    waiting: int = 256
    """Requests that wait for their turn; one more is answered 503."""


BEYOND_LOOPBACK = Limits(rate=20.0, burst=100.0)
"""Where strangers can reach the server."""
