/** One row of the list: built once, updated in place. */

import { counted, deprecationLabel, fold, kindLabel, originLabel, scopeLabel, sorryLabel, targetLine, verdict, visible } from "../format";
import type { TacticItem, TacticVerdict } from "../../generated/answers";
import type { PremiseRow, Row, TacticRow } from "../sections";
import type { Details } from "../state";
import { element, setAttribute, setCode, setName, setProse, setText } from "./dom";
import { icon, type IconName } from "./icons";
import type { ItemView } from "./keyed";

/** What the list needs of a row. */
export interface RowView extends ItemView<Row> {
  readonly row: Row;
  /** Whether there is more of it than is shown. */
  readonly clipped: boolean;
  expanded: boolean;
  /** Take in what was looked up for an expanded row. */
  learn?(details: Details): void;
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

/** What VS Code passes to the entries of its context menu for a row. */
function copiedBy(row: HTMLElement, copied: string, premiseRow: boolean): void {
  const context = { webviewSection: "row", preventDefaultContextMenuItems: true, copied, premiseRow };
  setAttribute(row, "data-vscode-context", JSON.stringify(context));
}

/** Whether a text is longer than the lines that are shown of it. */
function overflows(text: Element): boolean {
  return text.scrollHeight > text.clientHeight + 1;
}

const SORRY = "Its own proof, or one that it uses, contains sorry.";
const MARKS: Partial<Readonly<Record<TacticVerdict, IconName>>> = { closes: "check", unjudged: "question" };

/** What is inserted for a premise: the accepted tactic that uses it, or the form that its statement suggests. */
class UseView {
  private readonly mark = element("span", "mark");
  private readonly text = code("use-text", "span");
  private readonly said = element("span", "use-said");
  readonly element = element("div", "use", {}, this.mark, this.text, this.said);

  /** One line whatever it says, so that no row moves when Lean has accepted a tactic. */
  show({ use, premise }: PremiseRow): void {
    const text = use?.tactic ?? premise.form;
    this.element.hidden = text === "";
    const status = use === null ? "untried" : use.rests_on_sorry ? "unproved" : use.status;
    if (this.element.dataset["status"] !== status) this.mark.replaceChildren(icon(use === null ? "insert" : (MARKS[use.status] ?? "arrow")));
    this.element.dataset["status"] = status;
    setCode(this.text, visible(fold(text)));
    setAttribute(this.text, "title", text === "" ? null : text);
    setText(this.said, use === null ? "not tried yet" : verdict(use));
    this.said.classList.toggle("unseen", use !== null); // the mark says it to the eye
  }
}

class PremiseView implements RowView {
  readonly element = option("premise");
  private readonly name = code("name");
  private readonly statement = code("statement");
  private readonly use = new UseView();
  private readonly kind = element("span", "kind");
  private readonly module = element("bdi", "module", { dir: "ltr", translate: "no" });
  private readonly scope = element("span", "scope", { dir: "ltr" });
  private readonly sorry = element("span", "sorry");
  private readonly deprecated = element("span", "deprecated", { dir: "ltr" });
  private readonly meta = element("div", "meta", {}, this.scope, this.sorry, this.deprecated, this.kind);
  private readonly doc = element("div", "doc");
  private readonly reading = element("div", "reading");
  private readonly why = element("div", "why");
  private readonly where = element("div", "where", {}, document.createTextNode("In "), this.module);
  private readonly details = element("div", "details", {}, this.doc, this.reading, this.where, this.why);
  private known: Details | null = null;

  constructor(public row: PremiseRow) {
    this.details.hidden = true;
    this.element.append(this.name, this.statement, this.use.element, this.meta, this.details);
  }

  get expanded(): boolean {
    return !this.details.hidden;
  }

  set expanded(on: boolean) {
    this.details.hidden = !on;
    this.element.classList.toggle("expanded", on);
    this.showStatement();
  }

  get clipped(): boolean {
    return true; // its module is shown of an expanded row alone
  }

