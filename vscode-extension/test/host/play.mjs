/** The scenarios of the extension host, and what they share. */
import { Record } from "../driver/record.mjs";
import { runAll } from "../driver/scenario.mjs";
import { goals } from "./goals.mjs";
import { Host } from "./host.mjs";
import { projects } from "./projects.mjs";
import { providers } from "./providers.mjs";

export const scenarios = [...providers, ...projects, ...goals];

export async function play(vscode, setup, report) {
  const host = new Host(vscode, setup, new Record(setup.record));
  await runAll(scenarios, host, { only: setup.only, report, onFailure: () => host.revert() });
}
