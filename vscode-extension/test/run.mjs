/**
 * Tests the extension in a real VS Code: `node vscode-extension/test/run.mjs [--layer host|page] [--only TEXT] [--report FILE] [--keep] [--vsix FILE] [--all]`.
 *
 * Writes one JSON object a scenario to the report: {name, ok, ms, error?, seen?}. `--keep` leaves the world's folder for a look;
 * `--vsix` tests a package that is there already; `--all` types all proofs, and not two of them.
 * Exit codes: 0; 1 a scenario failed; 3 there is no VS Code here and none can be set up (1 on CI).
 */
import { parseArgs } from "node:util";

import { withStage } from "./driver/stage.mjs";
import { playHost } from "./host/run.mjs";
import { addFiles, playPage } from "./page/run.mjs";

const { values: options } = parseArgs({
  options: {
    layer: { type: "string", multiple: true, default: ["host", "page"] },
    only: { type: "string", default: "" },
    report: { type: "string" },
    vsix: { type: "string" },
    keep: { type: "boolean", default: false },
    all: { type: "boolean", default: false },
  },
});

await withStage({ ...options, prepare: addFiles }, async (stage) => {
  if (options.layer.includes("host")) await playHost(stage);
  if (options.layer.includes("page")) await playPage(stage);
});
