// What approvers ask for: goals in their words, treatments of columns, attacks, forms and the record.

import { after, test } from "node:test";
import { strict as assert } from "node:assert";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { binary, call, clean, close, folder, opened, quiet, start } from "./helper.mjs";

after(close);

/** Types into a field and leaves it. */
async function fill(page, where, text) {
  await page.fill(where, text);
  await page.locator(where).blur();
}

/** A refusal is an answer that browsers tell the console about. */
function expectRefusal(at) {
  const [told] = at.messages.splice(0);
  assert.match(told ?? "", /422/);
}

/** Searches by a quick method. */
async function searched(at) {
  await call(at, "spec", { algorithm: { method: "mondrian" } });
  await quiet(at);
  assert.equal((await call(at, "search")).status, 200);
  const state = await quiet(at);
  assert.ok(state.answer?.made, JSON.stringify(state.error ?? state.answer));
  return state;
}

/** Visits of patients, two for each. */
function visits() {
  const place = folder(10);
  const towns = ["Aachen", "Berlin", "Celle", "Dresden", "Essen", "Fulda"];
  const rows = Array.from({ length: 1200 }, (_, row) => {
    const person = Math.floor(row / 2);
    // Dates and illnesses have nothing to do with people.
    const chance = (salt) => Math.imul(row * 31 + salt, 2_654_435_761) >>> 13;
    return `Zed Smith${person},P${String(person).padStart(4, "0")},1000${person % 6},${towns[person % 6]},${20 + (person * 7) % 45},2024-${String(1 + (chance(1) % 12)).padStart(2, "0")}-${String(1 + (chance(2) % 28)).padStart(2, "0")},${["flu", "cold", "gout"][chance(3) % 3]}`;
  });
  fs.writeFileSync(path.join(place, "visits.csv"), `name,patient,zip,town,age,admitted,ill\n${rows.join("\n")}\n`);
  return place;
}

async function openedVisits() {
  const place = visits();
  const at = await start(path.join(place, "visits.csv"));
  await quiet(at);
  const roles = { name: "identifying", patient: "identifying", zip: "quasi", town: "identifying", age: "quasi", admitted: "identifying", ill: "sensitive" };
  const columns = Object.fromEntries(Object.entries(roles).map(([name, role]) => [name, { role }]));
  assert.equal((await call(at, "spec", { columns, privacy: { k: 3, unit: "patient" } })).status, 200);
  await quiet(at);
  return { at, place };
}

test("goals: the answers go into the spec, risks are asked for in words, and what is out of reach is told at once", async () => {
  const place = folder(1200);
  const at = await opened(path.join(place, "people.csv"));
  const { page } = at;
  try {
    await at.to("/goals");
    await page.check("input[name=audience][value=agreement]");
    await page.check("input[name=harm][value=low]");
    await page.waitForSelector("text=Proposed: k = 5");
    await page.click("#guidance summary");
    assert.match(await page.innerText("#guidance"), /European Medicines Agency/);
    await page.click("#take");
    await page.waitForSelector("#context");
    const state = await quiet(at);
    assert.deepEqual(state.spec.context, { audience: "agreement", knowledge: "member", harm: "low" });
    assert.equal(state.spec.privacy.k, 5);
    await clean(at, "goals, with a context");
    // Reload keeps the answers.
    await page.reload();
    await page.waitForSelector("#context");
    assert.ok(await page.isChecked("input[name=harm][value=low]"));

    await fill(page, "#max-average-risk", "2");
    await page.waitForSelector("main > .note.bad >> text=at most 1");
    expectRefusal(at);
    await fill(page, "#max-average-risk", "0.00001");
    await page.waitForSelector("#infeasible");
    assert.match(await page.innerText("#infeasible"), /risk/);
    assert.ok(await page.isDisabled(".head .main"));
    await clean(at, "goals, a risk out of reach");
    await fill(page, "#max-average-risk", "0.08");
    await page.waitForSelector("#infeasible", { state: "detached" });
    await fill(page, "#max-at-risk", "5");
    await fill(page, "#known-columns", "3");
    const asked = (await quiet(at)).spec.privacy;
    assert.deepEqual([asked["max-average-risk"], asked["max-at-risk"], asked["known-columns"]], [0.08, "0.05@0.2", 3]);
    // A population must be there, and below the folder.
    await page.selectOption("#counted", "population");
    await page.waitForSelector("#refused >> text=population");
    await fill(page, "#population", "/etc/passwd");
    await page.waitForSelector("main > .note.bad >> text=outside the folder");
    expectRefusal(at);
    await fill(page, "#population", "people.csv");
    await page.waitForSelector("#refused", { state: "detached" });
    await clean(at, "goals, with a population");
    await page.selectOption("#counted", "sample");
    await page.waitForSelector("#sampling-fraction");
    assert.equal(await page.inputValue("#sampling-fraction"), "10");
    await page.selectOption("#counted", "rows");
    await fill(page, "#known-columns", "");
    await fill(page, "#max-at-risk", "");
    await quiet(at);
    await searched(at);
    await at.to("/release");
    await page.waitForSelector("#reached");
    assert.match(await page.innerText("#reached"), /Average risk 0\.0\d+, at most 0\.08 asked for/);
    assert.match(await page.innerText(".bar"), /Also asked\s+1 met/);
    await clean(at, "release, with what was asked for");
    await page.focus("h1");
    await at.to("/goals");
    await page.focus("h1");
    for (let step = 0; step < 3; step += 1) await page.keyboard.press("Control+z");
    await page.waitForFunction(() => document.querySelector("#known-columns")?.value === "3");
  } finally {
    await at.end();
  }
});

