/**
 * The client of the Lean 4 extension, as far as it is there.
 *
 * What that extension exports has no version and may change, so everything is checked before it is used.
 */

import * as vscode from "vscode";

import { innermost } from "../server/programs";
import { within } from "../timing";
import { isRecord } from "../wire";

export const LEAN4 = "leanprover.lean4";

/** A client that talks with Lean's server for some folder. */
export interface LeanClient {
  sendRequest(method: string, params: object, token: vscode.CancellationToken): Promise<unknown>;
}

const WAIT_MS = 1500;

export class Lean4Extension {
  private looking: Promise<Record<string, unknown> | undefined> | undefined;

  /** Whether the extension is installed and switched on. */
  get present(): boolean {
    return vscode.extensions.getExtension(LEAN4) !== undefined;
  }

  /** The running client for a file; undefined without one, or if the extension does not answer in time. */
  async clientFor(uri: vscode.Uri): Promise<LeanClient | undefined> {
    const provider = await this.provider();
    if (provider === undefined) return undefined;
    const all = call(provider, "getClients");
    const clients = (Array.isArray(all) ? all : [call(provider, "getActiveClient")]).filter(isRunning);
    return innermost(uri.fsPath, clients, folderOf, process.platform) as unknown as LeanClient | undefined;
  }

  /** What the extension exports to reach its clients. What it takes too long with is not waited for again. */
  private async provider(): Promise<Record<string, unknown> | undefined> {
    const extension = vscode.extensions.getExtension<unknown>(LEAN4);
    if (extension === undefined) return undefined;
    const wait = this.looking === undefined ? WAIT_MS : 0;
    this.looking ??= find(extension).finally(() => (this.looking = undefined));
    return within(wait, this.looking);
  }
}

/** Whether Lean still works on a file, according to its client. */
export function isProcessing(client: LeanClient, uri: vscode.Uri): boolean {
  const { progress } = client as { readonly progress?: unknown };
  if (!(progress instanceof Map)) return false;
  const ofFile = [...progress].filter(([key]) => isRecord(key) && key["fsPath"] === uri.fsPath);
  const latest: unknown = ofFile.at(-1)?.[1];
  return Array.isArray(latest) && latest.length > 0;
}

async function find(extension: vscode.Extension<unknown>): Promise<Record<string, unknown> | undefined> {
  const exported = extension.isActive ? extension.exports : await extension.activate();
  const features = isRecord(exported) ? await exported["lean4EnabledFeatures"] : undefined;
  const provider = isRecord(features) ? features["clientProvider"] : undefined;
  return isRecord(provider) ? provider : undefined;
}

function call(object: Record<string, unknown>, name: string): unknown {
  const method = object[name];
  return typeof method === "function" ? (method.call(object) as unknown) : undefined;
}

function isRunning(client: unknown): client is Record<string, unknown> {
  if (!isRecord(client) || typeof client["sendRequest"] !== "function") return false;
  return typeof client["isRunning"] === "function" ? call(client, "isRunning") === true : client["running"] === true;
}

function folderOf(client: Record<string, unknown>): string | undefined {
  const folder = client["folderUri"] ?? call(client, "getClientFolder");
  return isRecord(folder) && typeof folder["fsPath"] === "string" ? folder["fsPath"] : undefined;
}
