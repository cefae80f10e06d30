/** The Premises view as a person meets it: what it shows, and its keys. */
import { eventually } from "./eventually.mjs";

export class View {
  /** Open the view in this window; the cursor stays in the editor. */
  static async open(workbench) {
    await workbench.page.locator(".activitybar .action-label[aria-label^='Premises']").click({ timeout: 120_000 }); // there once extensions are read
    await workbench.page.mouse.move(600, 5); // off the icon, so that its tooltip goes
    const view = new View(workbench);
    await view.frame();
    return view;
  }

  constructor(workbench) {
    this.workbench = workbench;
  }

  /** The page inside VS Code's frames; another one each time the view was hidden. */
  frame() {
    return eventually(async () => {
      for (const frame of this.workbench.page.frames()) {
        if ((await frame.title().catch(() => "")) === "Premises") return frame;
      }
      return null;
    }, "the Premises view's page");
  }

  /** All that the view says, at this moment. */
  async state() {
    const frame = await this.frame();
    return frame.evaluate(() => {
      const shown = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility());
      const texts = (selector) => shown(selector).map((one) => one.textContent);
      return {
        goal: texts(".goal-line")[0] ?? null,
        heading: texts(".goal-label, .goal-trouble")[0] ?? null,
        sorries: texts(".goal-sorries")[0] ?? "",
        selected: texts('.part[aria-selected="true"]'),
        notice: texts(".notice-title")[0] ?? null,
        text: texts(".notice")[0] ?? "",
        busy: shown(".busy").length > 0,
        stale: shown('.list[aria-busy="true"]').length > 0,
        running: shown(".spinner").length > 0,
        tactics: texts(".row.tactic .name"),
        closing: shown('.row.tactic[data-status="closes"]').map((row) => row.querySelector(".name").textContent),
        premises: texts(".row.premise .name"),
        rows: shown(".row").map((row) => (row.classList.contains("tactic") ? "tactic" : "premise")),
        foot: texts(".foot-line")[0] ?? "",
      };
    });
  }

  /** Keep every message that is shown from now on, however briefly; `seen` tells them. */
  async watch() {
    const frame = await this.frame();
    await frame.evaluate(() => {
      window.seenNotices = [];
      const look = () => {
        const shown = [".notice-title", ".progress-line"].map((selector) => document.querySelector(selector)).filter((one) => one?.checkVisibility());
        const text = shown.map((one) => one.textContent).join(" / ");
        if (text !== "" && text !== window.seenNotices.at(-1)) window.seenNotices.push(text);
      };
      new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
    });
  }

  async seen() {
    const frame = await this.frame();
    return frame.evaluate(() => window.seenNotices);
  }

  /** Wait until the view is as wanted; the error holds what it shows instead. */
  async until(holds, what, seconds = 60) {
    let last;
    return eventually(
      async () => {
        last = await this.state().catch(() => undefined); // its page was just being loaded anew
        return last && holds(last) ? last : null;
      },
      () => `the view shows ${what}; it shows ${JSON.stringify(last)}`,
      seconds,
    );
  }

  /** The whole answer for a goal that has this text. */
  answer(goal) {
    return this.until((state) => state.goal?.includes(goal) && state.premises.length > 0 && !state.busy && !state.running, `the answer to "${goal}"`);
  }

  /** The answer for a goal, with at least one verified tactic. */
  tactics(goal) {
    return this.until((state) => state.goal?.includes(goal) && state.tactics.length > 0 && !state.busy && !state.running, `tactics for "${goal}"`);
  }

  notice(title, seconds) {
    return this.until((state) => state.notice === title, `"${title}"`, seconds);
  }

  async row(kind, text) {
    const frame = await this.frame();
    return frame.locator(`.row.${kind}`, { has: frame.locator(".name", { hasText: text }) }).first();
  }

  /** The texts of what can be seen whole, and is not behind a heading: of headings, their titles; of rows, their names. */
  async inSight(selector) {
    const frame = await this.frame();
    return frame.locator(selector).evaluateAll((all) => {
      const whole = (node) => {
        const { left, width, top, bottom } = node.getBoundingClientRect();
        return [top + 2, bottom - 2].every((y) => node.contains(document.elementFromPoint(left + width / 2, y)));
      };
      return all.filter(whole).map((node) => node.querySelector(".name, .title").textContent);
    });
  }

  /** The first part of the goal's target that has this text. */
  async part(text) {
    const frame = await this.frame();
    return frame.getByRole("treeitem", { name: text, exact: true }).first();
  }

  /** The button for the tactics that are folded away. */
  async more() {
    const frame = await this.frame();
    return frame.locator(".more:not([hidden])");
  }

  /** Wait until the view has the focus, which VS Code moves after a command has returned. */
  async hasFocus() {
    const frame = await this.frame();
    await frame.locator(".row:focus").waitFor();
  }

  /** Press keys on a row, which the keyboard has been brought to. */
  async pressOn(kind, text, keys) {
    const row = await this.row(kind, text);
    await row.focus();
    await this.workbench.page.keyboard.press(keys);
  }
}
