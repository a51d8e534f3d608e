// incrowd.html from disk, without a network: the interactions of the pages, and the release of the command line.

import { after, test } from "node:test";
import { strict as assert } from "node:assert";
import fs from "node:fs";
import path from "node:path";
import { call, clean, close, folder, html, incrowd, open, opened, quiet, saved, start } from "./helper.mjs";

after(close);

/** A test with a tab of its own. */
const tab = (name, walk) => test(name, async () => {
  const at = await start();
  try {
    await walk(at);
  } finally {
    await at.end();
  }
});

tab("1: a table is picked or dropped, and what cannot be opened gets a sentence", async (at) => {
  const { page } = at;
  assert.ok(fs.statSync(html).size <= 6e6, "the file is small");
  await clean(at, "open, empty");
  const place = folder(500);
  const broken = path.join(place, "broken.parquet");
  fs.writeFileSync(broken, "PAR1 this is no Parquet file PAR1");
  await page.setInputFiles("#pick", broken);
  await page.waitForSelector(".note.bad");
  assert.match(await page.innerText(".note.bad"), /broken\.parquet/);
  const text = fs.readFileSync(path.join(place, "people.csv"), "utf8");
  await page.evaluate((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], "dropped.csv"));
    document.querySelector("main").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  }, text);
  await page.waitForFunction(() => location.hash === "#/columns");
  assert.equal((await quiet(at)).file.rows, 500);
  await page.reload();
  await page.waitForSelector(".rail");
  assert.equal((await call(at, "state")).body.file, null, "nothing is kept unasked");
});

tab("2: a role changes, and the share of unique rows is that of the command line", async (at) => {
  const { page } = at;
  const place = folder(3000);
  const { columns } = await open(at, path.join(place, "people.csv"));
  const quasi = columns.filter((it) => it.role === "quasi").map((it) => it.name);
  const told = (names) => JSON.parse(incrowd("risk", path.join(place, "people.csv"), "--quasi", names.join(","), "--json")).unique_share;
  await page.waitForSelector(".live b");
  assert.equal(await page.$eval(".live b", (it) => Number(it.dataset.share)), told(quasi));
  const [first, ...rest] = quasi;
  await page.focus(`tr[data-column="${first}"] input[value=quasi]`);
  await page.keyboard.press("1");
  await page.waitForFunction((it) => Number(document.querySelector(".live b")?.dataset.share) === it, told(rest), { timeout: 10_000 });
  await clean(at, "columns");
  // 3: what is released as it is and tells a quasi-identifier is named; an undecided column holds everything up.
  await page.keyboard.press("5");
  await page.waitForSelector("#still-known");
  await call(at, "spec", { columns: { [first]: { role: "undecided" } } });
  await page.waitForSelector("#undecided");
  assert.equal((await call(at, "search")).status, 422);
  await page.keyboard.press("Control+z");
  await page.waitForSelector("#undecided", { state: "detached" });
});

tab("4, 5: a hierarchy is saved to a file; goals that cannot be met are told before a search", async (at) => {
  const { page } = at;
  const place = folder(1000);
  await opened(at, path.join(place, "people.csv"));
  await at.to("/columns/race");
  await page.waitForSelector("#start-tree, #tree");
  if (await page.locator("#start-tree").count()) await page.click("#start-tree");
  await page.waitForSelector("#tree");
  const { name, bytes } = await saved(at, () => page.click("text=Export (ARX CSV)"));
  assert.equal(name, "race.csv");
  fs.writeFileSync(path.join(place, name), bytes);
  incrowd("hierarchy", "check", path.join(place, name));
  await call(at, "spec", { privacy: { k: 5000 } });
  const state = await quiet(at);
  assert.match(JSON.stringify(state.look.told), /1000/);
  await call(at, "spec", { privacy: { k: 5 } });
  await at.to("/goals");
  await page.waitForSelector("#k");
  await clean(at, "goals");
});

tab("6: cost falls, the bound rises, Esc stops, and the best so far is there", async (at) => {
  const { page } = at;
  await opened(at, path.join(folder(20_000), "people.csv"));
  await call(at, "spec", { goal: { metric: "dm" }, algorithm: { method: "optimal", "time-limit": null } });
  await quiet(at);
  await at.to("/search");
  await page.click(".head .main");
  await page.waitForFunction(() => /\d/.test(document.querySelector("#meter-cost")?.innerText ?? "") && /\d/.test(document.querySelector("#meter-bound")?.innerText ?? ""), null, { timeout: 60_000 });
  await clean(at, "search, running");
  const { points } = (await call(at, "state")).body.work;
  const costs = points.map((it) => it[1]).filter((it) => it !== null);
  assert.ok(costs.length && costs.every((cost, at) => at === 0 || cost <= costs[at - 1]));
  const before = Date.now();
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.querySelector(".danger") === null, null, { timeout: 20_000 });
  const state = await quiet(at);
  assert.ok(Date.now() - before < 10_000, `stopped after ${Date.now() - before} ms`);
  assert.ok(state.answer.made && state.answer.released > 0);
});

