/** The page as a whole: shows states, passes on what a person does. */

import { describe } from "../describe";
import { counted, visible } from "../format";
import { readSaved, type Saved } from "../messages";
import { nextRound, type Round } from "../rounds";
import { announcement, FOLDED, premiseKey, sections, togglePin, type Row, type Section, type Shown } from "../sections";
import type { DetailsMessage, PageMessage, ProofState, Ready, ViewState } from "../state";
import { holdingStill } from "./anchor";
import { Announcer } from "./announcer";
import { element, setAttribute, setProse } from "./dom";
import { FilterBox } from "./filter";
import { Foot } from "./foot";
import { GoalView } from "./goal";
import { icon, type IconName } from "./icons";
import { PremiseList, textOf } from "./list";
import { Notice } from "./notice";
import { ProofPanel } from "./proof";
import type { RowView } from "./rows";
import { actionsFor, Toolbar, type Action } from "./toolbar";

/** What a webview gives its page. */
export interface Host {
  postMessage(message: PageMessage): void;
  getState(): unknown;
  setState(state: Saved): void;
}

/** In a window lower than this, in pixels, fewer tactics are shown, so that premises are in sight too. */
const LOW = 450;
const FOLDED_LOW = 3;

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
  private readonly toolbar = new Toolbar((action, view, byMouse) => this.act(action, view, byMouse), () => void this.list.focus());
  private readonly notes = element("div", "remarks notes");
  private readonly filter = new FilterBox(
    () => this.filtered(),
    () => void this.list.focus(),
  );
  private readonly proof = new ProofPanel((action) => this.host.postMessage({ type: "atProof", action }));
  private readonly foot = new Foot(() => this.filter.open());
  private readonly announcer = new Announcer();
  private readonly scroller: HTMLElement;
  private readonly frame: HTMLElement;
  private round: Round | null = null;
  private listed: readonly Section[] = [];
  private warned: readonly string[] = [];

  constructor(private readonly host: Host) {
    this.saved = readSaved(host.getState());
    this.goal = new GoalView(this.saved.goalOpen, {
      opened: (goalOpen) => this.save({ goalOpen }),
      select: (part) => this.withPosition((positionId) => host.postMessage({ type: "selectPart", part, positionId })),
      chooseGoal: (number) => this.withPosition((positionId) => host.postMessage({ type: "chooseGoal", number, positionId })),
      prove: () => this.withPosition((positionId) => host.postMessage({ type: "prove", positionId })),
      pinGoal: (pinned) => host.postMessage({ type: "pinGoal", pinned }),
      goTo: (place) => host.postMessage({ type: "goTo", place }),
    });
    this.notice = new Notice((does) =>
      host.postMessage(typeof does === "string" ? { type: "run", command: does } : { type: "goTo", place: does }),
    );
    this.list = new PremiseList(
      {
        chosen: (row, withImport) => this.insert(row, withImport),
        pressed: (event, view) => this.pressed(event, view),
        target: (view) => this.toolbar.show(view),
        activated: (active) => this.save({ active }),
        folded: (section, unfolded) => this.fold(section, unfolded),
      },
      this.saved.active,
    );
    this.frame = element("div", "frame", {}, this.list.element, this.toolbar.element);
    this.frame.addEventListener("pointerleave", () => {
      this.list.hover(null);
      this.released();
    });
    this.frame.addEventListener("focusout", ({ relatedTarget }) => {
      if (!(relatedTarget instanceof Node && this.frame.contains(relatedTarget))) this.released();
    });
    const heading = element("h1", "unseen");
    heading.textContent = "Premises";
    const parts = [heading, this.goal.element, this.warnings, this.notice.element, this.frame, this.notes];
    this.scroller = element("main", "scroller", {}, ...parts);
  }

  /** Put the page into the document. */
  open(body: HTMLElement): void {
    body.append(this.busy, this.filter.element, this.scroller, this.proof.element, this.foot.element, this.announcer.element);
    new ResizeObserver(() => this.toolbar.show(this.list.target)).observe(this.list.element);
    this.render();
  }

  show(state: ViewState): void {
    this.state = state;
    this.rerender();
    this.announcer.say(announcement(state, describe(state)?.title ?? ""));
  }

  showProof(proof: ProofState): void {
    this.proof.show(proof);
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
    else if (event.key === "/") this.filter.open();
    else if (event.key === "Escape") this.closeOne();
    else if (event.key === "ArrowDown" && document.activeElement === document.body) this.list.focus();
    else return;
    event.preventDefault();
  }

  /** Time has passed: ages are updated. */
  tick(): void {
    this.foot.refresh();
  }

  /** What was looked up for an expanded row. */
  learn({ name, module, details }: DetailsMessage): void {
    this.list.learn(premiseKey({ name, module }), details);
    this.toolbar.show(this.list.target);
  }

  /** One thing is closed by Escape: the help, the filter, an expanded row, the search for a proof. */
  private closeOne(): void {
    const closed = this.foot.closeHelp() || this.filter.close() || this.list.close() || this.proof.close();
    if (!closed) return;
    if (document.activeElement === document.body) this.list.focus();
  }

  private filtered(): void {
    this.rerender();
    const rows = this.listed.reduce((sum, section) => sum + section.count, 0);
    this.announcer.say(this.filter.words.trim() === "" ? "" : counted(rows, "row"));
  }

  private rerender(): void {
    const before = this.list.tops();
    holdingStill(this.scroller, () => this.render());
    this.list.noteMoves(before);
  }

  /** The mouse or the keyboard has left the list: what was held still is put in order. */
  private released(): void {
    if (this.round === null || this.round.hold === "free") return;
    requestAnimationFrame(() => {
      if (!this.isHeld) this.rerender();
    });
  }

  /** Whether a person is in the list, with the mouse or the keyboard. */
  private get isHeld(): boolean {
    return this.frame.matches(":hover") || this.frame.contains(document.activeElement);
  }

  private render(): void {
    const { state } = this;
    const answer = state.kind === "ready" || state.kind === "noMatch" ? state : null;
    const message = describe(state);
    const about = this.round?.about;
    this.round = nextRound(this.round, state, {
      held: this.isHeld,
      capacity: window.innerHeight < LOW ? FOLDED_LOW : FOLDED,
      shown: this.listed.find((section) => section.id === "tactics")?.rows.length ?? 0,
    });
    const isAnother = this.round?.about !== about;
    const listed = sections(state, this.saved.pins, isAnother ? { ...this.shown, before: [] } : this.shown);
    this.listed = listed;
    // What is said above the list waits as the rows do.
    if (isAnother || this.round === null || this.round.hold === "free") this.warned = answer?.warnings ?? [];
    this.busy.hidden = state.busy !== true && state.kind !== "starting";
    this.goal.show(answer);
    this.notice.show(message);
    remark(this.warnings, "warning", this.warned);
    remark(this.notes, "info", answer?.notes ?? []);
    const { activeElement } = document;
    const held = this.fresh || this.frame.contains(activeElement) || this.filter.element.contains(activeElement);
    this.list.show(listed, held);
    this.filter.tell(listed.reduce((sum, section) => sum + section.count, 0));
    setAttribute(this.list.element, "aria-busy", state.stale === true ? "true" : null);
    if (state.kind === "ready") this.fresh = false;
    this.foot.element.hidden = listed.length === 0 && answer === null;
    this.foot.show(answer?.index ?? null, answer?.checked ?? null, state.kind === "ready" ? (state.indexing ?? null) : null);
  }

  private save(part: Partial<Saved>): void {
    this.saved = { ...this.saved, ...part };
    this.host.setState(this.saved);
  }

  /** For the answer that is shown, if there is one. */
  private withPosition(act: (positionId: string) => void): void {
    if ("positionId" in this.state) act(this.state.positionId);
  }

  private insert(row: Row, addImport: boolean): void {
    const positionId = this.ready?.positionId ?? null;
    const tactic = row.kind === "tactic" ? row.tactic : addImport || this.state.stale === true ? null : row.use;
    if (tactic !== null) this.host.postMessage({ type: "insertTactic", tactic, positionId });
    else if (row.kind === "premise") this.host.postMessage({ type: "insertPremise", premise: row.premise, addImport, positionId });
  }

  private pressed(event: KeyboardEvent, view: RowView): void {
    const action = KEYS[event.key.toLowerCase()];
    if (action === undefined || !actionsFor(view.row, view.clipped).includes(action)) return;
    event.preventDefault();
    if (!event.repeat) this.act(action, view);
  }

  private act(action: Action, view: RowView, byMouse = false): void {
    const { row } = view;
    if (byMouse && !this.list.isMeant(row.key)) return;
    if (action === "insert" || action === "insertImport") this.insert(row, action === "insertImport");
    else if (action === "expand") this.expand(view);
    else if (action === "copy") this.host.postMessage({ type: "copyName", name: textOf(row) });
    else if (row.kind === "tactic") return;
    else if (action === "open") this.host.postMessage({ type: "openDeclaration", premise: row.premise });
    else this.pin(row);
  }

  private expand(view: RowView): void {
    view.expanded = !view.expanded;
    if (view.expanded && view.row.kind === "premise") this.host.postMessage({ type: "details", premise: view.row.premise });
    this.toolbar.show(this.list.target);
  }

  private pin(row: Row): void {
    if (row.kind !== "premise") return;
    this.save({ pins: togglePin(this.saved.pins, row.premise, this.ready?.file ?? "") });
    this.rerender();
  }

  /** All rows of a section are to be shown for this goal, or only the best. */
  private fold(section: string, unfolded: boolean): void {
    const others = this.unfolded.filter((one) => one !== section);
    const sections = unfolded ? [...others, section] : others;
    const { ready } = this;
    this.save({ unfolded: ready === null || sections.length === 0 ? null : { goal: ready.goal, sections } });
    this.rerender();
  }

  private get unfolded(): readonly string[] {
    const { unfolded } = this.saved;
    return unfolded !== null && unfolded.goal === this.ready?.goal ? unfolded.sections : [];
  }

  private get shown(): Shown {
    const atActions = this.toolbar.element.contains(document.activeElement);
    const { round, listed, unfolded, filter } = this;
    const { hold, slots } = round ?? { hold: "free" as const, slots: FOLDED };
    const keeps = this.ready?.tacticsState === "running" || this.frame.matches(":hover");
    return { unfolded, held: this.list.held(atActions), filter: filter.words, hold, keeps, slots, before: listed };
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
