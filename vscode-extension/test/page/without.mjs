/** A machine on which nothing was prepared: no trust, no Python, an old one, one without our package. */
import assert from "node:assert/strict";
import { chmodSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";

import { isOurs, processesOf } from "../driver/processes.mjs";
import { scenario } from "../driver/scenario.mjs";
import { FIRST } from "./reading.mjs";

const RESTART = "Premise Suggest: Restart Server";

/** The only folder on this machine's PATH. */
export const programs = (world) => world.sub("bare-machine");

/** A `python3` that says this of itself, to whatever it is asked. */
function putPython(world, version, server) {
  const file = path.join(programs(world), "python3");
  writeFileSync(file, `#!/bin/sh\necho 'python ${version}'\necho 'file ${file}'\necho 'server ${server}'\n`);
  chmodSync(file, 0o755);
}

export const without = [
  scenario("in a workspace that is not trusted nothing is started", async ({ world, openWindow, example }) => {
    const { window, view } = await openWindow(example);
    await window.openFile(FIRST);
    const state = await view.notice("This workspace is not trusted");
    assert.match(state.text, /Manage Workspace Trust/);
    assert.deepEqual(processesOf(world.id).filter(isOurs), []);
  }),

  scenario("once it is trusted the server is looked for; without any Python the view says what to install", async ({ window, view }) => {
    await window.trust();
    await window.openFile(FIRST);
    const state = await view.notice("The server was not found");
    assert.match(state.text, /no Python to install it with/);
    assert.match(state.text, /Install Python 3\.\d+ or newer/);
  }),

  scenario("a Python that is too old is named with its version", async ({ world, window, view }) => {
    putPython(world, "3.8.1", "none");
    await window.command(RESTART);
    const state = await view.until((shown) => shown.text.includes("3.8.1"), "the old version");
    assert.match(state.text, /too old/);
  }),

  scenario("a Python without our package: installing it is offered", async ({ world, window, view }) => {
    putPython(world, "3.12.4", "none");
    await window.command(RESTART);
    await view.until((shown) => /environment of its own/.test(shown.text) && /Install Premise Suggest/.test(shown.text), "an offer to install");
  }),

  scenario("the program on PATH is found, and answers", async ({ world, window, view }) => {
    rmSync(path.join(programs(world), "python3"));
    symlinkSync(world.program, path.join(programs(world), "premise-suggest"));
    await window.command(RESTART);
    await window.openFile(FIRST);
    await window.goBehind(FIRST, "sorry", 0);
    await view.answer("k ∣ n.factorial");
  }),
];
