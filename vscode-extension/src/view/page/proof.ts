/** The search for a proof, below the list, so that no row moves: how far it is, then the proof, and what to do with it. */

import type { ProofAnswer, ProofStatus } from "../../generated/answers";
import { counted, proofProgress, visible } from "../format";
import type { ProofAction, ProofState } from "../state";
import { SETTLING_MS } from "./anchor";
import { Announcer } from "./announcer";
import { element, setAttribute, setCode, setProse, setText } from "./dom";

const TITLES: Readonly<Record<ProofStatus, string>> = {
  proved: "Proof found",
  partial: "", // with its goals
  false: "There is no proof", // the message says that the goal is false
  not_proved: "No proof found",
  stopped: "The search was stopped",
  failed: "No search was possible",
};

const LABELS: Readonly<Record<ProofAction, string>> = { stop: "Stop", insert: "Insert", discard: "Discard" };

export class ProofPanel {
  private readonly title = element("h2", "notice-title");
  private readonly bar = element("progress", "", { "aria-label": "Time" });
  private readonly line = element("div", "progress-line");
  private readonly script = element("pre", "code proof-script", { dir: "ltr", translate: "no", tabindex: "0", "aria-label": "Proof" });
  private readonly text = element("p");
  private readonly buttons = element("div", "proof-buttons");
  private readonly announcer = new Announcer();
  private readonly panel: HTMLElement;
  readonly element: HTMLElement;
  private proof: ProofState = { kind: "none" };
  /** When its buttons were changed. */
  private changedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly run: (action: ProofAction) => void) {
    this.panel = element("section", "proof", { "aria-label": "Search for a proof" }, this.title, this.bar, this.line, this.script, this.text, this.buttons);
    this.panel.hidden = true;
    this.element = element("div", "", {}, this.panel, this.announcer.element);
  }

  show(proof: ProofState): void {
    const actions = actionsAt(proof);
    if (actions.join() !== actionsAt(this.proof).join()) this.showButtons(actions);
    this.proof = proof;
    this.panel.hidden = proof.kind === "none";
    const title = titleOf(proof);
    this.announcer.say(title);
    setText(this.title, title);
    const progress = proof.kind === "running" ? proof.progress : null;
    this.bar.hidden = this.line.hidden = proof.kind !== "running";
    setAttribute(this.bar, "max", progress === null ? null : String(progress.limit));
    setAttribute(this.bar, "value", progress === null ? null : String(Math.min(progress.seconds, progress.limit)));
    setText(this.line, progress === null ? "Waiting for Lean" : proofProgress(progress));
    const script = proof.kind === "ended" ? scriptOf(proof.answer) : "";
    setCode(this.script, visible(script));
    this.script.hidden = script === "";
    const words = proof.kind === "failed" ? proof.message : proof.kind === "ended" ? [proof.answer.message, ...proof.answer.warnings].join(" ").trim() : "";
    setProse(this.text, visible(words));
    this.text.hidden = words === "";
  }

  /** Stop the search, or put its result away; false where there is neither. */
  close(): boolean {
    const action = actionsAt(this.proof).find((one) => one !== "insert");
    if (action === undefined) return false;
    this.run(action);
    return true;
  }

  private showButtons(actions: readonly ProofAction[]): void {
    const hadFocus = this.panel.contains(document.activeElement);
    this.changedAt = performance.now();
    const made = actions.map((action, at) => {
      const button = element("button", at === 0 ? "button" : "button secondary", { type: "button" });
      button.textContent = LABELS[action];
      // Pressed just as the search ended, it would be another button than was meant.
      button.addEventListener("click", () => performance.now() - this.changedAt >= SETTLING_MS && this.run(action));
      return button;
    });
    this.buttons.replaceChildren(...made);
    if (hadFocus) made[0]?.focus();
  }
}

function actionsAt(proof: ProofState): readonly ProofAction[] {
  if (proof.kind === "none") return [];
  if (proof.kind === "running") return ["stop"];
  return proof.kind === "ended" && proof.answer.edits.length > 0 ? ["insert", "discard"] : ["discard"];
}

function titleOf(proof: ProofState): string {
  if (proof.kind === "none") return "";
  const at = `line ${proof.line}`;
  if (proof.kind === "running") return `Searching for a proof, ${at}`;
  if (proof.kind === "failed") return `The search failed, ${at}`;
  const { status, proved, goals } = proof.answer;
  return `${status === "partial" ? `Proved ${proved} of ${counted(goals, "goal")}` : TITLES[status]}, ${at}`;
}

/** What is inserted: the imports, and the script. */
function scriptOf({ imports, script }: ProofAnswer): string {
  return script === "" ? "" : [...imports, script].join("\n");
}
