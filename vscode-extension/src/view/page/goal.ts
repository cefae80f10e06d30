/** The goal that the answer is for: its target, whose parts can be selected, and above it the rest, when opened. */

import { fold, visible } from "../format";
import type { Ready } from "../state";
import { splitGoal } from "../parts";
import { element, setAttribute, setText } from "./dom";
import { PartTree } from "./partTree";

/** What is shown: of an answer without matches, no parts. */
export type ShownGoal = Pick<Ready, "goal" | "parts" | "selected">;

export class GoalView {
  private readonly toggle = element("button", "goal-toggle", {
    type: "button",
    "aria-label": "Hypotheses",
    title: "Hypotheses",
    "aria-controls": "goal-above",
  });
  private readonly above = element("pre", "code goal-above", { id: "goal-above", dir: "ltr", translate: "no" });
  private readonly tree: PartTree;
  private readonly part = element("span", "code", { dir: "ltr", translate: "no" });
  private readonly back = element("button", "link", { type: "button" });
  private readonly selection = element("div", "goal-selection", {}, element("span"), this.part, this.back);
  readonly element: HTMLElement;
  private shown = "";
  private selected = "";

  constructor(
    private open: boolean,
    private readonly toggled: (open: boolean) => void,
    private readonly select: (part: string) => void,
  ) {
    this.tree = new PartTree((part) => this.choose(part));
    const text = element("div", "goal-text", {}, this.above, this.tree.element);
    this.element = element("section", "goal-view", { "aria-label": "Goal" }, this.toggle, text, this.selection);
    this.selection.firstElementChild?.append("Rewriting ");
    this.back.textContent = "Show All";
    this.back.addEventListener("click", () => this.choose(""));
    this.toggle.addEventListener("click", () => this.toggled(this.setOpen(!this.open)));
    this.element.addEventListener("keydown", (event) => this.pressed(event));
  }

  show(answer: ShownGoal | null): void {
    this.element.hidden = answer === null;
    if (answer === null) return;
    const shown = JSON.stringify([answer.goal, answer.parts]);
    if (shown !== this.shown) this.write(answer);
    this.shown = shown;
    this.selected = answer.selected;
    this.tree.mark(answer.selected);
    setText(this.part, visible(fold(answer.selected)));
    const leaves = this.selection.contains(document.activeElement) && answer.selected === "";
    this.selection.hidden = answer.selected === "";
    if (leaves) this.tree.focus();
  }

  private write({ goal, parts }: ShownGoal): void {
    const { above, target } = splitGoal(goal, parts);
    setText(this.above, visible(above));
    this.toggle.hidden = above === "";
    this.tree.write(target);
    this.setOpen(this.open);
  }

  private setOpen(open: boolean): boolean {
    this.open = open;
    this.element.classList.toggle("open", open);
    this.above.hidden = !open || this.above.textContent === "";
    setAttribute(this.toggle, "aria-expanded", String(open));
    return open;
  }

  /** A part that is selected already is let go. */
  private choose(part: string): void {
    const wanted = part === this.selected ? "" : part;
    if (wanted !== this.selected) this.select(wanted);
  }

  private pressed(event: KeyboardEvent): void {
    if (event.key !== "Escape" || this.selected === "") return;
    event.preventDefault();
    this.choose("");
  }
}
