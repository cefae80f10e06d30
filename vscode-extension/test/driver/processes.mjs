/** The live processes of one test world, found by the token that each inherits in its environment. */
import { readdirSync, readFileSync } from "node:fs";

import { eventually } from "./eventually.mjs";

const TOKEN = "PREMISE_SUGGEST_TEST_WORLD";

export function tokenVariable(id) {
  return { [TOKEN]: id };
}

function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // it has ended meanwhile
  }
}

/** [{pid, command}] of the world's processes, zombies left out. */
export function processesOf(id) {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => read(`/proc/${pid}/environ`).split("\0").includes(`${TOKEN}=${id}`))
    .map((pid) => ({ pid: Number(pid), command: read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim() }))
    .filter((one) => one.command !== "");
}

export const isServer = (one) => /(premise-suggest|-m lsp_server) serve/.test(one.command);
export const isLean = (one) => /launcher\.py|\blean\b.*--(server|worker)/.test(one.command);
/** What the extension is answerable for: the server, what stands for it in tests, and the Leans below it. */
export const isOurs = (one) => isServer(one) || isLean(one) || /recorder\.mjs serve/.test(one.command);

/** Wait until none that matches is left; the error names those that stay. */
export async function noneLeft(id, matches, seconds = 60) {
  let left = [];
  const gone = () => (left = processesOf(id).filter(matches)).length === 0;
  await eventually(gone, () => `these processes stay: ${left.map((one) => `${one.pid} ${one.command.slice(0, 120)}`).join("; ")}`, seconds);
}

/** Resident memory in bytes. */
export function residentBytes(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) * 1024;
}
