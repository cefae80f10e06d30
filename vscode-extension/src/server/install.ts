/** "Install": asks for consent, shows progress, can be cancelled, and says what went wrong. */

import os from "node:os";

import * as vscode from "vscode";

import type { Toasts } from "../toasts";
import { signalOf } from "../tokens";
import { sentence } from "../wire";
import { install, type Outcome } from "./environment";
import { findPython, probePython } from "./find";
import { ownFolder, searchIn } from "./locate";
import { pythonMissing, pythonTooOld, type Problem } from "./problems";
import { isAtLeast, OLDEST_PYTHON } from "./versions";

/** Install the server into its own environment; whether it is there now. `stop` ends a server that runs in it. */
export async function installServer(
  storage: vscode.Uri,
  channel: vscode.LogOutputChannel,
  toasts: Toasts,
  stop: () => Promise<void>,
): Promise<boolean> {
  toasts.end("install");
  const search = await searchIn(storage, channel);
  const python = await findPython(search, await probePython(search.selectedPython, search));
  if (python === undefined) return refuse(pythonMissing(), toasts);
  if (!isAtLeast(python.version, OLDEST_PYTHON)) return refuse(pythonTooOld(python.file, python.version), toasts);
  const source = vscode.workspace.getConfiguration("premiseSuggest").get("install.source", "").trim() || (await chooseSource());
  if (source === undefined) return false;
  const folder = ownFolder(storage);
  if (!(await consents(python.file, folder, source))) return false;
  await stop();
  const outcome = await withProgress((signal, onStep) =>
    install({
      python: python.call,
      folder,
      source,
      home: os.homedir(),
      platform: process.platform,
      signal,
      onStep,
      onOutput: (text) => channel.append(text),
    }),
  );
  return tell(outcome, toasts);
}

/** A clone on this machine: the package is on no package index yet, and whoever took its name there would be installed. */
async function chooseSource(): Promise<string | undefined> {
  const chosen = await vscode.window.showOpenDialog({
    title: "Install premise-suggest: choose a clone of its repository",
    openLabel: "Install From Here",
    canSelectFiles: false,
    canSelectFolders: true,
  });
  return chosen?.[0]?.fsPath;
}

async function consents(python: string, folder: string, source: string): Promise<boolean> {
  const detail =
    `${python} makes a virtual environment in ${folder}, and pip installs ${source} and what it needs there, ` +
    "downloaded from your package index. Nothing else on this machine is changed.";
  const question = "Install premise-suggest into an environment of its own?";
  return (await vscode.window.showInformationMessage(question, { modal: true, detail }, "Install")) === "Install";
}

function withProgress(work: (signal: AbortSignal, onStep: (step: string) => void) => Promise<Outcome>): Thenable<Outcome> {
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: "Installing premise-suggest",
    cancellable: true,
  };
  return vscode.window.withProgress(options, (progress, token) =>
    work(signalOf(token), (step) => progress.report({ message: step })),
  );
}

function tell(outcome: Outcome, toasts: Toasts): boolean {
  if (outcome.kind === "failed") toasts.show("install", sentence(outcome), ["output"]);
  return outcome.kind === "done";
}

function refuse(problem: Problem, toasts: Toasts): false {
  toasts.show("install", sentence(problem), ["settings"]);
  return false;
}
