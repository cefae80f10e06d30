/** One window of VS Code: a page of the browser, driven as a person would. */
import { readFileSync } from "node:fs";
import path from "node:path";

import { eventually } from "./eventually.mjs";

const STATUS_SELECTION = "#status\\.editor\\.selection";

export class Workbench {
  /** Open a folder (or a .code-workspace) in a new window, and wait until it can be worked with. */
  static async open(browser, server, folder, { size = { width: 1280, height: 800 }, payload = [] } = {}) {
    const context = await browser.newContext({ viewport: size, permissions: ["clipboard-read", "clipboard-write"] });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(server.url(folder, payload), { waitUntil: "commit" });
    await page.locator(".monaco-workbench .statusbar-item").first().waitFor({ timeout: 120_000 });
    return new Workbench(page, folder);
  }

  constructor(page, folder) {
    this.page = page;
    this.folder = folder;
  }

  press(keys) {
    return this.page.keyboard.press(keys);
  }

  type(text, delay = 0) {
    return this.page.keyboard.type(text, { delay });
  }

  /** The quick input that opens at these keys, with this text; the row that is chosen, or the best one. */
  async pick(keys, text, row) {
    await this.press(keys);
    const input = this.page.locator(".quick-input-widget .quick-input-box input");
    await input.waitFor();
    await input.fill(text);
    if (row) await this.page.locator(".quick-input-list .monaco-list-row.focused", { hasText: row }).waitFor();
    await this.press("Enter");
  }

  /** Run a command by its title in the palette. */
  async command(title) {
    await this.pick("F1", `>${title}`, title);
  }

  /** Open a file of the folder, and wait until its editor has the focus. */
  async openFile(name) {
    const base = path.basename(name);
    await this.pick("Control+p", name, base);
    await this.activeTab(base);
  }

  /** The text of a file on disk. */
  onDisk(name) {
    return readFileSync(path.join(this.folder, name), "utf8");
  }

  /** Put the cursor at a line and column, counted from 1. */
  async goTo(line, column = 1) {
    await this.pick("Control+p", `:${line}:${column}`, `line ${line}`);
    await this.cursorAt(line, column);
  }

  /** Put the cursor behind a text of the file that is open, as it is on disk; the line it stands on. */
  async goBehind(name, text, nth = 0) {
    const content = this.onDisk(name);
    let at = -1;
    for (let seen = 0; seen <= nth; seen++) at = content.indexOf(text, at + 1);
    if (at < 0) throw new Error(`${name} has no ${JSON.stringify(text)}`);
    const before = content.slice(0, at + text.length);
    const line = before.split("\n").length;
    await this.goTo(line, before.length - before.lastIndexOf("\n"));
    return line;
  }

  async cursorAt(line, column) {
    await this.page.locator(STATUS_SELECTION, { hasText: `Ln ${line}, Col ${column}` }).waitFor();
  }

  async cursor() {
    const text = await this.page.locator(STATUS_SELECTION).innerText();
    const [, line, column] = /Ln (\d+), Col (\d+)/.exec(text);
    return { line: Number(line), column: Number(column) };
  }

  /** Save the file that is open, and read it. */
  async saved(name) {
    await this.focusEditor();
    await this.press("Control+s");
    await this.page.locator(".tab.active.dirty").waitFor({ state: "detached" });
    return this.onDisk(name);
  }

  /** Put the file back as it is on disk. */
  async revert() {
    await this.focusEditor();
    await this.command("File: Revert File");
    await this.page.locator(".tab.active.dirty").waitFor({ state: "detached" });
  }

  async focusEditor() {
    await this.press("Control+1");
    await this.page.locator(".editor-group-container.active .monaco-editor.focused").first().waitFor();
  }

  async activeTab(base) {
    await this.page.locator(`.tab.active[data-resource-name="${base}"]`).waitFor();
    await this.page.locator(".editor-group-container.active .monaco-editor.focused").first().waitFor();
  }

  /** Type this in the place of the word left of the cursor. */
  async replaceWord(text) {
    await this.press("Control+Shift+ArrowLeft");
    await this.type(text);
  }

  /** Wait until the editor shows a text on one of its lines. */
  async untilText(text) {
    const lines = () => this.page.locator(".editor-group-container.active .view-line").allTextContents();
    const plain = (line) => line.replaceAll("\u00a0", " ");
    await eventually(async () => (await lines()).some((line) => plain(line).includes(text)), `the editor shows ${JSON.stringify(text)}`);
  }

  async untilClipboard(text) {
    let last;
    const read = async () => (last = await this.page.evaluate(() => navigator.clipboard.readText())) === text;
    await eventually(read, () => `the clipboard holds ${JSON.stringify(text)}; it holds ${JSON.stringify(last)}`);
  }

  /** Open the quick fixes at the cursor; the entries that have this text. */
  async quickFixes(text) {
    await this.press("Control+.");
    const entries = this.page.locator(".action-widget .monaco-list-row", { hasText: text });
    await entries.first().waitFor();
    return entries;
  }

  /** Ask for completions at the cursor; the entries that have this text. */
  async complete(text) {
    await this.press("Control+Space");
    const entries = this.page.locator(".suggest-widget.visible .monaco-list-row", { hasText: text });
    await entries.first().waitFor();
    return entries;
  }

  /** Show the hover at the cursor; its text once it holds this. */
  async hover(text) {
    await this.command("Show or Focus Hover");
    const hover = this.page.locator(".monaco-hover:not(.hidden)", { hasText: text }).first();
    await hover.waitFor();
    return hover.innerText();
  }

  notification(text) {
    return this.page.locator(".notification-list-item", { hasText: text }).first();
  }

  /** Make the side bar this wide. */
  async widenSideBar(width) {
    const part = this.page.locator(".part.sidebar");
    const { x, y, width: now } = await part.boundingBox();
    const { mouse } = this.page;
    await mouse.move(x + now, y + 200);
    await mouse.down();
    await mouse.move(x + width, y + 200, { steps: 5 });
    await mouse.up();
    await mouse.move(x + width + 200, 5);
  }

  /** Type into a search of ours; the rows that have this text. */
  async search(title, text, row) {
    await this.command(title);
    const input = this.page.locator(".quick-input-widget .quick-input-box input");
    await input.fill(text);
    const rows = this.page.locator(".quick-input-list .monaco-list-row", { hasText: row });
    await rows.first().waitFor();
    return rows;
  }

  /** Wait for an entry of the status bar with this text. */
  async statusBar(text) {
    await this.page.locator(".statusbar-item", { hasText: text }).first().waitFor();
  }

  /** Trust the workspace, as a person does on the trust page. */
  async trust() {
    await this.command("Workspaces: Manage Workspace Trust");
    await this.page.locator(".workspace-trust-editor .monaco-button", { hasText: /^Trust$/ }).first().click();
  }

  /** Out of whatever is open: quick inputs, menus; the file as it is on disk. */
  async calm() {
    for (let time = 0; time < 3; time++) await this.press("Escape");
    await this.revert();
  }

  async screenshot(file, options = {}) {
    await this.page.screenshot({ path: file, ...options });
  }

  /** Close the window as a person does. */
  async close() {
    const closed = this.page.waitForEvent("close");
    await this.page.close({ runBeforeUnload: true });
    await closed;
    await this.page.context().close();
  }
}
