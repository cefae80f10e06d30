import assert from "node:assert/strict";
import { test } from "node:test";

import { REMEDIES, type Remedy } from "../../src/server/problems";
import { isRemedy, REMEDY_COMMAND, toastText } from "../../src/toastText";

test("a toast has a link for each remedy, whose argument the command takes", () => {
  const said = toastText("It broke. Mend it.", ["restart", "output"]);
  const links = [...said.matchAll(/\[([^\]]+)\]\(command:([^?)]+)\?([^)\s]+)\)/gu)];
  assert.deepEqual(links.map((link) => link[1]), ["Restart", "Show Output"]);
  assert.ok(links.every((link) => link[2] === REMEDY_COMMAND));
  assert.deepEqual(links.map((link) => JSON.parse(decodeURIComponent(link[3] ?? "")) as unknown), [["restart"], ["output"]]);
  assert.match(said, /^Premise Suggest: It broke\. Mend it\. \[Restart\]/u);
});

test("what is said cannot bring a link of its own", () => {
  const said = toastText("see [this](command:workbench.action.quit) and [that](https://x.test)", []);
  assert.doesNotMatch(said, /\]\(/u);
  assert.match(said, /command:workbench\.action\.quit/u, "it is still told");
});

test("a remedy is one of those that have a name", () => {
  assert.ok((Object.keys(REMEDIES) as Remedy[]).every(isRemedy));
  for (const value of ["rm", "toString", "", null, 3, ["restart"]]) assert.equal(isRemedy(value), false);
});
