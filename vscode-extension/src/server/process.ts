/** The server's process: started, its last words kept, and surely ended. */

import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";

import type { Program } from "./programs";

const KEPT = 4000;
const GRACE_MS = 1500;
/** How long its last words may follow its end: a Lean it started can hold its streams open. */
const WORDS_MS = 200;

export class ServerProcess {
  readonly child: ChildProcessWithoutNullStreams;
  /** Resolves when the process has ended, or did not start. */
  readonly ended: Promise<void>;
  private words = "";
  private over = false;

  constructor(program: Program, cwd: string, onGone: () => void) {
    this.child = spawn(program.command, [...program.args, "serve"], { cwd, windowsHide: true });
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.words = (this.words + text).slice(-KEPT);
    });
    // A server that ends while something is being written to it is reported by its exit, not by the broken pipe.
    this.child.stdin.on("error", () => undefined);
    this.ended = new Promise((resolve) => {
      const end = () => {
        if (this.over) return;
        this.over = true;
        resolve();
        onGone();
      };
      this.child.on("error", (error) => {
        this.words += error.message;
        end();
      });
      this.child.on("close", end);
      this.child.on("exit", () => setTimeout(end, WORDS_MS));
    });
  }

  /** The end of what the server wrote as errors. */
  get lastWords(): string {
    return this.words;
  }

  /** End the process: close its input, then terminate it, then kill it. */
  async end(): Promise<void> {
    if (this.over) return;
    this.child.stdin.end();
    const timers = [
      setTimeout(() => this.child.kill("SIGTERM"), GRACE_MS),
      setTimeout(() => this.child.kill("SIGKILL"), 2 * GRACE_MS),
    ];
    await this.ended;
    for (const timer of timers) clearTimeout(timer);
  }
}
