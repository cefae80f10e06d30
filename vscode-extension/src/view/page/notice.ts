/** The message shown in place of an answer: what happened, what to do, and buttons that do it. */

import { progressLine, type Message } from "../describe";
import type { Place, Progress, ViewCommand } from "../state";
import { element, setAttribute, setProse, setText } from "./dom";

export class Notice {
  private readonly title = element("h2", "notice-title");
  private readonly text = element("p", "notice-text");
  private readonly hint = element("p", "notice-hint");
  private readonly progress = new ProgressLine();
  private offered = "[]";
  private readonly buttons = element("div", "notice-buttons");
  readonly element = element("section", "notice", {}, this.title, this.text, this.hint, this.progress.element, this.buttons);

  constructor(private readonly run: (does: ViewCommand | Place) => void) {}

  show(message: Message | null): void {
    this.element.hidden = message === null;
    if (message === null) return;
    setText(this.title, message.title);
    setProse(this.text, message.text);
    setProse(this.hint, message.hint);
    this.hint.hidden = message.hint === "";
    this.progress.show(message.progress);
    this.showButtons(message);
  }

  private showButtons(message: Message): void {
    const wanted = JSON.stringify(message.offers);
    if (this.offered === wanted) return; // a button that has the focus is not made anew
    this.offered = wanted;
    const made = message.offers.map((offer, at) => {
      const button = element("button", at === 0 ? "button" : "button secondary", { type: "button" });
      button.textContent = offer.label;
      button.addEventListener("click", () => this.run(offer.does));
      return button;
    });
    this.buttons.replaceChildren(...made);
  }
}

/** A bar and a line: how far an index run is. */
export class ProgressLine {
  private readonly line = element("div", "progress-line");
  private readonly bar = element("progress", "", { "aria-label": "Indexing" });
  readonly element = element("div", "progress", {}, this.bar, this.line);

  show(progress: Progress | null): void {
    this.element.hidden = progress === null;
    if (progress === null) return;
    setText(this.line, progressLine(progress));
    const known = progress.total > 0;
    setAttribute(this.bar, "max", known ? String(progress.total) : null);
    setAttribute(this.bar, "value", known ? String(Math.min(progress.done, progress.total)) : null);
  }
}
