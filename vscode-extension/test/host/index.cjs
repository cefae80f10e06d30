/** What VS Code loads in its extension host: runs the scenarios there and writes what became of them. */
"use strict";

const { appendFileSync } = require("node:fs");

const vscode = require("vscode");

exports.run = async () => {
  const setup = JSON.parse(process.env.PREMISE_SUGGEST_HOST_TESTS);
  const report = (result) => appendFileSync(setup.report, `${JSON.stringify(result)}\n`);
  try {
    const { play } = await import("./play.mjs");
    await play(vscode, setup, report);
  } catch (error) {
    report({ name: "the scenarios can be run", ok: false, ms: 0, error: error.stack });
  }
  report({ done: true });
};
