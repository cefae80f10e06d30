/** The foot of the view: how fresh the index is, and the keys that work in the list. */

import { freshness } from "../format";
import type { IndexItem } from "../../generated/answers";
import type { Progress } from "../state";
import { element, setAttribute, setText } from "./dom";
import { icon } from "./icons";
import { ProgressLine } from "./notice";

const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ["↑ ↓ Home End", "Move through the list"],
  ["Enter", "Insert"],
  ["Shift+Enter", "Insert and add the import"],
  ["C", "Copy the name or the tactic"],
  ["O", "Open the declaration"],
  ["P", "Pin or unpin"],
  ["Space", "Show all of it, or less"],
  ["/", "Filter the list"],
  ["Tab", "Go to more tactics, and to the row's actions"],
  ["← → ↑ ↓", "In the goal: the part before, after, around, inside"],
  ["Enter", "In the goal: show what rewrites the part"],
  ["Escape", "Close this help, the filter or an open row; stop the search for a proof; in the goal: show all again"],
  ["?", "Show or hide this help"],
];

export class Foot {
  private readonly mark = element("span", "foot-mark", {}, icon("warning"));
  private readonly line = element("span", "foot-line");
  private readonly help = makeHelp();
  private readonly button = element("button", "action", HELP_BUTTON, icon("keyboard"));
  private readonly filter = element("button", "action", { type: "button", "aria-label": "Filter", title: "Filter (/)" }, icon("filter"));
  private readonly progress = new ProgressLine();
  private readonly bar = element("div", "foot-bar", {}, this.mark, this.line, this.filter, this.button);
  readonly element = element("footer", "foot", {}, this.help, this.progress.element, this.bar);
  private index: IndexItem | null = null;
  private checked: string | null = null;

  constructor(filter: () => void) {
    this.help.hidden = true;
    this.button.addEventListener("click", () => this.toggleHelp());
    this.filter.addEventListener("click", filter);
  }

  show(index: IndexItem | null, checked: string | null, indexing: Progress | null): void {
    this.index = index;
    this.checked = checked;
    this.progress.show(indexing);
    this.refresh();
  }

  /** The age of the index, as it is now. */
  refresh(): void {
    const line = this.index === null ? "" : freshness(this.index, this.checked, Date.now());
    setText(this.line, line);
    setAttribute(this.line, "title", line === "" ? null : line);
    this.mark.hidden = (this.index?.stale_files ?? 0) === 0;
  }

  /** Close the help; false where it is closed. */
  closeHelp(): boolean {
    if (this.help.hidden) return false;
    this.toggleHelp();
    return true;
  }

  toggleHelp(): void {
    this.help.hidden = !this.help.hidden;
    setAttribute(this.button, "aria-expanded", String(!this.help.hidden));
  }
}

const HELP_BUTTON = {
  type: "button",
  "aria-label": "Keyboard Shortcuts",
  title: "Keyboard Shortcuts (?)",
  "aria-expanded": "false",
  "aria-controls": "help",
};

function makeHelp(): HTMLElement {
  const list = element("dl", "help", { id: "help", "aria-label": "Keyboard shortcuts", tabindex: "0" });
  for (const [keys, does] of KEYS) {
    const term = element("dt");
    const names = keys.split(" ").map((key) => {
      const cap = element("kbd");
      cap.textContent = key;
      return cap;
    });
    term.append(...names.flatMap((cap, at) => (at === 0 ? [cap] : [" ", cap])));
    const description = element("dd");
    description.textContent = does;
    list.append(term, description);
  }
  return list;
}
