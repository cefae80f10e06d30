/** Opening where a premise is declared: in the sources, else its page in Mathlib's documentation. */

import * as vscode from "vscode";

import type { Server } from "../server/server";
import type { Details, PremiseItem } from "../view/state";
import { readDeclaration, readFailure, sentence, type Declaration } from "../wire";
import { rangeOf } from "./insert";

/** What is opened: a premise, or a use of one, which has no page. */
export type Named = Pick<PremiseItem, "name" | "module"> & Partial<Pick<PremiseItem, "doc_url">>;

export async function openDeclaration(server: Server, premise: Named, file: vscode.Uri | undefined): Promise<void> {
  try {
    const { location, docUrl } = await find(server, premise, file);
    const page = docUrl ?? premise.doc_url ?? null;
    if (location !== null) await open(vscode.Uri.parse(location.uri), rangeOf(location.range));
    else if (page !== null) await vscode.env.openExternal(vscode.Uri.parse(page));
    else throw new Error(`The source of ${premise.name} (${premise.module}) is not on this machine.`);
  } catch (error) {
    void vscode.window.showWarningMessage(`Premise Suggest: ${sentence(readFailure(error))}`);
  }
}

/** The doc string, the whole statement and its reading of a premise. */
export async function lookUp(server: Server, premise: PremiseItem, file: vscode.Uri | undefined): Promise<Details> {
  const { doc, statement, reading } = await find(server, premise, file);
  return { doc, statement, reading };
}

async function find(server: Server, { name, module }: Named, file: vscode.Uri | undefined): Promise<Declaration> {
  const params = { name, module, ...(file && { textDocument: { uri: file.toString() } }) };
  return readDeclaration(await server.request("premiseSuggest/declaration", params));
}

async function open(uri: vscode.Uri, range: vscode.Range): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uri);
  const at = new vscode.Range(range.start, range.start);
  const shown = vscode.window.visibleTextEditors.find((editor) => editor.document === document)?.viewColumn;
  await vscode.window.showTextDocument(document, { selection: at, viewColumn: shown ?? vscode.ViewColumn.One });
}
