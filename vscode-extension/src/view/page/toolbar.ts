/** The actions for one row: buttons at its edge, and follow the list in the order of tabs. */

import type { Row } from "../sections";
import { visible } from "../format";
import { element, setAttribute } from "./dom";
import { icon, type IconName } from "./icons";
import type { RowView } from "./rows";

export type Action = "insert" | "insertImport" | "expand" | "copy" | "open" | "pin";

/** How far the buttons reach into their row, in pixels: as far as no text begins. */
const OVERLAP = 6;

interface Shape {
  readonly icon: IconName;
  readonly label: string;
  /** As a person reads it, and as `aria-keyshortcuts` wants it. */
  readonly key: string;
}

const SHAPES: Readonly<Record<Action, Shape>> = {
  insert: { icon: "insert", label: "Insert", key: "Enter" },
  insertImport: { icon: "insertImport", label: "Insert and Add the Import", key: "Shift+Enter" },
  expand: { icon: "expand", label: "Show All of It", key: "Space" },
  copy: { icon: "copy", label: "Copy Name", key: "C" },
  open: { icon: "open", label: "Open Declaration", key: "O" },
  pin: { icon: "pin", label: "Pin", key: "P" },
};

const NAMES = Object.keys(SHAPES) as Action[];

/** What a person can do with a row. */
export function actionsFor(row: Row, clipped: boolean): readonly Action[] {
  const more: readonly Action[] = clipped ? ["expand"] : [];
  if (row.kind === "tactic") return ["insert", ...more, "copy"];
  const withImport: readonly Action[] = row.premise.import === null ? [] : ["insertImport"];
  return ["insert", ...withImport, ...more, "copy", "open", "pin"];
}

export class Toolbar {
  readonly element = element("div", "toolbar", { role: "toolbar" });
  private readonly buttons = new Map<Action, HTMLButtonElement>();
  private target: RowView | null = null;

  constructor(
    private readonly run: (action: Action, view: RowView, byMouse: boolean) => void,
    private readonly back: () => void,
  ) {
    for (const name of NAMES) this.element.append(this.makeButton(name));
    this.element.addEventListener("keydown", (event) => this.pressed(event));
    this.element.hidden = true;
  }

  /** Move to this row's upper edge, where there is little text; hide without a row. */
  show(view: RowView | null): void {
    this.target = view;
    this.element.hidden = view === null;
    if (view === null) return;
    const { row } = view;
    const able = new Set(actionsFor(row, view.clipped));
    for (const [name, button] of this.buttons) button.hidden = !able.has(name);
    this.say("pin", row.kind === "premise" && row.pinned ? "Unpin" : "Pin");
    this.say("copy", row.kind === "premise" ? "Copy Name" : "Copy Tactic");
    this.say("expand", view.expanded ? "Show Less" : "Show All of It");
    this.buttons.get("pin")?.classList.toggle("on", row.kind === "premise" && row.pinned);
    this.buttons.get("expand")?.classList.toggle("on", view.expanded);
    const name = row.kind === "premise" ? row.premise.name : row.tactic.tactic;
    setAttribute(this.element, "aria-label", `Actions for ${visible(name)}`);
    this.rove(this.shown().find((button) => button.tabIndex === 0) ?? this.shown()[0]);
    this.place(view);
  }

  private place(view: RowView): void {
    const frame = this.element.parentElement?.getBoundingClientRect();
    const top = view.element.getBoundingClientRect().top - (frame?.top ?? 0);
    this.element.style.top = `${Math.round(top - this.element.offsetHeight + OVERLAP)}px`;
  }

  private makeButton(name: Action): HTMLButtonElement {
    const shape = SHAPES[name];
    const shortcut = shape.key.replace(/^.$/u, (letter) => letter.toLowerCase());
    const attributes = { type: "button", tabindex: "-1", "aria-keyshortcuts": shortcut };
    const button = element("button", `action action-${name}`, attributes, icon(shape.icon));
    button.addEventListener("click", ({ detail }) => {
      if (this.target !== null) this.run(name, this.target, detail > 0);
    });
    this.buttons.set(name, button);
    this.say(name, shape.label);
    return button;
  }

  private say(name: Action, label: string): void {
    const button = this.buttons.get(name);
    if (button === undefined) return;
    setAttribute(button, "aria-label", label);
    setAttribute(button, "title", `${label} (${SHAPES[name].key})`);
  }

  private shown(): HTMLButtonElement[] {
    return [...this.buttons.values()].filter((button) => !button.hidden);
  }

  private rove(to: HTMLButtonElement | undefined): void {
    for (const button of this.buttons.values()) button.tabIndex = button === to ? 0 : -1;
  }

  private pressed(event: KeyboardEvent): void {
    if (event.key === "Escape" || event.key === "ArrowUp" || event.key === "ArrowDown") this.back();
    else if (event.key === "ArrowRight" || event.key === "ArrowLeft") this.step(event.key === "ArrowRight" ? 1 : -1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private step(by: number): void {
    const shown = this.shown();
    const at = shown.indexOf(document.activeElement as HTMLButtonElement);
    const next = shown[(at + by + shown.length) % shown.length];
    this.rove(next);
    next?.focus();
  }
}
