/** Filters VS Code's own requests to the server: at most two at a time, and only its own settings. */

import * as vscode from "vscode";
import type { Middleware } from "vscode-languageclient/node";

import { config, isSet } from "../config";
import { Weight, type Limiter } from "../limiter";
import { serverSettings } from "../serverSettings";
import { within } from "../timing";
import { signalOf, tokenOf } from "../tokens";

/** The settings' section. */
export const SECTION = "premiseSuggest";

/** VS Code lists completions when all servers have answered: where another one completes too, we keep it no longer. */
const COMPLETION_MS = 2000;

/** The command of the link with which a hover inserts its tactic; the server runs it. */
const INSERT = "premise-suggest.insert";

/** A hover whose links may run that command, and no other. */
function withLinks(hover: vscode.Hover | undefined | null): vscode.Hover | undefined | null {
  for (const content of hover?.contents ?? [])
    if (content instanceof vscode.MarkdownString) content.isTrusted = { enabledCommands: [INSERT] };
  return hover;
}

/** `canCompete`: whether another server completes Lean's names, too. */
export function middleware(limiter: Limiter, canCompete: () => boolean): Middleware {
  const limited = async <T>(
    weight: Weight,
    token: vscode.CancellationToken,
    ask: (token: vscode.CancellationToken) => vscode.ProviderResult<T>,
  ): Promise<T | undefined | null> => {
    const work = async (signal: AbortSignal) => {
      const source = tokenOf(signal);
      try {
        return await ask(source.token);
      } finally {
        source.dispose();
      }
    };
    return limiter.run(weight, work, signalOf(token));
  };
  return {
    provideHover: async (document, position, token, next) =>
      withLinks(await limited(Weight.hover, token, (inner) => next(document, position, inner))),
    provideCompletionItem: async (document, position, context, token, next) => {
      const asked = limited(Weight.follow, token, (inner) => next(document, position, context, inner));
      if (!canCompete()) return asked;
      return (await within(COMPLETION_MS, asked)) ?? new vscode.CompletionList([], true);
    },
    provideCodeActions: (document, range, context, token, next) => {
      const asked = context.triggerKind === vscode.CodeActionTriggerKind.Invoke;
      // Unasked, at every `sorry` the cursor comes to, they would start a Lean that the user did not want for that.
      if (!asked && !config.tactics(document.uri)) return undefined;
      return limited(asked ? Weight.asked : Weight.unasked, token, (inner) => next(document, range, context, inner));
    },
    provideInlineCompletionItems: (document, position, context, token, next) =>
      limited(Weight.unasked, token, (inner) => next(document, position, context, inner)),
    workspace: {
      configuration: async (params, token, next) => {
        const values = await next(params, token);
        if (!Array.isArray(values)) return values;
        return params.items.map((item, index) =>
          item.section === SECTION ? serverSettings(values[index], isSet) : (values[index] ?? null),
        );
      },
    },
  };
}
