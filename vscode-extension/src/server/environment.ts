/** The server's own environment: made with `venv`, filled by pip, and removed if that fails. */

import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";

import { lastWords } from "./problems";
import { environmentPython, isPath, typedPath, type PythonCall } from "./programs";
import { run, type RunResult } from "./run";

const COMPLETE = "complete.json";
const MINUTES = 60_000;

/** What is to be installed, with what, and where to. */
export interface Installation {
  readonly python: PythonCall;
  readonly folder: string;
  readonly source: string;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly signal: AbortSignal;
  readonly onStep: (step: string) => void;
  readonly onOutput: (text: string) => void;
}

/** How it went: a sentence and what to do next where it failed. */
export type Outcome =
  | { readonly kind: "done" }
  | { readonly kind: "cancelled" }
  | { readonly kind: "failed"; readonly message: string; readonly hint: string };

/** The Python of the environment in a folder; undefined where none was completed there. */
export async function completedPython(folder: string, platform: NodeJS.Platform): Promise<string | undefined> {
  try {
    await readFile(path.join(folder, COMPLETE));
    return environmentPython(folder, platform);
  } catch {
    return undefined;
  }
}

/** Make the environment anew. What is half made is removed. */
export async function install(wanted: Installation): Promise<Outcome> {
  const { folder } = wanted;
  try {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    const outcome = await fill(wanted);
    if (outcome.kind === "done") await writeFile(path.join(folder, COMPLETE), JSON.stringify({ source: wanted.source }));
    else await rm(folder, { recursive: true, force: true });
    return outcome;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { kind: "failed", message: `The environment could not be written: ${why}.`, hint: "Free some space there, then try again." };
  }
}

async function fill(wanted: Installation): Promise<Outcome> {
  const { python, folder, signal, onOutput } = wanted;
  wanted.onStep("making an environment");
  const options = { cwd: folder, signal, onOutput };
  const made = await run(python.command, [...python.args, "-m", "venv", folder], { ...options, timeoutMs: 5 * MINUTES });
  if (made.code !== 0) return venvFailed(made, python.command);
  wanted.onStep("downloading and installing; this can take minutes");
  const own = environmentPython(folder, wanted.platform);
  const flags = ["--disable-pip-version-check", "--no-input", "--progress-bar", "off"];
  const requested = sourceOf(wanted.source, wanted.home, wanted.platform);
  const filled = await run(own, ["-m", "pip", "install", ...flags, requested], { ...options, timeoutMs: 60 * MINUTES });
  if (filled.code !== 0) return pipFailed(filled, requested);
  return { kind: "done" };
}

/** What pip is given: a path with `~` opened, or the name as it is. */
export function sourceOf(typed: string, home: string, platform: NodeJS.Platform): string {
  const bare = typed.trim();
  return isPath(bare) && !bare.includes("://") ? typedPath(bare, home, platform) : bare;
}

function venvFailed(result: RunResult, python: string): Outcome {
  if (result.failure === "cancelled") return { kind: "cancelled" };
  const output = `${result.stdout}\n${result.stderr}`;
  const hint = /ensurepip|python3?[\d.]*-venv/u.test(output)
    ? "This Python lacks the module venv: on Debian and Ubuntu, install the package python3-venv, then try again."
    : "See the output for details.";
  return { kind: "failed", message: `${python} could not make an environment: ${lastWords(result.stderr) || ended(result)}.`, hint };
}

function pipFailed(result: RunResult, source: string): Outcome {
  if (result.failure === "cancelled") return { kind: "cancelled" };
  const error = result.stderr.split(/\r?\n/u).findLast((line) => line.startsWith("ERROR:"));
  const why = error?.slice("ERROR:".length).trim() ?? lastWords(result.stderr);
  return {
    kind: "failed",
    message: `pip could not install ${source}: ${(why || ended(result)).replace(/\.$/u, "")}.`,
    hint: "See the output for details; premiseSuggest.install.source sets what is installed.",
  };
}

function ended(result: RunResult): string {
  if (result.failure === "timeout") return "it took too long";
  return result.code === null ? "it could not be started" : `it ended with code ${result.code}`;
}
