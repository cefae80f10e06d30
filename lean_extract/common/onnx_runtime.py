"""Runs models with onnxruntime: on the CPU or a GPU, without log output and without telemetry.

Several packages (`onnxruntime`, `onnxruntime-gpu`, …) write the same folder, and pip cannot declare that one replaces
another: if two are installed, the one written last counts, and removing either breaks the other.

CUDA is tried before any model is loaded, since onnxruntime itself reports a failure on standard output and standard
error, and some failures show only when a graph runs.
"""

from __future__ import annotations

import ctypes
import functools
import io
import logging
import os
import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from lean_extract.common.devices import Device, Place
from lean_extract.common.errors import ModelError
from lean_extract.common.terminal_text import pip, pip_install

_CPU_PACKAGE, _GPU_PACKAGE = "onnxruntime", "onnxruntime-gpu"
_MODULE = "onnxruntime"


def installed_packages() -> dict[str, str]:
    """The version of each package that holds the module `onnxruntime`, by name."""
    return packages_among(metadata.distributions())


def packages_among(distributions: Iterable[metadata.Distribution]) -> dict[str, str]:
    """The same among these distributions."""
    named = sorted(((_name(one), one) for one in distributions), key=lambda pair: pair[0])
    return {name: one.version for name, one in named if name.startswith(_MODULE) and _holds_module(one)}


def _name(one: metadata.Distribution) -> str:
    """Its name; empty for the remains of a removed package: Python gives None there, importlib_metadata raises."""
    try:
        return str(one.name)
    except FileNotFoundError:
        return ""


def _holds_module(one: metadata.Distribution) -> bool:
    return (one.read_text("top_level.txt") or "").strip() == _MODULE


def replacement(removed: Sequence[str], wanted: str) -> str:
    """The commands that leave only the wanted package, whole: removing another takes shared files along."""
    removal = f"{pip('uninstall')} -y {' '.join(removed)} && " if removed else ""
    return f"{removal}{pip('install')} --force-reinstall --no-deps {wanted}"


PROVIDER = "CUDAExecutionProvider"
_INSTALL_LIBRARIES = f"{pip('install')} '{_GPU_PACKAGE}[cuda,cudnn]'"
_UPDATE_DRIVER = (
    f"install a newer NVIDIA driver, or a version of {_GPU_PACKAGE} that is made for this driver's CUDA"
)

_SQUARE = (  # x: float32[2, 2] -> y = x @ x, as ONNX
    b'\x08\x08\x12\x00:@\n\x11\n\x01x\n\x01x\x12\x01y"\x06MatMul\x12\x01gZ\x13\n\x01x\x12\x0e\n\x0c\x08\x01\x12\x08'
    b"\n\x02\x08\x02\n\x02\x08\x02b\x13\n\x01y\x12\x0e\n\x0c\x08\x01\x12\x08\n\x02\x08\x02\n\x02\x08\x02B\x04\n\x00"
    b"\x10\r"
)
_FAILURE = re.compile(r"CUDA failure \d+: [^;\n]*")
"""CUDA's own error within onnxruntime's message."""
_NO_DEVICE = 100
"""CUDA_ERROR_NO_DEVICE, also where CUDA_VISIBLE_DEVICES hides all of them."""
_SILENT = 4
"""Fatal errors only."""


@dataclass(frozen=True, slots=True)
class Cuda:
    """Whether CUDA can be used."""

    is_usable: bool
    reason: str = ""
    """Why not, as a clause."""
    fix: str = ""
    """What to do about it; empty where nothing can be done."""


def provider_names() -> list[str]:
    """The execution providers of the installed onnxruntime that models may run on; none if it is damaged."""
    import onnxruntime

    try:
        offered = onnxruntime.get_available_providers()
    except AttributeError:  # a folder that another package's removal left almost empty
        return []
    return [name for name in (PROVIDER, "CPUExecutionProvider") if name in offered]


@functools.cache
def find_cuda() -> Cuda:
    """Whether CUDA can be used, found out once a process.

    Where onnxruntime has no CUDA this costs nothing; else about as much as the first model on a GPU would.
    """

    if PROVIDER not in provider_names():
        return Cuda(
            False,
            "the onnxruntime that is installed has no CUDA",
            f"{pip_install('gpu')} && {replacement([_CPU_PACKAGE], _GPU_PACKAGE)}",
        )
    if problem := driver_problem():
        return Cuda(False, problem)
    return tried(PROVIDER)


def fix_two_packages(installed: Iterable[str]) -> str:
    """The commands that leave one package of onnxruntime: the one with CUDA if there is a GPU for it."""
    wanted = _GPU_PACKAGE if _GPU_PACKAGE in installed and not driver_problem() else _CPU_PACKAGE
    return replacement([name for name in installed if name != wanted], wanted)


