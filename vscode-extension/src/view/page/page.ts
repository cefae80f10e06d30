/** The page as a whole: shows states, passes on what a person does. */

import { describe } from "../describe";
import { visible } from "../format";
import { readSaved, type Saved } from "../messages";
import { announcement, sections, togglePin, type Fold, type Row } from "../sections";
import type { PageMessage, Ready, ViewState } from "../state";
import { holdingStill } from "./anchor";
import { Announcer } from "./announcer";
import { element, setProse } from "./dom";
import { Foot } from "./foot";
import { GoalView } from "./goal";
import { icon, type IconName } from "./icons";
import { PremiseList } from "./list";
import { Notice } from "./notice";
import type { RowView } from "./rows";
import { actionsFor, Toolbar, type Action } from "./toolbar";

/** What a webview gives its page. */
export interface Host {
  postMessage(message: PageMessage): void;
  getState(): unknown;
  setState(state: Saved): void;
}

const KEYS: Readonly<Record<string, Action>> = { c: "copy", o: "open", p: "pin", " ": "expand" };

export class Page {
  private saved: Saved;
  private state: ViewState = { kind: "starting" };
  private fresh = true;
  private readonly busy = element("div", "busy", { "aria-hidden": "true" });
  private readonly goal: GoalView;
  private readonly notice: Notice;
  private readonly warnings = element("div", "remarks warnings");
  private readonly list: PremiseList;
  private readonly toolbar = new Toolbar((action, view) => this.act(action, view), () => void this.list.focus());
  private readonly notes = element("div", "remarks notes");
  private readonly foot = new Foot();
  private readonly announcer = new Announcer();
  private readonly scroller: HTMLElement;
  private readonly frame: HTMLElement;

  constructor(private readonly host: Host) {
    this.saved = readSaved(host.getState());
    this.goal = new GoalView(
      this.saved.goalOpen,
      (goalOpen) => this.save({ goalOpen }),
      (part) => this.selectPart(part),
    );
    this.notice = new Notice((command) => host.postMessage({ type: "run", command }));
    this.list = new PremiseList(
      {
        chosen: (row, withImport) => this.insert(row, withImport),
        pressed: (event, view) => this.pressed(event, view),
        target: (view) => this.toolbar.show(view),
        activated: (active) => this.save({ active }),
        folded: (unfolded) => this.fold(unfolded),
      },
      this.saved.active,
    );
    this.frame = element("div", "frame", {}, this.list.element, this.toolbar.element);
    this.frame.addEventListener("pointerleave", () => this.list.hover(null));
    const heading = element("h1", "unseen");
    heading.textContent = "Premises";
    const parts = [heading, this.goal.element, this.warnings, this.notice.element, this.frame, this.notes];
    this.scroller = element("main", "scroller", {}, ...parts);
  }

  /** Put the page into the document. */
  open(body: HTMLElement): void {
    body.append(this.busy, this.scroller, this.foot.element, this.announcer.element);
    new ResizeObserver(() => this.toolbar.show(this.list.target)).observe(this.list.element);
    this.render();
  }

  show(state: ViewState): void {
    this.state = state;
    holdingStill(this.scroller, () => this.render());
    this.announcer.say(announcement(state, describe(state)?.title ?? ""));
  }

  /** The page has the focus, and nothing in it: the list takes it, unless a mouse button brought it. */
  focus(): void {
    const pressed = document.querySelector(":active") !== null; // to scroll now would move what is being clicked
    if (!pressed && document.activeElement === document.body) this.list.focus();
  }

  /** A key that nothing in the page has taken. */
  pressedAnywhere(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "?") this.foot.toggleHelp();
    else if (event.key === "ArrowDown" && document.activeElement === document.body) this.list.focus();
    else return;
    event.preventDefault();
  }

  /** Time has passed: ages are updated. */
  tick(): void {
    this.foot.refresh();
  }

  private render(): void {
    const { state } = this;
    const answer = state.kind === "ready" || state.kind === "noMatch" ? state : null;
    const message = describe(state);
    const listed = sections(state, this.saved.pins, this.shownOf(state));
    this.busy.hidden = state.busy !== true && state.kind !== "starting";
    this.goal.show(answer && { parts: [], selected: "", ...answer });
    this.notice.show(message);
    remark(this.warnings, "warning", answer?.warnings ?? []);
    remark(this.notes, "info", answer?.notes ?? []);
    const held = this.fresh || this.frame.contains(document.activeElement);
    this.list.show(listed, held);
    if (state.kind === "ready") this.fresh = false;
    this.foot.element.hidden = listed.length === 0 && answer === null;
    this.foot.show(answer?.index ?? null, state.kind === "ready" ? (state.indexing ?? null) : null);
  }

  private save(part: Partial<Saved>): void {
    this.saved = { ...this.saved, ...part };
    this.host.setState(this.saved);
  }

  private selectPart(part: string): void {
    const { ready } = this;
    if (ready !== null) this.host.postMessage({ type: "selectPart", part, positionId: ready.positionId });
  }

  private insert(row: Row, addImport: boolean): void {
    const positionId = this.ready?.positionId ?? null;
    if (row.kind === "tactic") this.host.postMessage({ type: "insertTactic", tactic: row.tactic, positionId });
    else this.host.postMessage({ type: "insertPremise", premise: row.premise, addImport, positionId });
  }

  private pressed(event: KeyboardEvent, view: RowView): void {
    const action = KEYS[event.key.toLowerCase()];
    if (action === undefined || !actionsFor(view.row, view.clipped).includes(action)) return;
    event.preventDefault();
    if (!event.repeat) this.act(action, view);
  }

  private act(action: Action, view: RowView): void {
    const { row } = view;
    if (action === "insert" || action === "insertImport") this.insert(row, action === "insertImport");
    else if (action === "expand") this.expand(view);
    else if (action === "copy") this.host.postMessage({ type: "copyName", name: row.kind === "tactic" ? row.tactic.tactic : row.premise.name });
    else if (row.kind === "tactic") return;
    else if (action === "open") this.host.postMessage({ type: "openDeclaration", premise: row.premise });
    else this.pin(row);
  }

  private expand(view: RowView): void {
    view.expanded = !view.expanded;
    this.toolbar.show(this.list.target);
  }

  private pin(row: Row): void {
    if (row.kind !== "premise") return;
    this.save({ pins: togglePin(this.saved.pins, row.premise, this.ready?.file ?? "") });
    holdingStill(this.scroller, () => this.render());
  }

  /** All tactics of this goal are to be shown, or only the best. */
  private fold(unfolded: boolean): void {
    this.save({ unfolded: unfolded ? (this.ready?.goal ?? null) : null });
    holdingStill(this.scroller, () => this.render());
  }

  private shownOf(state: ViewState): Fold {
    const atActions = this.toolbar.element.contains(document.activeElement);
    return { unfolded: state.kind === "ready" && state.goal === this.saved.unfolded, held: this.list.held(atActions) };
  }

  private get ready(): Ready | null {
    return this.state.kind === "ready" ? this.state : null;
  }
}

function remark(parent: HTMLElement, mark: IconName, lines: readonly string[]): void {
  const shown = [...parent.children].map((line) => line.textContent);
  parent.hidden = lines.length === 0;
  if (shown.join("\n") === lines.map(visible).join("\n").replaceAll("`", "")) return;
  parent.replaceChildren(
    ...lines.map((line) => {
      const text = element("span");
      setProse(text, visible(line));
      return element("p", "remark", {}, icon(mark), text);
    }),
  );
}
