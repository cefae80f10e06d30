/** Which lines belong together. Pure. */

/** A line that begins a command: a word, an attribute or a `#` in the first column. */
const BEGINS = /^(?:[\p{L}#@]|\/--)/u;

/** Whether no command of Lean's begins between two lines (from 0): then they are in the same declaration, if in any. */
export function sameDeclaration(lineAt: (line: number) => string, one: number, other: number): boolean {
  const [first, last] = [Math.min(one, other), Math.max(one, other)];
  for (let line = first + 1; line <= last; line++) {
    if (BEGINS.test(lineAt(line))) return false;
  }
  return true;
}
