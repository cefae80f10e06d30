"""Where models run: the requested device and the actual one."""

from __future__ import annotations

from typing import Literal, get_args

Device = Literal["auto", "cpu", "cuda"]
"""What is requested; `auto`: CUDA where it can be used, else the CPU."""
DEVICES: tuple[Device, ...] = get_args(Device)

Place = Literal["cpu", "cuda"]
"""Where a model runs."""
PLACE_NAMES: dict[Place, str] = {"cpu": "the CPU", "cuda": "the GPU"}
"""For people."""
