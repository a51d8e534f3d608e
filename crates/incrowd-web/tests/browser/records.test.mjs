// Records at risk: listed, filtered, sorted, veiled, explained.

import { after, test } from "node:test";
import { strict as assert } from "node:assert";
import path from "node:path";
import { call, clean, close, folder, opened, quiet } from "./helper.mjs";

after(close);

test("records are listed by their crowd, veiled until asked, sorted, paged and explained", async () => {
  const place = folder(1200);
  const at = await opened(path.join(place, "people.csv"));
  const { page } = at;
  try {
    await at.to("/columns");
    await page.waitForSelector(".live b");
    const alone = Number((await page.locator(".live b").nth(1).innerText()).replaceAll(",", ""));
    await page.click(".live >> text=Which?");
    await page.waitForSelector("#records tbody tr");
    await clean(at, "records");
    assert.deepEqual([...new Set(await page.$$eval("#records tbody td:nth-child(n+3):not(:last-child)", (all) => all.map((it) => it.textContent)))], ["•••"]);
    await page.selectOption("#records-crowd", "1");
    await page.waitForFunction((it) => document.querySelector("#records-told")?.textContent?.includes(`of ${it.toLocaleString("en-US")} row`), alone);
    await page.check("#show-values");
    await page.waitForFunction(() => !document.querySelector("#records tbody")?.textContent?.includes("•••"));
    await page.selectOption("#records-crowd", "");
    await page.click("#records .sort >> text=age");
    const ages = async () => {
      const column = (await page.$$eval("#records thead th", (all) => all.map((it) => it.innerText))).findIndex((it) => it.startsWith("age")) + 1;
      return page.$$eval(`#records tbody td:nth-child(${column})`, (all) => all.map((it) => Number(it.textContent)));
    };
    await page.waitForFunction(() => document.querySelector("#records th[aria-sort=ascending]")?.textContent?.startsWith("age"));
    await page.waitForFunction(() => document.querySelector("#records-told")?.textContent?.startsWith("1 to 50 of 1,200"));
    // The rows come a moment after the mark of the column.
    const sorted = async (order) => {
      for (let tries = 0; ; tries += 1) {
        const found = await ages();
        const wanted = [...found].sort(order);
        if (tries === 100 || (found.length && found.join() === wanted.join())) return assert.deepEqual(found, wanted);
        await page.waitForTimeout(50);
      }
    };
    await sorted((a, b) => a - b);
    await page.click("#records .sort >> text=age");
    await page.waitForFunction(() => document.querySelector("#records th[aria-sort=descending]")?.textContent?.startsWith("age"));
    await sorted((a, b) => b - a);
    await page.fill("#records-to", "1151");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelector("#records-told")?.textContent?.startsWith("1,151 to 1,200"));
    await page.click("#records >> text=Why? >> nth=0");
    await page.waitForSelector("#record");
    await clean(at, "records, one explained");
    // After a search it is told what became of each.
    await call(at, "spec", { algorithm: { method: "mondrian" } });
    await quiet(at);
    await call(at, "search");
    const { answer } = await quiet(at);
    await page.waitForSelector("#records-fate");
    await page.selectOption("#records-fate", "released");
    await page.waitForFunction((it) => document.querySelector("#records-told")?.textContent?.includes(`of ${it.toLocaleString("en-US")} row`), answer.released, { timeout: 20_000 });
    // From the chart of crowds to the rows behind a bar.
    await at.to("/release");
    await page.click("#tab-classes");
    await page.click(".bars button.link >> nth=0");
    await page.waitForURL("**/records");
    await page.waitForSelector("#records tbody tr");
  } finally {
    await at.end();
  }
});

test("usefulness tells pairs, summaries, loss by column and who pays", async () => {
  const place = folder(1500);
  const at = await opened(path.join(place, "people.csv"));
  const { page } = at;
  try {
    await call(at, "spec", { algorithm: { method: "mondrian" } });
    await quiet(at);
    await call(at, "search");
    await quiet(at);
    await at.to("/use");
    await page.waitForSelector("#associations tbody tr", { timeout: 90_000 });
    await page.waitForSelector("#summaries tbody tr");
    await page.waitForSelector("#loss-by-column tbody tr");
    await page.waitForSelector("#subgroups");
    const groups = await page.innerText("#subgroups");
    assert.ok(!/Female|Male|Widowed/.test(groups), "values are veiled");
    await clean(at, "usefulness");
  } finally {
    await at.end();
  }
});

test("what is compared can be chosen, and two releases are compared by the keyboard", async () => {
  const place = folder(600);
  const at = await opened(path.join(place, "people.csv"));
  const { page } = at;
  try {
    await at.to("/alternatives");
    await page.click("#compare-what summary");
    await page.fill("#compare-k", "3, x");
    await page.click("text=Compare >> nth=0");
    await page.click(".head button");
    await page.waitForSelector("#compare-what .note.bad");
    await page.fill("#compare-k", "3, 8");
    await page.fill("#compare-seconds", "5");
    await page.check('#compare-what input[value="mondrian"]');
    await clean(at, "alternatives, what to compare");
    await page.click(".head button");
    await page.waitForSelector("#plane");
    await quiet(at);
    const { body } = await call(at, "alternatives");
    assert.deepEqual(body.points.map((it) => [it.method, it.k]), [["mondrian", 3], ["mondrian", 8]]);
    await page.focus("#plane");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press(" ");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.waitForSelector("#versus");
    await clean(at, "alternatives, compared");
  } finally {
    await at.end();
  }
});
