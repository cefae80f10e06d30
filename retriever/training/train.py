"""Train an encoder from a YAML preset.

    python -m retriever.training.train CONFIG [--resume] [--until STEPS]

The run folder gets `config.yaml`, `curve.jsonl`, `checkpoint.pt` and `tokenizer.json`. A run that was
stopped, goes on with `--resume`.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path

import yaml

from lean_extract.atomic import replacing
from lean_extract.errors import PremiseSuggestError, UserError
from retriever.training.biencoder import Progress, Trainer
from retriever.training.config import TrainConfig, load_config, to_plain
from retriever.training.dataset_files import read_manifest
from retriever.training.tokens import load_arrays, open_tokenizer

CURVE = "curve.jsonl"


def run(config: TrainConfig, *, resume: bool = False, until: int | None = None) -> Progress:
    """Train (on) to the end or to `until` steps.

    Raises UserError where there is a run that is not to be resumed, ModelError, BadRecords.
    """
    tokenizer = open_tokenizer(config.tokenizer)
    manifest = read_manifest(config.dataset)
    arrays = load_arrays(config.dataset, config.tokenizer)
    trainer = Trainer(config, arrays, tokenizer.get_vocab_size(), manifest.digest)
    if (config.run / "checkpoint.pt").exists() and not resume:
        raise UserError(f"There is a run in {config.run} already.", "Add --resume, or name another folder.")
    if not trainer.resume():
        _begin(config)
    with (config.run / CURVE).open("a", encoding="utf-8") as curve:

        def report(point: dict[str, float]) -> None:
            curve.write(json.dumps(point) + "\n")
            curve.flush()
            print(" ".join(f"{name} {value:.4g}" for name, value in point.items()), flush=True)

        return trainer.train(report, until=until)


def _begin(config: TrainConfig) -> None:
    config.run.mkdir(parents=True, exist_ok=True)
    (config.run / CURVE).unlink(missing_ok=True)
    shutil.copyfile(config.tokenizer, config.run / "tokenizer.json")
    with replacing(config.run / "config.yaml") as stream:
        yaml.safe_dump(to_plain(config), stream, sort_keys=False, allow_unicode=True)


def read_curve(folder: Path) -> list[dict[str, float]]:
    """The points of a run's curve, in order."""
    lines = (folder / CURVE).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m retriever.training.train", description=__doc__)
    parser.add_argument("config", type=Path, help="a YAML file, or the name of a preset")
    parser.add_argument("--resume", action="store_true", help="go on from the run's checkpoint")
    parser.add_argument("--until", type=int, help="stop after so many steps (resumable)")
    chosen = parser.parse_args(arguments)
    try:
        progress = run(load_config(chosen.config), resume=chosen.resume, until=chosen.until)
    except PremiseSuggestError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    print(f"{progress.steps} steps, {progress.seconds:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
