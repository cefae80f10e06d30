/** Between VS Code's cancellation tokens and plain abort signals. */

import * as vscode from "vscode";

/** A token that is cancelled when the signal is aborted. Dispose it when the work is done. */
export function tokenOf(signal: AbortSignal): vscode.CancellationTokenSource {
  const source = new vscode.CancellationTokenSource();
  if (signal.aborted) source.cancel();
  else signal.addEventListener("abort", () => source.cancel(), { once: true });
  return source;
}

/** A signal that is aborted when the token is cancelled. */
export function signalOf(token: vscode.CancellationToken): AbortSignal {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  else token.onCancellationRequested(() => controller.abort());
  return controller.signal;
}
