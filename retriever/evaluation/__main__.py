"""Hold the rankings against each other on held-out theorems, or on traced states.

python -m retriever.evaluation MODEL DATASET [--part valid|tune|test] [--states FILE]
    [--limit 2000] [--cache DIR] [--json OUT]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from lean_extract.atomic import replacing
from lean_extract.errors import PremiseSuggestError
from retriever.evaluation.real_states import read_states
from retriever.evaluation.session import PARTS, encode_states, open_session, part_questions
from retriever.evaluation.tables import markdown, measure, plain
from retriever.fusion import Fusion


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns its exit code."""
    parser = argparse.ArgumentParser(prog="python -m retriever.evaluation", description=__doc__)
    parser.add_argument("model", type=Path, help="a model folder")
    parser.add_argument("dataset", type=Path, help="a dataset folder; its corpus is the pool")
    parser.add_argument("--part", choices=PARTS, default="valid")
    parser.add_argument("--states", type=Path, help="traced steps to ask instead of held-out theorems")
    parser.add_argument("--limit", type=int, default=2000, help="questions, at most")
    parser.add_argument("--cache", type=Path, help="where premise vectors are kept")
    parser.add_argument("--json", type=Path, help="write the figures there too")
    chosen = parser.parse_args(arguments)
    try:
        report = evaluate(chosen)
    except PremiseSuggestError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    if chosen.json:
        with replacing(chosen.json) as stream:
            json.dump(report, stream, indent=2)
            stream.write("\n")
    return 0


def evaluate(chosen: argparse.Namespace) -> dict[str, object]:
    """Measure, print the tables, and return them as JSON values."""
    began = time.monotonic()
    weights = Fusion.load(chosen.model)
    session = open_session(chosen.model, chosen.dataset, chosen.cache, weights.bm25)
    if chosen.states:
        questions = read_states(chosen.states, session.pool)[: chosen.limit]
    else:
        questions = part_questions(session.dataset, chosen.part, chosen.limit)
    if not questions:
        raise PremiseSuggestError("There is nothing to evaluate on.", "Choose another part or dataset.")
    states = encode_states(session.encoder, questions)
    rows = measure(session.pool, session.vectors, states, questions, weights)
    manifest = session.dataset.manifest
    report: dict[str, object] = {
        "part": str(chosen.states.name) if chosen.states else chosen.part,
        "questions": len(questions),
        "gold_per_question": round(sum(len(question.gold) for question in questions) / len(questions), 2),
        "pool": len(session.pool),
        "revision": manifest.revision,
        "data": manifest.digest,
        "encoder": session.encoder.fingerprint,
        "seconds": round(time.monotonic() - began, 1),
        "rows": plain(rows),
    }
    print(", ".join(f"{name} {value}" for name, value in report.items() if name != "rows"))
    print(f"\n{markdown(rows)}")
    return report


if __name__ == "__main__":
    sys.exit(main())
