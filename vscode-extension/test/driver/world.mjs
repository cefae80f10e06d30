/** A test's own world: home, caches, index, and copies of the example library, below one scratch folder. */
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";

import { which } from "../setup/tools.mjs";
import { tokenVariable } from "./processes.mjs";

const runFile = promisify(execFile);
const EXAMPLE = path.resolve(import.meta.dirname, "../../../lean_extract/minicore/example");

export class World {
  /** Make one. The `premise-suggest` on PATH is the one that is tested; the packaged Lean is compiled by its own code. */
  static async make() {
    const program = which("premise-suggest");
    if (!program) throw new Error("premise-suggest is not on PATH: activate the environment that it is installed in.");
    const python = path.join(path.dirname(program), "python");
    const { stdout } = await runFile(python, ["-c", "from lean_extract.toolchains.packaged import prepare; print(prepare().core_oleans.parent)"]);
    return new World(program, python, stdout.trim());
  }

  constructor(program, python, compiledLean) {
    this.id = randomUUID();
    this.program = program;
    this.python = python;
    this.folder = mkdtempSync(path.join(os.tmpdir(), "premise-suggest-vscode-"));
    this.home = this.sub("home");
    this.linkLean(compiledLean);
  }

  sub(...names) {
    const folder = path.join(this.folder, ...names);
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  /** The compiled mini core is shared; what is compiled of the copies is not. */
  linkLean(compiled) {
    const own = this.sub("cache", "premise-suggest", "lean");
    for (const name of readdirSync(compiled)) {
      if (/^(core|launcher)-/.test(name)) symlinkSync(path.join(compiled, name), path.join(own, name));
    }
  }

  /** The environment of all that is started: nothing of this user's own VS Code, Lean or index is seen. */
  environment(more = {}) {
    const kept = Object.entries(process.env).filter(([name]) => !/^(ELAN|LEAN|VSCODE|XDG|PREMISE_SUGGEST)/.test(name));
    return {
      ...Object.fromEntries(kept),
      HOME: this.home,
      XDG_CACHE_HOME: path.join(this.folder, "cache"),
      PREMISE_SUGGEST_INDEX: path.join(this.folder, "index"),
      PATH: [path.dirname(this.program), ...(process.env.PATH ?? "").split(path.delimiter)].join(path.delimiter),
      VSCODE_CLI: "1", // the extension host has this environment, not that of a login shell
      EXTENSIONS_GALLERY: '{"serviceUrl":"","itemUrl":"","resourceUrlTemplate":""}',
      ...tokenVariable(this.id),
      ...more,
    };
  }

  /** A copy of the example library, in a folder with a space in its name. */
  copyExample(name = "example") {
    const folder = path.join(this.sub("my projects"), name);
    cpSync(EXAMPLE, folder, { recursive: true });
    return folder;
  }

  /** Run `premise-suggest` to its end; its standard output. */
  async cli(...args) {
    try {
      return (await runFile(this.program, args, { env: this.environment(), cwd: this.folder })).stdout;
    } catch (error) {
      throw new Error(`'premise-suggest ${args.join(" ")}' failed: ${String(error.stderr).trim().split("\n").at(-1)}`);
    }
  }

  /** The library indexed and compiled, as after a first day of use. */
  async makeReady(folder) {
    await this.cli("index", folder);
    await this.cli("suggest", "--file", path.join(folder, "Unfinished", "FirstSteps.lean"), "--line", "15", "--json");
  }

  /** Lean's own messages on a file of a library that is compiled: [{severity, data, pos}]. */
  async leanMessages(folder, name) {
    const program = path.join(import.meta.dirname, "lean_messages.py");
    const { stdout } = await runFile(this.python, [program, folder, path.join(folder, name)], { env: this.environment() });
    return stdout.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
