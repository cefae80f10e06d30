#!/usr/bin/env node
/**
 * Stands for `premise-suggest`: passes everything to the real program, and writes each message of a `serve` to a file.
 *
 * PREMISE_SUGGEST_REAL names the real program, PREMISE_SUGGEST_RECORD the file (one JSON object a line). With
 * PREMISE_SUGGEST_DIE_AT, a method's name, the real program is killed as soon as that is asked of it.
 */
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";

const args = process.argv.slice(2);
const real = spawn(process.env.PREMISE_SUGGEST_REAL, args, { stdio: ["pipe", "pipe", "inherit"] });

/** Cuts a stream at `Content-Length` headers. */
function reader(from) {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const end = rest.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = Number(/Content-Length: *(\d+)/i.exec(rest.subarray(0, end).toString())?.[1]);
      if (rest.length < end + 4 + length) return;
      const message = JSON.parse(rest.subarray(end + 4, end + 4 + length).toString());
      appendFileSync(process.env.PREMISE_SUGGEST_RECORD, `${JSON.stringify({ at: Date.now(), server: real.pid, from, message })}\n`);
      if (from === "client" && message.method && message.method === process.env.PREMISE_SUGGEST_DIE_AT) real.kill("SIGKILL");
      rest = rest.subarray(end + 4 + length);
    }
  };
}

if (args[0] === "serve") {
  process.stdin.on("data", reader("client"));
  real.stdout.on("data", reader("server"));
}
process.stdin.pipe(real.stdin);
real.stdout.pipe(process.stdout);
real.stdin.on("error", () => process.stdin.destroy()); // it has ended; its exit code is passed on below
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => real.kill(signal));
real.on("close", (code) => process.exit(code ?? 1));
