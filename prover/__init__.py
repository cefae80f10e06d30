"""Which tactics work on a goal: candidates from premises or a model, and Lean's verdict on them."""

# Imported first: it silences onnxruntime's logging, which only works before onnxruntime is imported.
import lean_extract.common.onnx_runtime as _  # noqa: F401
