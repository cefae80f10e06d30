/** The Python that is selected in VS Code, from the Python extension where it is there. */

import * as vscode from "vscode";

import { isRecord } from "../wire";
import { within } from "../timing";

const WAIT_MS = 3000;

/** The selected Python's file; undefined without one, or if the Python extension does not answer. */
export async function selectedPython(resource: vscode.Uri | undefined): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<unknown>("ms-python.python");
  if (extension === undefined) return undefined;
  return within(WAIT_MS, ask(extension, resource));
}

async function ask(extension: vscode.Extension<unknown>, resource: vscode.Uri | undefined): Promise<string | undefined> {
  const api = extension.isActive ? extension.exports : await extension.activate();
  const environments = isRecord(api) ? api["environments"] : undefined;
  if (!isRecord(environments)) return undefined;
  const { getActiveEnvironmentPath: active, resolveEnvironment: resolve } = environments;
  if (typeof active !== "function") return undefined;
  const chosen: unknown = active.call(environments, resource);
  const resolved: unknown = typeof resolve === "function" ? await resolve.call(environments, chosen) : undefined;
  return executable(resolved) ?? (isRecord(chosen) && typeof chosen["path"] === "string" ? chosen["path"] : undefined);
}

function executable(environment: unknown): string | undefined {
  const found = isRecord(environment) ? environment["executable"] : undefined;
  const uri = isRecord(found) ? found["uri"] : undefined;
  return isRecord(uri) && typeof uri["fsPath"] === "string" ? uri["fsPath"] : undefined;
}
