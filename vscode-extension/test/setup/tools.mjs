/** The programs that must be on the machine: looked for, and installed by apt where that is allowed. */
import { accessSync, constants, existsSync } from "node:fs";
import path from "node:path";

import { run, say, Unable } from "./run.mjs";

const BROWSERS = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

export function which(name) {
  for (const folder of (process.env.PATH ?? "").split(path.delimiter)) {
    const file = path.join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      continue; // not in this folder
    }
  }
  return undefined;
}

export function findBrowser() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  return BROWSERS.map(which).find((file) => file !== undefined);
}

/** The Debian packages of what is missing. */
function missingPackages() {
  const missing = [];
  if (!findBrowser()) missing.push("chromium");
  if (!which("rg")) missing.push("ripgrep");
  if (!which("python3")) missing.push("python3");
  if (!which("make") || !which("c++")) missing.push("build-essential");
  if (!nodeHeaders()) missing.push("libnode-dev");
  return missing;
}

/** The folder above `include/node`, for building native modules with no download; "" where gyp may fetch the headers. */
export function nodeHeaders() {
  const beside = path.dirname(path.dirname(process.execPath));
  return [beside, "/usr"].find((root) => existsSync(path.join(root, "include/node/node.h")));
}

export async function ensureTools() {
  const missing = missingPackages();
  if (missing.length === 0) return;
  const names = missing.join(", ");
  const apt = which("apt-get");
  if (!apt) throw new Unable(`${names} must be installed, and this machine has no apt-get`);
  if (process.getuid() !== 0) throw new Unable(`${names} must be installed, and apt-get needs root ('sudo apt-get install ${missing.join(" ")}')`);
  say(`apt-get install ${missing.join(" ")}`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  await run(apt, ["update"], { env });
  await run(apt, ["install", "-y", "--no-install-recommends", ...missing], { env });
}
