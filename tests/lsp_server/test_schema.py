"""The documented JSON objects, and the files that are written from their classes."""

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from lsp_server.engine import schema, schema_items, schema_proofs
from lsp_server.engine.documented_json import to_json
from lsp_server.engine.schema_files.files import generated_files
from lsp_server.engine.schema_files.json_schema import inlined
from lsp_server.engine.schema_files.typescript import typescript
from tests.answers import SCHEMA, conforming, faults

ROOT = Path(__file__).parents[2]


def example() -> schema.Suggestion:
    return schema.Suggestion(
        goal="⊢ a = a",
        premises=[
            schema_items.PremiseItem("A.b", "(a : α) : a = a", "A", "theorem", 0.5, False, "import A", None)
        ],
        tactics=[schema_items.TacticItem("rfl", schema_items.TacticVerdict.CLOSES, [])],
        index=schema_items.IndexItem([schema_items.SourceItem("A", "1", 3, False)], None, 0, None, "A 1"),
        timings_ms={"total": 1.5},
        tactics_status=schema_items.TacticsStatus.TRIED,
    )


def sent() -> Any:
    """The example as a client reads it."""
    return json.loads(json.dumps(to_json(example())))


@pytest.mark.parametrize("name", sorted(generated_files()))
def test_a_written_file_is_as_the_classes_have_it(name: str) -> None:
    assert (ROOT / name).read_text(encoding="utf-8") == generated_files()[name], (
        "run: python -m lsp_server.engine.schema_files"
    )


def test_the_command_writes_what_is_out_of_date(tmp_path: Path) -> None:
    for name in ("lsp_server", "lean_extract"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "lsp_server.engine.schema_files"]

    def run() -> subprocess.CompletedProcess[str]:
        # Without PYTHONPATH, which may name the clone that the tests run in.
        return subprocess.run(command, cwd=tmp_path, env={}, capture_output=True, text=True, timeout=60)

    installed = run()
    assert (installed.returncode, installed.stdout) == (2, "")
    assert installed.stderr.startswith(f"error: {tmp_path} is not a clone of premise-suggest.\nhint: ")
    (tmp_path / "pyproject.toml").touch()
    assert run().stdout.splitlines() == list(generated_files())
    for name, text in generated_files().items():
        assert (tmp_path / name).read_text(encoding="utf-8") == text
    (tmp_path / "docs" / "json.md").write_text("# Old\n", encoding="utf-8")
    assert run().stdout == "docs/json.md\n"
    assert run().stdout == ""


def test_the_object_has_the_documented_names() -> None:
    values = sent()
    own = ["goal", "premises", "tactics", "index", "timings_ms", "warnings", "notes"]
    assert list(values) == [*own, "goal_number", "goal_count", "tactics_status", "parts", "place", "replaces"]
    assert values["premises"][0]["import"] == "import A"
    assert values["premises"][0]["in_scope"] is False
    assert values["tactics_status"] == "tried"
    verdict = ["tactic", "status", "remaining_goals", "message", "origin"]
    assert list(values["tactics"][0]) == [
        *verdict,
        "rests_on_sorry",
        "unfinished",
        "edit",
        "cursor",
        "uses",
        "import",
        "import_edit",
    ]
    assert set(values["index"]) == {"sources", "built_at", "stale_files", "lean", "line", "state"}
    page = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    for part in (values, values["premises"][0], values["tactics"][0], values["index"]):
        assert all(f"`{name}`" in page for name in part)
    for status in schema_items.TacticsStatus:
        assert f"| `{status.value}` | {status.meaning} |" in page


def test_the_schema_is_one_and_takes_the_answers_as_they_are() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    modules = (schema, schema_items, schema_proofs)
    written = {name: value for one in modules for name, value in vars(one).items()}
    assert set(SCHEMA["$defs"]) == {
        name
        for name, value in written.items()
        if isinstance(value, type) and value.__module__ in {one.__name__ for one in modules}
    }
    conforming(sent(), "Suggestion")
    Draft202012Validator(SCHEMA).validate(sent())
    running = replace(example(), tactics_status=schema_items.TacticsStatus.RUNNING)
    conforming(to_json(running), "Suggestion")


@pytest.mark.parametrize(
    ("wrong", "where"),
    [
        ({"goal": None}, "$.goal"),
        ({"tactics_status": "sure"}, "$.tactics_status"),
        ({"tactics": [{"tactic": "rfl"}]}, "$.tactics[0]"),
        ({"timings_ms": {"total": "1"}}, "$.timings_ms.total"),
        ({"goal_count": 1.5}, "$.goal_count"),
        ({"index": None}, "$.index"),
        ({"new": 1}, "$"),
    ],
)
def test_the_schema_refuses_what_is_no_answer(wrong: dict[str, Any], where: str) -> None:
    [fault, *_] = faults({**sent(), **wrong}, "Suggestion")
    assert fault.startswith(f"{where}: ")


def test_a_schema_without_references_says_the_same() -> None:
    alone = inlined(schema.Suggestion)
    assert "$ref" not in json.dumps(alone)
    validator = Draft202012Validator(alone)
    assert validator.is_valid(sent())
    assert not validator.is_valid({**sent(), "tactics": [{"tactic": "rfl"}]})
    assert not validator.is_valid({**sent(), "tactics_status": "sure"})


def test_types_of_fields_in_typescript() -> None:
    text = {"description": "Ends a comment: */.", "type": "string"}
    properties = {
        "text": text,
        "number": {"description": "", "type": ["integer", "null"]},
        "lists": {
            "description": "",
            "type": "array",
            "items": {"type": "array", "items": {"type": "boolean"}},
        },
        "either": {"description": "", "anyOf": [{"$ref": "#/$defs/Mood"}, {"type": "null"}]},
        "options": {"description": "", "type": "array", "items": {"type": ["string", "null"]}},
    }
    thing = {"description": "A thing.", "type": "object", "properties": properties, "required": ["text"]}
    mood = {"description": "A mood.", "type": "string", "enum": ["glad", "sad"]}
    written = typescript({"$defs": {"Thing": thing, "Mood": mood}})
    for line in (
        "  /** Ends a comment: * /. */",
        "  readonly text: string;",
        "  readonly number?: number | null;",
        "  readonly lists?: readonly (readonly boolean[])[];",
        "  readonly either?: Mood | null;",
        "  readonly options?: readonly (string | null)[];",
        "export const MOODS = [",
        "export type Mood = (typeof MOODS)[number];",
    ):
        assert line in written.splitlines()
