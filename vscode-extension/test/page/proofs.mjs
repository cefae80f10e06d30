/** Proofs of the example library that are typed character by character; the first two in every run, all with `--all`. */
import { eventually } from "../driver/eventually.mjs";

/** As [file, theorem]. */
export const PROOFS = [
  ["Example/Nat/Dvd.lean", "zero_dvd"],
  ["Example/Order/Lattice.lean", "sup_assoc"],
  ["Example/Nat/Dvd.lean", "dvd_trans"],
  ["Example/Nat/Dvd.lean", "mul_dvd_mul"],
  ["Example/Nat/Dvd.lean", "le_of_dvd"],
  ["Example/Order/Lattice.lean", "sup_eq_left"],
  ["Example/Order/Lattice.lean", "sup_left_comm"],
  ["Example/Nat/Parity.lean", "Odd.succ"],
  ["Example/Nat/Parity.lean", "even_iff_two_dvd"],
  ["Example/Logic/Basic.lean", "and_left_comm"],
  ["Example/Logic/Basic.lean", "not_not_em"],
  ["Example/Set/Basic.lean", "union_subset_iff"],
];

/** The lines of a theorem's proof, below its `by`: {first, lines}, `first` counted from 1. */
export function proofIn(text, theorem) {
  const lines = text.split("\n");
  const head = lines.findIndex((line) => line.includes(`theorem ${theorem} `));
  const by = lines.findIndex((line, at) => at >= head && line.endsWith(":= by"));
  const end = lines.indexOf("", by);
  if (head < 0 || by < 0 || end < 0) throw new Error(`no proof of ${theorem} by tactics`);
  return { first: by + 2, lines: lines.slice(by + 1, end) };
}

/** The words of a line with the space before them: a person rests after each. */
export function words(line) {
  return line.match(/\s*\S+/gu) ?? [];
}

/** Rows that move under a point of the view's page while the goal is the same one; `slips` says which. */
export async function watchPoint(view, x, y) {
  const frame = await view.frame();
  await frame.evaluate(
    ([x, y]) => {
      window.slips = [];
      let last = null;
      const look = () => {
        const row = document.elementFromPoint(x, y)?.closest(".row") ?? null;
        const goal = document.querySelector(".goal-line")?.textContent;
        const now = row && { goal, row, name: row.querySelector(".name").textContent, top: row.getBoundingClientRect().top };
        const isSlip = last && now && last.goal === now.goal && (last.row !== row || Math.abs(last.top - now.top) >= 1);
        if (isSlip) window.slips.push(`${last.name} at ${last.top}, then ${now.name} at ${now.top}, at ${goal}`);
        last = now;
        window.watching = requestAnimationFrame(look);
      };
      look();
    },
    [x, y],
  );
}

export async function slips(view) {
  const frame = await view.frame();
  return frame.evaluate(() => {
    cancelAnimationFrame(window.watching);
    return window.slips;
  });
}

/** Put the mouse on the first premise; its place in the view's page. */
export async function pointAtPremise({ window, view }) {
  const row = (await view.frame()).locator(".row.premise").first();
  const outer = await row.boundingBox();
  await window.page.mouse.move(outer.x + 60, outer.y + 8);
  const inner = await row.evaluate((node) => ({ x: node.getBoundingClientRect().left, y: node.getBoundingClientRect().top }));
  return { x: inner.x + 60, y: inner.y + 8 };
}

/** Keep where the first premise is while tactics are tried, for each goal; `heights` tells them. */
export async function watchFirstPremise(view) {
  const frame = await view.frame();
  await frame.evaluate(() => {
    window.heights = {};
    const look = () => {
      const first = document.querySelector(".row.premise");
      if (first !== null && document.querySelector(".spinner")?.checkVisibility()) {
        const goal = document.querySelector(".goal-line").textContent;
        const top = Math.round(first.getBoundingClientRect().top);
        (window.heights[goal] ??= []).includes(top) || window.heights[goal].push(top);
      }
      window.watching = requestAnimationFrame(look);
    };
    look();
  });
}

export async function heights(view) {
  const frame = await view.frame();
  return frame.evaluate(() => {
    cancelAnimationFrame(window.watching);
    return window.heights;
  });
}

/** What is inserted by the row that has the focus: the server's answer, once the editor has it. */
export async function inserted({ record, window }) {
  const [answer] = await record.untilAnswered("premiseSuggest/edits");
  if (answer.result) await eventually(() => window.page.locator(".tab.active.dirty").count(), "the editor has the edit");
  return answer;
}