test("columns: what names people is replaced, a town follows its code, and breaks are moved by keyboard", async () => {
  const { at } = await openedVisits();
  const { page } = at;
  try {
    await call(at, "spec", { columns: { town: { role: "plain" } } });
    await quiet(at);
    await at.to("/columns");
    await page.waitForSelector("#tells");
    await page.click("#pairs summary");
    assert.match(await page.innerText("#pairs tbody"), /town/);
    await clean(at, "columns, pairs");
    await page.click("#tells button >> text=Let it follow zip");
    await page.waitForSelector("#tells", { state: "detached" });
    await page.click('tr[data-column="patient"] a');
    await page.waitForSelector("#treats");
    await page.focus("#treats input[value='']");
    await page.keyboard.press("ArrowDown");
    await page.waitForSelector("#domain");
    await page.click("text=Keep it");
    await page.waitForFunction(() => document.querySelector("#key-file")?.value === "pseudonyms.key");
    const state = await quiet(at);
    assert.equal(state.spec.privacy.linked, true);
    assert.equal(state.spec.columns.patient.treat, "pseudonym");
    await clean(at, "treatment of a unit");
    await at.to("/columns/admitted");
    await page.check("#treats input[value=shift]");
    await page.waitForSelector("#days");
    await fill(page, "#days", "60");
    await clean(at, "treatment of dates");
    assert.equal((await quiet(at)).spec.columns.admitted.treat, "shift:60");
    await at.to("/columns/age");
    await page.click("#add-break");
    await page.waitForSelector("[role=slider]");
    const before = (await quiet(at)).spec.columns.age.breaks[0];
    await page.focus("[role=slider]");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction((it) => document.querySelector("#breaks")?.value === String(it + 2), before);
    await clean(at, "break points");
    const slider = await page.locator("[role=slider] circle").boundingBox();
    await page.mouse.move(slider.x + 5, slider.y + 5);
    await page.mouse.down();
    await page.mouse.move(slider.x + 60, slider.y + 5, { steps: 4 });
    await page.mouse.up();
    await page.waitForFunction((it) => Number(document.querySelector("#breaks")?.value) > it + 2, before);
    await searched(at);
    await at.to("/release");
    await page.click("#tab-rows");
    await page.waitForSelector(".data tbody tr");
    const rows = await page.innerText(".data tbody");
    assert.ok(!/P0\d\d\d/.test(rows) && !rows.includes("Zed"), "no original is shown");
    await clean(at, "release, treated rows");
  } finally {
    await at.end();
  }
});

test("columns: Safe Harbor's list is applied with one click and taken back with one key", async () => {
  const { at } = await openedVisits();
  const { page } = at;
  try {
    await at.to("/columns");
    const before = (await quiet(at)).toml;
    await Promise.all([page.waitForResponse((it) => it.url().endsWith("/api/safe-harbor")), page.click("text=As Safe Harbor asks")]);
    let state = await quiet(at);
    for (let tries = 0; state.aside.includes("safe-harbor") && tries < 200; tries += 1) {
      await new Promise((go) => setTimeout(go, 50));
      state = await quiet(at);
    }
    const { columns } = state.spec;
    assert.deepEqual([columns.zip.treat, columns.age.top, columns.admitted["date-unit"]], ["zip3", 90, "year"]);
    await clean(at, "columns, safe harbor");
    await Promise.all([page.waitForResponse((it) => it.url().endsWith("/api/undo")), page.keyboard.press("Control+z")]);
    assert.equal((await quiet(at)).toml, before);
  } finally {
    await at.end();
  }
});

