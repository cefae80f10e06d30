/** One code-server process with its own user data and extensions. */
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

import { run } from "../setup/run.mjs";
import { processesOf } from "./processes.mjs";

const DEFAULTS = {
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.enableExperiments": false,
  "extensions.ignoreRecommendations": true,
  "extensions.autoCheckUpdates": false,
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "git.enabled": false,
  "chat.commandCenter.enabled": false,
  "editor.minimap.enabled": false,
  "editor.unicodeHighlight.ambiguousCharacters": false, // as the Lean 4 extension sets it
  "editor.accessibilitySupport": "off",
  "editor.acceptSuggestionOnEnter": "off", // Enter is a new line, whenever completions arrive
  "files.autoSave": "off",
  "security.workspace.trust.startupPrompt": "never",
  "security.workspace.trust.banner": "never",
  "window.commandCenter": false,
};

/** Settings of machine scope (paths of programs) are read from the second: to the page, the server is a remote machine. */
const SCOPES = ["User", "Machine"];

export class CodeServer {
  /** parts: of the set-up; options: {settings, extensions: [vsix], trust: false keeps new folders untrusted, env}. */
  static async start(parts, world, name, options = {}) {
    const server = new CodeServer(parts, world, world.sub("vscode", name), options);
    for (const vsix of options.extensions ?? []) await server.install(vsix);
    await server.listen();
    return server;
  }

  constructor(parts, world, folder, options) {
    this.parts = parts;
    this.world = world;
    this.data = path.join(folder, "data");
    this.env = { ...world.environment(options.env), PORT: "" };
    this.common = [parts.codeServer, "--config", path.join(folder, "config.yaml"), "--user-data-dir", this.data,
      "--extensions-dir", path.join(folder, "extensions")];
    this.flags = options.trust === false ? [] : ["--disable-workspace-trust"];
    this.output = "";
    for (const scope of SCOPES) mkdirSync(path.join(this.data, scope), { recursive: true });
    writeFileSync(path.join(folder, "config.yaml"), "auth: none\n");
    this.setSettings(options.settings ?? {});
  }

  setSettings(settings) {
    const text = JSON.stringify({ ...DEFAULTS, ...settings }, null, 2);
    for (const scope of SCOPES) writeFileSync(path.join(this.data, scope, "settings.json"), text);
  }

  async install(vsix) {
    await run(process.execPath, [...this.common, "--install-extension", vsix], { env: this.env });
  }

  /** Start it on a free port, and wait for the line that says so. */
  listen() {
    const args = [...this.common, "--auth", "none", "--bind-addr", "127.0.0.1:0", "--disable-telemetry", "--disable-update-check",
      "--disable-getting-started-override", ...this.flags];
    // A process group of its own, so that all of it can be ended, or killed as a crash would.
    this.process = spawn(process.execPath, args, { env: this.env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    return new Promise((resolve, reject) => {
      const read = (chunk) => {
        this.output += chunk;
        const found = /listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(this.output);
        if (found) resolve((this.address = found[1]));
      };
      this.process.stdout.on("data", read);
      this.process.stderr.on("data", read);
      this.process.on("close", (code) => reject(new Error(`code-server ended with ${code}: ${this.output.slice(-2000)}`)));
    });
  }

  /** The address of a workspace, with what is handed to the workbench: [["name", "value"], ...]. */
  url(folder, payload = []) {
    const kind = folder.endsWith(".code-workspace") ? "workspace" : "folder";
    const query = new URLSearchParams({ [kind]: folder, ...(payload.length > 0 && { payload: JSON.stringify(payload) }) });
    return `${this.address}/?${query}`;
  }

  remote(folder) {
    return `vscode-remote://${new URL(this.address).host}${encodeURI(folder)}`;
  }

  /** Kill VS Code's server alone, as a crash does; what it started is left to itself. */
  async kill() {
    const own = processesOf(this.world.id).filter((one) => /code-server\/out\/node\/entry/.test(one.command));
    for (const { pid } of own) process.kill(pid, "SIGKILL");
  }

  /** End it, with all that it started. */
  async stop() {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const closed = new Promise((resolve) => this.process.once("close", resolve));
    process.kill(-this.process.pid, "SIGTERM");
    await closed;
  }

  /** Kill whatever is left of it. */
  killAll() {
    try {
      process.kill(-this.process.pid, "SIGKILL");
    } catch (error) {
      if (error.code !== "ESRCH") throw error; // nothing is left
    }
  }
}
