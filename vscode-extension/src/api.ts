/** What the extension exports: enough for tests and measurements to wait for events instead of guessing. */

import type * as vscode from "vscode";

import type { ServerState } from "./server/server";
import type { ViewState } from "./view/state";

export interface Api {
  /** What the view shows. */
  readonly state: () => ViewState;
  readonly onDidChangeState: vscode.Event<ViewState>;
  readonly server: () => ServerState;
  readonly onDidChangeServer: vscode.Event<ServerState>;
  /** The server's process; undefined where none runs. */
  readonly serverPid: () => number | undefined;
  /** Requests at the server now, waiting for a place, and at most at once since the start. */
  readonly requests: () => { readonly running: number; readonly waiting: number; readonly most: number };
}
