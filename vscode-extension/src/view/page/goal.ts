/** The goal that the answer is for: its target on one line, the whole of it when opened. */

import { targetLine, visible } from "../format";
import { element, setText } from "./dom";

export class GoalView {
  private readonly line = element("span", "code goal-line", { dir: "ltr", translate: "no" });
  private readonly whole = element("pre", "code goal-whole", { dir: "ltr", translate: "no" });
  readonly element = element("details", "goal-view", {}, element("summary", "", { "aria-label": "Goal" }, this.line), this.whole);

  constructor(open: boolean, toggled: (open: boolean) => void) {
    this.element.open = open;
    this.element.addEventListener("toggle", () => toggled(this.element.open));
  }

  show(goal: string | null): void {
    this.element.hidden = goal === null;
    if (goal === null) return;
    const target = visible(targetLine(goal));
    setText(this.line, target);
    setText(this.whole, visible(goal));
    this.element.querySelector("summary")?.setAttribute("aria-label", `Goal: ${target}`);
  }
}
