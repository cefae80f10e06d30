/** Activation: the parts, the view and the commands. */

import * as vscode from "vscode";

import type { Api } from "./api";
import { App } from "./app";
import { workingFolder } from "./server/locate";
import { isRemedy, REMEDY_COMMAND } from "./toastText";
import { PremisesView } from "./view/provider";

let app: App | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<Api> {
  const channel = vscode.window.createOutputChannel("Premise Suggest", { log: true });
  const parts = new App(context, channel, await workingFolder(context.globalStorageUri));
  app = parts;
  const { doing } = parts;
  const command = (name: string, run: () => unknown) =>
    vscode.commands.registerCommand(`premise-suggest.${name}`, () => run());
  context.subscriptions.push(
    channel,
    parts,
    vscode.window.registerWebviewViewProvider(PremisesView.id, parts.view),
    command("suggestHere", () => doing.suggestHere()),
    command("proveHere", () => doing.proveHere()),
    command("nextSorry", () => doing.goToSorry("next")),
    command("previousSorry", () => doing.goToSorry("previous")),
    command("search", () => doing.search()),
    command("indexProject", () => doing.indexProject()),
    command("restartServer", () => doing.restart()),
    command("showOutput", () => channel.show()),
    command("install", () => doing.install()),
    vscode.commands.registerCommand("premise-suggest.copyRow", (row: unknown) => doing.copyRow(row)),
    vscode.commands.registerCommand("premise-suggest.searchLikeRow", (row: unknown) => doing.searchLikeRow(row)),
    vscode.commands.registerCommand("premise-suggest.usesOfRow", (row: unknown) => doing.usesOfRow(row)),
    vscode.commands.registerCommand(REMEDY_COMMAND, (remedy: unknown) => isRemedy(remedy) && doing.run(remedy)),
  );
  void parts.start();
  return parts.api;
}

/** The window closes: resolves when the server's process has ended. */
export async function deactivate(): Promise<void> {
  await app?.stop();
  app = undefined;
}