test("risk: a release is attacked, and so is the file of another tool", async () => {
  const { at, place } = await openedVisits();
  const { page } = at;
  try {
    // Another tool has left all but the names as it was.
    const rows = fs.readFileSync(path.join(place, "visits.csv"), "utf8").trimEnd().split("\n").map((line) => line.split(",").slice(1).join(","));
    fs.writeFileSync(path.join(place, "other-tool.csv"), `${rows.join("\n")}\n`);
    await call(at, "spec", { privacy: { k: 20 } });
    await searched(at);
    await at.to("/risk");
    await page.waitForSelector("#begin-attack:not([disabled])");
    await page.click("#begin-attack");
    await page.waitForSelector("#attacked", { timeout: 60_000 });
    assert.match(await page.innerText("#attacked .note"), /No attack found more/);
    assert.match(await page.innerText("#attacked tbody"), /Singling out[\s\S]*Linkability[\s\S]*Inference of ill/);
    await clean(at, "risk, attacked");
    await fill(page, "#attack-release", "other-tool.csv");
    await fill(page, "#attack-known", "zip, age, admitted");
    await page.click("#begin-attack");
    await page.waitForSelector("#attacked .note.bad", { timeout: 60_000 });
    assert.match(await page.innerText("#attacked .note"), /other-tool\.csv: The release exposes people/);
    await clean(at, "risk, another tool attacked");
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("text=Save as a page")]);
    assert.match(fs.readFileSync(await download.path(), "utf8"), /singling out/);
    await at.to("/use");
    await page.fill("#question", "age = 20..30 and zip = 10000, 10001");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#own-question tbody tr");
    await clean(at, "use, an own question");
  } finally {
    await at.end();
  }
});

test("finish: forms are filled in, saved and written, and the record holds", async () => {
  const { at, place } = await openedVisits();
  const { page } = at;
  try {
    await searched(at);
    await at.to("/finish");
    await page.fill("#output", "out.csv");
    await page.click("#write");
    await page.waitForSelector("#forms", { timeout: 60_000 });
    assert.match(await page.innerText("#harbor-standing"), /open/);
    await clean(at, "finish, forms");
    await fill(page, "#attest-R", "J. Doe looked at all columns");
    await page.waitForSelector('tr[data-item="R"] .tag >> text=attested');
    await fill(page, "#attest-knowledge", "J. Doe knows of nothing");
    await page.waitForSelector('tr[data-item="knowledge"] .tag >> text=attested');
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#forms tr:has-text('Croissant') button")]);
    assert.equal(download.suggestedFilename(), "out.croissant.json");
    const described = JSON.parse(fs.readFileSync(await download.path(), "utf8"));
    assert.ok(described["@context"]);
    await page.click("#write-forms");
    await page.waitForSelector("#forms-written");
    for (const name of ["safe-harbor.md", "clinical.md", "iso27559.md", "croissant.json"]) {
      const text = fs.readFileSync(path.join(place, `out.${name}`), "utf8");
      assert.ok(!text.includes("Zed"), name);
    }
    assert.match(fs.readFileSync(path.join(place, "out.safe-harbor.md"), "utf8"), /J\. Doe looked/);
    await page.fill("#approved-by", "J. Doe");
    await page.click("#put-on-record");
    await page.waitForSelector("#recorded", { timeout: 60_000 });
    assert.match(await page.innerText("#recorded"), /Approved by J\. Doe/);
    await clean(at, "finish, on record");
    const command = (await page.innerText("#verify-record")).replace(/^incrowd/, `"${binary}"`);
    const told = execFileSync("sh", ["-c", command], { cwd: place, encoding: "utf8" });
    assert.match(told, /number 1 of 1 on record, approved by J\. Doe/);
    fs.appendFileSync(path.join(place, "out.csv"), fs.readFileSync(path.join(place, "out.csv"), "utf8").split("\n")[1] + "\n");
    assert.throws(() => execFileSync("sh", ["-c", command], { cwd: place, stdio: "pipe" }));
    // What was written lies among the specs to go on with.
    await at.to("/");
    await page.waitForSelector("#recent >> text=out.spec.toml");
    await clean(at, "open, with recent specs");
  } finally {
    await at.end();
  }
});
