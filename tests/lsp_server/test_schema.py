"""The documented JSON object, and the page that documents it."""

import json
from pathlib import Path

from lsp_server.engine import schema

PAGE = Path(__file__).parents[2] / "docs" / "json.md"


def example() -> schema.Suggestion:
    return schema.Suggestion(
        goal="⊢ a = a",
        premises=[schema.PremiseItem("A.b", "(a : α) : a = a", "A", "theorem", 0.5, False, "import A", None)],
        tactics=[schema.TacticItem("rfl", "closes", [])],
        index=schema.IndexItem([schema.SourceItem("A", "1", 3, False)], None, 0, None, "A 1"),
        timings_ms={"total": 1.5},
    )


def test_the_page_says_what_the_code_does() -> None:
    assert PAGE.read_text(encoding="utf-8") == schema.markdown(), (
        "run: python -m lsp_server.engine.schema > docs/json.md"
    )


def test_the_object_has_the_documented_names() -> None:
    values = json.loads(json.dumps(schema.to_json(example())))
    own = ["goal", "premises", "tactics", "index", "timings_ms", "warnings", "notes"]
    assert list(values) == [*own, "goal_number", "goal_count"]
    assert values["premises"][0]["import"] == "import A"
    assert values["premises"][0]["in_scope"] is False
    assert set(values["tactics"][0]) == {"tactic", "status", "remaining_goals", "message"}
    assert set(values["index"]) == {"sources", "built_at", "stale_files", "lean", "line"}
    page = PAGE.read_text(encoding="utf-8")
    for part in (values, values["premises"][0], values["tactics"][0], values["index"]):
        assert all(f"`{name}`" in page for name in part)
