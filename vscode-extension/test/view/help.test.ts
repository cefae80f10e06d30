/** Help while one types: which goal it is, what a row inserts and says, the filter, and the ways on from where there is none. */

import assert from "node:assert/strict";
import { describe } from "node:test";

import type { Ready, ViewState } from "../../src/view/state";
import { checks, order, toList } from "./check";
import type { View } from "./harness";
import { ABC, many, needsImport, premise, ready, SORRIES, tactic, TACTICS } from "./samples";

const check = checks();
const goal = (view: View) => view.page.getByRole("region", { name: "Goal" });
const button = (view: View, name: string) => view.page.getByRole("button", { name, exact: true });
const PLACE = { file: "file:///project/Example.lean", line: 9, column: 1 };

describe("the goal", () => {
  check("says where it is, if not at the cursor", async (view) => {
    await view.show(ready({ replaces: { line: 9, column: 3, end_line: 9, end_column: 18 } }));
    assert.match(await goal(view).innerText(), /^Goal before line 9 · the tactic there is replaced/u);
  });

  check("is one of several: the others are a button away, by keyboard too", async (view) => {
    await view.show(ready({ positionId: "p1", goalCount: 3 }));
    assert.match(await goal(view).innerText(), /^Goal 1 of 3/u);
    await button(view, "Previous Goal").press("Enter");
    await button(view, "Next Goal").press("Enter");
    assert.deepEqual(await view.sent(), [{ type: "chooseGoal", number: 2, positionId: "p1" }]);
    await view.show(ready({ positionId: "p2", goalNumber: 2, goalCount: 3, tactics: [], tacticsState: "notFirst" }));
    assert.equal(await view.focused(), "Next Goal");
    assert.equal(await view.page.locator("main").innerText().then((text) => text.split("Not the first goal, and `case` does not reach it.").length), 2, "once");
    await button(view, "Previous Goal").click();
    assert.deepEqual(await view.sent(), [{ type: "chooseGoal", number: 1, positionId: "p2" }]);
    await view.show(ready());
    assert.equal(await button(view, "Next Goal").isVisible(), false);
  });

  check("is pinned and let go", async (view) => {
    await view.show(ready());
    await button(view, "Pin This Goal").click();
    await view.show(ready({ pinned: true, line: 12 }));
    assert.match(await goal(view).innerText(), /^Pinned goal, line 12/u);
    assert.equal(await button(view, "Pin This Goal").getAttribute("aria-pressed"), "true");
    await button(view, "Pin This Goal").click();
    assert.deepEqual(await view.sent(), [{ type: "pinGoal", pinned: true }, { type: "pinGoal", pinned: false }]);
  });

  check("is counted among the file's sorrys", async (view) => {
    await view.show(ready({ sorries: SORRIES }));
    assert.match(await goal(view).innerText(), /sorry 2 of 5/u);
    await view.show(ready({ sorries: { ...SORRIES, at: null } }));
    assert.match(await goal(view).innerText(), /5 sorries/u);
  });

  check("of 3,000 characters is cut, and shown whole at a button", async (view) => {
    const long = `n : ℕ\n⊢ ${"n + ".repeat(750)}n = 0`;
    await view.show(ready({ goal: long }));
    const shown = (): Promise<number> => view.page.locator(".goal-line").innerText().then((text) => text.length);
    assert.ok((await shown()) <= 600);
    const height = (await goal(view).boundingBox())?.height ?? 0;
    assert.ok(height < 130, `${height}`);
    await goal(view).getByRole("button", { name: "Show All of It" }).click();
    assert.equal(await shown(), long.length - "n : ℕ\n".length);
    assert.ok(((await goal(view).boundingBox())?.height ?? 0) < 320, "and scrolls");
    await goal(view).getByRole("button", { name: "Show Less" }).click();
    assert.ok((await shown()) <= 600);
  });
});

