/** Tests on the page: each on a page of its own, skipped with the reason where there is no browser. */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, test } from "node:test";

import type { Browser } from "playwright-core";

import { BROWSER, openBrowser, View, type Options } from "./harness";

const skip = existsSync(BROWSER) || process.env["CI"] !== undefined ? false : `there is no browser at ${BROWSER}`;

export type Check = (name: string, body: (view: View) => Promise<void>, options?: Options) => void;

/** What makes the tests of one file, which share a browser; a page that reports an error fails its test. */
export function checks(): Check {
  let browser: Browser | undefined;
  before(async () => {
    if (skip === false) browser = await openBrowser();
  });
  after(async () => browser?.close());
  return (name, body, options = {}) => {
    test(name, { skip, timeout: 120_000 }, async () => {
      assert.ok(browser !== undefined);
      const view = await View.open(browser, options);
      try {
        await body(view);
        assert.deepEqual(view.errors, [], "the page reported errors");
      } finally {
        await view.close();
      }
    });
  };
}

/** Put the focus on the first row. */
export async function toList(view: View): Promise<void> {
  await view.row("").first().focus();
}

/** The names in the list, from top to bottom. */
export function order(view: View): Promise<string[]> {
  return view.page.locator(".row .name").allInnerTexts();
}
