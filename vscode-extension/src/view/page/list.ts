/** The list: a group a section, each with a listbox; one tab stop for all rows, the active one kept through updates. */

import { counted, visible } from "../format";
import type { Row, Section } from "../sections";
import type { Details } from "../state";
import { isMove, moved, survivor } from "../selection";
import { SETTLING_MS } from "./anchor";
import { element, setAttribute, setText } from "./dom";
import { arrange, KeyedChildren, type ItemView } from "./keyed";
import { makeRow, type RowView } from "./rows";

/** What the list reports. */
export interface ListEvents {
  /** A row was chosen, by click or Enter. */
  chosen(row: Row, withImport: boolean): void;
  /** A key that the list does not know, on a row. */
  pressed(event: KeyboardEvent, view: RowView): void;
  /** The row that actions are for is another, or has changed in place or size; null without one. */
  target(view: RowView | null): void;
  /** Another row is the active one. */
  activated(key: string | null): void;
  /** All rows of a section that folds are to be shown, or only its best. */
  folded(section: string, unfolded: boolean): void;
}

export class PremiseList {
  readonly element = element("div", "list");
  private readonly rows = new KeyedChildren<Row>(makeRow, (row) => row.key);
  private readonly groups = new KeyedChildren<Section>(
    ({ id }) => new SectionView((unfolded) => this.events.folded(id, unfolded)),
    (section) => section.id,
  );
  private keys: readonly string[] = [];
  private hovered: string | null = null;
  /** When each row was moved last by an update, or came: in milliseconds of the page's clock. */
  private readonly movedAt = new Map<string, number>();
  /** When an update moved the focus to another row. */
  private refocusedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly events: ListEvents,
    private active: string | null,
  ) {
    this.element.addEventListener("click", (event) => this.clicked(event));
    this.element.addEventListener("keydown", (event) => this.pressed(event));
    this.element.addEventListener("pointerover", (event) => this.hover(this.keyAt(event.target)));
    this.element.addEventListener("focusin", (event) => this.activate(this.keyAt(event.target) ?? this.active));
    this.element.addEventListener("copy", (event) => this.copied(event));
  }

  /** Show these sections; the row that has the focus keeps it, or its neighbour gets it. */
  show(sections: readonly Section[], held: boolean): void {
    const hadFocus = this.element.contains(document.activeElement);
    const all = sections.flatMap((section) => section.rows);
    for (const section of sections) (this.groups.get(section.id) as SectionView | undefined)?.keepSize(section);
    const active = survivor(this.keys, this.active, all.map((row) => row.key), held);
    this.rows.update(all);
    const groups = this.groups.update(sections) as SectionView[];
    arrange(this.element, groups.map((group) => group.element));
    groups.forEach((group, at) => arrange(group.rows, this.elements(sections[at]?.rows ?? [])));
    this.keys = all.map((row) => row.key);
    this.element.hidden = sections.length === 0;
    if (this.hovered !== null && !this.keys.includes(this.hovered)) this.hovered = null;
    if (all.length > 0) this.activate(active);
    else this.events.target(null);
    if (hadFocus && !this.element.contains(document.activeElement)) {
      this.refocusedAt = performance.now();
      this.focus();
    }
  }

  /** Where the rows are in the window, by their keys. */
  tops(): ReadonlyMap<string, number> {
    return new Map(this.keys.map((key) => [key, this.view(key)?.element.getBoundingClientRect().top ?? 0]));
  }

  /** Note which rows an update has moved since. */
  noteMoves(before: ReadonlyMap<string, number>): void {
    const now = performance.now();
    for (const key of this.movedAt.keys()) if (!this.keys.includes(key)) this.movedAt.delete(key);
    for (const [key, top] of this.tops()) {
      const old = before.get(key);
      if (old === undefined || Math.abs(top - old) >= 1) this.movedAt.set(key, now);
    }
  }

  /** Whether a click on a row means that row: not where it has just come under the mouse. The next click does. */
  isMeant(key: string): boolean {
    const recent = performance.now() - (this.movedAt.get(key) ?? Number.NEGATIVE_INFINITY) < SETTLING_MS;
    this.movedAt.delete(key);
    return !recent;
  }

  /** Take in what was looked up for a row. */
  learn(key: string, details: Details): void {
    this.view(key)?.learn?.(details);
  }

  /** Close the row that is expanded and has the focus or the mouse; false where there is none. */
  close(): boolean {
    const { target } = this;
    if (target === null || !target.expanded) return false;
    target.expanded = false;
    this.events.target(target);
    return true;
  }

  /** The row that actions are for: the one under the mouse, else the active one. */
  get target(): RowView | null {
    return this.view(this.hovered) ?? this.view(this.active);
  }

  /** The row that a person is at, with the mouse or the keyboard (on the row itself or its actions); null where at none. */
  held(atActions: boolean): string | null {
    const focused = this.view(this.active)?.element === document.activeElement;
    return this.hovered ?? (focused || atActions ? this.active : null);
  }

  /** The mouse has left, or the keyboard has taken over: actions are for the active row again. */
  hover(key: string | null): void {
    if (key === this.hovered) return;
    this.hovered = key;
    this.events.target(this.target);
  }

  /** The active row takes the focus; false without one. */
  focus(): boolean {
    const view = this.view(this.active);
    view?.element.focus({ preventScroll: true });
    view?.element.scrollIntoView({ block: "nearest" });
    return view !== null;
  }

  private elements(rows: readonly Row[]): HTMLElement[] {
    return rows.map((row) => this.view(row.key)?.element).filter((found) => found !== undefined);
  }

  private view(key: string | null): RowView | null {
    return key === null ? null : ((this.rows.get(key) as RowView | undefined) ?? null);
  }

  private activate(key: string | null): void {
    const before = this.view(this.active);
    const after = this.view(key);
    if (before !== null && before !== after) this.mark(before, false);
    if (after !== null) this.mark(after, true);
    if (key !== this.active) this.events.activated(key);
    this.active = key;
    this.events.target(this.target);
  }

  private mark(view: RowView, on: boolean): void {
    setAttribute(view.element, "tabindex", on ? "0" : "-1");
    setAttribute(view.element, "aria-selected", String(on));
  }

  private keyAt(target: EventTarget | null): string | null {
    const found = target instanceof Element ? target.closest<HTMLElement>(".row") : null;
    return this.keys.find((key) => this.view(key)?.element === found) ?? null;
  }

  private clicked(event: MouseEvent): void {
    const key = this.keyAt(event.target);
    const view = this.view(key);
    if (key === null || view === null || !this.isMeant(key)) return;
    this.activate(key);
    this.focus();
    this.events.chosen(view.row, event.shiftKey);
  }

  private pressed(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.keyAt(event.target) === null) return this.pressedBetween(event);
    const view = this.view(this.active);
    if (view === null) return;
    this.hover(null);
    if (isMove(event.key)) {
      this.activate(moved(this.keys, this.active, event.key));
      this.focus();
    } else if (event.key === "Enter") {
      if (performance.now() - this.refocusedAt >= SETTLING_MS) this.events.chosen(view.row, event.shiftKey);
    } else {
      return this.events.pressed(event, view);
    }
    event.preventDefault();
  }

  /** Without marked text, the keys that copy are for the row. */
  private copied(event: ClipboardEvent): void {
    const { target } = this;
    if (target === null || (document.getSelection()?.toString() ?? "") !== "") return;
    event.clipboardData?.setData("text/plain", textOf(target.row));
    event.preventDefault();
  }

  /** A key on the button between two sections: up and down lead to the rows on either side of it. */
  private pressedBetween(event: KeyboardEvent): void {
    const above = event.target instanceof Element ? event.target.closest(".section")?.querySelector(".row:last-child") : null;
    const key = this.keyAt(above ?? null);
    if (key === null || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
    this.activate(event.key === "ArrowUp" ? key : moved(this.keys, key, "ArrowDown"));
    this.focus();
    event.preventDefault();
  }
}

