/** Nothing but this machine is asked for anything. */
const OFFLINE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost";
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", OFFLINE];

export async function launch(parts) {
  const { chromium } = await import("playwright-core"); // in a fresh clone the set-up installs it only now
  return chromium.launch({ executablePath: parts.chromium, args: FLAGS });
}
