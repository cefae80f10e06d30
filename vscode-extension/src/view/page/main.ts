/** Starts the page inside its webview. */

import { readDetailsMessage, readProofMessage, readStateMessage } from "../messages";
import { Page, type Host } from "./page";

declare function acquireVsCodeApi(): Host;

const MINUTE_MS = 60_000;

const host = acquireVsCodeApi();
const page = new Page(host);
page.open(document.body);
window.addEventListener("message", (event: MessageEvent<unknown>) => {
  const message = readStateMessage(event.data);
  if (message !== null) page.show(message.state);
  const proof = readProofMessage(event.data);
  if (proof !== null) page.showProof(proof.proof);
  const details = readDetailsMessage(event.data);
  if (details !== null) page.learn(details);
});
window.addEventListener("focus", () => requestAnimationFrame(() => page.focus()));
document.addEventListener("keydown", (event) => page.pressedAnywhere(event));
window.setInterval(() => page.tick(), MINUTE_MS);
host.postMessage({ type: "loaded" });
