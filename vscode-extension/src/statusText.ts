/** What the status bar says of the server and the index. Pure. */

import type { IndexItem, Progress } from "./view/state";

export interface StatusText {
  readonly text: string;
  readonly tooltip: string;
  readonly warning: boolean;
}

export type ServerKind = "idle" | "starting" | "running" | "problem";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long ago something was, in two words; empty where that is not known. */
export function age(since: string | null, now: number): string {
  const then = since === null ? Number.NaN : Date.parse(since);
  if (Number.isNaN(then)) return "";
  const elapsed = Math.max(0, now - then);
  if (elapsed < MINUTE) return "just now";
  if (elapsed < HOUR) return `${Math.floor(elapsed / MINUTE)} min old`;
  if (elapsed < DAY) return `${Math.floor(elapsed / HOUR)} h old`;
  return `${Math.floor(elapsed / DAY)} d old`;
}

/** What is known of the server and its index. */
export interface Known {
  readonly server: ServerKind;
  readonly index: IndexItem | null;
  /** When the index was last compared with the files (ISO 8601). */
  readonly checked: string | null;
  /** An index run that goes on. */
  readonly indexing: Progress | undefined;
}

export function statusText({ server, index, checked, indexing }: Known, now: number): StatusText {
  if (server === "problem") {
    return { text: "$(warning) Premises", tooltip: "The premise-suggest server is not running.", warning: true };
  }
  if (server !== "running") {
    return { text: "$(loading~spin) Premises", tooltip: "The premise-suggest server is starting.", warning: false };
  }
  if (indexing !== undefined) return whileIndexing(indexing);
  if (index === null) {
    return { text: "$(book) Premises", tooltip: "The index is opened with the first suggestion.", warning: false };
  }
  if (index.stale_files === 0 && age(checked, now) === "just now") {
    const text = "$(book) Premises: up to date, checked just now";
    return { text, tooltip: `${index.line}\nClick to index this project.`, warning: false };
  }
  const old = age(index.built_at, now);
  const stale = index.stale_files > 0 ? ` · ${index.stale_files} newer ${index.stale_files === 1 ? "file" : "files"}` : "";
  const text = old === "" ? "$(book) Premises" : `$(book) Premises: index ${old}`;
  return { text: text + stale, tooltip: `${index.line}\nClick to index this project.`, warning: false };
}

function whileIndexing({ stage, done, total }: Progress): StatusText {
  const percent = total > 0 ? ` ${Math.min(100, Math.floor((100 * done) / total))}%` : "";
  const tooltip = total > 0 ? `Indexing, ${stage}: ${done} of ${total}` : `Indexing: ${stage}`;
  return { text: `$(sync~spin) Premises: indexing${percent}`, tooltip, warning: false };
}
