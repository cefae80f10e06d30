import assert from "node:assert/strict";
import { test } from "node:test";

import * as programs from "../../src/server/programs";

test("PATH as Windows writes it: quotes, spaces, either name, nothing relative", () => {
  const variable = String.raw`C:\Program Files\Python311\Scripts;"D:\my tools";.;tools;;\\server\share\bin`;
  assert.deepEqual(programs.pathFolders(variable, "win32"), [
    String.raw`C:\Program Files\Python311\Scripts`,
    String.raw`D:\my tools`,
    String.raw`\\server\share\bin`,
  ]);
  assert.equal(programs.pathVariable({ Path: "C:\\a" }), "C:\\a");
  assert.equal(programs.pathVariable({ HOME: "/h" }), undefined);
});

test("PATH elsewhere: what is not absolute would be the opened folder, and is left out", () => {
  assert.deepEqual(programs.pathFolders("/usr/bin::.:bin:/opt/my tools", "linux"), ["/usr/bin", "/opt/my tools"]);
  assert.deepEqual(programs.pathFolders(undefined, "linux"), []);
});

test("programs have .exe on Windows only", () => {
  assert.deepEqual(programs.candidates("premise-suggest", ["C:\\my tools"], "win32"), ["C:\\my tools\\premise-suggest.exe"]);
  assert.deepEqual(programs.candidates("premise-suggest", ["/a b"], "darwin"), ["/a b/premise-suggest"]);
});

test("what a person types as a path", () => {
  const typed = (text: string) => programs.typedPath(text, "/home/emmy noether", "linux");
  assert.equal(typed("  '~/my env/bin/premise-suggest' "), "/home/emmy noether/my env/bin/premise-suggest");
  assert.equal(typed("~"), "/home/emmy noether");
  assert.equal(typed("~other/x"), "~other/x");
  assert.equal(typed('"premise-suggest"'), "premise-suggest");
  assert.equal(typed("   "), "");
  const onWindows = programs.typedPath("~/env/Scripts/premise-suggest.exe", "C:\\Users\\Emmy Noether", "win32");
  assert.equal(onWindows, "C:\\Users\\Emmy Noether\\env\\Scripts\\premise-suggest.exe");
});

test("a name is looked for on PATH, a path is not", () => {
  assert.equal(programs.isPath("premise-suggest"), false);
  assert.equal(programs.isPath("bin/premise-suggest"), true);
  assert.equal(programs.isPath("C:\\x\\premise-suggest.exe"), true);
});

test("an environment's Python", () => {
  assert.equal(programs.environmentPython("C:\\a b", "win32"), "C:\\a b\\Scripts\\python.exe");
  assert.equal(programs.environmentPython("/a b", "linux"), "/a b/bin/python");
});

test("the working folder can never bring in a module", () => {
  assert.deepEqual(programs.moduleOf("/p", "own").args, ["-P", "-m", "lsp_server"]);
});

test("which folder a file is in, on Windows in any case and with either slash", () => {
  assert.equal(programs.isWithin("c:/Users/Emmy/Proj/A.lean", "C:\\users\\emmy\\proj", "win32"), true);
  assert.equal(programs.isWithin("C:\\proj-2\\A.lean", "C:\\proj", "win32"), false);
  assert.equal(programs.isWithin("D:\\proj\\A.lean", "C:\\proj", "win32"), false);
  assert.equal(programs.isWithin("/a b/c/D.lean", "/a b/", "linux"), true);
  assert.equal(programs.isWithin("/a bc/D.lean", "/a b", "linux"), false);
  assert.equal(programs.isWithin("/A B/D.lean", "/a b", "linux"), false);
  assert.equal(programs.isWithin("/a/..x/D.lean", "/a", "linux"), true);
});

test("of nested projects the innermost answers", () => {
  const folders = ["/p", "/p/.lake/packages/mathlib", "/q"];
  const of = (file: string) => programs.innermost(file, folders, (one) => one, "linux");
  assert.equal(of("/p/.lake/packages/mathlib/Mathlib/A.lean"), "/p/.lake/packages/mathlib");
  assert.equal(of("/p/A.lean"), "/p");
  assert.equal(of("/r/A.lean"), undefined);
  assert.equal(programs.innermost("/p/A", ["/p"], () => undefined, "linux"), undefined);
});
