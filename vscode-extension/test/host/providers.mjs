/** Activation, commands, settings, and what VS Code's own features get from the server. */
import assert from "node:assert/strict";

import { eventually } from "../driver/eventually.mjs";
import { scenario } from "../driver/scenario.mjs";
import { PROVING } from "../page/proving.mjs";
import { FACTORIAL, FIRST, SWAPPED } from "./host.mjs";

export const providers = [
  scenario("a Lean file activates the extension, which starts the server", async (host) => {
    await host.open(host.setup.example, FIRST);
    await host.running();
  }),

  scenario("every command of package.json can be run", async (host) => {
    const declared = host.extension.packageJSON.contributes.commands.map((one) => one.command);
    const known = new Set(await host.vscode.commands.getCommands(true));
    assert.deepEqual(declared.filter((name) => !known.has(name)), []);
    assert.ok(declared.length >= 5);
  }),

  scenario("a hover on a sorry lists premises", async (host) => {
    const editor = await host.open(host.setup.example, FIRST);
    const place = host.goBehind(editor, FACTORIAL);
    const hovers = await host.command("vscode.executeHoverProvider", editor.document.uri, place);
    const text = hovers.flatMap((hover) => hover.contents.map((part) => part.value ?? part)).join("\n");
    assert.match(text, /Nat\.dvd_factorial/);
  }),

  scenario("completion after exact offers accepted terms, then the goal's premises", async (host) => {
    const editor = await host.open(host.setup.example, FIRST);
    await host.replace(editor, FACTORIAL, FACTORIAL.replace("sorry", "exact "));
    const place = host.goBehind(editor, FACTORIAL.replace("sorry", "exact "));
    const found = await host.command("vscode.executeCompletionItemProvider", editor.document.uri, place);
    const named = (item) => (typeof item.label === "string" ? item.label : item.label.label);
    const ours = found.items.filter((item) => /^Nat\./.test(named(item)));
    const sorted = ours.sort((one, other) => (one.sortText ?? "").localeCompare(other.sortText ?? "")).map(named);
    const first = sorted.indexOf("Nat.dvd_factorial");
    // Terms come before the names if Lean has accepted them by now.
    assert.ok(first >= 0 && sorted.slice(0, first).every((label) => label.startsWith("Nat.dvd_factorial ")), sorted.join("\n"));
    await host.revert();
  }),

  scenario("the quick fix that is preferred closes the goal", async (host) => {
    const editor = await host.open(host.setup.example, FIRST);
    const place = host.goBehind(editor, FACTORIAL);
    const range = new host.vscode.Range(place, place);
    const found = await host.command("vscode.executeCodeActionProvider", editor.document.uri, range, "quickfix", 20);
    const titles = found.map((one) => one.title);
    assert.match(titles[0], /^Try this: exact Nat\.dvd_factorial hk hkn( {2}\(as in .+\))?$/);
    assert.deepEqual(found.map((one) => one.isPreferred === true), titles.map((_, at) => at === 0));
    await host.vscode.workspace.applyEdit(found[0].edit);
    assert.match(editor.document.getText(), /k ∣ n\.factorial := by\n {2}exact Nat\.dvd_factorial hk hkn\n/);
    await host.revert();
  }),

  scenario("the quick fix that searches for a proof has VS Code insert it", async (host) => {
    const editor = await host.open(host.setup.example, PROVING);
    await host.running();
    const place = host.goBehind(editor, "f n = f 0 := by\n  sorry");
    const uri = editor.document.uri.toString();
    const done = await host.command("premise-suggest.prove", { textDocument: { uri }, position: { line: place.line, character: place.character } });
    assert.deepEqual([done.applied, done.proof.status], [true, "proved"]);
    assert.ok(editor.document.getText().includes(done.proof.edits[0].text), editor.document.getText());
    const hard = host.goBehind(editor, "m % k ≠ 0 := by\n  sorry");
    const found = await host.command("vscode.executeCodeActionProvider", editor.document.uri, new host.vscode.Range(hard, hard), "quickfix", 20);
    assert.deepEqual([found.at(-1).title, found.at(-1).command.command], ["Search for a proof (10 s)", "premise-suggest.prove"]);
    await host.revert();
  }),

  scenario("a setting reaches the server while it runs", async (host) => {
    const editor = await host.open(host.setup.example, FIRST);
    await host.withSetting("premises.count", 3, async () => {
      host.record.mark();
      host.goBehind(editor, SWAPPED);
      await host.command("premise-suggest.suggestHere");
      const answer = await host.suggestion();
      assert.equal(answer.premises.length, 3);
    });
  }),

  scenario("restarting starts another server", async (host) => {
    const servers = () => new Set(host.record.all().map((one) => one.server));
    const before = servers().size;
    await host.command("premise-suggest.restartServer");
    await eventually(() => servers().size === before + 1, "another server talks");
  }),
];
