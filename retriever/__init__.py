"""Which premises fit a proof state."""

# This has to be the first import: it silences onnxruntime's log before anything else imports onnxruntime.
import lean_extract.common.onnx_runtime as _  # noqa: F401
