import { spawn } from "node:child_process";

/** The one error of the set-up: why a real VS Code cannot be made ready here, in a sentence. */
export class Unable extends Error {
  /** output: the end of what the program said, if one did. */
  constructor(message, output = "") {
    super(message);
    this.output = output;
  }
}

export function say(line) {
  process.stderr.write(`[vscode set-up] ${line}\n`);
}

/** Run a program to its end; with a rejection that says what failed and how its output ended. */
export function run(program, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
    let output = "";
    const keep = (chunk) => {
      output = (output + chunk).slice(-4000);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.on("error", (error) => reject(new Unable(`${program} could not be started (${error.message})`)));
    child.on("close", (code) => {
      if (code === 0) return resolve(output);
      const said = output.trim().split("\n").slice(-3).join(" | ");
      reject(new Unable(`'${[program, ...args].join(" ")}' ended with ${code}: ${said}`, output));
    });
  });
}
