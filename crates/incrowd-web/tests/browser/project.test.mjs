// Nothing is lost: projects, their releases, and what happens when the process is killed.

import { after, test } from "node:test";
import { strict as assert } from "node:assert";
import fs from "node:fs";
import path from "node:path";
import { call, clean, close, folder, opened, quiet, start } from "./helper.mjs";

after(close);

/** Searches by a quick method. */
async function searched(at, k) {
  await call(at, "spec", { privacy: { k }, algorithm: { method: "mondrian" } });
  await quiet(at);
  assert.equal((await call(at, "search")).status, 200);
  const state = await quiet(at);
  assert.ok(state.answer?.made, JSON.stringify(state.error ?? state.answer));
  return state;
}

/** What must be there again. */
function essence(state) {
  const releases = state.project.releases.map(({ present, ...rest }) => rest);
  const { cost, achieved_k: k, released } = state.answer;
  return { toml: state.toml, undo: state.undo, redo: state.redo, name: state.project.name, notes: state.project.notes, releases, answer: { cost, k, released } };
}

/** A killed process has said nothing to anybody. */
function expectLoss(at) {
  at.messages.splice(0);
}

test("killed and opened again, a project is as it was five seconds before", async () => {
  const place = folder(1500);
  const first = await opened(path.join(place, "people.csv"));
  let before;
  try {
    const { page } = first;
    await searched(first, 8);
    await searched(first, 4);
    await first.to("/project");
    await page.fill("#notes", "the clinic wants k = 4");
    await page.locator("#notes").blur();
    await page.waitForFunction(() => document.querySelector("#to-project")?.textContent?.includes("saved, 2 releases"));
    await clean(first, "project");
    before = essence(await quiet(first));
    await new Promise((go) => setTimeout(go, 5000));
    first.server.kill("SIGKILL");
    expectLoss(first);
  } finally {
    await first.end();
  }
  const file = path.join(place, "people.csv.incrowd");
  assert.equal(fs.statSync(file).mode & 0o777, 0o600);
  const again = await start(place);
  const { page } = again;
  try {
    await page.waitForSelector("#projects");
    await clean(again, "open, with a project");
    await page.click("#projects button >> text=Open");
    await page.waitForURL("**/columns");
    assert.deepEqual(essence(await quiet(again)), before);
    await again.to("/project");
    assert.equal(await page.inputValue("#notes"), "the clinic wants k = 4");
    // Renamed, then deleted.
    await page.fill("#project-name", "Clinic");
    await page.locator("#project-name").blur();
    await page.waitForFunction(() => document.querySelector("#project")?.textContent?.includes("Clinic.incrowd"));
    assert.ok(fs.existsSync(path.join(place, "Clinic.incrowd")) && !fs.existsSync(file));
    page.once("dialog", (dialog) => dialog.accept());
    await page.click("#delete-project");
    await page.waitForFunction(() => document.querySelector("#app h1")?.textContent === "Open a table");
    assert.ok(!fs.existsSync(path.join(place, "Clinic.incrowd")) && fs.existsSync(path.join(place, "people.csv")));
  } finally {
    await again.end();
  }
});

test("another table, another encoding, another delimiter: what was decided is there again", async () => {
  const place = folder(800);
  fs.copyFileSync(path.join(place, "people.csv"), path.join(place, "other.csv"));
  const at = await opened(path.join(place, "people.csv"));
  const { page } = at;
  try {
    const state = await searched(at, 6);
    const before = essence(state);
    const open = async (name) => {
      await at.to("/");
      await page.fill("#path", name);
      await page.keyboard.press("Enter");
      await page.waitForURL("**/columns");
      return quiet(at);
    };
    assert.equal((await open("other.csv")).undo, false);
    assert.deepEqual(essence(await open("people.csv")), before);
    await at.to("/");
    await page.selectOption("#file-encoding", "utf-8");
    await page.waitForFunction(() => document.querySelector("#to-project"));
    let now = await quiet(at);
    for (let tries = 0; now.spec.data.encoding !== "utf-8" && tries < 100; tries += 1) {
      await new Promise((go) => setTimeout(go, 50));
      now = await quiet(at);
    }
    assert.deepEqual([now.spec.data.encoding, now.spec.privacy.k, now.undo], ["utf-8", 6, true]);
    assert.deepEqual(now.spec.columns, state.spec.columns);
    // Semicolons leave one column: nothing changes before somebody says so.
    await page.selectOption("#file-delimiter", ";");
    await page.waitForSelector("#read-anew");
    assert.equal((await quiet(at)).spec.privacy.k, 6);
    await clean(at, "open, read otherwise");
    await page.click("#read-anew button");
    await page.waitForFunction(() => document.querySelector("#to-project")?.textContent?.includes("nothing to save"));
    assert.equal((await quiet(at)).file.columns, 1);
    assert.equal((await open("people.csv")).spec.privacy.k, 6);
    // The spec is there to be saved before any search.
    await at.to("/project");
    const [saved] = await Promise.all([page.waitForEvent("download"), page.click("#save-spec")]);
    assert.match(fs.readFileSync(await saved.path(), "utf8"), /k = 6/);
    // Made-up people are not kept, and whoever leaves them is asked.
    await at.to("/");
    await page.click("text=Try made-up people");
    await page.waitForURL("**/columns");
    await quiet(at);
    await call(at, "spec", { privacy: { k: 9 } });
    await at.to("/");
    const asked = [];
    page.once("dialog", (dialog) => { asked.push(dialog.message()); dialog.dismiss(); });
    await page.fill("#path", "people.csv");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelector("#path"));
    assert.match(asked[0] ?? "", /not kept/);
    assert.equal((await quiet(at)).file.made_up, true);
  } finally {
    await at.end();
  }
});

test("two releases are compared, and the first one is written", async () => {
  const place = folder(1200);
  const at = await opened(path.join(place, "people.csv"));
  const { page } = at;
  try {
    await searched(at, 15);
    const second = await searched(at, 3);
    const [one] = second.project.releases;
    await at.to("/project");
    await page.waitForSelector("#pair-rows tbody tr");
    assert.match(await page.innerText("#pair-figures"), /Asked for: k\s+15\s+3\s+−12/);
    assert.match(await page.innerText("#pair-columns"), /→/);
    const changed = await page.locator("#pair-rows td.changed").count();
    assert.ok(changed > 0, "rows differ");
    await clean(at, "project, two releases");
    // Undo goes back to the first question and to its release.
    await page.focus("h1");
    for (let step = 0; step < 4 && (await quiet(at)).answer.k !== 15; step += 1) {
      await Promise.all([page.waitForResponse((it) => it.url().endsWith("/api/undo")), page.keyboard.press("Control+z")]);
    }
    const undone = await quiet(at);
    assert.deepEqual([undone.answer.cost, undone.answer.stale], [one.figures.cost, false]);
    await call(at, "take-release", { id: second.project.releases[1].id });
    await quiet(at);
    await at.to("/project");
    await page.click(`tr[data-release="${one.id}"] button[data-do=write]`);
    await page.waitForURL("**/finish");
    await page.fill("#output", "first.csv");
    await page.click("text=Write and verify");
    await page.waitForFunction(() => document.querySelector(".bar")?.textContent?.includes("verified and written"));
    const state = await quiet(at);
    assert.deepEqual([state.written.achieved_k, state.project.releases[0].written[0]], [one.figures.achieved_k, "first.csv"]);
    const lines = fs.readFileSync(path.join(place, "first.csv"), "utf8").trimEnd().split("\n");
    assert.equal(lines.length - 1, one.figures.released);
  } finally {
    await at.end();
  }
});