tab("7, 8: alternatives, records that are left out, risk", async (at) => {
  const { page } = at;
  await opened(at, path.join(folder(1500), "people.csv"));
  await at.to("/alternatives");
  await call(at, "begin-compare", { methods: ["mondrian", "auto:kind=global"], ks: [3, 10], seconds: 5 });
  await quiet(at);
  await page.waitForFunction(() => document.querySelectorAll("#plane .point").length > 1);
  await page.focus("#plane");
  await page.keyboard.press("ArrowRight");
  await page.waitForSelector("#chosen");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#chosen .tag.good", { timeout: 60_000 });
  await call(at, "spec", { goal: { "max-suppressed": "30%" }, algorithm: { method: "datafly" }, columns: { age: { hierarchy: { intervals: [5, 10, 40] } } } });
  await quiet(at);
  assert.equal((await call(at, "search")).status, 200);
  assert.ok((await quiet(at)).answer.suppressed > 0, "rows are left out");
  await at.to("/release");
  await page.waitForSelector(".tiles");
  await page.click("#tab-suppressed");
  await page.waitForSelector("#withheld-sizes");
  assert.deepEqual((await call(at, "withheld")).body.classes, [], "nobody is listed unasked");
  await at.to("/risk");
  await page.waitForSelector("#begin-attack:not([disabled])", { timeout: 60_000 });
  await clean(at, "risk");
});

tab("9: what is saved is what the command line writes from the spec and the seed, to the last byte", async (at) => {
  const { page } = at;
  const place = folder(2500);
  await opened(at, path.join(place, "people.csv"));
  await at.to("/goals");
  await page.click("text=Next: Search");
  await page.click("text=Next: Release", { timeout: 120_000 });
  await page.click("text=Next: Finish");
  await page.click("#write");
  await page.waitForSelector("#verdict", { timeout: 60_000 });
  await clean(at, "finish, written");
  for (const what of ["Release", "Spec", "Seed"]) {
    const { name, bytes } = await saved(at, () => page.click(`#verdict ~ table button:has-text("Save ${what}")`));
    // A browser saves what others may read; the command takes no key that they can.
    fs.writeFileSync(path.join(place, name), bytes, { mode: 0o600 });
  }
  await page.click("button:has-text('Look')");
  const report = page.frameLocator("dialog iframe");
  await report.locator("h1").waitFor();
  await page.click("dialog >> text=Close");
  const again = path.join(place, "again.csv");
  incrowd("run", path.join(place, "people.release.spec.toml"), "--seed-file", path.join(place, "people.release.seed"), "-o", again, "--no-report", "--quiet");
  assert.ok(fs.readFileSync(again).equals(fs.readFileSync(path.join(place, "people.release.csv"))), "the same bytes");
});

tab("a project is kept where somebody asks for it, and goes on after the tab was closed", async (at) => {
  const { page } = at;
  const place = folder(800);
  await opened(at, path.join(place, "people.csv"));
  await at.to("/");
  await page.check("#keep-projects");
  await call(at, "spec", { privacy: { k: 7 } });
  await quiet(at);
  await page.waitForTimeout(500);
  await page.reload();
  await page.waitForSelector("#projects");
  const state = await open(at, path.join(place, "people.csv"));
  assert.equal(state.spec.privacy.k, 7);
  await at.to("/");
  await page.uncheck("#keep-projects");
  await page.waitForTimeout(300);
  await page.reload();
  await page.waitForSelector(".rail");
  assert.equal(await page.locator("#projects").count(), 0);
});

tab("10: nothing can be reached from the page", async (at) => {
  const { page } = at;
  const tried = await page.evaluate(async () => {
    const how = {
      fetch: () => fetch("https://example.org/"),
      image: () => new Promise((done, failed) => { const it = new Image(); it.onload = done; it.onerror = () => failed(new Error()); it.src = "https://example.org/x.png"; }),
      socket: () => new Promise((done, failed) => { const it = new WebSocket("wss://example.org/"); it.onopen = done; it.onerror = () => failed(new Error()); }),
      script: () => new Promise((done) => { globalThis.broken = 0; const it = document.createElement("script"); it.textContent = "globalThis.broken = 1"; document.body.append(it); setTimeout(() => { if (globalThis.broken) done(); else done(Promise.reject(new Error())); }, 50); }),
    };
    const done = [];
    for (const [name, go] of Object.entries(how)) await go().then(() => done.push(name), () => {});
    return done;
  });
  assert.deepEqual(tried, []);
  assert.ok(at.messages.filter((it) => /Content Security Policy/.test(it)).length >= 3, at.messages.join("\n"));
});
