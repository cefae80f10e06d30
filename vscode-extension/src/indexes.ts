/** What is known of the indexes: from the server's notices, and from its answers. */

import * as vscode from "vscode";

import type { StatusItem } from "./generated/answers";
import { innermost } from "./server/programs";
import type { IndexItem, Progress } from "./view/state";
import { progressOf } from "./viewModel";
import { readStatus } from "./wire";

export class Indexes implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<StatusItem | undefined>();
  /** Fires when something new is known: with the server's notice, where it came by one. */
  readonly onDidChange = this.changed.event;

  private readonly notices = new Map<string, StatusItem>();
  private latest: IndexItem | null = null;
  private lastCheck: string | null = null;

  /** The index that was searched or written last. */
  get item(): IndexItem | null {
    return this.latest;
  }

  /** When an index run that was asked for ended (ISO 8601); null where none has since the server started. */
  get lastChecked(): string | null {
    return this.lastCheck;
  }

  /** An index run that goes on in the project of a file; without a file, in any. */
  progressFor(uri: vscode.Uri | undefined): Progress | undefined {
    const all = [...this.notices.values()];
    if (uri === undefined) return progressOf(all.find((one) => one.indexing));
    return progressOf(innermost(uri.fsPath, all, (one) => one.root, process.platform));
  }

  /** Take in the notification `$/premiseSuggest/status`. */
  notice(value: unknown): void {
    const status = readStatus(value);
    if (status === null) return;
    this.notices.set(status.root, status);
    this.latest = status.index ?? this.latest;
    this.changed.fire(status);
  }

  /** An index run that was asked for has ended, even if it had nothing to do. */
  checked(item: IndexItem): void {
    this.lastCheck = new Date().toISOString();
    this.answered(item);
  }

  /** Take in what an answer says of the index. */
  answered(item: IndexItem): void {
    this.latest = item;
    this.changed.fire(undefined);
  }

  /** The server has ended, and its index runs with it. */
  reset(): void {
    this.notices.clear();
    this.lastCheck = null;
    this.changed.fire(undefined);
  }

  dispose(): void {
    this.changed.dispose();
  }
}
