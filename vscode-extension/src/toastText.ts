/** The text of a toast, with links instead of buttons. Pure. */

import { REMEDIES, type Remedy } from "./server/problems";

/** The command of the links; its argument is a remedy. */
export const REMEDY_COMMAND = "premise-suggest.remedy";

/** The message with a link for each remedy: the notifications that can be taken back have no buttons. */
export function toastText(message: string, remedies: readonly Remedy[]): string {
  const links = remedies.map((remedy) => `[${REMEDIES[remedy]}](command:${REMEDY_COMMAND}?${argument(remedy)})`);
  return [`Premise Suggest: ${withoutLinks(message)}`, links.join(" · ")].join(" ").trim();
}

export function isRemedy(value: unknown): value is Remedy {
  return typeof value === "string" && Object.hasOwn(REMEDIES, value);
}

function argument(remedy: Remedy): string {
  return encodeURIComponent(JSON.stringify([remedy]));
}

/** VS Code makes links of `[text](command:…)`: what a server or a path says must not become one. */
function withoutLinks(text: string): string {
  return text.replaceAll("](", "] (");
}
