"""Hold the rankings against each other on held-out theorems and on traced states.

python -m retriever.evaluation MODEL DATASET [--part valid|tune|test] [--states FILE]
    [--limit 2000] [--cache DIR] [--json OUT]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from lean_extract.atomic import replacing
from lean_extract.errors import PremiseSuggestError
from retriever.evaluation.pool import Question
from retriever.evaluation.real_states import read_states
from retriever.evaluation.session import PARTS, Session, encode_states, open_session, part_questions
from retriever.evaluation.tables import markdown, measure, plain
from retriever.fusion import Fusion


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m retriever.evaluation", description=__doc__)
    parser.add_argument("model", type=Path, help="a model folder")
    parser.add_argument("dataset", type=Path, help="a dataset folder; its corpus is the pool")
    parser.add_argument("--part", choices=PARTS, nargs="*", default=["valid"])
    parser.add_argument("--states", type=Path, help="traced steps, to ask as well")
    parser.add_argument("--limit", type=int, default=2000, help="questions of a part, at most")
    parser.add_argument("--cache", type=Path, help="where premise vectors are kept")
    parser.add_argument("--json", type=Path, help="a folder to write the figures to, one file a part")
    chosen = parser.parse_args(arguments)
    try:
        for report in evaluate(chosen):
            if chosen.json:
                with replacing(chosen.json / f"{report['part']}.json") as stream:
                    json.dump(report, stream, indent=2)
                    stream.write("\n")
    except PremiseSuggestError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


def evaluate(chosen: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Measure each part asked for, print its tables, and give them as JSON values."""
    weights = Fusion.load(chosen.model)
    session = open_session(chosen.model, chosen.dataset, chosen.cache, weights.bm25)
    asked = {part: part_questions(session.dataset, part, chosen.limit) for part in chosen.part}
    if chosen.states:
        asked[chosen.states.stem] = read_states(chosen.states, session.pool)[: chosen.limit]
    for part, questions in asked.items():
        if not questions:
            raise PremiseSuggestError(
                f"There is nothing to ask in {part}.", "Choose another part or dataset."
            )
        report = _report(session, weights, part, questions)
        rows = report.pop("rows")
        print("\n" + ", ".join(f"{name} {value}" for name, value in report.items()))
        print(f"\n{markdown(rows)}", flush=True)
        yield {**report, "rows": plain(rows)}


def _report(session: Session, weights: Fusion, part: str, questions: Sequence[Question]) -> dict[str, Any]:
    began = time.monotonic()
    states = encode_states(session.encoder, questions)
    rows = measure(session.pool, session.vectors, states, questions, weights)
    manifest = session.dataset.manifest
    return {
        "part": part,
        "questions": len(questions),
        "gold_per_question": round(sum(len(question.gold) for question in questions) / len(questions), 2),
        "pool": len(session.pool),
        "revision": manifest.revision,
        "data": manifest.digest,
        "encoder": session.encoder.fingerprint,
        "seconds": round(time.monotonic() - began, 1),
        "rows": rows,
    }


if __name__ == "__main__":
    sys.exit(main())