describe("while the text changes", () => {
  const stale = ready({ stale: true });

  check("the list stays, and an error of Lean's takes the place of the goal's heading: no row moves", async (view) => {
    await view.show(ready());
    const before = await view.page.locator(".row").evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().top));
    for (const state of [stale, { ...stale, busy: true }, { ...stale, trouble: { message: "Line 9: unexpected token\nat `theorem`", place: PLACE } }]) {
      await view.show(state);
      assert.deepEqual(await view.page.locator(".row").evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().top)), before);
    }
    await button(view, "Line 9: unexpected token at `theorem`").click();
    assert.deepEqual(await view.sent(), [{ type: "goTo", place: PLACE }]);
    await view.show(ready());
    assert.equal(await view.page.locator(".goal-trouble").isVisible(), false);
  });

  check("what is listed is dimmed, and can be inserted", async (view) => {
    await view.show(ready());
    const colour = (): Promise<string> => view.page.locator(".row.tactic .name").nth(1).evaluate((name) => getComputedStyle(name).color);
    const before = await colour();
    await view.show(stale);
    assert.notEqual(await colour(), before);
    await view.rest();
    await view.row("omega").click();
    assert.equal((await view.sent())[0]?.type, "insertTactic");
  });

  check("nothing is said aloud", async (view) => {
    await view.show(stale);
    await view.pass(2000);
    assert.deepEqual(await view.said(), []);
  });
});

describe("where there is no goal", () => {
  const next: readonly ViewState[] = [{ kind: "closed", sorries: SORRIES }, { kind: "noGoal", reason: "noGoals", sorries: SORRIES }];
  for (const state of next) {
    check(`the next sorry is a button away: ${state.kind}`, async (view) => {
      await view.show(state);
      await view.page.getByRole("button", { name: "Next sorry (line 14)" }).click();
      assert.deepEqual(await view.sent(), [{ type: "goTo", place: SORRIES.next }]);
    });
  }

  check("because Lean cannot read the text, its words are shown, and the way to the line", async (view) => {
    await view.show({ kind: "unread", message: "Line 9: unexpected token", hint: "Correct line 9.", place: PLACE });
    assert.match(await view.page.locator(".notice").innerText(), /^Lean cannot read the text here\s+Line 9: unexpected token\s+Correct line 9\./u);
    await view.page.getByRole("button", { name: "Go to Line 9" }).click();
    assert.deepEqual(await view.sent(), [{ type: "goTo", place: PLACE }]);
  });
});

