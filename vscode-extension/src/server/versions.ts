/** Versions as programs print them. Pure. */

export type Version = readonly [number, number, number];

/** The oldest server that answers what this extension asks. */
export const OLDEST_SERVER: Version = [0, 1, 0];
/** The oldest Python that the server runs on. */
export const OLDEST_PYTHON: Version = [3, 11, 0];

/** The first version number in a text that begins with `name`, as `premise-suggest 0.1.0`; null for another program. */
export function versionAfter(name: string, text: string): Version | null {
  const line = text.split(/\r?\n/u).find((one) => one.startsWith(`${name} `));
  return line === undefined ? null : readVersion(line.slice(name.length + 1));
}

/** `3.11.4`, `0.2`, `1.0.0rc1` as three numbers. */
export function readVersion(text: string): Version | null {
  const match = /^\s*(\d+)\.(\d+)(?:\.(\d+))?/u.exec(text);
  return match === null ? null : [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)];
}

export function isAtLeast(version: Version, oldest: Version): boolean {
  for (const [index, wanted] of oldest.entries()) {
    const number = version[index] ?? 0;
    if (number !== wanted) return number > wanted;
  }
  return true;
}

export function show(version: Version): string {
  return version.join(".");
}
