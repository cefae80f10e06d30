/** The scenarios inside VS Code's extension host: a workspace of two folders, and a stand-in for the Lean 4 extension. */
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

import { eventually } from "../driver/eventually.mjs";
import { Record } from "../driver/record.mjs";
import { Workbench } from "../driver/workbench.mjs";
import { scenarios } from "./play.mjs";

const SERVER_TESTS_PROJECT = path.resolve(import.meta.dirname, "../../../tests/lsp_server/project");

export async function playHost(stage) {
  if (stage.wanted(scenarios).length === 0) return;
  const { world } = stage;
  const setup = await makeSetup(stage);
  const env = { ...Record.variables(world, setup.record), PREMISE_SUGGEST_HOST_TESTS: JSON.stringify(setup) };
  await stage.withServer("host", { env }, async ({ server }) => {
    const payload = [
      ["extensionDevelopmentPath", server.remote(path.join(import.meta.dirname, "standin"))],
      ["extensionTestsPath", server.remote(path.join(import.meta.dirname, "index.cjs"))],
    ];
    const window = await Workbench.open(stage.browser, server, setup.workspace, { payload });
    await eventually(follow(setup.report, stage), "all scenarios of the extension host are run", 300);
    await window.page.context().close();
  });
}

async function makeSetup({ world, example, options }) {
  const second = secondProject(world);
  await world.cli("index", second);
  const stray = world.sub("stray");
  writeFileSync(path.join(stray, "Stray.lean"), "theorem stray (p : Prop) (h : p) : p := by\n  sorry\n");
  const workspace = path.join(world.folder, "two.code-workspace");
  writeFileSync(workspace, JSON.stringify({ folders: [{ path: example }, { path: second }], settings: {} }));
  const record = path.join(world.folder, "host.jsonl");
  const report = path.join(world.folder, "host-report.jsonl");
  return { world: world.id, example, second, stray, workspace, record, report, only: options.only };
}

/** A small library of its own: the one that the server's tests have. */
function secondProject(world) {
  const folder = path.join(world.sub("my projects"), "second");
  cpSync(SERVER_TESTS_PROJECT, folder, { recursive: true });
  writeFileSync(path.join(folder, "lakefile.toml"), 'name = "Lib"\n\n[[lean_lib]]\nname = "Lib"\n');
  return folder;
}

/** Pass on what has been written since the last look; true once it is the end. */
function follow(file, stage) {
  let told = 0;
  return () => {
    const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
    const news = lines.slice(told).map((line) => JSON.parse(line));
    told = lines.length;
    for (const result of news.filter((one) => !one.done)) stage.report(result);
    return news.some((one) => one.done);
  };
}
