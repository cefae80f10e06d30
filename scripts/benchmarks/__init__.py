"""The benchmarks; `harness.py` is what they share."""
