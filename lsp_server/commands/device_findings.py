"""The part of `doctor` that checks onnxruntime, and where models run."""

from __future__ import annotations

from collections.abc import Mapping

from lean_extract.common.devices import Device
from lean_extract.common.onnx_runtime import (
    driver_problem,
    find_cuda,
    fix_two_packages,
    installed_packages,
    provider_names,
)
from lsp_server.commands.findings import Finding

ONNXRUNTIME, DEVICE = "onnxruntime", "device"
_NO_DRIVER = "install NVIDIA's driver, or use `auto`"


def onnxruntime_finding(packages: Mapping[str, str] | None = None) -> Finding:
    """Check that one package of onnxruntime is installed, and whole.

    `packages`: the versions of those that are installed, by name; None: they are looked up.
    """
    found = installed_packages() if packages is None else packages
    found_names = (
        " and ".join(f"{name} {version}" for name, version in found.items()) or "no package is installed"
    )
    providers = provider_names()
    if len(found) > 1:
        which = f"{found_names} are both installed and overwrite each other"
        return Finding(ONNXRUNTIME, "note" if providers else "missing", which, fix_two_packages(found))
    if not providers:
        return Finding(
            ONNXRUNTIME,
            "missing",
            f"{found_names}, but some of its files are missing",
            fix_two_packages(found),
        )
    return Finding(ONNXRUNTIME, "ok", f"{found_names}, which offers {' and '.join(providers)}")


def device_finding(device: Device) -> Finding:
    """Say where models run, and why not on a GPU."""
    if device == "cpu":
        return Finding(DEVICE, "ok", "the CPU, as requested")
    found = find_cuda()
    if found.is_usable:
        return Finding(DEVICE, "ok", "the GPU, with CUDA")
    absent = driver_problem()
    message = f"the CPU: {absent or found.reason}"
    if device == "auto" and absent:
        return Finding(DEVICE, "ok", message)
    if absent:
        return Finding(DEVICE, "note", message, _NO_DRIVER)
    installed = installed_packages()
    fix = fix_two_packages(installed) if len(installed) > 1 else found.fix
    return Finding(DEVICE, "note", message, fix)
