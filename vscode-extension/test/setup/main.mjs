/**
 * Make a real VS Code (code-server) and a browser ready: `node vscode-extension/test/setup/main.mjs`.
 *
 * Prints one JSON object: where each part is. Exit codes: 0 ready; 3 it cannot be done here, with the reason on
 * standard error (a skip); 1 the same on CI, where it must work.
 */
import { existsSync } from "node:fs";
import os from "node:os";
import path from "node:path";

import { makeCodeServer } from "./code_server.mjs";
import { say, Unable } from "./run.mjs";
import { ensureTools, findBrowser } from "./tools.mjs";
import { NODE_MAJOR, stamp } from "./versions.mjs";

export function cacheFolder() {
  const root = process.env.PREMISE_SUGGEST_VSCODE ?? path.join(process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), ".cache"), "premise-suggest-vscode");
  return path.join(root, stamp);
}

/** Where the parts are, without making any of them. */
export function parts() {
  const folder = cacheFolder();
  return {
    folder,
    codeServer: path.join(folder, "node_modules/code-server/out/node/entry.js"),
    chromium: findBrowser(),
  };
}

export async function ensure() {
  if (process.platform !== "linux") throw new Unable("the tests' VS Code is set up on Linux only");
  const major = Number(process.versions.node.split(".")[0]);
  if (major !== NODE_MAJOR) throw new Unable(`code-server needs Node ${NODE_MAJOR}, and this is Node ${major}`);
  await ensureTools();
  if (!existsSync(cacheFolder())) {
    say(`into ${cacheFolder()} (once; about a minute, 340 MB)`);
    await makeCodeServer(cacheFolder());
  }
  return parts();
}

async function main() {
  try {
    process.stdout.write(`${JSON.stringify(await ensure())}\n`);
  } catch (error) {
    if (!(error instanceof Unable)) throw error;
    say(`a real VS Code cannot be set up here: ${error.message}`);
    process.exitCode = process.env.CI ? 1 : 3;
  }
}

if (process.argv[1] === import.meta.filename) await main();
