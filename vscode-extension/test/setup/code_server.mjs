/** code-server from npm, with its native modules built here: nothing but npm's registry is asked. */
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";

import { run, say, Unable } from "./run.mjs";
import { nodeHeaders, which } from "./tools.mjs";
import { CODE_SERVER, NODE_GYP } from "./versions.mjs";

const QUIET = ["--no-audit", "--no-fund", "--loglevel=error"];
/** Needed at work: logging, file watching, the terminal, and the watchdog. kerberos is for proxies only and stays unbuilt. */
const NATIVE = ["@vscode/spdlog", "@parcel/watcher", "native-watchdog", "node-pty"];

/** Make it in a folder beside its place and move it there whole, so that a broken attempt is never met again. */
export async function makeCodeServer(folder) {
  const draft = `${folder}.making-${process.pid}`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  try {
    await build(draft);
    if (!existsSync(folder)) renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

async function build(draft) {
  const env = { ...process.env, npm_config_nodedir: nodeHeaders() };
  const npm = (args, cwd) => run("npm", [...args, ...QUIET], { cwd, env }).catch(npmFailed);
  writeFileSync(path.join(draft, "package.json"), '{"private": true}\n');

  say(`npm: code-server ${CODE_SERVER}`);
  await npm(["install", "--ignore-scripts", `code-server@${CODE_SERVER}`, `node-gyp@${NODE_GYP}`], draft);
  await npm(["rebuild", "argon2"], draft);

  const vscode = path.join(draft, "node_modules/code-server/lib/vscode");
  say("npm: VS Code's own packages");
  await npm(["install", "--omit=dev", "--ignore-scripts"], vscode);
  await npm(["install", "--omit=dev", "--ignore-scripts"], path.join(vscode, "extensions"));

  const gyp = path.join(draft, "node_modules/.bin/node-gyp");
  for (const name of NATIVE) {
    say(`building ${name}`);
    await run(gyp, ["rebuild", `--nodedir=${nodeHeaders()}`], { cwd: path.join(vscode, "node_modules", name), env });
  }
  const ripgrep = path.join(vscode, "node_modules/@vscode/ripgrep/bin");
  mkdirSync(ripgrep, { recursive: true });
  symlinkSync(which("rg"), path.join(ripgrep, "rg"));
  symlinkSync("node_modules", path.join(vscode, "node_modules.asar"));
}

function npmFailed(error) {
  const code = /npm (?:error|ERR!) code (\S+)/.exec(error.output)?.[1] ?? "no code given";
  throw new Unable(`npm could not install code-server ${CODE_SERVER} (${code}); it needs npm's registry and a C++ compiler`);
}
