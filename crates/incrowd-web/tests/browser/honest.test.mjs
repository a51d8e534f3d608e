// No false comfort, no original value unasked: what the pages say before anybody has decided.

import { after, test } from "node:test";
import { strict as assert } from "node:assert";
import fs from "node:fs";
import path from "node:path";
import { call, clean, close, folder, opened, quiet, start } from "./helper.mjs";

after(close);

test("nothing is ticked before anybody has looked, and a project that was worked on is", async () => {
  const place = folder(400);
  const at = await opened(path.join(place, "people.csv"));
  const { page } = at;
  try {
    // What was decided by the test itself is a decision.
    for (let state = await quiet(at); state.undo; state = await quiet(at)) await call(at, "undo");
    const steps = async () => (await quiet(at)).steps;
    assert.notEqual((await steps()).columns.state, "done");
    assert.notEqual((await steps()).goals.state, "done");
    await at.to("/goals");
    await page.waitForSelector("#k");
    await page.waitForFunction(() => document.querySelector('.step[href="/goals"]')?.classList.contains("done") || document.querySelector('.step[href="/goals"]')?.classList.contains("todo") || document.querySelector('.step[href="/columns"]')?.classList.contains("todo"));
    await at.to("/columns");
    await page.waitForFunction(() => !document.querySelector('.step[href="/columns"] .step-note')?.textContent?.includes("guessed"));
  } finally {
    await at.end();
  }
});

test("k below 2, broken or empty is refused with a sentence; whoever is counted by rows is warned", async () => {
  const place = folder(400);
  const at = await opened(path.join(place, "people.csv"));
  const { page } = at;
  try {
    await at.to("/goals");
    await page.waitForSelector("#k");
    const before = (await quiet(at)).spec.privacy.k;
    for (const [typed, words] of [["0", /at least 2/], ["-3", /at least 2/], ["2.5", /whole number/], ["", /whole number/]]) {
      await page.fill("#k", typed);
      await page.locator("#k").blur();
      await page.waitForSelector("#k-says .note.bad");
      assert.match(await page.innerText("#k-says"), words);
      assert.equal((await quiet(at)).spec.privacy.k, before, `k stays with "${typed}"`);
      assert.equal(await page.inputValue("#k"), String(before), "the field shows what holds");
    }
    await page.fill("#k", "1");
    await page.locator("#k").blur();
    await page.waitForSelector("#k-says .note.bad >> text=hides nobody");
    await clean(at, "goals, k = 1");
    await page.selectOption("#unit", "row");
    await page.waitForSelector("#rows-only");
    await clean(at, "goals, rows only");
  } finally {
    await at.end();
  }
});

test("a column called after people is not guessed to be a quasi-identifier", async () => {
  const place = folder(10);
  const rows = Array.from({ length: 900 }, (_, row) => `${Math.floor(row / 9)},${20 + (row % 9)},${["a", "b"][row % 2]}`);
  fs.writeFileSync(path.join(place, "panel.csv"), `patient,age,group\n${rows.join("\n")}\n`);
  const at = await start(path.join(place, "panel.csv"));
  try {
    const state = await quiet(at);
    assert.equal(state.columns.find((it) => it.name === "patient").guessed, "identifying");
  } finally {
    await at.end();
  }
});

