/** Running a program to its end, with a time limit, and without a shell. */

import { spawn } from "node:child_process";

export interface RunOptions {
  readonly cwd?: string;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Each piece of output as it comes, of either stream. */
  readonly onOutput?: (text: string) => void;
}

export interface RunResult {
  /** The exit code; null where the program never ran, was stopped or ran past its time. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly failure?: "notStarted" | "timeout" | "cancelled";
}

const KEPT = 200_000;
const GRACE_MS = 2000;

/** Run a program; never rejects. */
export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const { cwd, timeoutMs, signal, onOutput } = options;
  if (signal?.aborted) return Promise.resolve({ code: null, stdout: "", stderr: "", failure: "cancelled" });
  return new Promise((resolve) => {
    let failure: RunResult["failure"];
    const output = { stdout: "", stderr: "" };
    const child = spawn(command, args, { cwd, windowsHide: true, stdio: ["ignore", "pipe", "pipe"] });
    const stop = (why: RunResult["failure"]) => {
      failure ??= why;
      child.kill();
      setTimeout(() => child.kill("SIGKILL"), GRACE_MS).unref();
    };
    const cancel = () => stop("cancelled");
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => stop("timeout"), timeoutMs);
    const finish = (code: number | null) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
      resolve({ code: failure === undefined ? code : null, ...output, ...(failure && { failure }) });
    };
    signal?.addEventListener("abort", cancel, { once: true });
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (text: string) => {
        output[name] = (output[name] + text).slice(-KEPT);
        onOutput?.(text);
      });
    }
    child.on("error", (error) => {
      failure ??= "notStarted";
      output.stderr += error.message;
      finish(null);
    });
    child.on("close", (code) => finish(code));
  });
}
