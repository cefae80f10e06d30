/** The view where something is missing: index, Lean, server, trust. */
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

import { eventually } from "../driver/eventually.mjs";
import { isOurs, noneLeft, processesOf } from "../driver/processes.mjs";
import { Record } from "../driver/record.mjs";
import { scenario } from "../driver/scenario.mjs";
import { FIRST } from "./reading.mjs";

function workspaceSettings(folder, settings) {
  mkdirSync(path.join(folder, ".vscode"), { recursive: true });
  writeFileSync(path.join(folder, ".vscode", "settings.json"), JSON.stringify(settings));
}

/** A library that is not read at a glance. */
function largeLibrary(world) {
  const folder = world.copyExample("large");
  mkdirSync(path.join(folder, "Large"));
  for (let file = 0; file < 4; file++) {
    const theorems = Array.from({ length: 300 }, (_, at) => `theorem large_${file}_${at} (a b : ℕ) (h : a = b) : a = b ∨ a = ${at} := Or.inl h`);
    writeFileSync(path.join(folder, "Large", `Part${file}.lean`), `import Example.Nat.Basic\n\n${theorems.join("\n")}\n`);
  }
  return folder;
}

/** A program with this body in the place of `premise-suggest`; a library whose workspace settings name it. */
function libraryWithProgram(world, name, body) {
  const folder = world.copyExample(name);
  const program = path.join(world.sub("programs"), name);
  writeFileSync(program, `#!/bin/sh\n${body}\n`);
  chmodSync(program, 0o755);
  workspaceSettings(folder, { "premiseSuggest.path": program });
  return folder;
}

export const firstDay = [
  scenario("a project that is not indexed yet is indexed, and the view tells how far it is", async ({ world, openWindow }) => {
    const { window, view } = await openWindow(largeLibrary(world));
    await view.watch();
    await window.openFile(FIRST);
    await window.goBehind(FIRST, "sorry", 0);
    const after = await view.answer("k ∣ n.factorial");
    assert.equal(after.premises[0], "Nat.dvd_factorial");
    const seen = await view.seen();
    assert.ok(seen.some((text) => /^Reading the project into the index \/ \w+.*: [\d,]+ of [\d,]+$/.test(text)), JSON.stringify(seen));
  }),

  scenario("where Lean does not run the view says so and what to do", async ({ world, openWindow }) => {
    const folder = world.copyExample("no-lean");
    workspaceSettings(folder, { "premiseSuggest.lean.command": "/bin/false" });
    const { window, view } = await openWindow(folder);
    await window.openFile(FIRST);
    await window.goBehind(FIRST, "sorry", 0);
    const state = await view.notice("No Lean");
    assert.match(state.text, /Try Again/);
  }),

  scenario("a program that is not there is named", async ({ world, openWindow }) => {
    const folder = world.copyExample("no-program");
    workspaceSettings(folder, { "premiseSuggest.path": "/no/such/premise-suggest" });
    const { window, view } = await openWindow(folder);
    await window.openFile(FIRST);
    const state = await view.notice("The server was not found");
    assert.match(state.text, /\/no\/such\/premise-suggest/);
    assert.match(state.text, /Open Settings/);
  }),

  scenario("a server that crashes at its start is told with its last words", async ({ world, openWindow }) => {
    const starts = path.join(world.folder, "starts-at-once");
    const body = `case "$1" in serve) echo start >> '${starts}'; echo 'it broke' >&2; exit 7;; esac\nexec "$PREMISE_SUGGEST_REAL" "$@"`;
    const { window, view } = await openWindow(libraryWithProgram(world, "crashing", body));
    await window.openFile(FIRST);
    const state = await view.notice("The server has stopped", 60);
    assert.match(state.text, /it broke/);
    assert.ok(lines(starts) <= 4, `${lines(starts)} starts`);
    await window.notification("it broke").waitFor();
  }),

  scenario("the toast of a server that could not start mends it by a link, and goes when the server runs", async ({ world, openWindow }) => {
    const broken = path.join(world.folder, "broken");
    writeFileSync(broken, "");
    const body = `if [ -e '${broken}' ] && [ "$1" = serve ]; then echo 'not [yet](command:workbench.action.closeWindow)' >&2; exit 7; fi\nexec "$PREMISE_SUGGEST_REAL" "$@"`;
    const { window, view } = await openWindow(libraryWithProgram(world, "mended", body));
    await window.openFile(FIRST);
    await view.notice("The server has stopped", 60);
    const toast = window.notification("The server could not start: not");
    await toast.waitFor();
    assert.deepEqual(await toast.locator(".notification-list-item-message a").allInnerTexts(), ["Restart", "Show Output"]);
    assert.equal(await window.page.locator(".notification-list-item", { hasText: /could(n't| not)/ }).count(), 1, "told once");
    rmSync(broken);
    await toast.getByText("Restart", { exact: true }).click();
    await toast.waitFor({ state: "detached" });
    await view.until((state) => state.notice !== "The server has stopped", "that the server runs");
  }),

  scenario("a server that dies at work is restarted 3 times, then the view says so, and a person can start it again", async ({ world, openWindow }) => {
    const starts = path.join(world.folder, "starts");
    const body = `case "$1" in serve) echo start >> '${starts}';; esac\nPREMISE_SUGGEST_DIE_AT=premiseSuggest/suggest exec '${Record.program}' "$@"`;
    const { window, view } = await openWindow(libraryWithProgram(world, "dying", body));
    await window.openFile(FIRST);
    await window.goBehind(FIRST, "sorry", 0);
    const state = await dies(window, view);
    assert.match(state.text, /restarted 3 times/);
    assert.equal(lines(starts), 4);
    await noneLeft(world.id, isOurs);
    await window.command("Premise Suggest: Restart Server");
    await eventually(() => lines(starts) > 4, "it is started again when a person asks for it");
  }),
];

/** Move the cursor until the server has died for good. */
async function dies(window, view) {
  for (let nth = 1; ; nth = (nth + 1) % 4) {
    const state = await view.until((shown) => shown.notice === "The server has stopped" || shown.notice !== "Starting the server", "an end", 60);
    if (state.notice === "The server has stopped") return state;
    await window.goBehind(FIRST, "sorry", nth);
  }
}

const lines = (file) => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").length : 0);

