/** The list: one listbox with a group a section, one tab stop, its active row kept through updates. */

import type { Row, Section } from "../sections";
import { isMove, moved, survivor } from "../selection";
import { element, setAttribute, setText } from "./dom";
import { arrange, KeyedChildren, type ItemView } from "./keyed";
import { makeRow, type RowView } from "./rows";

/** What the list tells. */
export interface ListEvents {
  /** A row was chosen, by click or Enter. */
  chosen(row: Row, withImport: boolean): void;
  /** A key that the list does not know, on a row. */
  pressed(event: KeyboardEvent, view: RowView): void;
  /** The row that actions are for is another, or has changed in place or size; null where there is none. */
  target(view: RowView | null): void;
  /** Another row is the active one. */
  activated(key: string | null): void;
}

export class PremiseList {
  readonly element = element("div", "list", { role: "listbox", "aria-label": "Tactics and premises" });
  private readonly rows = new KeyedChildren<Row>(makeRow, (row) => row.key);
  private readonly groups = new KeyedChildren<Section>(
    () => new SectionView(),
    (section) => section.id,
  );
  private keys: readonly string[] = [];
  private hovered: string | null = null;

  constructor(
    private readonly events: ListEvents,
    private active: string | null,
  ) {
    this.element.addEventListener("click", (event) => this.clicked(event));
    this.element.addEventListener("keydown", (event) => this.pressed(event));
    this.element.addEventListener("pointerover", (event) => this.hover(this.keyAt(event.target)));
    this.element.addEventListener("focusin", (event) => this.activate(this.keyAt(event.target) ?? this.active));
  }

  /** Show these sections; the row that has the focus keeps it, or its neighbour gets it. */
  show(sections: readonly Section[], held: boolean): void {
    const hadFocus = this.element.contains(document.activeElement);
    const all = sections.flatMap((section) => section.rows);
    const active = survivor(this.keys, this.active, all.map((row) => row.key), held);
    this.rows.update(all);
    const groups = this.groups.update(sections).map((group) => group.element);
    arrange(this.element, groups);
    groups.forEach((group, at) => arrange(group, this.elements(sections[at]?.rows ?? []), SectionView.fixed));
    this.keys = all.map((row) => row.key);
    this.element.hidden = sections.length === 0;
    if (this.hovered !== null && !this.keys.includes(this.hovered)) this.hovered = null;
    if (all.length > 0) this.activate(active);
    else this.events.target(null);
    if (hadFocus && !this.element.contains(document.activeElement)) this.focus();
  }

  /** The row that actions are for: the one under the mouse, else the active one. */
  get target(): RowView | null {
    return this.view(this.hovered) ?? this.view(this.active);
  }

  /** The mouse has left, or the keyboard has taken over: actions are for the active row again. */
  hover(key: string | null): void {
    if (key === this.hovered) return;
    this.hovered = key;
    this.events.target(this.target);
  }

  /** The active row takes the focus; false where there is none. */
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
    if (view === null) return;
    this.activate(key);
    this.focus();
    this.events.chosen(view.row, event.shiftKey);
  }

  private pressed(event: KeyboardEvent): void {
    const view = this.view(this.active);
    if (view === null || event.ctrlKey || event.metaKey || event.altKey) return;
    this.hover(null);
    if (isMove(event.key)) {
      this.activate(moved(this.keys, this.active, event.key));
      this.focus();
    } else if (event.key === "Enter") {
      this.events.chosen(view.row, event.shiftKey);
    } else {
      return this.events.pressed(event, view);
    }
    event.preventDefault();
  }
}

/** A heading, a note, and the rows under them. */
class SectionView implements ItemView<Section> {
  /** How many of the element's children are not rows. */
  static readonly fixed = 2;

  private readonly title = element("span", "title");
  private readonly count = element("span", "count");
  private readonly spinner = element("span", "spinner");
  private readonly note = element("div", "note", { "aria-hidden": "true" });
  private readonly heading = element("div", "heading", { "aria-hidden": "true" }, this.title, this.count, this.spinner);
  readonly element = element("div", "section", { role: "group" }, this.heading, this.note);

  update(section: Section): void {
    const count = section.rows.length;
    setText(this.title, section.title);
    setText(this.count, count === 0 ? "" : String(count));
    setText(this.note, section.note);
    this.note.hidden = section.note === "";
    this.spinner.hidden = !section.running;
    setAttribute(this.element, "aria-label", section.note === "" ? section.title : `${section.title}: ${section.note}`);
  }
}
