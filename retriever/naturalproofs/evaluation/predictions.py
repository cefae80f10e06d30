"""Generated reference sequences in a file, one example a line:

{"example": [id of the theorem, number of its proof], "references": [id, ...]}
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from lean_extract.common.errors import BadRecords
from lean_extract.common.files.atomic import replacing
from lean_extract.common.files.json_text import parse_json
from lean_extract.common.files.reading import open_regular
from lean_extract.common.typed import read_typed
from retriever.documents.schema import Example
from retriever.naturalproofs.task import References

_HINT = 'Each line is one example: {"example": [id, proof], "references": [id, ...]}.'
_OTHER_SPLIT = "Take the corpus file, part and seed that the predictions were made with."


@dataclass(frozen=True, slots=True)
class _Prediction:
    example: tuple[int, ...]
    """A pair."""
    references: tuple[int, ...]


def read_predictions(
    path: Path, examples: Sequence[Example], candidates: Collection[int]
) -> tuple[References, ...]:
    """The sequences of a file in the order of `examples`; lines of other examples are passed over.

    Args:
        path: the file.
        examples: those to be evaluated.
        candidates: the ids that a sequence may hold; a set is best.

    Raises BadRecords when the file cannot be read, a line is not as above, an example is there twice, a
    sequence holds something else than candidates, or one of `examples` is missing.
    """
    read: dict[Example, References] = {}
    wanted = set(examples)
    try:
        with open_regular(path) as stream:
            for number, line in enumerate(stream, start=1):
                _read_line(line, f"{path}:{number}", read, wanted, candidates)
    except OSError as error:
        raise BadRecords(f"{path} cannot be read: {error.strerror}.", "Check the path.") from error
    missing = [example for example in examples if example not in read]
    if missing:
        lacks = f"{path} has no line for {len(missing):,} of {len(examples):,} examples"
        raise BadRecords(f"{lacks}, the first of them {list(missing[0])}.", _OTHER_SPLIT)
    return tuple(read[example] for example in examples)


def write_predictions(path: Path, predicted: Mapping[Example, References]) -> None:
    """Write such a file; it appears whole. Raises OSError."""
    with replacing(path) as stream:
        for example, references in predicted.items():
            stream.write(json.dumps(asdict(_Prediction(example, references))) + "\n")


def _read_line(
    line: bytes,
    location: str,
    read: dict[Example, References],
    wanted: Collection[Example],
    candidates: Collection[int],
) -> None:
    try:
        prediction = read_typed(_Prediction, parse_json(line))
    except (ValueError, TypeError) as error:
        raise BadRecords(f"{location}: {error}.", _HINT) from error
    if len(prediction.example) != 2:
        raise BadRecords(f"{location}: example: {list(prediction.example)} is not a pair.", _HINT)
    example = prediction.example
    if example in read:
        raise BadRecords(f"{location}: the example {list(example)} is there a second time.", _HINT)
    if example in wanted:
        unknown = next((id for id in prediction.references if id not in candidates), None)
        if unknown is not None:
            raise BadRecords(f"{location}: the split does not rank statement {unknown}.", _OTHER_SPLIT)
    read[example] = prediction.references
