/** Finds a server that can be started, or says why there is none. Runs programs, reads no settings. */

import { access, constants } from "node:fs/promises";

import * as problems from "./problems";
import type { Problem } from "./problems";
import * as programs from "./programs";
import type { Program, PythonCall } from "./programs";
import { run, type RunResult } from "./run";
import { isAtLeast, OLDEST_PYTHON, OLDEST_SERVER, readVersion, versionAfter, type Version } from "./versions";

/** Where to look. */
export interface Search {
  /** What premiseSuggest.path says; empty: nothing. */
  readonly setting: string;
  /** The Python that is selected in VS Code, if one is. */
  readonly selectedPython: string | undefined;
  readonly path: string | undefined;
  /** The Python of the environment that this extension made, if it did. */
  readonly ownPython: string | undefined;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** The folder in which programs are run: not one that was opened. */
  readonly cwd: string;
  readonly log: (line: string) => void;
}

export type Found =
  | { readonly program: Program; readonly version: Version }
  | { readonly problem: Problem; readonly python: FoundPython | undefined };

/** A Python that runs: how it is called, its own file, its version, and the version of our package in it. */
export interface FoundPython {
  readonly call: PythonCall;
  readonly file: string;
  readonly version: Version;
  readonly server: Version | null;
}

const PROBE_MS = 20_000;
const PROBE = [
  "import sys, importlib.metadata as m",
  "print('python %d.%d.%d' % sys.version_info[:3])",
  "print('file ' + sys.executable)",
  "print('server ' + next((d.version for d in m.distributions(name='premise-suggest')), 'none'))",
].join("\n");

/** The server: as set, else of the selected Python, else on PATH, else of our own environment. */
export async function findServer(search: Search): Promise<Found> {
  if (search.setting.trim() !== "") return asSet(search);
  const selected = await probePython(search.selectedPython, search);
  if (selected?.server && isAtLeast(selected.version, OLDEST_PYTHON)) {
    if (isAtLeast(selected.server, OLDEST_SERVER)) return accepted(search, selected, "python", selected.server);
    search.log(`${selected.file} has premise-suggest ${selected.server.join(".")}, which is too old.`);
  }
  const onPath = await onPathServer(search);
  if (onPath !== null && "program" in onPath) return onPath;
  const own = await probePython(search.ownPython, search);
  if (own?.server && isAtLeast(own.server, OLDEST_SERVER)) return accepted(search, own, "own", own.server);
  const python = await findPython(search, selected);
  if (selected?.server) return { problem: problems.serverTooOld(selected.file, selected.server, false), python };
  if (onPath !== null) return { ...onPath, python };
  if (own?.server) return { problem: problems.serverTooOld(own.file, own.server, true), python };
  return { problem: withoutServer(python), python };
}

function withoutServer(python: FoundPython | undefined): Problem {
  if (python === undefined) return problems.pythonMissing();
  if (!isAtLeast(python.version, OLDEST_PYTHON)) return problems.pythonTooOld(python.file, python.version);
  return problems.packageMissing(python.file);
}

/** The program that the setting names; if it cannot run, nothing else is tried. */
async function asSet(search: Search): Promise<Found> {
  const typed = programs.typedPath(search.setting, search.home, search.platform);
  const files = programs.isPath(typed)
    ? [typed]
    : programs.candidates(typed, programs.pathFolders(search.path, search.platform), search.platform);
  const file = await firstThatExists(files);
  if (file === undefined) return { problem: problems.badPath(search.setting, "does not exist"), python: undefined };
  const result = await ask(file, ["--version"], search);
  const version = versionAfter("premise-suggest", result.stdout);
  if (version === null) {
    const why = result.failure === "timeout" ? "does not answer" : "is not premise-suggest, or cannot run";
    return { problem: problems.badPath(search.setting, why), python: undefined };
  }
  if (!isAtLeast(version, OLDEST_SERVER)) {
    return { problem: problems.serverTooOld(file, version, false), python: undefined };
  }
  return { program: { source: "setting", command: file, args: [] }, version };
}

async function onPathServer(search: Search): Promise<Found | null> {
  let tooOld: Found | null = null;
  const folders = programs.pathFolders(search.path, search.platform);
  for (const file of programs.candidates("premise-suggest", folders, search.platform)) {
    if ((await firstThatExists([file])) === undefined) continue;
    const version = versionAfter("premise-suggest", (await ask(file, ["--version"], search)).stdout);
    if (version === null) search.log(`${file} cannot run, or is not premise-suggest.`);
    else if (isAtLeast(version, OLDEST_SERVER)) {
      return { program: { source: "path", command: file, args: [] }, version };
    } else tooOld ??= { problem: problems.serverTooOld(file, version, false), python: undefined };
  }
  return tooOld;
}

/** A Python to install with: the known one or one on PATH that is new enough, else one that is there. */
export async function findPython(search: Search, known?: FoundPython): Promise<FoundPython | undefined> {
  if (known && isAtLeast(known.version, OLDEST_PYTHON)) return known;
  let best = known;
  const folders = programs.pathFolders(search.path, search.platform);
  const calls: PythonCall[] = [];
  for (const name of programs.pythonNames(search.platform)) {
    const file = await firstThatExists(programs.candidates(name, folders, search.platform));
    if (file !== undefined) calls.push({ command: file, args: [] });
  }
  if (search.platform === "win32") {
    const launcher = await firstThatExists(programs.candidates("py", folders, search.platform));
    if (launcher !== undefined) calls.push({ command: launcher, args: ["-3"] });
  }
  for (const call of calls) {
    const python = await probe(call, search);
    if (python === undefined) continue;
    if (isAtLeast(python.version, OLDEST_PYTHON)) return python;
    best ??= python;
  }
  return best;
}

/** What a Python that may be there says of itself. */
export async function probePython(file: string | undefined, search: Search): Promise<FoundPython | undefined> {
  return file === undefined ? undefined : probe({ command: file, args: [] }, search);
}

async function probe(call: PythonCall, search: Search): Promise<FoundPython | undefined> {
  const result = await ask(call.command, [...call.args, "-c", PROBE], search);
  const python = readProbe(call, result.stdout);
  if (python === undefined) search.log(`${call.command} is no Python that runs: ${problems.lastWords(result.stderr)}`);
  return python;
}

/** What a Python reports of itself; a start-up file may have printed something before. */
export function readProbe(call: PythonCall, output: string): FoundPython | undefined {
  const version = versionAfter("python", output);
  if (version === null) return undefined;
  const lines = output.split(/\r?\n/u);
  const after = (name: string) => lines.findLast((line) => line.startsWith(`${name} `))?.slice(name.length + 1) ?? "";
  return { call, file: after("file") || call.command, version, server: readVersion(after("server")) };
}

function accepted(search: Search, python: FoundPython, source: Program["source"], version: Version): Found {
  search.log(`premise-suggest ${version.join(".")} is in ${python.file}.`);
  return { program: programs.moduleOf(python.file, source), version };
}

function ask(command: string, args: readonly string[], search: Search): Promise<RunResult> {
  return run(command, args, { cwd: search.cwd, timeoutMs: PROBE_MS });
}

async function firstThatExists(files: readonly string[]): Promise<string | undefined> {
  for (const file of files) {
    try {
      await access(file, constants.X_OK);
      return file;
    } catch {
      continue; // Not there, or not to be run: the next one.
    }
  }
  return undefined;
}
