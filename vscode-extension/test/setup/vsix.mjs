/** The extension's package, made anew only when a source has changed: `node vscode-extension/test/setup/vsix.mjs`. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";

import { run, say } from "./run.mjs";

const ROOT = path.resolve(import.meta.dirname, "../..");
const VSIX = path.join(ROOT, "dist/premise-suggest.vsix");
const STAMP = path.join(ROOT, "dist/.built-from");
const INSTALLED = path.join(ROOT, "node_modules/.installed-from");
const NOT_SOURCES = new Set(["node_modules", "dist", "test"]);

function digest(files) {
  const hash = createHash("sha256");
  for (const file of files) hash.update(`${path.relative(ROOT, file)}\0`).update(readFileSync(file));
  return hash.digest("hex");
}

function sources(folder = ROOT) {
  return readdirSync(folder).sort().filter((name) => !NOT_SOURCES.has(name)).flatMap((name) => {
    const file = path.join(folder, name);
    return statSync(file).isDirectory() ? sources(file) : [file];
  });
}

const recorded = (file) => (existsSync(file) ? readFileSync(file, "utf8") : "");

/** The path of the .vsix, built with exactly the versions of the lock file; Unable where these cannot be had. */
export async function ensureVsix() {
  const lock = digest([path.join(ROOT, "package-lock.json")]);
  if (recorded(INSTALLED) !== lock) {
    say("npm ci in vscode-extension");
    await run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: ROOT });
    writeFileSync(INSTALLED, lock);
  }
  const made = digest(sources());
  if (recorded(STAMP) !== made || !existsSync(VSIX)) {
    say("building the extension");
    await run("npm", ["run", "package"], { cwd: ROOT }).catch((error) => {
      throw new Error(error.message); // a fault of ours, and not of the machine
    });
    mkdirSync(path.dirname(STAMP), { recursive: true });
    writeFileSync(STAMP, made);
  }
  return VSIX;
}

if (process.argv[1] === import.meta.filename) {
  try {
    process.stdout.write(`${await ensureVsix()}\n`);
  } catch (error) {
    say(`the extension could not be built: ${error.message}`);
    process.exitCode = 1;
  }
}
