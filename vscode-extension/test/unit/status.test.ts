import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

import type { IndexItem } from "../../src/generated/answers";
import { serverSettings } from "../../src/serverSettings";
import { age, statusText, type ServerKind, type StatusText } from "../../src/statusText";
import type { Progress } from "../../src/view/state";

const NOW = Date.parse("2026-07-10T12:00:00Z");
const index: IndexItem = {
  sources: [],
  built_at: "2026-07-08T11:00:00Z",
  stale_files: 0,
  lean: null,
  line: "Mathlib 2026-07-01",
  state: "consulted",
};

test("an index's age", () => {
  assert.equal(age("2026-07-10T11:59:30Z", NOW), "just now");
  assert.equal(age("2026-07-10T11:18:00Z", NOW), "42 min old");
  assert.equal(age("2026-07-10T07:00:00Z", NOW), "5 h old");
  assert.equal(age("2026-07-08T11:00:00Z", NOW), "2 d old");
  assert.equal(age("2027-01-01T00:00:00Z", NOW), "just now", "another clock may go ahead");
  for (const unknown of [null, "", "yesterday"]) assert.equal(age(unknown, NOW), "");
});

function text(server: ServerKind, item: IndexItem | null, indexing?: Progress, checked: string | null = null): StatusText {
  return statusText({ server, index: item, checked, indexing }, NOW);
}

test("the status bar: age, files that are newer, an index run, no server", () => {
  assert.equal(text("running", index).text, "$(book) Premises: index 2 d old");
  assert.match(text("running", { ...index, stale_files: 1 }).text, / · 1 newer file$/);
  assert.equal(text("running", { ...index, built_at: null }).text, "$(book) Premises");
  const run = { stage: "embed", done: 50, total: 120 };
  assert.equal(text("running", index, run).text, "$(sync~spin) Premises: indexing 41%");
  assert.equal(text("running", null, { ...run, total: 0 }).text, "$(sync~spin) Premises: indexing");
  assert.equal(text("running", null).warning, false);
  assert.equal(text("problem", index, run).warning, true);
  assert.match(text("starting", index, run).tooltip, /starting/);
});

test("an index that was just found to be up to date says so, for a minute", () => {
  const after = (checked: string, more: Partial<IndexItem> = {}) => text("running", { ...index, ...more }, undefined, checked).text;
  assert.equal(after("2026-07-10T11:59:30Z"), "$(book) Premises: up to date, checked just now");
  assert.equal(after("2026-07-10T11:58:30Z"), "$(book) Premises: index 2 d old");
  assert.match(after("2026-07-10T11:59:30Z", { stale_files: 1 }), /1 newer file/);
});

test("the server is sent its own settings, and of the extension's none", () => {
  const manifest = JSON.parse(readFileSync(path.join(process.env["EXTENSION_ROOT"] ?? "", "package.json"), "utf8")) as {
    contributes: { configuration: { properties: Record<string, unknown> }[] };
  };
  const sections = manifest.contributes.configuration.flatMap((group) =>
    Object.keys(group.properties).map((name) => name.split(".")[1] ?? ""),
  );
  const sent = Object.keys(serverSettings(Object.fromEntries(sections.map((name) => [name, { x: 1 }])), () => true));
  const servers = [
    "lean", "premises", "prove", "tactics", "hover", "completion", "codeActions", "codeLens", "inlineCompletion", "index", "models", "modelFolder", "modelDownload",
  ];
  assert.deepEqual(sent.sort(), servers.sort());
  assert.deepEqual(serverSettings(undefined, () => true), {});
});

test("the server is sent what the user has set, and no defaults", () => {
  const values = { tactics: { count: 3, extra: ["a"], seconds: 1 }, hover: { count: 2 }, modelFolder: "m", view: { x: 1 } };
  const set = new Set(["tactics.count", "tactics.extra", "modelFolder", "view.x"]);
  assert.deepEqual(serverSettings(values, (name) => set.has(name)), {
    tactics: { count: 3, extra: ["a"] },
    modelFolder: "m",
  });
  assert.deepEqual(serverSettings(values, () => false), {});
});
