import assert from "node:assert/strict";
import { test } from "node:test";

import { isAtLeast, readVersion, versionAfter } from "../../src/server/versions";

test("a version is read after the program's own name only", () => {
  assert.deepEqual(versionAfter("premise-suggest", "premise-suggest 0.1.0\r\n"), [0, 1, 0]);
  assert.deepEqual(versionAfter("premise-suggest", "a warning\npremise-suggest 1.2rc1\n"), [1, 2, 0]);
  for (const said of ["", "other 1.2.3", "premise-suggest", "premise-suggest dev", "not premise-suggest 1.2.3"]) {
    assert.equal(versionAfter("premise-suggest", said), null);
  }
  assert.equal(readVersion("none"), null);
});

test("versions are compared as numbers", () => {
  assert.equal(isAtLeast([3, 11, 0], [3, 11, 0]), true);
  assert.equal(isAtLeast([3, 9, 20], [3, 11, 0]), false);
  assert.equal(isAtLeast([4, 0, 0], [3, 11, 0]), true);
  assert.equal(isAtLeast([0, 1, 9], [0, 1, 10]), false);
});
