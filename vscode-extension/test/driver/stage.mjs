/** All that scenarios play on: the world, VS Code's servers, the browser, the report. */
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

import { ensure } from "../setup/main.mjs";
import { say, Unable } from "../setup/run.mjs";
import { ensureVsix } from "../setup/vsix.mjs";
import { launch } from "./browser.mjs";
import { CodeServer } from "./code_server.mjs";
import { Record } from "./record.mjs";
import { runAll, scenario } from "./scenario.mjs";
import { View } from "./view.mjs";
import { Workbench } from "./workbench.mjs";
import { World } from "./world.mjs";

/** Where screenshots of what failed are kept. */
const FAILURES = path.resolve(import.meta.dirname, "../../dist/failures");

/** Set everything up (`prepare` changes the library before it is indexed), play, and take everything down; the process's exit code tells the outcome. */
export async function withStage(options, play) {
  let parts, vsix;
  try {
    parts = await ensure();
    vsix = options.vsix ?? (await ensureVsix());
  } catch (error) {
    if (!(error instanceof Unable)) throw error;
    say(`a real VS Code cannot be set up here: ${error.message}`);
    process.exit(process.env.CI ? 1 : 3);
  }
  const world = await World.make();
  const stage = new Stage(parts, vsix, world, options);
  process.on("exit", () => stage.clear()); // however it ends
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));
  try {
    stage.example = world.copyExample();
    options.prepare?.(stage.example);
    [stage.browser] = await Promise.all([launch(parts), world.makeReady(stage.example)]);
    await play(stage);
  } finally {
    await stage.browser?.close();
  }
  process.exit(stage.failed > 0 ? 1 : 0);
}

class Stage {
  constructor(parts, vsix, world, options) {
    Object.assign(this, { parts, vsix, world, options, failed: 0, servers: [] });
    if (options.report) writeFileSync(options.report, "");
  }

  /** Those of some scenarios that are to be run. */
  wanted(scenarios) {
    return scenarios.filter((one) => one.name.includes(this.options.only ?? ""));
  }

  /** A VS Code with our extension, whose `premise-suggest` is recorded. */
  async withServer(name, options, play) {
    const { world } = this;
    const record = new Record(path.join(world.folder, `${name}.jsonl`));
    const settings = { "premiseSuggest.path": Record.program, ...options.settings };
    const server = await CodeServer.start(this.parts, world, name, {
      extensions: [this.vsix],
      ...options,
      settings,
      env: { ...Record.variables(world, record.file), ...options.env },
    });
    this.servers.push(server);
    try {
      await play(new Session(this, server, record, settings));
    } finally {
      await server.stop();
    }
  }

  /** End what still runs, and take the world's folder away. */
  clear() {
    for (const server of this.servers) server.killAll();
    if (!this.options.keep) this.world.remove();
  }

  report(result) {
    if (!result.ok) this.failed += 1;
    const mark = result.ok ? "ok  " : "FAIL";
    process.stderr.write(`${mark} ${(result.ms / 1000).toFixed(1)} s  ${result.name}${result.ok ? "" : `\n${result.error}\n`}\n`);
    if (this.options.report) appendFileSync(this.options.report, `${JSON.stringify(result)}\n`);
  }
}

/** One VS Code server, its windows, and scenarios that are run in them. */
class Session {
  constructor(stage, server, record, settings) {
    Object.assign(this, { stage, server, record, settings, window: null, view: null });
    this.world = stage.world;
    this.example = stage.example;
  }

  openWindow = async (folder, options) => {
    await this.closeWindow();
    this.window = await Workbench.open(this.stage.browser, this.server, folder, options);
    this.view = await View.open(this.window);
    return { window: this.window, view: this.view };
  };

  closeWindow = async () => {
    const { window } = this;
    this.window = this.view = null;
    await window?.close();
  };

  /** Run scenarios in one window that is opened before the first of them. */
  async withWindow(folder, scenarios) {
    const wanted = this.stage.wanted(scenarios);
    if (wanted.length === 0) return;
    const opening = scenario(wanted[0].name, async () => this.openWindow(folder).then(() => wanted[0].body(this)));
    await this.run([opening, ...wanted.slice(1)]);
    await this.closeWindow();
  }

  async run(scenarios) {
    const { stage } = this;
    const options = { only: stage.options.only, report: (result) => stage.report(result), onFailure: (name) => this.picture(name) };
    await runAll(scenarios, this, options);
  }

  /** Keep a picture of what failed, and put the window back to where the next scenario can begin. */
  async picture(name) {
    if (!this.window) return undefined;
    mkdirSync(FAILURES, { recursive: true });
    const file = path.join(FAILURES, `${name.replaceAll(/\W+/g, "-").slice(0, 60)}.png`);
    await this.window.page.screenshot({ path: file }).catch(() => undefined); // the window itself may be what failed
    await this.window.calm().catch(() => undefined);
    return file;
  }
}
