// Bundles the extension (dist/extension.js, for the extension host) and the view's page (dist/view.js, for the webview),
// and collects the licences of the packages that went into them (dist/licenses.txt).
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

import { build, context } from "esbuild";

const options = new Set(process.argv.slice(2));
const shared = {
  bundle: true,
  metafile: true,
  minify: options.has("--minify"),
  sourcemap: options.has("--watch") ? "inline" : false,
  legalComments: "none",
  logLevel: "warning",
};
const bundles = [
  {
    ...shared,
    entryPoints: ["src/extension.ts"],
    outfile: "dist/extension.js",
    platform: "node",
    format: "cjs",
    target: "node20",
    external: ["vscode"],
  },
  {
    ...shared,
    entryPoints: ["src/view/page/main.ts"],
    outfile: "dist/view.js",
    platform: "browser",
    format: "iife",
    target: "es2022",
  },
];

/** The folders of the packages that a bundle is made from. */
function packagesIn({ metafile }) {
  return Object.keys(metafile.inputs).flatMap((file) => file.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/u) ?? []);
}

function license(folder) {
  const { name, version, license: kind } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((one) => /^licen[cs]e/iu.test(one));
  if (file === undefined) throw new Error(`${folder} has no licence file, so it cannot be shipped`);
  return `${name} ${version} (${kind})\n\n${readFileSync(path.join(folder, file), "utf8").trim()}\n`;
}

if (options.has("--watch")) {
  for (const bundle of bundles) await (await context(bundle)).watch();
} else {
  const results = await Promise.all(bundles.map((bundle) => build(bundle)));
  const folders = [...new Set(results.flatMap(packagesIn))].sort();
  writeFileSync("dist/licenses.txt", folders.map(license).join(`\n${"-".repeat(80)}\n\n`));
}
