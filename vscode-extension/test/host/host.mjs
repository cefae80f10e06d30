/** What scenarios do in the extension host. */
import path from "node:path";

import { eventually } from "../driver/eventually.mjs";

export const ID = "premise-suggest.premise-suggest";
export const FIRST = "Unfinished/FirstSteps.lean";
/** Places of that file: behind their `sorry`. */
export const FACTORIAL = "k ∣ n.factorial := by\n  sorry";
export const SWAPPED = "b + (a + c) := by\n  sorry";
export const SUGGEST = "premiseSuggest/suggest";

export class Host {
  constructor(vscode, setup, record) {
    Object.assign(this, { vscode, setup, record });
    this.world = setup.world;
  }

  get extension() {
    return this.vscode.extensions.getExtension(ID);
  }

  /** What the extension exports: its states, and events for their changes. */
  get api() {
    return this.extension.exports;
  }

  /** Wait until the server answers. */
  async running() {
    await eventually(() => this.extension.isActive && this.api.server().kind === "running", () => `the server runs; it is ${JSON.stringify(this.api?.server())}`);
  }

  /** Wait until the view is told something like this. */
  async shows(holds, what) {
    return eventually(() => (holds(this.api.state()) ? this.api.state() : null), () => `the view shows ${what}; it shows ${JSON.stringify(this.api.state()).slice(0, 800)}`);
  }

  get standIn() {
    return globalThis.lean4StandIn;
  }

  /** Open a file in an editor. */
  async open(folder, name) {
    const document = await this.vscode.workspace.openTextDocument(path.join(folder, name));
    return this.vscode.window.showTextDocument(document);
  }

  /** Put the cursor behind a text. */
  goBehind(editor, text) {
    const at = editor.document.getText().indexOf(text);
    if (at < 0) throw new Error(`${editor.document.uri} has no ${JSON.stringify(text)}`);
    const place = editor.document.positionAt(at + text.length);
    editor.selection = new this.vscode.Selection(place, place);
    return place;
  }

  /** Replace a text by another. */
  async replace(editor, text, by) {
    const at = editor.document.getText().indexOf(text);
    const range = new this.vscode.Range(editor.document.positionAt(at), editor.document.positionAt(at + text.length));
    await editor.edit((edit) => edit.replace(range, by));
  }

  async revert() {
    await this.vscode.commands.executeCommand("workbench.action.files.revert");
  }

  /** Set something for a while. */
  async withSetting(name, value, body) {
    const settings = () => this.vscode.workspace.getConfiguration("premiseSuggest");
    await settings().update(name, value, this.vscode.ConfigurationTarget.Global);
    try {
      await body();
    } finally {
      await settings().update(name, undefined, this.vscode.ConfigurationTarget.Global);
    }
  }

  command(name, ...args) {
    return this.vscode.commands.executeCommand(name, ...args);
  }

  /** The latest answer to a suggestion that was asked for since the mark. */
  async suggestion(holds = () => true) {
    return eventually(
      () => this.record.answers(SUGGEST).map((one) => one.result).filter((one) => one && holds(one)).at(-1),
      () => `a suggestion as wanted; the answers are ${JSON.stringify(this.record.answers(SUGGEST)).slice(0, 1500)}`,
    );
  }
}
