"""Tries to break premise-suggest from outside: hostile texts, files, clients, kills and damage, on loopback.

    python scripts/hostile.py [--quick] [--seed N] [--only PART ...] [--out FILE]

Every part works in a scratch folder, against our own programs. It prints a table of what was tried and of
what went wrong: work that takes over 2 s of CPU time, processes left, requests without an answer,
tracebacks, files read outside of a project and its packages, promises broken. Exit code 1 where there is any.
The whole takes up to an hour; `--quick` takes about two minutes, and has five times the patience, being one
of the tests. FILE gets the report as JSON.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lean_extract.common.files.atomic import replacing
from tests.hostile.tries import damaged, killed, models, projects, readers, web, wire
from tests.hostile.tries.ground import Ground, prepared
from tests.hostile.tries.report import KINDS, Effort, Report
from tests.signals import usual_signals

PARTS: Mapping[str, Callable[[Ground, Effort, Report], None]] = {
    readers.PART: readers.run,
    killed.PART: killed.run,
    damaged.PART: damaged.run,
    projects.PART: projects.run,
    wire.PART: wire.run,
    web.PART: web.run,
    models.PART: models.run,
}


def main() -> int:
    """Run the parts; 1 where something went wrong."""
    options = _parse()
    effort = Effort(options.quick, options.seed)
    report = Report()
    with (
        usual_signals(),
        tempfile.TemporaryDirectory(prefix="hostile-") as folder,
        prepared(Path(folder)) as ground,
    ):
        bar = tqdm(options.only or list(PARTS), disable=None)
        for part in bar:
            bar.set_description(part)
            report.timed(part, partial(PARTS[part], ground, effort, report))
            if options.out:
                with replacing(options.out) as stream:
                    json.dump(report.to_json(), stream, ensure_ascii=False, indent=1)
    print(_table(report))
    return 1 if report.findings else 0


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="about two minutes")
    parser.add_argument("--seed", type=int, default=0, help="another seed tries other things")
    parser.add_argument("--only", nargs="*", choices=list(PARTS), metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--out", type=Path, help="a file for the report as JSON")
    return parser.parse_args()


def _table(report: Report) -> str:
    """The report for people: tries and seconds by part, findings by kind, figures, then every finding."""
    lines = ["| part | tries | seconds |", "|---|---|---|"]
    lines += [f"| {part} | {report.tries[part]} | {taken:.0f} |" for part, taken in report.seconds.items()]
    lines += ["", "| what went wrong | count |", "|---|---|"]
    lines += [f"| {kind} | {report.count(kind)} |" for kind in KINDS]
    lines += ["", *(f"{name}: {value:.4g}" for name, value in report.figures.items())]
    lines += [f"{one['kind']}, {one['part']}: {one['what']}" for one in report.findings]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
