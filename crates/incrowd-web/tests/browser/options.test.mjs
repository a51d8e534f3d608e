// All options: what the command line can ask, with an explanation beside every field.

import { after, test } from "node:test";
import { strict as assert } from "node:assert";
import path from "node:path";
import { call, clean, close, folder, opened, quiet } from "./helper.mjs";

after(close);

test("every option of a spec has a field with its explanation, and is set, refused and taken back", async () => {
  const place = folder(600);
  const at = await opened(path.join(place, "people.csv"));
  const { page } = at;
  const fill = async (id, text) => {
    await page.fill(`#${id}`, text);
    await page.locator(`#${id}`).blur();
  };
  try {
    await at.to("/");
    await page.click("#to-options");
    await page.waitForURL("**/options");
    await page.waitForSelector("#options-privacy");
    await clean(at, "options");
    const { schema } = (await call(at, "options")).body;
    const shown = new Set(await page.$$eval("[data-option]", (all) => all.map((it) => it.dataset.option)));
    for (const [section, name] of [["privacy", "PrivacySection"], ["columns", "ColumnSection"], ["goal", "GoalSection"], ["algorithm", "AlgorithmSection"]]) {
      for (const key of Object.keys(schema.$defs[name].properties)) assert.ok(shown.has(`${section}-${key}`) || `${section}.${key}` === "columns.role", `${section}.${key}`);
    }
    const silent = await page.$$eval("[data-option] .reason", (all) => all.filter((it) => (it.textContent ?? "").length < 8).length);
    assert.equal(silent, 0, "every field is explained");
    // A number, a text, a choice, a list and a model.
    await fill("privacy-max-risk", "0.1");
    await fill("goal-max-suppressed", "2%");
    await page.selectOption("#privacy-count-missing", "true");
    await page.selectOption("#option-column", "age");
    await fill("columns-cut-at", "18, 65");
    await fill("columns-weight", "2");
    // The last change may still be on its way.
    let { spec } = await quiet(at);
    for (let tries = 0; tries < 100 && spec.columns.age?.weight !== 2; tries++) {
      await page.waitForTimeout(100);
      ({ spec } = await quiet(at));
    }
    assert.deepEqual([spec.privacy["max-risk"], spec.goal["max-suppressed"], spec.privacy["count-missing"]], [0.1, "2%", true]);
    assert.deepEqual([spec.columns.age["cut-at"].map(Number), spec.columns.age.weight], [[18, 65], 2]);
    // What makes no sense is refused with a sentence, and changes nothing.
    await fill("columns-weight", "-1");
    await page.waitForSelector("main > .note.bad");
    assert.equal((await quiet(at)).spec.columns.age.weight, 2);
    at.messages.splice(0);
    await fill("columns-weight", "");
    await page.waitForFunction(() => !document.querySelector('[data-option="columns-weight"]')?.classList.contains("set"));
    // A field is found by its explanation.
    await fill("find-option", "earlier releases");
    await page.waitForFunction(() => document.querySelectorAll("[data-option]").length < 5);
    assert.ok(await page.isVisible("#data-earlier"));
    await clean(at, "options, found");
  } finally {
    await at.end();
  }
});

test("why not? Goals that cannot be met come with one-click repairs, which undo takes back", async () => {
  const place = folder(300);
  const at = await opened(path.join(place, "people.csv"));
  const { page } = at;
  try {
    await call(at, "spec", { privacy: { k: 200, "max-average-risk": 0.000001 } });
    await quiet(at);
    await at.to("/goals");
    await page.waitForSelector("#infeasible #repairs");
    await clean(at, "goals, repairs");
    await page.click("#repairs button >> text=Give up the limit of the average risk");
    await page.waitForSelector("#infeasible", { state: "detached" });
    const { spec } = await quiet(at);
    assert.deepEqual([spec.privacy.k, spec.privacy["max-average-risk"]], [200, undefined]);
    await page.focus("h1");
    await page.keyboard.press("Control+z");
    await page.waitForSelector("#infeasible");
  } finally {
    await at.end();
  }
});
