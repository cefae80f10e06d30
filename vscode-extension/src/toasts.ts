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
  readonly said: string;
  readonly end: () => void;
}

export class Toasts implements vscode.Disposable {
  private readonly shown = new Map<Topic, Shown>();

  /** Tell this, in the place of what was told of the topic; the same is not told again, though a person has closed it. */
  show(topic: Topic, said: string, remedies: readonly Remedy[] = []): void {
    if (this.shown.get(topic)?.said === said) return;
    this.end(topic);
    const title = toastText(said, remedies);
    // With a button (Cancel, which closes it) the whole text is shown, and not its first line alone.
    const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
    let end: () => void = () => undefined;
    const over = new Promise<void>((resolve) => (end = resolve));
    this.shown.set(topic, { said, end });
    void vscode.window.withProgress(options, (progress) => {
      progress.report({ increment: 100 }); // nothing is going on: a bar that stands still
      return over;
    });
  }

  /** What was told of the topic is so no more. */
  end(topic: Topic): void {
    this.shown.get(topic)?.end();
    this.shown.delete(topic);
  }

  dispose(): void {
    for (const topic of [...this.shown.keys()]) this.end(topic);
  }
}
