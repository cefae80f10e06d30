/** Tells a person once why there is no server, with buttons for what they can do. */

import * as vscode from "vscode";

import { REMEDIES, type Problem, type Remedy } from "./problems";

export class Teller {
  private told = "";

  constructor(private readonly act: (remedy: Remedy) => void) {}

  /** Tell of a problem, unless it was the last thing told; what an untrusted workspace lacks, the view says. */
  async tell(problem: Problem): Promise<void> {
    if (problem.reason === "untrusted" || problem.message === this.told) return;
    this.told = problem.message;
    const buttons = problem.remedies.map((remedy) => REMEDIES[remedy]);
    const show = problem.reason === "crashed" ? vscode.window.showErrorMessage : vscode.window.showWarningMessage;
    const chosen = await show(`Premise Suggest: ${problem.message} ${problem.hint}`, ...buttons);
    const remedy = problem.remedies.find((one) => REMEDIES[one] === chosen);
    if (remedy !== undefined) this.act(remedy);
  }

  /** All is well again: the same problem would be news. */
  forget(): void {
    this.told = "";
  }
}
