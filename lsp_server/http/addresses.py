"""Who a client is: limits count addresses, and one household has 2^64 of IPv6."""

from __future__ import annotations

import ipaddress

_HOUSEHOLD = 64


def party(address: str) -> str:
    """What counts as one client: an IPv4 address, or the /64 network of an IPv6 one."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(ipaddress.ip_network((found, _HOUSEHOLD), strict=False))
    return str(found)
