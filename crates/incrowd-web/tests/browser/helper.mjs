// What the tests share: a server of its own for each, one browser, and what every page must keep to.

import { execFileSync, spawn } from "node:child_process";
import { strict as assert } from "node:assert";
import { createRequire } from "node:module";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const tools = process.env.INCROWD_PAGE_TOOLS;
export const binary = process.env.INCROWD_BIN;
const require = createRequire(`${tools}/`);
const { chromium } = require("playwright-core");
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const places = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
export const chromiumPath = places.find((it) => it && fs.existsSync(it));

/** Runs the command. */
export function incrowd(...args) {
  return execFileSync(binary, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** A folder of its own, with made-up people in it. */
export function folder(rows = 2000) {
  const place = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "incrowd-page-")));
  incrowd("demo", "--write", path.join(place, "people.csv"), "--rows", String(rows), "--hierarchies", path.join(place, "hierarchies"));
  return place;
}

let browser;

/** A window of its own, as somebody else would have. */
async function newContext(options) {
  browser ??= await chromium.launch({
    executablePath: chromiumPath,
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
  return browser.newContext(options);
}

/** A page of a window of its own. */
export async function newPage() {
  return (await newContext({})).newPage();
}

/** Starts a server and opens its address. `what` is the folder, or a file in it. */
export async function start(what, { width = 1280, height = 820, scheme = "light" } = {}) {
  const server = spawn(binary, ["serve", what, "--no-browser"], { stdio: ["ignore", "pipe", "pipe"] });
  const address = await new Promise((told, failed) => {
    server.stdout.once("data", (data) => told(String(data).trim()));
    server.once("exit", (code) => failed(new Error(`the server ended with ${code}`)));
  });
  const context = await newContext({ viewport: { width, height }, colorScheme: scheme, acceptDownloads: true });
  const page = await context.newPage();
  const messages = listenTo(page);
  await page.goto(address);
  await page.waitForSelector(".rail");
  const origin = new URL(address).origin;
  const token = new URLSearchParams(new URL(address).hash.slice(1)).get("token");
  const to = async (where) => {
    await page.goto(origin + where);
    await page.waitForSelector("main h1");
  };
  const end = async () => {
    await context.close();
    server.kill();
  };
  return { server, address, origin, token, context, page, messages, to, end };
}

/** What a page says to its console: nothing, if all is well. */
export function listenTo(page) {
  const messages = [];
  page.on("console", (message) => messages.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => messages.push(`error: ${error.message}`));
  return messages;
}

/** Calls the server as a page does. */
export async function call({ origin, token }, name, given = {}) {
  const answer = await fetch(`${origin}/api/${name}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, Origin: origin, "Content-Type": "application/json" },
    body: JSON.stringify(given),
  });
  return { status: answer.status, body: await answer.json().catch(() => null) };
}

/** Waits until nothing goes on, and nothing is being looked at. */
export async function quiet(at) {
  for (let tries = 0; tries < 1200; tries += 1) {
    const { body } = await call(at, "state");
    if (!body.work && !body.look.pending) return body;
    await new Promise((go) => setTimeout(go, 100));
  }
  throw new Error("it does not come to an end");
}

/** The page keeps to WCAG 2.2 AA as far as a program can tell, and has said nothing to the console. */
export async function clean({ page, messages }, name) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => globalThis.axe.run(document, {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
  }));
  const told = found.violations.map((it) => `${it.id}: ${it.help}: ${it.nodes.slice(0, 3).map((node) => node.html).join(" | ")}`);
  assert.deepEqual(told, [], name);
  assert.deepEqual(messages, [], name);
}

/** Opens a table and leaves out what nobody has decided on. */
export async function opened(what, options) {
  const at = await start(what, options);
  await quiet(at);
  const { body } = await call(at, "state");
  const undecided = body.columns.filter((it) => it.role === "undecided").map((it) => [it.name, { role: "identifying" }]);
  if (undecided.length) await call(at, "spec", { columns: Object.fromEntries(undecided) });
  await quiet(at);
  return at;
}

export async function close() {
  await browser?.close();
  browser = undefined;
}
