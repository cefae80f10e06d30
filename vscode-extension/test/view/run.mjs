/**
 * The view's tests: `npm run test:view [-- NAME...]`. Bundles the page as it is shipped and the tests, and runs
 * those whose file name contains one of the names (all without any).
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import os from "node:os";
import path from "node:path";

import { build } from "esbuild";

const here = import.meta.dirname;
const root = path.resolve(here, "../..");
const wanted = process.argv.slice(2);
const files = readdirSync(here)
  .filter((name) => name.endsWith(".test.ts"))
  .filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)));

const page = spawnSync(process.execPath, ["esbuild.mjs", "--minify"], { cwd: root, stdio: "inherit" });
if (page.status !== 0) process.exit(1);

const made = mkdtempSync(path.join(os.tmpdir(), "premise-view-"));
try {
  await build({
    entryPoints: files.map((name) => path.join(here, name)),
    outdir: made,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
    logLevel: "warning",
  });
  const env = { ...process.env, EXTENSION_ROOT: root };
  const bundles = files.map((name) => path.join(made, name.replace(/\.ts$/u, ".mjs")));
  // Bundles stand outside the extension's folder: they find its packages through this link.
  symlinkSync(path.join(root, "node_modules"), path.join(made, "node_modules"));
  const tests = spawnSync(process.execPath, ["--test", "--test-reporter=spec", ...bundles], { cwd: root, env, stdio: "inherit" });
  process.exitCode = tests.status ?? 1;
} finally {
  rmSync(made, { recursive: true, force: true });
}
