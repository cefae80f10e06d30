import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";

import { completedPython, install, sourceOf, type Installation, type Outcome } from "../../src/server/environment";

const WHEEL = `
import sys, zipfile
meta = "Metadata-Version: 2.1\\nName: premise-suggest\\nVersion: 9.9.9\\n"
with zipfile.ZipFile(sys.argv[1], "w") as wheel:
    wheel.writestr("lsp_server/__init__.py", "")
    wheel.writestr("premise_suggest-9.9.9.dist-info/METADATA", meta)
    wheel.writestr("premise_suggest-9.9.9.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr("premise_suggest-9.9.9.dist-info/RECORD", "")
`;

let scratch = "";
let folder = "";
let wheel = "";

before(() => {
  scratch = mkdtempSync(path.join(os.tmpdir(), "premise install "));
  folder = path.join(scratch, "storage", "server");
  wheel = path.join(scratch, "premise_suggest-9.9.9-py3-none-any.whl");
  assert.equal(spawnSync("python3", ["-c", WHEEL, wheel]).status, 0);
});
after(() => rmSync(scratch, { recursive: true }));

function wanted(more: Partial<Installation>): Promise<Outcome> {
  return install({
    python: { command: "python3", args: [] },
    folder,
    source: wheel,
    home: scratch,
    platform: process.platform,
    signal: new AbortController().signal,
    onStep: () => undefined,
    onOutput: () => undefined,
    ...more,
  });
}

test("a wheel is installed into an environment of its own, and counts once it is complete", async () => {
  const steps: string[] = [];
  assert.equal(await completedPython(folder, process.platform), undefined);
  assert.deepEqual(await wanted({ source: `~/${path.basename(wheel)}`, onStep: (step) => steps.push(step) }), { kind: "done" });
  const python = await completedPython(folder, process.platform);
  assert.ok(python !== undefined && python.startsWith(folder));
  const said = spawnSync(python, ["-c", "import importlib.metadata as m; print(m.version('premise-suggest'))"]);
  assert.equal(String(said.stdout).trim(), "9.9.9");
  assert.equal(steps.length, 2);
});

test("what pip refuses is told in its words, and nothing half made is left", async () => {
  const outcome = await wanted({ source: path.join(scratch, "not there.whl") });
  assert.equal(outcome.kind, "failed");
  assert.match(outcome.kind === "failed" ? outcome.message : "", /^pip could not install .*not there\.whl/);
  assert.equal(existsSync(folder), false);
});

test("a Python that makes no environment is told; without the module venv the hint says what to install", async () => {
  const python = path.join(scratch, "python without venv");
  writeFileSync(python, "#!/bin/sh\necho 'The virtual environment was not created because ensurepip is not available.'\nexit 1\n", { mode: 0o755 });
  const outcome = await wanted({ python: { command: python, args: [] } });
  assert.match(outcome.kind === "failed" ? outcome.hint : "", /python3-venv/);
  const missing = await wanted({ python: { command: path.join(scratch, "no python"), args: [] } });
  assert.match(missing.kind === "failed" ? missing.message : "", /could not make an environment/);
});

test("cancelled half way, nothing is left", async () => {
  const slow = path.join(scratch, "slow python");
  writeFileSync(slow, "#!/bin/sh\necho half > made\necho up\nexec sleep 1000\n", { mode: 0o755 });
  const abort = new AbortController();
  const python = { command: slow, args: [] };
  const outcome = await wanted({ python, signal: abort.signal, onOutput: () => abort.abort() });
  assert.deepEqual(outcome, { kind: "cancelled" });
  assert.equal(existsSync(folder), false);
});

test("a folder that cannot be written is told", async () => {
  const file = path.join(scratch, "a file");
  writeFileSync(file, "");
  const outcome = await wanted({ folder: path.join(file, "server") });
  assert.match(outcome.kind === "failed" ? outcome.message : "", /^The environment could not be written/);
});

test("what pip is given", () => {
  assert.equal(sourceOf("premise-suggest==0.1.0", "/h", "linux"), "premise-suggest==0.1.0");
  assert.equal(sourceOf("~/my wheels/p.whl", "/h", "linux"), "/h/my wheels/p.whl");
  assert.equal(sourceOf("https://example.org/p.whl", "/h", "linux"), "https://example.org/p.whl");
  assert.equal(sourceOf("~\\wheels\\p.whl", "C:\\Users\\E N", "win32"), "C:\\Users\\E N\\wheels\\p.whl");
});
