"""Which premises fit a proof state."""

# First of all: it tells onnxruntime to keep quiet, which has to happen before anything imports that.
import lean_extract.common.onnx_runtime as _  # noqa: F401
