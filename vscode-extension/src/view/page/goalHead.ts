/** The line above the goal: which goal it is and how it stands, the way to the other goals, the search for a proof, and the pin. */

import { fold, goalHeading, PLAIN_GOAL, visible } from "../format";
import type { NoMatch, Place, Ready, Sorries } from "../state";
import { element, setAttribute, setText } from "./dom";
import { icon } from "./icons";

/** What a person does there. */
export interface GoalHeadEvents {
  chooseGoal(number: number): void;
  pinGoal(pinned: boolean): void;
  prove(): void;
  goTo(place: Place): void;
}

export class GoalHead {
  private readonly label = element("span", "goal-label");
  private readonly trouble = element("button", "link goal-trouble", { type: "button" });
  private readonly sorries = element("span", "goal-sorries");
  private readonly previous = makeButton("Previous Goal", "previous");
  private readonly next = makeButton("Next Goal", "next");
  private readonly prove = makeButton("Search for a Proof", "prove");
  private readonly pin = makeButton("Pin This Goal", "pin");
  readonly element = element("div", "goal-head", {}, this.label, this.trouble, this.sorries, this.previous, this.next, this.prove, this.pin);
  private answer: Ready | NoMatch | null = null;

  constructor(events: GoalHeadEvents) {
    const step = (by: number) => {
      const { answer } = this;
      const number = (answer?.goalNumber ?? 0) + by;
      if (answer !== null && number >= 1 && number <= answer.goalCount) events.chooseGoal(number);
    };
    this.previous.addEventListener("click", () => step(-1));
    this.next.addEventListener("click", () => step(1));
    this.prove.append(element("span", "action-text", {}, document.createTextNode("Search for a Proof")));
    this.prove.addEventListener("click", () => events.prove());
    this.pin.addEventListener("click", () => events.pinGoal(this.answer?.pinned !== true));
    this.trouble.addEventListener("click", () => {
      const place = this.answer?.trouble?.place;
      if (place) events.goTo(place);
    });
  }

  show(answer: Ready | NoMatch): void {
    this.answer = answer;
    const heading = goalHeading(answer);
    const whole = answer.replaces === null ? heading : `${heading} · the tactic there is replaced`;
    setText(this.label, whole);
    setAttribute(this.label, "title", whole === PLAIN_GOAL ? null : whole);
    setAttribute(this.label, "aria-hidden", heading === PLAIN_GOAL ? "true" : null); // the region has that name
    this.showTrouble(answer);
    setText(this.sorries, sorryCount(answer.sorries ?? null));
    const several = answer.goalCount > 1;
    this.previous.hidden = this.next.hidden = !several;
    setAttribute(this.previous, "aria-disabled", String(answer.goalNumber <= 1));
    setAttribute(this.next, "aria-disabled", String(answer.goalNumber >= answer.goalCount));
    setAttribute(this.pin, "aria-pressed", String(answer.pinned === true));
    this.pin.classList.toggle("on", answer.pinned === true);
  }

  /** In the label's place: a line of its own would move all that is below. */
  private showTrouble({ trouble }: Ready | NoMatch): void {
    const message = visible(fold(trouble?.message ?? ""));
    setText(this.trouble, message);
    setAttribute(this.trouble, "title", message === "" ? null : message);
    setAttribute(this.trouble, "aria-disabled", trouble?.place ? null : "true");
    this.trouble.hidden = message === "";
    this.label.hidden = message !== "";
  }
}

function sorryCount(sorries: Sorries | null): string {
  if (sorries === null || sorries.total === 0) return "";
  if (sorries.at !== null) return `sorry ${sorries.at} of ${sorries.total}`;
  return sorries.total === 1 ? "1 sorry" : `${sorries.total} sorries`;
}

function makeButton(label: string, name: "previous" | "next" | "prove" | "pin"): HTMLButtonElement {
  return element("button", `action action-${name}`, { type: "button", "aria-label": label, title: label }, icon(name));
}
