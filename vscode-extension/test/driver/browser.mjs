import { chromium } from "playwright-core";

/** Nothing but this machine is asked for anything. */
const OFFLINE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost";
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", OFFLINE];

export function launch(parts) {
  return chromium.launch({ executablePath: parts.chromium, args: FLAGS });
}