describe("a row", () => {
  check("of a premise says what is inserted: a tactic that Lean accepts, or a form that was not tried", async (view) => {
    const rests = { ...tactic("exact wrong"), rests_on_sorry: true, uses: ["c.third"] };
    await view.show({ ...ABC, tacticsState: "done", tactics: [{ ...tactic("simp [a.first]", ["⊢ q"]), uses: ["a.first"] }, rests] });
    const uses = await view.page.locator(".premise .use").evaluateAll((all) =>
      all.map((use) => [use.querySelector(".use-text")?.textContent, use.querySelector(".use-said")?.textContent]));
    assert.deepEqual(uses, [["simp [a.first]", "1 goal left"], ["exact b.second _", "not tried yet"], ["exact wrong", "closes the goal, rests on sorry"]]);
  });

  check("of a premise inserts the tactic that it names; where the text has changed since, what Lean accepts now", async (view) => {
    const use = { ...tactic("simp [a.first]", ["⊢ q"]), uses: ["a.first"] };
    const listed: Ready = { ...ABC, tacticsState: "done", tactics: [use] };
    for (const state of [listed, { ...listed, stale: true }]) {
      await view.show(state);
      await view.page.locator(".row.premise").first().focus();
      await view.press("Enter");
    }
    const sent = await view.sent();
    assert.deepEqual(sent.map((message) => message.type), ["insertTactic", "insertPremise"]);
    assert.deepEqual(sent[0], { type: "insertTactic", tactic: use, positionId: "1" });
  });

  check("says only what is unusual", async (view) => {
    await view.show(ready({ tactics: [], tacticsState: "off", premises: [premise("usual", { form: "" }), needsImport("far", "A.B", { kind: "def", form: "" })] }));
    assert.deepEqual(await view.page.locator(".row").allInnerTexts(), ["usual\n(n m : ℕ) : n + m = m + n", "far\n(n m : ℕ) : n + m = m + n\nneeds import A.Bdef"]);
  });

  check("that is expanded shows the doc string and the whole statement once they are looked up; Escape closes it", async (view) => {
    const short = premise("short", { statement: "", doc: "Says <b>this</b>." });
    await view.show(ready({ premises: [short], tactics: [], tacticsState: "off" }));
    await toList(view);
    await view.press(" ");
    assert.deepEqual(await view.sent(), [{ type: "details", premise: short }]);
    assert.match(await view.row("short").innerText(), /Says <b>this<\/b>\./u);
    await view.learn({ type: "details", name: "short", module: short.module, details: { doc: "Says `this`.", statement: "(p : Prop) : p", reading: "If p, then p." } });
    const row = view.row("short");
    assert.match(await row.innerText(), /^short\n\(p : Prop\) : p\n.*\n.*\nSays this\.\nRead by rules: If p, then p\.\nIn Mathlib\.Algebra\.Group\.Defs/u);
    await view.learn({ type: "details", name: "short", module: "Another", details: { doc: "Not this.", statement: "", reading: "" } });
    assert.doesNotMatch(await row.innerText(), /Not this/u);
    await view.press("Escape");
    assert.doesNotMatch(await row.innerText(), /Says this/u);
    assert.match(await view.focused(), /^short/u);
  });

  check("names the theorem that a tactic is from behind the goals that it leaves", async (view) => {
    const from = { ...tactic("constructor", ["⊢ a", "⊢ b"]), origin: "Very.Long.Namespace.Of.and_comm" };
    await view.show(ready({ tactics: [from] }));
    const row = view.row("constructor");
    assert.equal((await row.innerText()).replaceAll("\n", " "), "constructor 2 goals left⊢ a⊢ bas in …and_comm");
    await toList(view);
    await view.press(" ");
    assert.match(await row.innerText(), /as in Very\.Long\.Namespace\.Of\.and_comm$/u);
  }, { width: 300 });

  check("is copied by the keys that copy, and offers that in VS Code's menu", async (view) => {
    await view.show(ready());
    await view.row("omega").focus();
    const copied = await view.page.evaluate(() => {
      const data = new DataTransfer();
      document.activeElement?.dispatchEvent(new ClipboardEvent("copy", { bubbles: true, cancelable: true, clipboardData: data }));
      return data.getData("text/plain");
    });
    assert.equal(copied, "omega");
    const context = JSON.parse((await view.row("omega").getAttribute("data-vscode-context")) ?? "{}") as Record<string, unknown>;
    assert.deepEqual([context["webviewSection"], context["copied"], context["premiseRow"]], ["row", "omega", false]);
  });
});

