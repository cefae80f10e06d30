import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, beforeEach, test } from "node:test";

import { findPython, findServer, readProbe, type Search } from "../../src/server/find";

let scratch = "";
let count = 0;
let folder = "";
const logged: string[] = [];

before(() => {
  scratch = mkdtempSync(path.join(os.tmpdir(), "premise find "));
});
beforeEach(() => {
  folder = path.join(scratch, String(++count));
  mkdirSync(folder);
  logged.length = 0;
});
after(() => rmSync(scratch, { recursive: true }));

/** A program that prints something and ends. */
function program(name: string, said: string, code = 0): string {
  const file = path.join(folder, name);
  writeFileSync(file, `#!/bin/sh\ncat <<'EOF'\n${said}\nEOF\nexit ${code}\n`);
  chmodSync(file, 0o755);
  return file;
}

function python(name: string, version: string, server = "none"): string {
  return program(name, `python ${version}\nfile ${path.join(folder, name)}\nserver ${server}`);
}

function search(more: Partial<Search> = {}): Search {
  return {
    setting: "",
    selectedPython: undefined,
    path: `${folder}:/bin-that-is-not-there`,
    ownPython: undefined,
    home: folder,
    platform: "linux",
    cwd: scratch,
    log: (line) => logged.push(line),
    ...more,
  };
}

async function found(more: Partial<Search> = {}): Promise<string> {
  const result = await findServer(search(more));
  if ("problem" in result) return `${result.problem.reason}: ${result.problem.message} ${result.problem.hint}`;
  return [result.program.source, result.program.command, ...result.program.args].join(" ");
}

test("the setting goes before everything, with ~ opened", async () => {
  program("premise-suggest", "premise-suggest 9.9.9");
  const file = program("mine", "premise-suggest 0.1.0");
  assert.equal(await found({ setting: "~/mine" }), `setting ${file}`);
  assert.equal(await found({ setting: "premise-suggest" }), `setting ${path.join(folder, "premise-suggest")}`);
});

test("a setting that is wrong is told, and nothing else is run in its place", async () => {
  program("premise-suggest", "premise-suggest 9.9.9");
  const other = program("other", "something else 1.0");
  assert.match(await found({ setting: "/no where/x" }), /premiseSuggest.path is \/no where\/x, which does not exist/);
  assert.match(await found({ setting: other }), /is not premise-suggest, or cannot run/);
  assert.match(await found({ setting: program("old", "premise-suggest 0.0.9") }), /0\.0\.9.*needs 0\.1\.0 or newer/);
});

test("then the selected Python, PATH, and the environment of our own", async () => {
  const selected = python("selected", "3.12.1", "0.1.0");
  const own = python("own", "3.12.1", "0.2.0");
  const onPath = program("premise-suggest", "premise-suggest 0.1.0");
  const all = { selectedPython: selected, ownPython: own };
  assert.equal(await found(all), `python ${selected} -P -m lsp_server`);
  assert.equal(await found({ ...all, selectedPython: python("bare", "3.12.1") }), `path ${onPath}`);
  assert.equal(await found({ ...all, selectedPython: python("old", "3.10.1", "0.1.0") }), `path ${onPath}`);
  program("premise-suggest", "Traceback", 1);
  assert.equal(await found({ ownPython: own }), `own ${own} -P -m lsp_server`);
  assert.match(logged.join("\n"), /premise-suggest cannot run/);
});

test("what is too old is named with its version", async () => {
  const selected = python("selected", "3.12.1", "0.0.3");
  assert.match(await found({ selectedPython: selected }), /selected is premise-suggest 0\.0\.3/);
  program("premise-suggest", "premise-suggest 0.0.4");
  assert.match(await found(), /premise-suggest is premise-suggest 0\.0\.4.*Update it there/);
  rmSync(path.join(folder, "premise-suggest"));
  assert.match(await found({ ownPython: python("own", "3.12.1", "0.0.5") }), /Reinstall it/);
});

test("no server: no Python, one that is too old, one to install with", async () => {
  assert.match(await found(), /no Python to install it with.*Install Python 3\.11/);
  python("python3", "3.8.1");
  assert.match(await found(), /python3 is Python 3\.8\.1, which is too old/);
  python("python3.12", "3.12.4");
  assert.match(await found(), /own with .*python3\.12/);
  assert.equal((await findPython(search()))?.file, path.join(folder, "python3.12"));
});

test("a Python that does not run is passed over", async () => {
  program("python3", "", 1);
  writeFileSync(path.join(folder, "python3.13"), "not a program");
  chmodSync(path.join(folder, "python3.13"), 0o755);
  const good = python("python", "3.11.0");
  assert.equal((await findPython(search({ selectedPython: "/no where/python" })))?.file, good);
  assert.match(await found({ selectedPython: "/no where/python" }), /^missing: /);
});

test("what a Python says of itself, with Windows' line ends and paths", () => {
  const call = { command: "py", args: ["-3"] };
  const said = "some start-up text\r\npython 3.12.1\r\nfile C:\\Program Files\\Python312\\python.exe\r\nserver none\r\n";
  assert.deepEqual(readProbe(call, said), {
    call,
    file: "C:\\Program Files\\Python312\\python.exe",
    version: [3, 12, 1],
    server: null,
  });
  assert.equal(readProbe(call, "Python was not found; run without arguments to install from the Store"), undefined);
});