/** What is copied of a row. */
export function textOf(row: Row): string {
  return row.kind === "tactic" ? row.tactic.tactic : row.premise.name;
}

/** A heading, a note, the rows under them, and a button for those that are folded away. */
class SectionView implements ItemView<Section> {
  private readonly title = element("span", "title");
  private readonly count = element("span", "count");
  private readonly spinner = element("span", "spinner");
  private readonly note = element("div", "note", { "aria-hidden": "true" });
  private readonly heading = element("div", "heading", { "aria-hidden": "true" }, this.title, this.count, this.spinner);
  private readonly more = element("button", "more", { type: "button" });
  readonly rows = element("div", "rows", { role: "listbox" });
  private readonly body = element("div", "section-body", {}, this.note, this.rows, this.more);
  readonly element = element("div", "section", { role: "group" }, this.heading, this.body);
  private unfolded = false;
  private hold: Section["hold"] = "free";

  constructor(folded: (unfolded: boolean) => void) {
    this.heading.addEventListener("click", () => this.top.scrollIntoView({ block: "start" }));
    this.more.addEventListener("click", () => {
      this.body.style.minHeight = "";
      folded(!this.unfolded);
      this.more.scrollIntoView({ block: "nearest" });
    });
  }

  /** Before an update of the rows: a section that is frozen is not to shrink. */
  keepSize({ hold }: Section): void {
    if (hold === this.hold) return;
    this.hold = hold;
    this.body.style.minHeight = hold === "frozen" ? `${this.body.getBoundingClientRect().height}px` : "";
  }

  update(section: Section): void {
    this.hold = section.hold;
    const slots = section.hold === "slots" && section.slots > 0;
    this.body.classList.toggle("slots", slots);
    this.body.style.setProperty("--slots", String(section.slots));
    setText(this.title, section.title);
    setText(this.count, section.count === 0 ? "" : String(section.count));
    setText(this.note, visible(section.note));
    setAttribute(this.note, "title", slots ? section.note : null);
    this.note.hidden = section.note === "";
    this.spinner.hidden = !section.running;
    setAttribute(this.element, "aria-label", section.note === "" ? section.title : `${section.title}: ${section.note}`);
    setAttribute(this.rows, "aria-label", section.title);
    this.rows.id = `rows-${section.id}`;
    this.rows.hidden = section.rows.length === 0;
    this.showMore(section);
  }

  /** The topmost entry below the heading. */
  private get top(): Element {
    return this.rows.firstElementChild ?? this.note;
  }

  private showMore({ id, count, hold, rows, unfolded }: Section): void {
    if (hold !== "frozen" || unfolded === null) this.more.hidden = unfolded === null; // a frozen section does not grow
    if (hold !== "frozen") this.element.classList.toggle("dense", unfolded !== null);
    this.unfolded = unfolded === true;
    const folded = count - rows.length;
    const noun = id === "tactics" ? "tactic" : "premise";
    setText(this.more, this.unfolded ? "Show fewer" : `${folded} more`);
    setAttribute(this.more, "aria-label", this.unfolded ? `Show fewer ${noun}s` : counted(folded, `more ${noun}`));
    setAttribute(this.more, "aria-expanded", String(this.unfolded));
    setAttribute(this.more, "aria-controls", `rows-${id}`);
  }
}
