/** The extension's own settings, as they are now. */

import * as vscode from "vscode";

function get<T>(name: string, fallback: T, uri?: vscode.Uri): T {
  return vscode.workspace.getConfiguration("premiseSuggest", uri).get(name, fallback);
}

/** Whether the user has set a setting under `premiseSuggest`, for this folder, this window or all windows. */
export function isSet(name: string): boolean {
  const found = vscode.workspace.getConfiguration("premiseSuggest").inspect(name);
  const values = [found?.globalValue, found?.workspaceValue, found?.workspaceFolderValue];
  return values.some((value) => value !== undefined);
}

export const config = {
  followCursor: () => get("view.followCursor", true),
  debounce: () => Math.max(0, get("view.debounce", 120)),
  /** Whether tactics are tried as the cursor moves. */
  tactics: (uri: vscode.Uri) => get("view.tactics", true, uri) && get("tactics.enabled", true, uri),
  /** Whether tactics are tried where a person asks. */
  tacticsAsked: (uri: vscode.Uri) => get("tactics.enabled", true, uri),
  fromLean4Extension: () => get("goal.fromLean4Extension", true),
};

/** Settings after whose change another server may be the right one. */
export const STARTS_ANEW = ["premiseSuggest.path"];
