import assert from "node:assert/strict";
import path from "node:path";
import os from "node:os";
import { test } from "node:test";

import { run } from "../../src/server/run";

const node = (script: string, options = {}) => run(process.execPath, ["-e", script], options);

test("both streams, the exit code, and each piece as it comes", async () => {
  const pieces: string[] = [];
  const result = await node("console.log('ℕ'); console.error('⊢'); process.exitCode = 3", {
    onOutput: (text: string) => pieces.push(text),
  });
  assert.deepEqual(result, { code: 3, stdout: "ℕ\n", stderr: "⊢\n" });
  assert.deepEqual(pieces.sort(), ["ℕ\n", "⊢\n"].sort());
});

test("no shell is asked: what an argument contains is only text", async () => {
  const result = await run(process.execPath, ["-p", "process.argv.slice(1).join('|')", "--", "a b", "$(id)", ";"]);
  assert.equal(result.stdout, "a b|$(id)|;\n");
});

test("a program that is not there, or is a folder", async () => {
  for (const command of [path.join(os.tmpdir(), "no such program"), os.tmpdir()]) {
    const result = await run(command, []);
    assert.equal(result.code, null);
    assert.equal(result.failure, "notStarted");
    assert.notEqual(result.stderr, "");
  }
});

test("what takes too long is ended", async () => {
  const result = await node("setInterval(() => {}, 1000)", { timeoutMs: 50 });
  assert.deepEqual({ code: result.code, failure: result.failure }, { code: null, failure: "timeout" });
});

test("what is cancelled is ended, also before it began", async () => {
  const abort = new AbortController();
  const result = await node("console.log('up'); setInterval(() => {}, 1000)", {
    signal: abort.signal,
    onOutput: () => abort.abort(),
  });
  assert.equal(result.failure, "cancelled");
  assert.equal((await node("", { signal: abort.signal })).failure, "cancelled");
});
