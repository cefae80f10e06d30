"""Tactics written by a model: ByT5 exported to ONNX, searched with beams, no torch."""