  /** What the server knows besides. */
  learn(details: Details): void {
    this.known = details;
    setText(this.reading, details.reading === "" ? "" : visible(`Read by rules: ${details.reading}`));
    this.showDoc();
    this.showStatement();
  }

  update(row: Row): void {
    if (row.kind !== "premise") return;
    this.row = row;
    const { premise } = row;
    setName(this.name, visible(premise.name));
    setAttribute(this.name, "title", premise.doc === "" ? null : visible(premise.doc));
    this.showDoc();
    this.showStatement();
    this.use.show(row);
    setName(this.module, visible(premise.module));
    setText(this.kind, visible(kindLabel(premise)));
    setText(this.sorry, sorryLabel(premise));
    setAttribute(this.sorry, "title", premise.rests_on_sorry === true ? SORRY : null);
    setText(this.deprecated, visible(deprecationLabel(premise)));
    setText(this.why, premise.why === "" ? "" : visible(`Why here: ${premise.why}`));
    setName(this.scope, visible(scopeLabel(premise)));
    this.meta.hidden = this.meta.textContent === "";
    copiedBy(this.element, premise.name, true);
  }

  /** Its first sentence, until the rest is known. */
  private showDoc(): void {
    const doc = this.known?.doc ?? this.row.premise.doc;
    setProse(this.doc, visible(doc));
    this.doc.hidden = doc === "";
  }

  private showStatement(): void {
    const whole = this.expanded && this.known !== null && this.known.statement !== "" ? this.known.statement : this.row.premise.statement;
    setCode(this.statement, visible(fold(whole)));
    this.statement.hidden = this.statement.textContent === "";
  }
}

const GOALS_SHOWN = 3;

class TacticView implements RowView {
  readonly element = option("tactic");
  private readonly mark = element("span", "mark");
  private readonly text = code("name");
  private readonly said = element("span", "said");
  private readonly origin = element("bdi", "origin", { dir: "ltr" });
  private readonly meta = element("div", "meta", {}, this.said, this.origin);
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
    this.showMeta(this.row.tactic);
  }

  get clipped(): boolean {
    if (this.open) return true;
    const goals = this.row.tactic.remaining_goals;
    const more = goals.length > GOALS_SHOWN || goals.some((goal) => fold(goal) !== targetLine(goal));
    const { tactic } = this.row;
    return more || originLabel(tactic, true) !== originLabel(tactic, false) || overflows(this.text) || overflows(this.meta);
  }

  update(row: Row): void {
    if (row.kind !== "tactic") return;
    this.row = row;
    const { tactic } = row;
    const status = tactic.rests_on_sorry ? "unproved" : tactic.status;
    if (this.element.dataset["status"] !== status) this.mark.replaceChildren(icon(MARKS[tactic.status] ?? "arrow"));
    this.element.dataset["status"] = status;
    setCode(this.text, visible(tactic.tactic));
    this.element.classList.toggle("earlier", row.earlier);
    copiedBy(this.element, tactic.tactic, false);
    this.showMeta(tactic);
  }

  /** The verdict, the goals that are left, and last where the tactic is from: where there is little room, that is cut off. */
  private showMeta(tactic: TacticItem): void {
    setText(this.said, visible(verdict(tactic)));
    setText(this.origin, visible(originLabel(tactic, !this.open)));

    const all = tactic.remaining_goals;
    const lines = this.open ? all : all.slice(0, GOALS_SHOWN).map(targetLine);
    const rest = all.length - lines.length;
    const texts = rest > 0 ? [...lines, `and ${counted(rest, "more goal")}`] : lines;
    while (this.goals.length > texts.length) this.goals.pop()?.remove();
    while (this.goals.length < texts.length) this.goals.push(code("goal", "span"));
    for (const goal of this.goals) if (goal.parentElement === null) this.meta.insertBefore(goal, this.origin);
    texts.forEach((text, at) => setCode(this.goals[at] as HTMLElement, visible(text)));
  }
}
