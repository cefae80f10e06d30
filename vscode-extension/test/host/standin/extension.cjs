/**
 * Stands for leanprover.lean4: the part of its exports by which others reach its client.
 *
 * A test, which runs in the same process, says through `globalThis.lean4StandIn` how it behaves.
 */
"use strict";

const vscode = require("vscode");

globalThis.lean4StandIn = { mode: "stopped", goal: "", asked: [] };

class Client {
  constructor(folder) {
    this.folderUri = { scheme: "file", fsPath: folder.uri.fsPath };
  }

  get running() {
    return globalThis.lean4StandIn.mode !== "stopped";
  }

  isRunning() {
    return this.running;
  }

  /** Which part of a file Lean still works on, as the real client keeps it. */
  get progress() {
    const busy = globalThis.lean4StandIn.mode === "working" ? [{ range: {}, kind: 1 }] : [];
    return new Map(vscode.workspace.textDocuments.map(({ uri }) => [{ scheme: "file", fsPath: uri.fsPath }, busy]));
  }

  sendRequest(method, params) {
    const { mode, goal, asked } = globalThis.lean4StandIn;
    asked.push({ method, params });
    if (mode === "silent" || mode === "working" || !this.running) return new Promise(() => {});
    if (mode === "failing") return Promise.reject(new Error("Client is not running"));
    if (method !== "$/lean/plainGoal") return Promise.resolve(null);
    return Promise.resolve({ rendered: `\`\`\`lean\n${goal}\n\`\`\``, goals: [goal] });
  }
}

/** Its clients: one for each folder that was opened. */
const clientProvider = {
  getClients: () => vscode.workspace.workspaceFolders.map((folder) => new Client(folder)),
  getActiveClient: () => clientProvider.getClients()[0],
};

exports.activate = () => ({
  get lean4EnabledFeatures() {
    return globalThis.lean4StandIn.mode === "older" ? undefined : Promise.resolve({ clientProvider });
  },
});
