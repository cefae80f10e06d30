/** More than one folder, and files of none. */
import assert from "node:assert/strict";

import { scenario } from "../driver/scenario.mjs";
import { FACTORIAL, FIRST, SUGGEST, SWAPPED } from "./host.mjs";

export const projects = [
  scenario("in a workspace of two folders each file is answered from its own project", async (host) => {
    const all = [
      { folder: host.setup.example, file: FIRST, behind: FACTORIAL, best: "Nat.dvd_factorial" },
      { folder: host.setup.second, file: "Work.lean", behind: "a + b = b + a := by\n  sorry", best: "Lib.plus_swap" },
    ];
    for (const { folder, file, behind, best } of all) {
      const editor = await host.open(folder, file);
      host.record.mark();
      host.goBehind(editor, behind);
      await host.command("premise-suggest.suggestHere");
      const answer = await host.suggestion((one) => one.premises.length > 0);
      assert.equal(answer.premises[0].name, best);
      const asked = host.record.sent(SUGGEST).at(-1).params.textDocument.uri;
      assert.equal(asked, editor.document.uri.toString());
    }
  }),

  scenario("the two folders share one server", async (host) => {
    const last = host.record.all().at(-1).server;
    const opened = host.record.all().filter((one) => one.server === last && one.message.method === "textDocument/didOpen");
    const folders = new Set(opened.map((one) => one.message.params.textDocument.uri.includes("/second/")));
    assert.equal(folders.size, 2);
  }),

  scenario("a file outside any project is answered or told, and the server lives on", async (host) => {
    const editor = await host.open(host.setup.stray, "Stray.lean");
    host.record.mark();
    host.goBehind(editor, "sorry");
    await host.command("premise-suggest.suggestHere");
    const [answer] = await host.record.untilAnswered(SUGGEST);
    assert.ok(answer.result || answer.error?.data?.kind, JSON.stringify(answer));
    const first = await host.open(host.setup.example, FIRST);
    host.record.mark();
    host.goBehind(first, SWAPPED);
    await host.command("premise-suggest.suggestHere");
    await host.suggestion((one) => one.premises.length > 0);
  }),
];
