"""Which premises fit a proof state."""

import os

# onnxruntime reports its use to its makers unless this is set before its import; nothing leaves this machine.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
