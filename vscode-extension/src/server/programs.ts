/** Where programs may be, on this and on other systems. Pure: it reads no files. */

import path from "node:path";

/** A server that can be started: what to run, and how it was found. */
export interface Program {
  readonly source: "setting" | "python" | "path" | "own";
  readonly command: string;
  readonly args: readonly string[];
}

/** A Python as it is called; `py -3` on Windows has an argument of its own. */
export interface PythonCall {
  readonly command: string;
  readonly args: readonly string[];
}

type Platform = NodeJS.Platform;

function pathsOf(platform: Platform): path.PlatformPath {
  return platform === "win32" ? path.win32 : path.posix;
}

/** The folders of PATH; what is not absolute is left out, so that nothing in an opened folder is ever run. */
export function pathFolders(variable: string | undefined, platform: Platform): readonly string[] {
  const paths = pathsOf(platform);
  return (variable ?? "")
    .split(paths.delimiter)
    .map((folder) => folder.replace(/^"(.*)"$/u, "$1"))
    .filter((folder) => paths.isAbsolute(folder));
}

/** The PATH of an environment, however its name is written. */
export function pathVariable(environment: NodeJS.ProcessEnv): string | undefined {
  const name = Object.keys(environment).find((one) => one.toUpperCase() === "PATH");
  return name === undefined ? undefined : environment[name];
}

/** The files that a program of this name would be in the folders, in order. */
export function candidates(name: string, folders: readonly string[], platform: Platform): readonly string[] {
  const paths = pathsOf(platform);
  const file = platform === "win32" ? `${name}.exe` : name;
  return folders.map((folder) => paths.join(folder, file));
}

/** What a person typed as a program: without quotes and spaces around it, `~` opened. */
export function typedPath(text: string, home: string, platform: Platform): string {
  const bare = text.trim().replace(/^(["'])(.*)\1$/u, "$2");
  const opened = /^~(?=$|[\\/])/u.test(bare) ? home + bare.slice(1) : bare;
  return opened === "" ? "" : pathsOf(platform).normalize(opened);
}

/** Whether what is typed names a file, rather than a program to be looked for on PATH. */
export function isPath(text: string): boolean {
  return /[\\/]/u.test(text);
}

/** The Python of a virtual environment. */
export function environmentPython(folder: string, platform: Platform): string {
  return platform === "win32" ? path.win32.join(folder, "Scripts", "python.exe") : path.posix.join(folder, "bin", "python");
}

/** The server as a module of a Python; `-P` keeps the working folder out of what can be imported. */
export function moduleOf(python: string, source: Program["source"]): Program {
  return { source, command: python, args: ["-P", "-m", "lsp_server"] };
}

/** Names under which a Python that is new enough may be on PATH, the likeliest first. */
export function pythonNames(platform: Platform): readonly string[] {
  return platform === "win32" ? ["python", "python3"] : ["python3", "python3.13", "python3.12", "python3.11", "python"];
}

/** Whether a file is in a folder, or is the folder; Windows' paths in any case, with either slash. */
export function isWithin(file: string, folder: string, platform: Platform): boolean {
  const paths = pathsOf(platform);
  const fold = (text: string) => (platform === "win32" ? paths.normalize(text).toLowerCase() : paths.normalize(text));
  const relative = paths.relative(fold(folder), fold(file));
  return relative === "" || (relative.split(paths.sep)[0] !== ".." && !paths.isAbsolute(relative));
}

/** Of some folders the innermost that holds a file. */
export function innermost<T>(
  file: string,
  all: readonly T[],
  folderOf: (one: T) => string | undefined,
  platform: Platform,
): T | undefined {
  const holding = all.filter((one) => {
    const folder = folderOf(one);
    return folder !== undefined && isWithin(file, folder, platform);
  });
  return holding.sort((one, other) => (folderOf(other)?.length ?? 0) - (folderOf(one)?.length ?? 0))[0];
}
