/** The scenarios that drive VS Code's page, and the VS Codes they need. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

import { firstDay } from "./first_day.mjs";
import { life } from "./life.mjs";
import { PROVED_IN_STEPS, PROVING, proving } from "./proving.mjs";
import { FIRST, reading } from "./reading.mjs";
import { served } from "./served.mjs";
import { searching } from "./searching.mjs";
import { typing } from "./typing.mjs";
import { programs, without } from "./without.mjs";
import { WRITING, writing } from "./writing.mjs";

/** Files that may be written to. */
export function addFiles(folder) {
  const text = readFileSync(path.join(folder, FIRST), "utf8");
  writeFileSync(path.join(folder, WRITING), text.replaceAll("Unfinished", "Writing"));
  writeFileSync(path.join(folder, PROVING), PROVED_IN_STEPS);
}

export async function playPage(stage) {
  const inOneWindow = [...reading, ...searching, ...typing, ...writing, ...proving];
  if (stage.wanted([...inOneWindow, ...firstDay, ...served, ...life]).length > 0) {
    await stage.withServer("page", {}, async (session) => {
      await session.withWindow(stage.example, inOneWindow);
      await session.run([...firstDay, ...served, ...life]);
    });
  }
  if (stage.wanted(without).length === 0) return;
  const bare = { trust: false, settings: { "premiseSuggest.path": "" }, env: { PATH: programs(stage.world) } };
  await stage.withServer("bare", bare, (session) => session.run(without));
}
