/** One row of the list: built once, updated in place. */

import { counted, deprecationLabel, fold, moduleLabel, originLabel, scopeLabel, sorryLabel, targetLine, verdict, visible } from "../format";
import type { TacticItem, TacticVerdict } from "../../generated/answers";
import type { PremiseRow, Row, TacticRow } from "../sections";
import { element, setAttribute, setName, setText } from "./dom";
import { icon, type IconName } from "./icons";
import type { ItemView } from "./keyed";

/** What the list needs of a row. */
export interface RowView extends ItemView<Row> {
  readonly row: Row;
  /** Whether there is more of it than is shown. */
  readonly clipped: boolean;
  expanded: boolean;
}

let made = 0;

export function makeRow(row: Row): RowView {
  return row.kind === "tactic" ? new TacticView(row) : new PremiseView(row);
}

/** A screen reader reads an option as its text, in the order given here. */
function option(kind: string): HTMLElement {
  made += 1;
  return element("div", `row ${kind}`, { role: "option", id: `row-${made}`, tabindex: "-1", "aria-selected": "false" });
}

/** A text in Lean's notation: always left to right, whatever letters are in it. */
function code(className: string, tag: "div" | "span" = "div"): HTMLElement {
  return element(tag, `code ${className}`, { dir: "ltr", translate: "no" });
}

/** Whether a text is longer than the lines that are shown of it. */
function overflows(text: Element): boolean {
  return text.scrollHeight > text.clientHeight + 1;
}

const SORRY = "Its own proof, or one that it uses, contains sorry.";

class PremiseView implements RowView {
  readonly element = option("premise");
  private readonly name = code("name");
  private readonly statement = code("statement");
  private readonly kind = element("span", "kind");
  private readonly module = element("span", "module", { dir: "ltr", translate: "no" });
  private readonly scope = element("span", "scope", { dir: "ltr" });
  private readonly sorry = element("span", "sorry");
  private readonly deprecated = element("span", "deprecated", { dir: "ltr" });
  private readonly meta = element("div", "meta", {}, this.scope, this.sorry, this.deprecated, this.kind, this.module);
  private readonly why = element("div", "why");

  constructor(public row: PremiseRow) {
    this.element.append(this.name, this.statement, this.meta, this.why);
  }

  get expanded(): boolean {
    return this.element.classList.contains("expanded");
  }

  set expanded(on: boolean) {
    this.element.classList.toggle("expanded", on);
  }

  get clipped(): boolean {
    return this.expanded || this.row.premise.why !== "" || [this.name, this.statement, this.meta].some(overflows);
  }

  update(row: Row): void {
    if (row.kind !== "premise") return;
    this.row = row;
    const { premise } = row;
    setName(this.name, visible(premise.name));
    setText(this.statement, visible(fold(premise.statement)));
    this.statement.hidden = this.statement.textContent === "";
    setName(this.module, visible(moduleLabel(premise)));
    setText(this.kind, visible(premise.kind));
    setText(this.sorry, sorryLabel(premise));
    setAttribute(this.sorry, "title", premise.rests_on_sorry === true ? SORRY : null);
    setText(this.deprecated, visible(deprecationLabel(premise)));
    setText(this.why, premise.why === "" ? "" : visible(`Why here: ${premise.why}`));
    const label = scopeLabel(premise);
    setName(this.scope, visible(label));
    this.scope.dataset["scope"] = premise.in_scope === true ? "in" : label === "" ? "unknown" : "out";
  }
}

const GOALS_SHOWN = 3;
const MARKS: Partial<Readonly<Record<TacticVerdict, IconName>>> = { closes: "check", unjudged: "question" };

class TacticView implements RowView {
  readonly element = option("tactic");
  private readonly mark = element("span", "mark");
  private readonly text = code("name");
  private readonly said = element("span", "said");
  private readonly meta = element("div", "meta", {}, this.said);
  private readonly goals: HTMLElement[] = [];
  private open = false;

  constructor(public row: TacticRow) {
    const body = element("div", "body", {}, this.text, this.meta);
    this.element.append(this.mark, body);
  }

  get expanded(): boolean {
    return this.open;
  }

  set expanded(on: boolean) {
    this.open = on;
    this.element.classList.toggle("expanded", on);
    this.showGoals(this.row.tactic);
  }

  get clipped(): boolean {
    if (this.open) return true;
    const goals = this.row.tactic.remaining_goals;
    const more = goals.length > GOALS_SHOWN || goals.some((goal) => fold(goal) !== targetLine(goal));
    return more || overflows(this.text) || overflows(this.meta);
  }

  update(row: Row): void {
    if (row.kind !== "tactic") return;
    this.row = row;
    const { tactic } = row;
    const status = tactic.rests_on_sorry ? "unproved" : tactic.status;
    if (this.element.dataset["status"] !== status) this.mark.replaceChildren(icon(MARKS[tactic.status] ?? "arrow"));
    this.element.dataset["status"] = status;
    setText(this.text, visible(tactic.tactic));
    setText(this.said, visible([verdict(tactic), originLabel(tactic)].filter((part) => part !== "").join(" · ")));
    this.showGoals(tactic);
  }

  private showGoals(tactic: TacticItem): void {
    const all = tactic.remaining_goals;
    const lines = this.open ? all : all.slice(0, GOALS_SHOWN).map(targetLine);
    const rest = all.length - lines.length;
    const texts = rest > 0 ? [...lines, `and ${counted(rest, "more goal")}`] : lines;
    while (this.goals.length > texts.length) this.goals.pop()?.remove();
    while (this.goals.length < texts.length) this.goals.push(code("goal", "span"));
    this.meta.append(...this.goals.filter((goal) => goal.parentElement === null));
    texts.forEach((text, at) => setText(this.goals[at] as HTMLElement, visible(text)));
  }
}
