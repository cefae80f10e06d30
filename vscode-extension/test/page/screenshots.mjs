/** Makes the pictures of the extension's README: `node vscode-extension/test/page/screenshots.mjs [FOLDER]`. */
import { mkdirSync, statSync } from "node:fs";
import path from "node:path";

import { withStage } from "../driver/stage.mjs";
import { FIRST } from "./reading.mjs";
import { SEARCH } from "./searching.mjs";

const FOLDER = process.argv[2] ?? path.resolve(import.meta.dirname, "../../images");
const LARGEST = 150_000;
const SIZE = { width: 1120, height: 640 };
const UNDER_THE_GOAL = { x: 450, y: 330, width: 650, height: 288 };
const VIEW = { x: 48, y: 62, width: 400, height: 300 };
const QUICK_INPUT = { x: 250, y: 0, width: 620, height: 323 };
const THEMES = { dark: "Default Dark Modern", light: "Default Light Modern", contrast: "Default High Contrast" };

async function take(window, name, clip) {
  const file = path.join(FOLDER, `${name}.png`);
  await window.page.screenshot({ path: file, animations: "disabled", caret: "initial", ...(clip && { clip }) });
  const { size } = statSync(file);
  if (size > LARGEST) throw new Error(`${file} has ${size} bytes, more than ${LARGEST}`);
  process.stderr.write(`${file}: ${Math.round(size / 1000)} kB\n`);
}

/** The view with tactics and premises for one goal. */
async function viewIn(session, theme) {
  session.server.setSettings({ ...session.settings, "workbench.colorTheme": THEMES[theme] });
  const { window, view } = await session.openWindow(session.example, { size: SIZE });
  await window.widenSideBar(400);
  await window.openFile(FIRST);
  await window.goBehind(FIRST, "sorry", 0);
  await view.tactics("k ∣ n.factorial");
  await take(window, `view-${theme}`);
  return { window, view };
}

/** What rewrites a part of a goal. */
async function rewritingPicture(window, view) {
  await window.goBehind(FIRST, "sorry", 1);
  await view.tactics("a + (b + c) = b + (a + c)");
  await (await view.part("b + c")).focus();
  await window.press("Enter");
  await view.until((state) => state.selected.includes("b + c") && state.tactics.length > 0 && !state.busy && !state.running, "rewrites of b + c");
  await take(window, "rewriting", VIEW);
  await window.press("Escape");
  await window.focusEditor();
}

async function editorPictures(window) {
  await window.goBehind(FIRST, "sorry", 0);
  await window.quickFixes("Try this:");
  await take(window, "quick-fix", UNDER_THE_GOAL);
  await window.press("Escape");

  await window.search(SEARCH, "divides factorial", "factorial");
  await take(window, "search", QUICK_INPUT);
  await window.press("Escape");

  await window.focusEditor();
  await window.replaceWord("exact ");
  await window.complete("Nat.dvd_factorial");
  await take(window, "completion", UNDER_THE_GOAL);
  await window.press("Escape");
  await window.revert();
}

await withStage({}, async (stage) => {
  mkdirSync(FOLDER, { recursive: true });
  await stage.withServer("pictures", {}, async (session) => {
    await viewIn(session, "light");
    await viewIn(session, "contrast");
    const { window, view } = await viewIn(session, "dark");
    await rewritingPicture(window, view);
    await editorPictures(window);
    await session.closeWindow();
  });
});