describe("the filter", () => {
  const listed = ready({ premises: [premise("Nat.add_comm"), premise("Nat.mul_comm", { statement: "a * b = b * a" }), premise("List.append")] });

  check("opens with a slash, keeps what has all the words, in names, statements and tactics, and closes with Escape", async (view) => {
    await view.show(listed);
    await toList(view);
    await view.press("/");
    assert.equal(await view.focused(), "Filter");
    await view.page.keyboard.type("COMM nat");
    assert.deepEqual(await order(view), ["Nat.add_comm", "Nat.mul_comm"]);
    await view.pass(1000);
    assert.equal((await view.said()).at(-1), "2 rows");
    await view.page.getByRole("textbox", { name: "Filter" }).fill("add_le");
    assert.deepEqual(await order(view), [TACTICS[0]?.tactic, TACTICS[2]?.tactic]);
    await view.page.getByRole("textbox", { name: "Filter" }).fill("a * b");
    assert.deepEqual(await order(view), ["Nat.mul_comm"]);
    await view.press("ArrowDown");
    assert.match(await view.focused(), /^Nat\.mul_comm/u);
    await view.press("/", "Escape");
    assert.equal((await order(view)).length, 6);
    assert.equal(await view.page.getByRole("textbox").count(), 0);
    assert.match(await view.focused(), /^Nat\.mul_comm/u);
    assert.deepEqual(await view.sent(), []);
  });

  check("says where nothing matches, stays for the next goal, and reaches rows that are folded away", async (view) => {
    await view.show(ready({ premises: many(200) }));
    await view.page.getByRole("button", { name: "Filter" }).click();
    await view.page.keyboard.type("lemma_17");
    assert.equal((await order(view)).length, 11);
    await view.page.keyboard.type("x");
    assert.match(await view.page.locator(".filter").innerText(), /No row matches\./u);
    await view.show({ ...listed, goal: "⊢ q" });
    assert.deepEqual(await order(view), []);
    await view.press("Escape");
    assert.equal((await order(view)).length, 6);
  });
});

/** What reaches past the window's edge, and rows that lie over others. */
function spill(view: View): Promise<unknown> {
  return view.page.evaluate(() => {
    const all = [...document.querySelectorAll("body *")].filter((node) => node.checkVisibility() && node.closest(".use, .goal-head") === null);
    const wide = all.filter((node) => node.getBoundingClientRect().right > innerWidth + 1).map((node) => node.className);
    const tops = [...document.querySelectorAll(".row")].map((row) => row.getBoundingClientRect());
    return { wide, over: tops.some((box, at) => at > 0 && box.top < (tops[at - 1]?.bottom ?? 0) - 1) };
  });
}

describe("in little room", () => {
  const CROWDED: Ready = ready({
    premises: many(200),
    goalNumber: 2,
    goalCount: 40,
    sorries: SORRIES,
    pinned: true,
    replaces: { line: 1234, column: 3, end_line: 1234, end_column: 8 },
    tactics: [{ ...tactic("constructor", Array.from({ length: 40 }, (_, at) => `⊢ goal ${at}`)), origin: "A.b" }],
  });
  for (const [width, height] of [[250, 600], [300, 330]] as const) {
    check(`of ${width} by ${height} nothing reaches past the edge, and buttons and premises are in sight`, async (view) => {
      await view.show(CROWDED);
      assert.deepEqual(await spill(view), { wide: [], over: false });
      const box = await button(view, "Pin This Goal").boundingBox();
      assert.ok(box !== null && box.x + box.width <= width, JSON.stringify(box));
      assert.ok(((await view.row("Many.lemma_0 (").boundingBox())?.y ?? height) < height - 60);
    }, { width, height });
  }
});

describe("names and statements that are written from right to left", () => {
  check("keep the order of what is beside them", async (view) => {
    await view.show(ready({ tactics: [], tacticsState: "off", premises: [premise("שלום.עולם", { statement: "(שלום : ℕ) : שלום = 1" })] }));
    // Each token is a text node of its own.
    const at = (token: string): Promise<number> =>
      view.row("שלום").locator(".statement").evaluate((node, wanted) => {
        const texts = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
        const range = document.createRange();
        for (let one = texts.nextNode(); one !== null; one = texts.nextNode()) if (one.textContent === wanted) range.selectNode(one);
        return range.getBoundingClientRect().left;
      }, token);
    assert.ok((await at("1")) > (await at("ℕ")) && (await at("ℕ")) > 0, "the equation's right side is on the right");
    assert.deepEqual(await view.row("שלום").locator(".statement bdi").allTextContents(), ["שלום", "שלום"]);
    assert.equal(await view.row("שלום").locator(".name bdi").count(), 2);
    assert.equal(await view.row("שלום").locator(".statement").textContent(), "(שלום : ℕ) : שלום = 1");
  });
});
