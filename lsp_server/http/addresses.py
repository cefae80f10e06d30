"""Identifies clients by address for the limits. One household has 2^64 IPv6 addresses."""

from __future__ import annotations

import ipaddress

_HOUSEHOLD = 64


def party(address: str) -> str:
    """The key of a client: its IPv4 address, or the /64 network of its IPv6 address."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(ipaddress.ip_network((found, _HOUSEHOLD), strict=False))
    return str(found)
