/** Where VS Code's settings, its selected Python and this extension's own storage say to look for the server. */

import { mkdir } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import * as vscode from "vscode";

import { completedPython } from "./environment";
import type { Search } from "./find";
import { pathVariable } from "./programs";
import { selectedPython } from "./python";

/** The folder of the environment that "Install" makes. */
export function ownFolder(storage: vscode.Uri): string {
  return path.join(storage.fsPath, "server");
}

/** The folder in which programs are run: ours, so that nothing in an opened one is taken for a module. */
export async function workingFolder(storage: vscode.Uri): Promise<string> {
  const folder = path.join(storage.fsPath, "run");
  await mkdir(folder, { recursive: true });
  return folder;
}

export async function searchIn(storage: vscode.Uri, channel: vscode.LogOutputChannel): Promise<Search> {
  const setting = vscode.workspace.getConfiguration("premiseSuggest").get("path", "");
  const resource = vscode.window.activeTextEditor?.document.uri ?? vscode.workspace.workspaceFolders?.[0]?.uri;
  return {
    setting,
    selectedPython: setting.trim() === "" ? await selectedPython(resource) : undefined,
    path: pathVariable(process.env),
    ownPython: await completedPython(ownFolder(storage), process.platform),
    home: os.homedir(),
    platform: process.platform,
    cwd: await workingFolder(storage),
    log: (line) => channel.info(line),
  };
}