def fallback_warning(device: Device) -> str:
    """A sentence for a user who requested CUDA if it cannot be used; else empty."""
    if device != "cuda" or (found := find_cuda()).is_usable:
        return ""
    return f"models.device is cuda, but {found.reason}. The CPU is used; `premise-suggest doctor` says more."


def driver_problem() -> str:
    """Why the NVIDIA driver offers no GPU; empty if it offers one."""
    try:
        driver = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
        failed, count = driver.cuInit(0), ctypes.c_int()
        failed = failed or driver.cuDeviceGetCount(ctypes.byref(count))
    except (OSError, AttributeError):
        return "there is no NVIDIA driver"
    if failed and failed != _NO_DEVICE:
        return f"the NVIDIA driver does not start (error {failed})"
    return "" if count.value else "the NVIDIA driver shows no GPU"


def tried(provider: str) -> Cuda:
    """Whether a provider that onnxruntime offers computes a small product."""
    import onnxruntime

    onnxruntime.set_default_logger_severity(_SILENT)
    missing = _load_libraries(onnxruntime)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = _SILENT
    square = 2 * np.eye(2, dtype=np.float32)
    try:
        session = onnxruntime.InferenceSession(_SQUARE, options, providers=[provider], enable_fallback=0)
        if provider not in session.get_providers():
            if missing:
                return Cuda(False, f"a CUDA library is missing: {missing}", _INSTALL_LIBRARIES)
            refusal = _loader_error(onnxruntime) or "onnxruntime cannot start it"
            return Cuda(False, f"CUDA does not load: {refusal}", f"{_INSTALL_LIBRARIES}, or {_UPDATE_DRIVER}")
        [found] = session.run(["y"], {"x": square})
    except Exception as error:  # noqa: BLE001  # onnxruntime's errors have no common class
        failure = _FAILURE.search(str(error))
        what = failure[0].strip() if failure else _first_line(str(error))
        return Cuda(False, f"CUDA does not run: {what}", _UPDATE_DRIVER)
    if not np.array_equal(found, square @ square):
        return Cuda(False, "CUDA computes wrong results", _UPDATE_DRIVER)
    return Cuda(True)


def _load_libraries(onnxruntime: Any) -> str:
    """Load CUDA's libraries from where pip installs them; the system's words on the first that does not load."""
    if not hasattr(onnxruntime, "preload_dlls"):  # before 1.21
        return ""
    with redirect_stdout(io.StringIO()) as printed:
        onnxruntime.preload_dlls()
    failed = [line for line in printed.getvalue().splitlines() if line.startswith("Failed to load")]
    return _first_line(failed[0].partition(": ")[2]) if failed else ""


def _loader_error(onnxruntime: Any) -> str:
    """The system's error on loading the provider. Call it after onnxruntime has tried, which sets up its libraries."""
    name = "onnxruntime_providers_cuda.dll" if sys.platform == "win32" else "libonnxruntime_providers_cuda.so"
    try:
        ctypes.CDLL(str(Path(onnxruntime.__file__).parent / "capi" / name))
    except OSError as error:
        return _first_line(str(error))
    return ""


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0][:300].rstrip(".")


# Without this, set before the import, onnxruntime reports its use to its vendor. Nothing leaves this machine.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

log = logging.getLogger("premise_suggest")

_ON_CPU = ["CPUExecutionProvider"]
# TF32, the default for matrices, keeps three digits; with float32 the GPU ranks as the CPU does.
_ON_GPU = [(PROVIDER, {"use_tf32": "0"}), *_ON_CPU]


def open_session(path: Path, threads: int, device: Device = "cpu") -> Any:
    """An onnxruntime session, with `threads` threads per operator that runs on the CPU.

    Args:
        path: of an ONNX file.
        device: where the graph is to run. The CPU is used if CUDA cannot be used, or not for this graph.

    Raises what onnxruntime raises, and ModelError: onnxruntime's own files are incomplete.
    """
    import onnxruntime

    if not provider_names():
        raise ModelError("Files of onnxruntime are missing.", "Run: premise-suggest doctor")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    graph = path.read_bytes()
    if device != "cpu" and find_cuda().is_usable:
        try:
            return onnxruntime.InferenceSession(graph, options, providers=_ON_GPU, enable_fallback=0)
        except Exception as error:  # noqa: BLE001  # a full memory, for example; onnxruntime raises many kinds
            log.info("%s runs on the CPU, since the GPU refuses it: %s", path.name, error)
    return onnxruntime.InferenceSession(graph, options, providers=_ON_CPU)


def place_of(session: Any) -> Place:
    """Where an open session runs."""
    return "cuda" if PROVIDER in session.get_providers() else "cpu"
