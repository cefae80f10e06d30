/** An honest message for every state that is not an answer. Pure. */

import { counted, cut, searched } from "./format";
import type { NoGoal, NoServer, Place, Progress, Sorries, ViewCommand, ViewState } from "./state";

/** One button of a message; the first is the one that a person most likely wants. */
export interface Offer {
  readonly label: string;
  readonly does: ViewCommand | Place;
}

/** The longest text of a message, in characters: Lean's own can be very long. */
const LONGEST = 600;

/** A message instead of a list. */
export interface Message {
  readonly title: string;
  readonly text: string;
  readonly hint: string;
  readonly offers: readonly Offer[];
  readonly progress: Progress | null;
}

const OFFERS: Readonly<Record<ViewCommand, string>> = {
  install: "Install Premise Suggest",
  restart: "Restart Server",
  output: "Show Output",
  index: "Index This Project",
  settings: "Open Settings",
  trust: "Manage Workspace Trust",
  retry: "Try Again",
};

/** What to show instead of an answer; nothing if the state is an answer. */
export function describe(state: ViewState): Message | null {
  switch (state.kind) {
    case "starting":
      return message("Starting the server", "It looks for Lean and opens the index; this takes a moment.");
    case "noServer":
      return message(SERVER_TITLES[state.reason], state.message, state.hint, SERVER_OFFERS[state.reason]);
    case "noLean":
      return message("No Lean", state.message, state.hint, ["retry", "settings", "output"]);
    case "noGoal":
      return { ...message(...NO_GOAL[state.reason]), offers: state.reason === "noGoals" ? nextSorry(state.sorries) : [] };
    case "closed":
      return { ...message("The goal is closed", "No goal is left at the cursor."), offers: nextSorry(state.sorries) };
    case "unread":
      return { ...message("Lean cannot read the text here", cut(state.message, LONGEST), state.hint), offers: goTo(state.place) };
    case "indexing":
      return { ...message("Reading the project into the index", "Premises appear as soon as it is done."), progress: state };
    case "noMatch": {
      const pool = state.index === null ? "" : ` among ${counted(searched(state.index), "premise")}`;
      return message("No good match", `Nothing${pool} fits this goal well enough to be worth showing.`);
    }
    case "failed":
      return message("The request failed", state.message, state.hint, ["retry", "output"]);
    case "ready":
      return null;
  }
}

const SERVER_TITLES: Readonly<Record<NoServer["reason"], string>> = {
  missing: "The server was not found",
  crashed: "The server has stopped",
  untrusted: "This workspace is not trusted",
};

const SERVER_OFFERS: Readonly<Record<NoServer["reason"], readonly ViewCommand[]>> = {
  missing: ["install", "settings", "output"],
  crashed: ["restart", "output"],
  untrusted: ["trust"],
};

const NO_GOAL: Readonly<Record<NoGoal["reason"], readonly [title: string, text: string]>> = {
  noFile: ["No Lean file", "Open a Lean file and put the cursor in a proof to see the premises that fit its goal."],
  noGoals: ["Not in a proof", "Put the cursor in a proof: after `by`, on a tactic or on a `sorry`."],
  unsettled: ["Waiting for Lean", "Lean has not reached this position yet."],
};

function message(title: string, text: string, hint = "", commands: readonly ViewCommand[] = []): Message {
  const offers = commands.map((command) => ({ label: OFFERS[command], does: command }));
  return { title, text, hint, offers, progress: null };
}

function nextSorry(sorries: Sorries | null | undefined): readonly Offer[] {
  const next = sorries?.next ?? null;
  return next === null ? [] : [{ label: `Next sorry (line ${next.line})`, does: next }];
}

function goTo(place: Place | null): readonly Offer[] {
  return place === null ? [] : [{ label: `Go to Line ${place.line}`, does: place }];
}

/** How far an index run is, in words: `Embedding: 1,200 of 8,222`. */
export function progressLine(progress: Progress): string {
  const stage = progress.stage === "" ? "Working" : progress.stage.charAt(0).toUpperCase() + progress.stage.slice(1);
  if (progress.total <= 0) return stage;
  const number = new Intl.NumberFormat("en");
  return `${stage}: ${number.format(progress.done)} of ${number.format(progress.total)}`;
}
