/** Moving the cursor: to a place that the view names, and from `sorry` to `sorry`. */

import * as vscode from "vscode";

import type { Server } from "../server/server";
import { characterAt, columnAt, placeOf, sorryBeside } from "../sorries";
import type { Place } from "../view/state";
import { readFailure, readSorries, sentence } from "../wire";

/** Put the cursor there, with the focus, in the column where the file is seen already. */
export async function goTo({ file, line, column }: Place): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(file));
  const row = Math.min(Math.max(line, 1), document.lineCount) - 1;
  const at = new vscode.Position(row, characterAt(document.lineAt(row).text, column));
  const seen = vscode.window.visibleTextEditors.find((editor) => editor.document === document)?.viewColumn;
  const editor = await vscode.window.showTextDocument(document, seen);
  editor.selection = new vscode.Selection(at, at);
  editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

/** Put the cursor at the `sorry` after or before it; the last one is followed by the first. */
export async function goToSorry(server: Server, editor: vscode.TextEditor, step: "next" | "previous"): Promise<void> {
  const { document, selection } = editor;
  const uri = document.uri.toString();
  const { line, character } = selection.active;
  try {
    await server.start();
    const all = readSorries(await server.request("premiseSuggest/sorries", { textDocument: { uri } }));
    const found = sorryBeside(all, { line: line + 1, column: columnAt(document.lineAt(line).text, character) }, step);
    if (found !== null) return await goTo(placeOf(found, uri));
    const message = all.length === 0 ? "This file has no sorry." : "This file has no other sorry.";
    vscode.window.setStatusBarMessage(`Premise Suggest: ${message}`, 3000);
  } catch (error) {
    void vscode.window.showWarningMessage(`Premise Suggest: ${sentence(readFailure(error))}`);
  }
}
