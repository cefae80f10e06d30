"""Which files are written from the classes of the answers. Pure."""

from __future__ import annotations

import json

from lsp_server.engine.schema_files.json_schema import json_schema
from lsp_server.engine.schema_files.markdown import markdown
from lsp_server.engine.schema_files.typescript import typescript


def generated_files() -> dict[str, str]:
    """The text of each file, by its path in a clone."""
    schema = json_schema()
    return {
        "docs/json.md": markdown(),
        "docs/schema/answers.schema.json": json.dumps(schema, ensure_ascii=False, indent=2) + "\n",
        "vscode-extension/src/generated/answers.ts": typescript(schema),
    }
