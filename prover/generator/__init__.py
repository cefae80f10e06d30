"""Tactics written by a model: ByT5 exported to ONNX, decoded with beam search, without torch."""