test("no page shows an original value, its length or its signs before it is asked to", async () => {
  const place = folder(10);
  const towns = ["Llanfairpwllgwyngyll", "Y", "Ål", "Zzyzx"];
  const rows = Array.from({ length: 400 }, (_, row) => `${18 + ((row * 7) % 60)},${towns[row % 4]},${["a", "b", "c"][row % 3]}`);
  fs.writeFileSync(path.join(place, "towns.csv"), `age,town,group\n${rows.join("\n")}\n`);
  const at = await start(path.join(place, "towns.csv"));
  const { page } = at;
  const hidden = async (where) => {
    const text = await page.evaluate(() => document.querySelector("main")?.innerText + [...document.querySelectorAll("main input, main option")].map((it) => it.value).join(" "));
    for (const town of towns.filter((it) => it.length > 1)) assert.ok(!text.includes(town), `${where} shows ${town}`);
  };
  try {
    await quiet(at);
    await call(at, "spec", { columns: { age: { role: "quasi" }, town: { role: "quasi" }, group: { role: "plain" } } });
    await quiet(at);
    await at.to("/");
    await page.waitForSelector("[aria-label='First rows'] td");
    const shapes = new Set(await page.$$eval("[aria-label='First rows'] tbody td", (all) => all.map((it) => it.textContent)));
    assert.deepEqual([...shapes], ["•••"], "every value looks alike");
    await hidden("open");
    await at.to("/columns/town");
    await page.click("#start-tree");
    await page.waitForSelector("#tree [role=treeitem] [role=treeitem]");
    await hidden("groups by hand");
    await page.locator("#tree > [role=treeitem]").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("j");
    await page.waitForSelector("#tree >> text=group 1");
    await hidden("groups that were joined");
    await clean(at, "groups by hand, veiled");
    await page.check("#show-values");
    await page.waitForSelector("#tree >> text=Zzyzx");
  } finally {
    await at.end();
  }
});

test("groups of groups, their order, and break points that are none", async () => {
  const place = folder(600);
  const at = await opened(path.join(place, "people.csv"));
  const { page } = at;
  try {
    await at.to("/columns/education");
    await page.waitForSelector("#start-tree, #tree");
    if (await page.locator("#start-tree").count()) await page.click("#start-tree");
    await page.waitForSelector("#tree");
    await quiet(at);
    const matrix = async () => (await call(at, "hierarchy", { column: "education" })).body.rows;
    const before = await matrix();
    await page.locator("#tree > [role=treeitem]").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press(" ");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press(" ");
    await page.keyboard.press("g");
    await page.waitForSelector("#tree >> text=group 1");
    await quiet(at);
    const grouped = await matrix();
    assert.equal(grouped[0].length, before[0].length + 1, "there is a level more");
    assert.equal(grouped.filter((row) => row.includes("group 1")).length, 2);
    // A third goes into it, without a mouse.
    await page.locator("#tree > [role=treeitem] > [role=group] > [role=treeitem]").nth(1).focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => document.activeElement?.getAttribute("aria-expanded") === "true");
    await page.keyboard.press("ArrowDown");
    await page.waitForSelector("#move-into");
    await page.selectOption("#move-into", { index: 1 });
    await page.waitForFunction(() => [...document.querySelectorAll("#tree .node")].some((node) => {
      const [, label, told] = [...node.children].map((it) => it.textContent ?? "");
      return label === "group 1" && told.startsWith("3 values");
    }));
    await quiet(at);
    assert.equal((await matrix()).filter((row) => row.includes("group 1")).length, 3);
    await clean(at, "groups of groups");
    // A hierarchy that does not fit takes nobody's place.
    fs.writeFileSync(path.join(place, "wrong.csv"), "x;y;*\nz;y;*\n");
    await page.fill("#import-path", "wrong.csv");
    await page.click("text=Import");
    await page.waitForSelector("main > .note.bad");
    assert.equal((await matrix()).filter((row) => row.includes("group 1")).length, 3, "the tree stays");
    fs.writeFileSync(path.join(place, "others.csv"), "planet\nMars\n");
    const refused = await call(at, "spec", { data: { population: "others.csv" } });
    assert.equal(refused.status, 422);
    assert.match(refused.body.error.message, /lacks the quasi-identifiers/);
    at.messages.splice(0);
    await at.to("/columns/age");
    await page.waitForSelector("#breaks");
    for (const [typed, words] of [["18, x", /no number/], ["-500", /cuts nothing/], ["30, 30", /twice/]]) {
      await page.fill("#breaks", typed);
      await page.locator("#breaks").blur();
      // What was wrong before stands there until the page is drawn anew.
      await page.locator("#breaks-fault", { hasText: words }).waitFor();
    }
    assert.equal((await quiet(at)).spec.columns.age.breaks, undefined);
    await page.fill("#breaks", "30, 50");
    await page.locator("#breaks").blur();
    await page.waitForFunction(() => document.querySelectorAll(".breaks .handle").length === 2);
    await clean(at, "break points");
  } finally {
    await at.end();
  }
});
