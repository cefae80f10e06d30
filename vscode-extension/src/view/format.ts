/** Words and short texts for the *Premises* view. Pure. */

import type { IndexItem, PremiseItem, ProofProgress, TacticItem } from "../generated/answers";
import type { Ready } from "./state";

const NUMBERS = new Intl.NumberFormat("en");

/** `1 goal`, `2,000 goals`. */
export function counted(number: number, noun: string): string {
  return `${NUMBERS.format(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** Lean's verdict on a tactic, in a few words. */
export function verdict(tactic: TacticItem): string {
  if (tactic.status === "closes") {
    const rests = tactic.rests_on_sorry ? restsOnSorry(tactic) : "";
    const adds = tactic.import === null ? "" : `adds ${tactic.import}`;
    return ["closes the goal", rests, adds].filter((part) => part !== "").join(", ");
  }
  if (tactic.status === "unjudged") return "not judged";
  if (tactic.remaining_goals.length === 0) return "leaves goals";
  return `${counted(tactic.remaining_goals.length, "goal")} left`;
}

function restsOnSorry({ unfinished }: TacticItem): string {
  return unfinished.length > 0 ? `rests on sorry (${unfinished.join(", ")})` : "rests on sorry";
}

/** `as in NAME` for a tactic that is taken from a known proof; where it is short, with the name's last part alone. */
export function originLabel({ origin }: TacticItem, short: boolean): string {
  if (!origin) return "";
  const last = origin.slice(origin.lastIndexOf(".") + 1);
  return `as in ${short && last !== "" && last !== origin ? `…${last}` : origin}`;
}

/** What a goal is called that needs no further words. */
export const PLAIN_GOAL = "Goal";

/** Which goal it is, in a few words: `Goal before line 9`, `Goal 1 of 2`. */
export function goalHeading({ goalNumber, goalCount, replaces, pinned, line }: Pick<Ready, "goalNumber" | "goalCount" | "replaces" | "pinned" | "line">): string {
  const which = goalCount > 1 ? `Goal ${goalNumber} of ${goalCount}` : PLAIN_GOAL;
  const named = pinned === true ? `Pinned ${which.toLowerCase()}` : which;
  if (replaces !== null) return `${named} before line ${replaces.line}`;
  return pinned === true ? `${named}, line ${line}` : named;
}

/** The `⊢` line of a printed goal, white space folded; the whole of it where there is no `⊢`. */
export function targetLine(goal: string): string {
  const at = goal.lastIndexOf("⊢");
  return fold(at < 0 ? goal : goal.slice(at));
}

/** How far a search for a proof is: `12 s of 30 s · 41 states · 2 of 3 goals proved`. */
export function proofProgress({ seconds, limit, states, proved, goals, imports }: ProofProgress): string {
  const time = `${Math.round(seconds)} s of ${Math.round(limit)} s`;
  if (imports) return `${time} · trying lemmas that need an import`;
  const parts = [time, counted(states, "state")];
  return [...parts, ...(goals > 1 ? [`${proved} of ${goals} goals proved`] : [])].join(" · ");
}

/** White space runs as one space each. */
export function fold(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}

/** `needs import M` or `out of scope`; nothing where it can be used as it is, or there is no file to judge by. */
export function scopeLabel(premise: PremiseItem): string {
  if (premise.in_scope !== false) return "";
  return premise.import === null ? "out of scope" : `needs ${premise.import}`;
}

/** The keywords of what most premises are. */
const USUAL = new Set(["theorem", "lemma", ""]);

/** `def`, `instance` and the like; nothing for a theorem. */
export function kindLabel({ kind }: PremiseItem): string {
  return USUAL.has(kind) ? "" : kind;
}

/** That it rests on something unproved; empty if that is unknown. */
export function sorryLabel(premise: PremiseItem): string {
  if (premise.has_error === true) return "has an error";
  return premise.rests_on_sorry === true ? "rests on sorry" : "";
}

/** That it is deprecated, and what to use instead; nothing where it is not. */
export function deprecationLabel(premise: PremiseItem): string {
  if (!premise.deprecated) return "";
  return premise.replaced_by === "" ? "deprecated" : `deprecated: use ${premise.replaced_by}`;
}

/** How many premises an index holds. */
export function searched(index: IndexItem): number {
  return index.sources.reduce((sum, source) => sum + source.premises, 0);
}

/** The foot of the view: what was searched, how old it is, or when it was found to be up to date. */
export function freshness(index: IndexItem, checked: string | null, now: number): string {
  const built = age(index.built_at, now);
  const isCurrent = checked !== null && index.stale_files === 0 && !(Date.parse(index.built_at ?? "") > Date.parse(checked));
  const when = isCurrent ? `up to date, checked ${age(checked, now)}` : built === "" ? "" : `indexed ${built}`;
  return [index.line, when].filter((part) => part !== "").join(" · ");
}

/** At most this many characters (code points) of a text, with a mark where there were more. */
export function cut(text: string, most: number): string {
  const characters = [...text];
  return characters.length > most ? `${characters.slice(0, most - 1).join("")}…` : text;
}

const STEPS: readonly (readonly [unit: string, seconds: number])[] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** `just now`, `5 minutes ago`, `3 days ago`; the date once it is a month old; nothing for no date. */
export function age(when: string | null, now: number): string {
  const then = when === null ? Number.NaN : Date.parse(when);
  if (Number.isNaN(then)) return "";
  const seconds = (now - then) / 1000;
  if (seconds > 30 * 86_400) return `on ${new Date(then).toISOString().slice(0, 10)}`;
  for (const [unit, length] of STEPS) {
    if (seconds >= length) return `${counted(Math.floor(seconds / length), unit)} ago`;
  }
  return "just now";
}

/** Characters that steer the direction of text or show nothing, and so can make a text read as another. */
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;

/** The text with such characters made visible (`‹U+202E›`); what is inserted or copied keeps them. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (one) => `‹U+${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}›`);
}
