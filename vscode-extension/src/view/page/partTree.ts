/** A target whose parts can be selected, by mouse or keyboard: a tree that is written in one line. */

import { visible } from "../format";
import type { Part, Piece } from "../parts";
import { element, isolated, setAttribute } from "./dom";

type Step = "next" | "previous" | "outer" | "inner" | "first" | "last";

const STEPS: Readonly<Record<string, Step>> = {
  ArrowRight: "next",
  ArrowLeft: "previous",
  ArrowUp: "outer",
  ArrowDown: "inner",
  Home: "first",
  End: "last",
};

export class PartTree {
  readonly element = element("div", "code goal-line", { dir: "ltr", translate: "no" });
  private readonly texts = new Map<HTMLElement, string>();
  private active: HTMLElement | null = null;
  private marked = "";

  constructor(private readonly chosen: (part: string) => void) {
    this.element.addEventListener("pointerdown", () => {
      this.marked = markedText();
    });
    this.element.addEventListener("click", (event) => this.clicked(event));
    this.element.addEventListener("keydown", (event) => this.pressed(event));
    this.element.addEventListener("focusin", (event) => this.rove(this.itemAt(event.target)));
  }

  /** Show these pieces in place of what was there. */
  write(pieces: readonly Piece[]): void {
    const hadFocus = this.element.contains(document.activeElement);
    this.texts.clear();
    this.active = null;
    this.element.replaceChildren(...pieces.map((piece) => this.make(piece)));
    setAttribute(this.element, "role", this.texts.size > 0 ? "tree" : null);
    setAttribute(this.element, "aria-label", this.texts.size > 0 ? "Parts of the goal" : null);
    this.rove([...this.texts.keys()][0] ?? null);
    if (hadFocus) this.focus();
  }

  /** Mark the parts with this text as selected. */
  mark(selected: string): void {
    for (const [item, text] of this.texts) setAttribute(item, "aria-selected", String(text === selected));
  }

  /** The part that the keyboard is at takes the focus. */
  focus(): void {
    this.active?.focus();
  }

  private make(piece: Piece): Node {
    if (typeof piece !== "string") return this.makeItem(piece);
    const text = document.createDocumentFragment();
    text.append(...isolated(visible(piece)));
    return text;
  }

  private makeItem(part: Part): HTMLElement {
    const attributes = { role: "treeitem", tabindex: "-1", "aria-selected": "false", "aria-label": visible(part.text) };
    const item = element("span", "part", attributes);
    this.texts.set(item, part.text); // before those inside it: the map is in the order of reading
    item.append(element("span", "", { role: "group" }, ...part.pieces.map((piece) => this.make(piece))));
    return item;
  }

  private itemAt(target: EventTarget | null): HTMLElement | null {
    return target instanceof Element ? target.closest<HTMLElement>(".part") : null;
  }

  private rove(item: HTMLElement | null): void {
    if (item === null || item === this.active) return;
    if (this.active !== null) setAttribute(this.active, "tabindex", "-1");
    setAttribute(item, "tabindex", "0");
    this.active = item;
  }

  private clicked(event: MouseEvent): void {
    const item = this.itemAt(event.target);
    const marked = markedText();
    if (item === null || (marked !== "" && marked !== this.marked)) return; // text has been marked, to be copied
    item.focus();
    this.chosen(this.texts.get(item) ?? "");
  }

  private pressed(event: KeyboardEvent): void {
    const item = this.itemAt(event.target);
    if (item === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = STEPS[event.key];
    if (step !== undefined) this.beside(item, step)?.focus();
    else if (event.key === "Enter" || event.key === " ") this.chosen(this.texts.get(item) ?? "");
    else return;
    event.preventDefault();
  }

  private beside(item: HTMLElement, step: Step): HTMLElement | null {
    const all = [...this.texts.keys()];
    const at = all.indexOf(item);
    if (step === "outer") return this.itemAt(item.parentElement);
    if (step === "inner") return item.querySelector<HTMLElement>(".part");
    return all[{ next: at + 1, previous: at - 1, first: 0, last: all.length - 1 }[step]] ?? null;
  }
}

function markedText(): string {
  return document.getSelection()?.toString() ?? "";
}
