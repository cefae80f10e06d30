/** What a recorder has written: the talk between the extension and the server. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

import { eventually } from "./eventually.mjs";

export class Record {
  constructor(file) {
    this.file = file;
    this.begin = 0;
  }

  /** The variables that make `recorder.mjs` write here. */
  static variables(world, file) {
    return { PREMISE_SUGGEST_REAL: world.program, PREMISE_SUGGEST_RECORD: file };
  }

  static get program() {
    return path.join(import.meta.dirname, "recorder.mjs");
  }

  all() {
    if (!existsSync(this.file)) return [];
    const lines = readFileSync(this.file, "utf8").split("\n");
    return lines.slice(0, -1).map((line) => JSON.parse(line));
  }

  /** Look only at what comes from now on. */
  mark() {
    this.begin = this.all().length;
  }

  /** The entries since the mark. */
  entries() {
    return this.all().slice(this.begin);
  }

  /** The messages of one method that the extension sent since the mark. */
  sent(method) {
    return this.entries().filter((one) => one.from === "client" && one.message.method === method).map((one) => one.message);
  }

  /** The server's answers to the requests of one method since the mark. */
  answers(method) {
    const ids = new Set(this.sent(method).map((message) => message.id));
    return this.entries().filter((one) => one.from === "server" && ids.has(one.message.id) && !one.message.method).map((one) => one.message);
  }

  async untilSent(method, count = 1, seconds = 60) {
    return eventually(() => (this.sent(method).length >= count ? this.sent(method) : null), `${count} of ${method} sent`, seconds);
  }

  async untilAnswered(method, count = 1, seconds = 60) {
    return eventually(() => (this.answers(method).length >= count ? this.answers(method) : null), `${count} of ${method} answered`, seconds);
  }

  /** The most requests of one method that ran at once since the mark; cancelled ones count until they are answered. */
  mostAtOnce(method) {
    const running = new Set();
    let most = 0;
    for (const { from, message } of this.entries()) {
      if (from === "client" && message.method === method) running.add(message.id);
      if (from === "server" && !message.method) running.delete(message.id);
      most = Math.max(most, running.size);
    }
    return most;
  }
}
