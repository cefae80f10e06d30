/** A box for words: only rows that have all of them are shown. */

import { element, setText } from "./dom";

export class FilterBox {
  private readonly input = element("input", "filter-input", {
    type: "text",
    "aria-label": "Filter",
    placeholder: "Filter by name, statement or tactic",
    spellcheck: "false",
    autocomplete: "off",
  });
  private readonly none = element("span", "filter-none", { "aria-hidden": "true" });
  readonly element = element("div", "filter", {}, this.input, this.none);

  constructor(
    private readonly changed: () => void,
    private readonly left: () => void,
  ) {
    this.element.hidden = true;
    this.input.addEventListener("input", () => this.changed());
    this.input.addEventListener("keydown", (event) => this.pressed(event));
  }

  get words(): string {
    return this.element.hidden ? "" : this.input.value;
  }

  /** Show the box, with the focus in it. */
  open(): void {
    this.element.hidden = false;
    this.input.focus();
    this.input.select();
  }

  /** Show all rows again; false where they are. */
  close(): boolean {
    if (this.element.hidden) return false;
    this.input.value = "";
    this.changed();
    this.element.hidden = true;
    return true;
  }

  /** How many rows match. */
  tell(count: number): void {
    setText(this.none, this.words.trim() !== "" && count === 0 ? "No row matches." : "");
  }

  private pressed(event: KeyboardEvent): void {
    if (event.key === "Escape") this.close();
    else if (event.key !== "ArrowDown" && event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
    this.left();
  }
}
