/** The unit tests: `npm run test:unit [-- NAME...]`. Bundles those whose file name contains one of the names, and runs them. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";

import { build } from "esbuild";

const here = import.meta.dirname;
const wanted = process.argv.slice(2);
const files = readdirSync(here)
  .filter((name) => name.endsWith(".test.ts"))
  .filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)));

const made = mkdtempSync(path.join(os.tmpdir(), "premise-unit-"));
try {
  await build({
    entryPoints: files.map((name) => path.join(here, name)),
    outdir: made,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "warning",
  });
  const bundles = files.map((name) => path.join(made, name.replace(/\.ts$/u, ".mjs")));
  const env = { ...process.env, EXTENSION_ROOT: path.resolve(here, "../..") };
  const tests = spawnSync(process.execPath, ["--test", "--test-reporter=spec", ...bundles], { env, stdio: "inherit" });
  process.exitCode = tests.status ?? 1;
} finally {
  rmSync(made, { recursive: true, force: true });
}
