/**
 * Toasts that stay while what they tell is so, and go when it is not.
 *
 * VS Code lets an extension take back no message, only the notification of a progress, and one with buttons waits for
 * a person even when its error is long mended. So such toasts are the notifications of work that ends with the error.
 */

import * as vscode from "vscode";

import type { Remedy } from "./server/problems";
import { toastText } from "./toastText";

/** What a toast is about; there is one at a time for each. */
export type Topic = "server" | "index" | "install";

interface Shown {
  readonly message: string;
  readonly end: () => void;
}

export class Toasts implements vscode.Disposable {
  private readonly shown = new Map<Topic, Shown>();

  /** Show a message in place of the topic's previous one; the same message is not shown again, even if the user has closed it. */
  show(topic: Topic, message: string, remedies: readonly Remedy[] = []): void {
    if (this.shown.get(topic)?.message === message) return;
    this.end(topic);
    const title = toastText(message, remedies);
    // With a button (Cancel, which closes it) the whole text is shown, and not its first line alone.
    const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
    let end: () => void = () => undefined;
    const over = new Promise<void>((resolve) => (end = resolve));
    this.shown.set(topic, { message, end });
    void vscode.window.withProgress(options, (progress) => {
      progress.report({ increment: 100 }); // nothing is in progress: the bar does not move
      return over;
    });
  }

  /** The topic's message no longer applies. */
  end(topic: Topic): void {
    this.shown.get(topic)?.end();
    this.shown.delete(topic);
  }

  dispose(): void {
    for (const topic of [...this.shown.keys()]) this.end(topic);
  }
}
