/** The goal that the answer is for: its target, whose parts can be selected, and above it the rest, when opened. */

import { cut, fold, visible } from "../format";
import { splitGoal } from "../parts";
import type { NoMatch, Ready } from "../state";
import { element, setAttribute, setCode, setText } from "./dom";
import { GoalHead, type GoalHeadEvents } from "./goalHead";
import { PartTree } from "./partTree";

export interface GoalEvents extends GoalHeadEvents {
  /** The hypotheses are shown, or hidden. */
  opened(open: boolean): void;
  select(part: string): void;
}

/** The longest target that is shown whole while the goal is not opened, in UTF-16 units. */
const LONG = 600;

export class GoalView {
  private readonly toggle = element("button", "goal-toggle", {
    type: "button",
    "aria-label": "Hypotheses",
    title: "Hypotheses",
    "aria-controls": "goal-above",
  });
  private readonly head: GoalHead;
  private readonly above = element("pre", "code goal-above", { id: "goal-above", dir: "ltr", translate: "no" });
  private readonly tree: PartTree;
  private readonly all = element("button", "link goal-all", { type: "button" });
  private readonly part = element("span", "code", { dir: "ltr", translate: "no" });
  private readonly back = element("button", "link", { type: "button" });
  private readonly selection = element("div", "goal-selection", {}, element("span"), this.part, this.back);
  readonly element: HTMLElement;
  private answer: Ready | NoMatch | null = null;
  private shown = "";

  constructor(
    private open: boolean,
    private readonly events: GoalEvents,
  ) {
    this.head = new GoalHead(events);
    this.tree = new PartTree((part) => this.choose(part));
    const text = element("div", "goal-text", {}, this.above, this.tree.element, this.all);
    this.element = element("section", "goal-view", { "aria-label": "Goal" }, this.toggle, this.head.element, text, this.selection);
    this.selection.firstElementChild?.append("Rewriting ");
    this.back.textContent = "Show All";
    this.back.addEventListener("click", () => this.choose(""));
    this.toggle.addEventListener("click", () => this.setOpen(!this.open));
    this.all.addEventListener("click", () => this.setOpen(!this.open));
    this.element.addEventListener("keydown", (event) => this.pressed(event));
  }

  show(answer: Ready | NoMatch | null): void {
    this.element.hidden = answer === null;
    this.answer = answer;
    if (answer === null) return;
    this.head.show(answer);
    this.write(answer);
    const { selected } = this;
    this.tree.mark(selected);
    setText(this.part, visible(fold(selected)));
    const leaves = this.selection.contains(document.activeElement) && selected === "";
    this.selection.hidden = selected === "";
    if (leaves) this.tree.focus();
  }

  private get selected(): string {
    return this.answer?.kind === "ready" ? this.answer.selected : "";
  }

  private write(answer: Ready | NoMatch): void {
    const { goal } = answer;
    const parts = answer.kind === "ready" ? answer.parts : [];
    const shown = JSON.stringify([goal, parts, this.open]);
    if (shown === this.shown) return;
    this.shown = shown;
    const { above, target } = splitGoal(goal, parts);
    const length = goal.length - above.length;
    const isLong = length > LONG;
    setCode(this.above, visible(above));
    this.toggle.hidden = above === "";
    this.tree.write(isLong && !this.open ? [cut(fold(goal.slice(above.length)), LONG)] : target);
    this.all.hidden = !isLong;
    setText(this.all, this.open ? "Show Less" : "Show All of It");
    this.element.classList.toggle("open", this.open);
    this.above.hidden = !this.open || above === "";
    setAttribute(this.toggle, "aria-expanded", String(this.open));
  }

  private setOpen(open: boolean): void {
    this.open = open;
    if (this.answer !== null) this.show(this.answer);
    this.events.opened(open);
  }

  /** A part that is selected already is let go. */
  private choose(part: string): void {
    const wanted = part === this.selected ? "" : part;
    if (wanted !== this.selected) this.events.select(wanted);
  }

  private pressed(event: KeyboardEvent): void {
    if (event.key !== "Escape" || this.selected === "") return;
    event.preventDefault();
    this.choose("");
  }
}
