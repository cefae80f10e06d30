"""What must not be lost: each part of the contract is as it was recorded."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.contract import golden
from tests.contract.parts import PARTS
from tests.contract.workplace import Workplace, workplace

_SHOWN = 30


@pytest.fixture(scope="module")
def place() -> Iterator[Workplace]:
    with workplace() as made:
        yield made


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[getattr(pytest.mark, mark) for mark in part.marks])
        for name, part in PARTS.items()
    ],
)
def test_nothing_has_changed(name: str, place: Workplace, request: pytest.FixtureRequest) -> None:
    part = PARTS[name]
    if "lean" in part.marks:
        request.getfixturevalue("example_oleans")
    if obstacle := part.obstacle():
        pytest.skip(obstacle)
    changed = [*golden.differences(golden.read(name), part.make(place))]
    if changed:
        more = [f"... and {len(changed) - _SHOWN} more"] if len(changed) > _SHOWN else []
        shown = "\n".join([*changed[:_SHOWN], *more])
        pytest.fail(
            f"{name} is not as it was recorded:\n{shown}\n\n"
            f"Where this is meant, record it anew and look at the difference: python -m tests.contract.record {name}",
            pytrace=False,
        )


@pytest.mark.parametrize(
    ("recorded", "now", "line"),
    [
        ({"a": ["x 1.234"]}, {"a": ["x 1.239"]}, None),
        ({"a": ["x 1.234"]}, {"a": ["x 1.334"]}, "a [1]: x 1.234 -> x 1.334"),
        ("in meaning (+1.2)", "in meaning (+1.3)", None),
        ("in meaning (+1.2)", "in words (+1.2)", ": in meaning (+1.2) -> in words (+1.2)"),
        ("1.2", "1.2 1.2", ": 1.2 -> 1.2 1.2"),
        ({"a": 1}, {"a": True}, "a: 1 -> true"),
        ({"a": 1, "b": 2}, {"a": 1}, "b: 2 -> (nothing)"),
        ([1, 2], [2, 1], " [1]: 1 -> 2"),
        ([1], [1, 3], ": 1 -> 2 items; missing [], new [3]"),
    ],
)
def test_only_decimals_may_differ_a_little(recorded: object, now: object, line: str | None) -> None:
    assert next(golden.differences(recorded, now), None) == line
