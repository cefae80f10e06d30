/** The shipped page in a real browser, with the extension's side of the webview played by the test. */

import { readFileSync } from "node:fs";
import path from "node:path";

import { chromium, type Browser, type Locator, type Page } from "playwright-core";

import { pageHtml } from "../../src/view/html";
import type { DetailsMessage, PageMessage, ProofMessage, ProofState, StateMessage, ViewState } from "../../src/view/state";
import { NOW } from "./samples";
import { THEMES, type Theme } from "./themes";

const ORIGIN = "http://view.test";
const FLAGS = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

declare global {
  interface Window {
    sent: PageMessage[];
    said: string[];
    broken?: boolean;
  }
}

/** The browser that the tests use. */
export const BROWSER = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: BROWSER, chromiumSandbox: false, args: FLAGS });
}

export interface Options {
  readonly theme?: string;
  readonly width?: number;
  readonly height?: number;
  readonly reducedMotion?: boolean;
}

/** One open page, and what a test does with it. */
export class View {
  /** What the page threw or wrote as an error, a refused script among it. */
  readonly errors: string[] = [];

  private constructor(readonly page: Page) {
    page.on("pageerror", (error) => this.errors.push(error.message));
    page.on("console", (message) => message.type() === "error" && this.errors.push(message.text()));
  }

  static async open(browser: Browser, options: Options = {}): Promise<View> {
    const page = await browser.newPage({
      viewport: { width: options.width ?? 320, height: options.height ?? 640 },
      reducedMotion: options.reducedMotion === true ? "reduce" : "no-preference",
    });
    const theme = THEMES.find((one) => one.name === (options.theme ?? "dark"));
    if (theme === undefined) throw new Error(`no theme ${options.theme}`);
    await page.clock.install({ time: NOW - 1000 });
    await page.clock.pauseAt(NOW);
    await page.route("**/*", (route) => route.fulfill(answer(new URL(route.request().url()).pathname)));
    await page.addInitScript(playHost, theme);
    const view = new View(page);
    await view.reload();
    return view;
  }

  /** Load the page anew, as VS Code does when the view is shown again; what the page kept is kept. */
  async reload(): Promise<void> {
    await this.page.goto(`${ORIGIN}/`);
    await this.page.waitForFunction(() => window.sent.some((message) => message.type === "loaded"));
    await this.sent();
  }

  /** Send a state, and wait until the page has dealt with it. */
  async show(state: ViewState): Promise<void> {
    await this.send({ type: "state", state });
  }

  /** Send the state of a search for a proof. */
  async showProof(proof: ProofState): Promise<void> {
    await this.send({ type: "proof", proof });
  }

  private async send(message: StateMessage | ProofMessage | DetailsMessage): Promise<void> {
    await this.page.evaluate(
      (sent) =>
        new Promise<void>((resolve) => {
          window.addEventListener("message", () => resolve(), { once: true });
          window.postMessage(sent, "*");
        }),
      message,
    );
  }

  /** Send what was looked up for an expanded row. */
  async learn(message: DetailsMessage): Promise<void> {
    await this.send(message);
  }

  /** So long that a row which has just moved takes clicks again. */
  async rest(): Promise<void> {
    await this.pass(400);
  }

  /** What the page has sent since this was asked last. */
  sent(): Promise<PageMessage[]> {
    return this.page.evaluate(() => window.sent.splice(0));
  }

  /** Time passes for the page. */
  async pass(milliseconds: number): Promise<void> {
    await this.page.clock.runFor(milliseconds);
  }

  /** What was said aloud, in order. */
  said(): Promise<string[]> {
    return this.page.evaluate(() => window.said);
  }

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  row(name: string): Locator {
    return this.page.getByRole("option", { name });
  }

  /** What has the focus, by its label, else by its text. */
  focused(): Promise<string> {
    return this.page.evaluate(() => {
      const at = document.activeElement as HTMLElement | null;
      return at?.getAttribute("aria-label") ?? at?.innerText ?? "";
    });
  }

  close(): Promise<void> {
    return this.page.close();
  }
}

function answer(name: string): { contentType: string; body: string } {
  if (name === "/view.js") return { contentType: "text/javascript", body: shipped("dist/view.js") };
  if (name === "/view.css") return { contentType: "text/css", body: shipped("media/view.css") };
  const parts = { cspSource: ORIGIN, script: `${ORIGIN}/view.js`, style: `${ORIGIN}/view.css`, nonce: "c0ffee" };
  return { contentType: "text/html", body: name === "/" ? pageHtml(parts) : "" };
}

function shipped(name: string): string {
  return readFileSync(path.join(process.env["EXTENSION_ROOT"] ?? ".", name), "utf8");
}

/** Runs in the page before its script: VS Code's side of a webview, its default style and the theme's variables. */
function playHost(theme: Theme): void {
  window.sent = [];
  window.said = [];
  const kept = (): unknown => JSON.parse(sessionStorage.getItem("kept") ?? "null") ?? undefined;
  Object.assign(window, {
    acquireVsCodeApi: () => ({
      postMessage: (message: PageMessage) => window.sent.push(message),
      getState: kept,
      setState: (state: unknown) => sessionStorage.setItem("kept", JSON.stringify(state)),
    }),
  });
  const sheet = new CSSStyleSheet();
  const variables = Object.entries(theme.colours).map(([name, value]) => `--vscode-${name}: ${value};`);
  sheet.replaceSync(`html { ${variables.join(" ")} background: var(--vscode-sideBar-background); }
    @layer vscode-default { body { margin: 0; padding: 0 20px; color: var(--vscode-editor-foreground); } }`);
  document.adoptedStyleSheets = [sheet];
  document.addEventListener("DOMContentLoaded", () => {
    document.body.className = theme.body;
    const all = document.querySelectorAll("[aria-live]");
    for (const live of all) new MutationObserver(() => window.said.push(live.textContent ?? "")).observe(live, { childList: true, characterData: true, subtree: true });
  });
}
