"""Run in each process of torch's launcher: trains presets PACKAGE:FILE in turn, as `python -m PACKAGE train` does."""

from __future__ import annotations

import argparse
import importlib
import sys

from retriever.training.running import train

if __name__ == "__main__":
    for argument in sys.argv[1:]:
        package, _, file = argument.partition(":")
        module = importlib.import_module(f"{package}.training.train") if package == "prover" else train
        parser = argparse.ArgumentParser()
        module.add_arguments(parser)
        assert module.run(parser.parse_args([file])) == 0
