/** Offers the Lean 4 extension where it is not installed; once, since everything works without it. */

import * as vscode from "vscode";

import { LEAN4 } from "./goal/lean4";

const OFFERED = "lean4Offered";
const INSTALL = "Install the Lean 4 Extension";

export async function offerLean4(context: vscode.ExtensionContext, present: boolean): Promise<void> {
  if (present || context.globalState.get(OFFERED) === true) return;
  await context.globalState.update(OFFERED, true);
  const message =
    "Premise Suggest: The Lean 4 extension is not installed. Premises and search work without it; " +
    "it adds the infoview, and its Lean then gives the goals.";
  const chosen = await vscode.window.showInformationMessage(message, INSTALL, "Not Now");
  if (chosen === INSTALL) {
    await vscode.commands.executeCommand("workbench.extensions.installExtension", LEAN4);
  }
}
