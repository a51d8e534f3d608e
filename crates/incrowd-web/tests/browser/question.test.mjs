// From a file to a question: open, columns, hierarchies, goals.

import { after, test } from "node:test";
import { strict as assert } from "node:assert";
import fs from "node:fs";
import path from "node:path";
import { call, clean, close, folder, incrowd, opened, quiet, start } from "./helper.mjs";

after(close);

test("1: a file is opened by the keyboard alone, and what cannot be opened gets a sentence", async () => {
  const place = folder(1000);
  const huge = path.join(place, "huge.csv");
  fs.writeFileSync(huge, "a,b\n");
  fs.truncateSync(huge, 1 << 30);
  const at = await start(place);
  const { page } = at;
  try {
    await clean(at, "open, empty");
    await page.waitForSelector(".entry");
    assert.equal(await page.evaluate(() => document.activeElement?.id), "path");
    const refused = async (typed, words) => {
      await page.fill("#path", typed);
      await page.keyboard.press("Enter");
      await page.waitForSelector(`.note.bad >> text=${words}`);
    };
    await refused("nobody.csv", "no file nobody.csv");
    await refused("../../etc/passwd", "outside the folder");
    await refused("hierarchies", "is a folder");
    await clean(Object.assign(at, { messages: at.messages.filter((it) => !it.includes("422")) }), "open, refused");
    await page.fill("#path", "huge.csv");
    const asked = page.waitForResponse("**/api/open");
    await page.keyboard.press("Enter");
    await asked;
    // Read or refused: the page answers all the while.
    await page.waitForFunction(() => document.querySelector(".reading, .note.bad"));
    await page.keyboard.press("Escape");
    await quiet(at);
    await page.fill("#path", "");
    await page.keyboard.type("peop");
    await page.waitForFunction(() => document.querySelectorAll(".entry").length === 1);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/columns");
    await page.waitForSelector(".live b");
    assert.equal(await page.evaluate(() => document.activeElement?.tagName), "H1");
  } finally {
    await at.end();
  }
});

test("a table that is open before the server has said so leads on to its columns", async () => {
  const place = folder(100);
  const at = await start(place);
  const { page } = at;
  try {
    // The state is asked for when the table is open already.
    await page.route("**/api/state", async (route) => {
      await quiet(at);
      await route.continue();
    });
    await page.fill("#path", "people.csv");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/columns");
    await page.goBack();
    await page.click("text=Try made-up people");
    await page.waitForURL("**/columns");
  } finally {
    await at.end();
  }
});

test("2: a role changes, and the share of unique rows follows; an undecided column holds everything up", async () => {
  const place = folder(3000);
  const at = await start(path.join(place, "people.csv"));
  const { page } = at;
  try {
    await quiet(at);
    await at.to("/columns");
    await page.waitForSelector(".live b");
    const { body } = await call(at, "state");
    const quasi = body.columns.filter((it) => it.role === "quasi").map((it) => it.name);
    const told = (names) => JSON.parse(incrowd("risk", path.join(place, "people.csv"), "--quasi", names.join(","), "--json")).unique_share;
    const share = () => page.$eval(".live b", (it) => Number(it.dataset.share));
    assert.equal(await share(), told(quasi));
    const [first, ...rest] = quasi;
    const before = Date.now();
    const expected = told(rest);
    await page.focus(`tr[data-column="${first}"] input[value=quasi]`);
    // Released as it is others know it all the same: the headline is no better.
    await page.keyboard.press("5");
    await page.waitForSelector("#still-known");
    assert.match(await page.innerText("#still-known"), new RegExp(first));
    assert.equal(await share(), told(quasi));
    await page.focus(`tr[data-column="${first}"] input[value=plain]`);
    await page.keyboard.press("1");
    await page.waitForFunction((it) => Number(document.querySelector(".live b")?.dataset.share) === it, expected, { timeout: 10_000 });
    assert.ok(Date.now() - before < 10_000);
    await clean(at, "columns");
    await call(at, "spec", { columns: { [first]: { role: "undecided" } } });
    await page.waitForSelector("#undecided");
    assert.ok(await page.isDisabled(".head button"));
    await clean(at, "columns, undecided");
    const refused = await call(at, "search");
    assert.equal(refused.status, 422);
    assert.match(refused.body.error.message, /undecided/);
    await page.keyboard.press("Control+z");
    await page.waitForSelector("#undecided", { state: "detached" });
  } finally {
    await at.end();
  }
});

