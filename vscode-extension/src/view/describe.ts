/** An honest message for every state that is not an answer. Pure. */

import { counted, searched } from "./format";
import type { NoGoal, NoServer, Progress, ViewCommand, ViewState } from "./state";

/** One button of a message; the first is the one that a person most likely wants. */
export interface Offer {
  readonly label: string;
  readonly command: ViewCommand;
}

/** A message in the place of a list. */
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

/** What to show in the place of an answer; nothing where the state is one. */
export function describe(state: ViewState): Message | null {
  switch (state.kind) {
    case "starting":
      return message("Starting the server", "It looks for Lean and opens the index; this takes a moment.");
    case "noServer":
      return message(SERVER_TITLES[state.reason], state.message, state.hint, SERVER_OFFERS[state.reason]);
    case "noLean":
      return message("No Lean", state.message, state.hint, ["retry", "settings", "output"]);
    case "noGoal":
      return message(...NO_GOAL[state.reason]);
    case "indexing":
      return { ...message("Reading the project into the index", "Premises appear as soon as it is done."), progress: state };
    case "noMatch": {
      const pool = state.index === null ? "" : ` among ${counted(searched(state.index), "premise")}`;
      return message("No good match", `Nothing${pool} fits this goal well enough to be worth showing.`);
    }
    case "failed":
      return message("That did not work", state.message, state.hint, ["retry", "output"]);
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
  noGoals: ["No goal here", "Put the cursor in a proof: after `by`, on a tactic or on a `sorry`."],
  unsettled: ["Waiting for Lean", "Lean has not come this far in the file yet."],
};

function message(title: string, text: string, hint = "", commands: readonly ViewCommand[] = []): Message {
  const offers = commands.map((command) => ({ label: OFFERS[command], command }));
  return { title, text, hint, offers, progress: null };
}

/** How far an index run is, in words: `Embedding: 1,200 of 8,222`. */
export function progressLine(progress: Progress): string {
  const stage = progress.stage === "" ? "Working" : progress.stage.charAt(0).toUpperCase() + progress.stage.slice(1);
  if (progress.total <= 0) return stage;
  const number = new Intl.NumberFormat("en");
  return `${stage}: ${number.format(progress.done)} of ${number.format(progress.total)}`;
}
