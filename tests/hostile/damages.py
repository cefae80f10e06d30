"""Ways in which a file comes to harm."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

Damage = Callable[[Path], None]


def _cut(to: Callable[[int], int]) -> Damage:
    return lambda path: os.truncate(path, to(path.stat().st_size))


def flip(share: float, bit: int) -> Damage:
    """One bit of the byte at this share of the file is another; its times are as they were."""

    def damage(path: Path) -> None:
        status, data = path.stat(), bytearray(path.read_bytes())
        place = min(int(share * len(data)), len(data) - 1)
        data[place] ^= 1 << bit
        path.write_bytes(data)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))  # as a worn disk leaves it

    return damage


def _instead(make: Callable[[Path], object]) -> Damage:
    def damage(path: Path) -> None:
        path.unlink()
        make(path)

    return damage


def _append(path: Path) -> None:
    with path.open("ab") as stream:
        stream.write(b"\n0")


DAMAGES: dict[str, Damage] = {
    "emptied": _cut(lambda size: 0),
    "halved": _cut(lambda size: size // 2),
    "one byte short": _cut(lambda size: size - 1),
    **{
        f"bit {bit} at {share}": flip(share, bit)
        for share, bit in ((0.0, 0), (0.2, 5), (0.5, 0), (0.7, 3), (0.9, 1), (1.0, 6))
    },
    "longer": _append,
    "gone": _instead(lambda path: None),
    "a folder": _instead(lambda path: path.mkdir()),
    "a FIFO": _instead(lambda path: os.mkfifo(path)),
    "of zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)) and None,
}