test("3: a plain column that tells a quasi one is named with it", async () => {
  const place = folder(10);
  const towns = ["Aachen", "Berlin", "Celle", "Dresden", "Essen", "Fulda"];
  const rows = Array.from({ length: 1200 }, (_, row) => `${18 + (row * 7) % 60},${10000 + (row * 13) % 6},${towns[(row * 13) % 6]},${["a", "b", "c"][Math.floor((row * 7919) / 6) % 3]}`);
  fs.writeFileSync(path.join(place, "towns.csv"), `age,zip,town,group\n${rows.join("\n")}\n`);
  const at = await start(path.join(place, "towns.csv"));
  const { page } = at;
  try {
    await quiet(at);
    await call(at, "spec", { columns: { age: { role: "quasi" }, zip: { role: "quasi" }, town: { role: "quasi" }, group: { role: "plain" } } });
    await quiet(at);
    await at.to("/columns");
    await page.waitForSelector(".live b");
    assert.equal(await page.locator("#tells").count(), 0);
    await page.check('tr[data-column="town"] input[value=plain]', { force: true });
    await page.waitForSelector("#tells");
    const words = await page.innerText("#tells");
    assert.match(words, /town/);
    assert.match(words, /zip/);
    await clean(at, "columns, undone");
  } finally {
    await at.end();
  }
});

test("4: groups are joined by the keyboard, undone and done again; what is exported is sound", async () => {
  const place = folder(1500);
  const at = await opened(path.join(place, "people.csv"));
  const { page } = at;
  try {
    const { body } = await call(at, "state");
    const text = body.columns.find((it) => it.role === "quasi" && /text|boolean/.test(it.kind) && it.distinct > 3 && it.distinct < 40);
    assert.ok(text, "a column of words");
    await at.to(`/columns/${encodeURIComponent(text.name)}`);
    await page.waitForSelector("#start-tree, #tree");
    if (await page.locator("#start-tree").count()) await page.click("#start-tree");
    await page.waitForSelector("#tree");
    await quiet(at);
    const level = () => page.$$eval("#effects tbody tr", (rows) => rows.map((row) => row.innerText));
    const before = await level();
    const root = page.locator("#tree > [role=treeitem]");
    await root.focus();
    const groups = () => page.locator("#tree [role=group] > [role=treeitem]").count();
    const many = await groups();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("j");
    await page.waitForFunction((it) => document.querySelectorAll("#tree [role=group] > [role=treeitem]").length === it - 1, many);
    await quiet(at);
    await page.waitForFunction((it) => document.querySelector("#effects tbody")?.innerText !== it, before.join("\n"));
    await clean(at, "hierarchy");
    await page.keyboard.press("Control+z");
    await page.waitForFunction((it) => document.querySelectorAll("#tree [role=group] > [role=treeitem]").length === it, many);
    await page.keyboard.press("Control+Shift+z");
    await page.waitForFunction((it) => document.querySelectorAll("#tree [role=group] > [role=treeitem]").length === it - 1, many);
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("text=Export (ARX CSV)")]);
    const file = path.join(place, "exported.csv");
    await download.saveAs(file);
    const checked = incrowd("hierarchy", "check", file, "--data", path.join(place, "people.csv"), "--column", text.name);
    assert.match(checked, /sound/);
  } finally {
    await at.end();
  }
});

test("5: goals that cannot be met are told before any search", async () => {
  const place = folder(1200);
  const at = await opened(path.join(place, "people.csv"));
  const { page } = at;
  try {
    await at.to("/goals");
    await page.waitForSelector("#k");
    await clean(at, "goals");
    const k = async (value) => {
      await page.fill("#k", String(value));
      await page.keyboard.press("Enter");
      await page.keyboard.press("Tab");
    };
    await k(5000);
    await page.waitForSelector("#refused, #infeasible");
    assert.ok(await page.isDisabled(".head .main"));
    await clean(at, "goals, k too large");
    await k(5);
    await page.waitForSelector("#refused, #infeasible", { state: "detached" });
    const { body } = await call(at, "state");
    const sensitive = body.columns.find((it) => it.role === "sensitive");
    await call(at, "spec", { privacy: { "l-diversity": { column: sensitive.name, l: sensitive.distinct + 1 } } });
    await page.waitForSelector("#infeasible");
    assert.match(await page.innerText("#infeasible"), /even one class of all/);
    await clean(at, "goals, infeasible");
    await call(at, "spec", { privacy: { "l-diversity": { column: sensitive.name, l: 2 } } });
    await page.waitForSelector("#infeasible", { state: "detached" });
  } finally {
    await at.end();
  }
});
