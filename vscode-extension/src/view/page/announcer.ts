/** Says what has changed to a screen reader: once things have settled, and never the same twice. */

import { element } from "./dom";

const SETTLED_MS = 600;

export class Announcer {
  readonly element = element("div", "unseen", { "aria-live": "polite", role: "status" });
  private timer: number | undefined;
  private waiting = "";

  /** Say this once nothing newer has come for a while; an empty text takes back what waits. */
  say(text: string): void {
    if (text === this.waiting) return;
    this.waiting = text;
    window.clearTimeout(this.timer);
    if (text === "" || text === this.element.textContent) return;
    this.timer = window.setTimeout(() => {
      this.element.textContent = text;
    }, SETTLED_MS);
  }
}
