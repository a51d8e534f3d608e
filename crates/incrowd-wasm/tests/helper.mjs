// What the tests of incrowd.html share: one browser without a network, and the page opened from disk.

import { execFileSync } from "node:child_process";
import { strict as assert } from "node:assert";
import { createRequire } from "node:module";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

const tools = process.env.INCROWD_PAGE_TOOLS;
export const binary = process.env.INCROWD_BIN;
export const html = process.env.INCROWD_HTML;
const require = createRequire(`${tools}/`);
const { chromium } = require("playwright-core");
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const places = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Runs the command. */
export function incrowd(...args) {
  return execFileSync(binary, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** A folder of its own, with made-up people in it. */
export function folder(rows = 2000) {
  const place = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "incrowd-tab-")));
  incrowd("demo", "--write", path.join(place, "people.csv"), "--rows", String(rows));
  return place;
}

let browser;

/** A window without a network, with the page in it. `first` is how long it took until the first page was there. */
export async function start({ width = 1280, height = 820 } = {}) {
  browser ??= await chromium.launch({
    executablePath: places.find((it) => it && fs.existsSync(it)),
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
  const context = await browser.newContext({ offline: true, viewport: { width, height }, acceptDownloads: true });
  const page = await context.newPage();
  const messages = [];
  const requests = [];
  page.on("console", (message) => messages.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => messages.push(`error: ${error.message}`));
  page.on("request", (request) => requests.push(request.url()));
  // Downloads can be looked at, dialogs of the system cannot. Calls go to the worker as those of the page do.
  await page.addInitScript(() => {
    delete globalThis.showSaveFilePicker;
    let worker;
    let serial = 1e9;
    globalThis.Worker = class extends Worker {
      constructor(...given) {
        super(...given);
        worker = this;
      }
    };
    globalThis.testCall = (name, given) => new Promise((told) => {
      serial += 1;
      const id = serial;
      const by = worker;
      by.addEventListener("message", function hear({ data }) {
        if (data.id !== id) return;
        by.removeEventListener("message", hear);
        told({ status: data.status, body: JSON.parse(new TextDecoder().decode(data.body)) });
      });
      by.postMessage({ id, call: name, given });
    });
  });
  const since = Date.now();
  await page.goto(pathToFileURL(html).href);
  await page.waitForSelector(".rail", { timeout: 60_000 });
  const first = Date.now() - since;
  const to = async (where) => {
    await page.evaluate((it) => { location.hash = it; }, where);
    await page.waitForSelector("main h1");
  };
  return { page, messages, requests, first, to, end: () => context.close() };
}

/** Calls the application as a page does. */
export function call({ page }, name, given = {}) {
  return page.evaluate(([name, given]) => globalThis.testCall(name, given), [name, given]);
}

/** Waits until nothing goes on, and nothing is being looked at. */
export async function quiet(at) {
  for (let tries = 0; tries < 3000; tries += 1) {
    const { body } = await call(at, "state");
    if (!body.work && !body.look.pending && !body.aside.length) return body;
    await new Promise((go) => setTimeout(go, 50));
  }
  throw new Error("it does not come to an end");
}

/** Picks files as somebody does, and waits for the table. */
export async function open(at, ...files) {
  await at.page.setInputFiles("#pick", files);
  await at.page.waitForFunction(() => location.hash === "#/columns", null, { timeout: 120_000 });
  return quiet(at);
}

/** Opens a table and leaves out what nobody has decided on. */
export async function opened(at, ...files) {
  const { columns } = await open(at, ...files);
  const undecided = columns.filter((it) => it.role === "undecided").map((it) => [it.name, { role: "identifying" }]);
  if (undecided.length) await call(at, "spec", { columns: Object.fromEntries(undecided) });
  return quiet(at);
}

/** What a click saves. */
export async function saved(at, click) {
  const [download] = await Promise.all([at.page.waitForEvent("download"), click()]);
  return { name: download.suggestedFilename(), bytes: fs.readFileSync(await download.path()) };
}

/** The page keeps to WCAG 2.2 AA as far as a program can tell, has said nothing to the console, and has asked for nothing. */
export async function clean({ page, messages, requests }, name) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }));
  assert.deepEqual(found.violations.map((it) => `${it.id}: ${it.nodes.slice(0, 3).map((node) => node.html).join(" | ")}`), [], name);
  assert.deepEqual(messages, [], name);
  assert.deepEqual(requests.filter((it) => !/^(file|blob|data):/.test(it)), [], name);
}

export async function close() {
  await browser?.close();
  browser = undefined;
}
