// One file of everything: node build.mjs MODULE TARGET
// The pages, the worker and the module are in it as texts; nothing is loaded, and nothing can be: the policy forbids it.

import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";

const [module, target] = process.argv.slice(2);
const tools = process.env.INCROWD_PAGE_TOOLS;
const { build } = createRequire(`${tools}/`)("esbuild");
const here = path.dirname(new URL(import.meta.url).pathname);
const assets = path.join(here, "../../incrowd-web/assets");

/** A script with all that it imports. */
async function bundle(entry) {
  const built = await build({
    entryPoints: [path.join(here, entry)], bundle: true, write: false, format: "iife", minify: true, target: "es2022",
    nodePaths: [path.join(tools, "node_modules")], legalComments: "none", logLevel: "error",
  });
  return built.outputFiles[0].text.trim().replaceAll("</script", "<\\/script");
}

const [pages, worker] = [await bundle("tab.js"), await bundle("worker.js")];
const styles = [path.join(assets, "app.css"), path.join(here, "../../incrowd-report/src/chart/style.css")];
// The system that packs is no part of the file: two builds are the same.
const packed = zlib.gzipSync(fs.readFileSync(module), { level: 9 });
packed[9] = 255;
const icon = `data:image/svg+xml;base64,${fs.readFileSync(path.join(assets, "icon.svg")).toString("base64")}`;
const style = styles.map((it) => fs.readFileSync(it, "utf8")).join("\n").replaceAll("/icon.svg", icon);
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
// A report that is shown has its style in it, and this policy holds for it, too.
const policy = [
  "default-src 'none'", `script-src ${hash(pages)} 'wasm-unsafe-eval'`, "worker-src blob:", "style-src 'unsafe-inline'", "img-src data:",
  "connect-src 'none'", "form-action 'none'", "base-uri 'none'",
].join("; ");
const licences = "incrowd is under MIT or Apache-2.0, and holds works of others: https://github.com/incrowd/incrowd/blob/main/NOTICE";
fs.writeFileSync(target, `<!doctype html>
<!-- ${licences} -->
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>incrowd</title>
<link rel="icon" href="${icon}" type="image/svg+xml">
<style>${style}</style>
</head>
<body>
<div id="app"><p class="starting">Starting …</p></div>
<div id="said" class="unseen" role="status" aria-live="polite"></div>
<noscript>This page is a program: it needs scripts, all of which are in this file.</noscript>
<script type="text/plain" id="worker">${worker}</script>
<script type="text/plain" id="module">${packed.toString("base64")}</script>
<script>${pages}</script>
</body>
</html>
`);
const size = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;
console.log(`${target}: ${size(fs.statSync(target).size)} (module ${size(fs.statSync(module).size)}, packed ${size(packed.length)})`);
