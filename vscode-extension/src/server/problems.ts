/** Why there is no server, in words for a person, and what they can do about it. Pure. */

import { OLDEST_PYTHON, OLDEST_SERVER, show, type Version } from "./versions";

/** What a button under a problem does. */
export type Remedy = "install" | "settings" | "restart" | "output" | "trust";

export interface Problem {
  readonly reason: "missing" | "crashed" | "untrusted";
  /** One sentence: what is the matter. */
  readonly message: string;
  /** One sentence: what to do next. */
  readonly hint: string;
  readonly remedies: readonly Remedy[];
}

/** What the buttons are called. */
export const REMEDIES: Record<Remedy, string> = {
  install: "Install",
  settings: "Open Settings",
  restart: "Restart",
  output: "Show Output",
  trust: "Manage Trust",
};

const python = show(OLDEST_PYTHON).replace(/\.0$/u, "");

export const UNTRUSTED: Problem = {
  reason: "untrusted",
  message: "Nothing is started in a workspace that is not trusted.",
  hint: "Trust the workspace to see premises: the server runs Lean, and Lean runs code of the project. The packages that the project lists are read, too, wherever they are.",
  remedies: ["trust"],
};

export function pythonMissing(): Problem {
  return {
    reason: "missing",
    message: "The program premise-suggest was not found, and no Python to install it with.",
    hint: `Install Python ${python} or newer, or set premiseSuggest.path to the program.`,
    remedies: ["restart", "settings"],
  };
}

export function pythonTooOld(where: string, found: Version): Problem {
  return {
    reason: "missing",
    message: `The program premise-suggest was not found, and ${where} is Python ${show(found)}, which is too old for it.`,
    hint: `Install Python ${python} or newer, or set premiseSuggest.path to the program.`,
    remedies: ["restart", "settings"],
  };
}

export function packageMissing(where: string): Problem {
  return {
    reason: "missing",
    message: "The program premise-suggest was not found.",
    hint: `Install it into an environment of its own with ${where}, or set premiseSuggest.path to the program.`,
    remedies: ["install", "settings"],
  };
}

export function badPath(setting: string, why: string): Problem {
  return {
    reason: "missing",
    message: `premiseSuggest.path is ${setting}, which ${why}.`,
    hint: "Set it to the program premise-suggest, or leave it empty to find it automatically.",
    remedies: ["settings", "output"],
  };
}

export function serverTooOld(where: string, found: Version, isOwn: boolean): Problem {
  return {
    reason: "missing",
    message: `${where} is premise-suggest ${show(found)}; this extension needs ${show(OLDEST_SERVER)} or newer.`,
    hint: isOwn ? "Reinstall it." : "Update it there, or set premiseSuggest.path to a newer one.",
    remedies: isOwn ? ["install", "settings"] : ["settings", "restart"],
  };
}

/** The server ended before it could answer. `errors` is the end of what it wrote to stderr. */
export function crashedAtStart(errors: string): Problem {
  const last = lastWords(errors);
  return {
    reason: "crashed",
    message: last === "" ? "The server ended as soon as it was started." : `The server could not start: ${last}`,
    hint: "See the output for details, or run premise-suggest doctor in a terminal to see what is missing.",
    remedies: ["restart", "output"],
  };
}

export function gaveUp(restarts: number): Problem {
  return {
    reason: "crashed",
    message: `The server has ended unexpectedly ${restarts + 1} times and was restarted ${restarts} times; it is not started again.`,
    hint: "You can restart it; the output has its last messages.",
    remedies: ["restart", "output"],
  };
}

/** The last line that says something, shortened; a Python traceback ends in its error. */
export function lastWords(text: string): string {
  const lines = text.split(/\r?\n/u).map((line) => line.trim());
  const last = lines.filter((line) => line !== "").at(-1) ?? "";
  return last.length <= 200 ? last : `${last.slice(0, 199)}…`;
}
