// From a question to a release: search, alternatives, release, finish, and who is kept out.

import { after, test } from "node:test";
import { strict as assert } from "node:assert";
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { call, clean, close, folder, incrowd, listenTo, opened, quiet, start } from "./helper.mjs";

after(close);

test("6: cost falls, the bound rises, Esc stops within a second, and the best so far is there", async () => {
  const place = folder(20_000);
  const at = await opened(path.join(place, "people.csv"));
  const { page } = at;
  try {
    await call(at, "spec", { goal: { metric: "dm" }, algorithm: { method: "optimal", "time-limit": null } });
    await quiet(at);
    await at.to("/search");
    await page.click(".head .main");
    await page.waitForSelector("#meter-cost");
    await page.waitForFunction(() => /\d/.test(document.querySelector("#meter-cost")?.innerText ?? "") && /\d/.test(document.querySelector("#meter-bound")?.innerText ?? ""), null, { timeout: 60_000 });
    await clean(at, "search, running");
    const { body } = await call(at, "state");
    const running = body.work;
    if (running) {
      const costs = running.points.map((it) => it[1]).filter((it) => it !== null);
      assert.ok(costs.every((cost, at) => at === 0 || cost <= costs[at - 1]));
      const bounds = running.points.map((it) => it[2]).filter((it) => it !== null);
      assert.ok(bounds.every((bound, at) => at === 0 || bound >= bounds[at - 1]));
      const before = Date.now();
      await page.keyboard.press("Escape");
      await page.waitForFunction(() => document.querySelector(".danger") === null, null, { timeout: 20_000 });
      const state = await quiet(at);
      assert.ok(Date.now() - before < 10_000, `stopped after ${Date.now() - before} ms`);
      assert.ok(state.answer.made && state.answer.released > 0);
    }
    await page.waitForSelector("text=Next: Release");
    await clean(at, "search, found");
  } finally {
    await at.end();
  }
});

test("7: a point of the plane becomes the release, and stays it after a reload", async () => {
  const place = folder(1500);
  const at = await opened(path.join(place, "people.csv"));
  const { page } = at;
  try {
    await at.to("/alternatives");
    await clean(at, "alternatives, empty");
    await call(at, "begin-compare", { methods: ["mondrian", "auto:kind=global"], ks: [3, 10], seconds: 5 });
    await page.waitForSelector("#plane");
    await quiet(at);
    await page.waitForFunction(() => document.querySelectorAll("#plane .point").length > 1);
    // Points may still be on their way to the page when the first key is pressed.
    for (let tries = 0; tries < 50 && !(await page.$("#chosen")); tries++) {
      await page.focus("#plane");
      await page.keyboard.press("ArrowRight");
      await page.waitForTimeout(200);
    }
    await page.waitForSelector("#chosen");
    await clean(at, "alternatives");
    const words = await page.innerText("#chosen strong");
    // At the last point an arrow leads nowhere: then back.
    for (let tries = 0; tries < 20 && (await page.innerText("#chosen strong")) === words; tries++) {
      await page.focus("#plane");
      await page.keyboard.press(tries % 2 ? "ArrowLeft" : "ArrowRight");
      await page.waitForTimeout(300);
    }
    assert.notEqual(await page.innerText("#chosen strong"), words);
    const [, method, k] = (await page.innerText("#chosen strong")).match(/^(.*), k (\d+)\./);
    await page.keyboard.press("Enter");
    await page.waitForSelector("#chosen .tag.good", { timeout: 60_000 });
    const state = await quiet(at);
    assert.equal(state.answer.k, Number(k));
    assert.ok(state.toml.includes(`method = "${method.split(":")[0]}"`), state.toml);
    assert.ok(state.answer.achieved_k >= Number(k));
    await page.reload();
    await page.waitForSelector("#chosen .tag.good");
    assert.match(await page.innerText(".bar"), /not yet written/);
    const click = page.locator("#plane g:has(> .point)").last();
    await click.click();
    await page.waitForSelector("#chosen");
  } finally {
    await at.end();
  }
});

test("8: why rows are left out; original values are hidden until asked for, and in no report", async () => {
  const place = folder(3000);
  // A person who cannot be mistaken for another.
  const lines = fs.readFileSync(path.join(place, "people.csv"), "utf8").trimEnd().split("\n");
  const header = lines[0].split(",");
  const race = header.indexOf("race");
  const row = lines[1].split(",");
  row[race] = "Zzyzxian";
  fs.writeFileSync(path.join(place, "people.csv"), `${[...lines, row.join(",")].join("\n")}\n`);
  const at = await opened(path.join(place, "people.csv"));
  const { page } = at;
  try {
    await call(at, "spec", { goal: { "max-suppressed": "30%" }, algorithm: { method: "datafly" }, columns: { age: { hierarchy: { intervals: [5, 10, 40] } } } });
    await quiet(at);
    assert.equal((await call(at, "search")).status, 200);
    const state = await quiet(at);
    assert.ok(state.answer?.made, JSON.stringify(state.error ?? state.answer));
    assert.ok(state.answer.suppressed > 0, "rows are left out");
    await at.to("/release");
    await page.waitForSelector(".tiles");
    await clean(at, "release, columns");
    await page.click("#tab-classes");
    await clean(at, "release, crowds");
    await page.click("#tab-suppressed");
    await page.waitForSelector("#withheld-sizes");
    assert.equal(await page.locator("#withheld").count(), 0, "nobody is listed unasked");
    assert.deepEqual((await call(at, "withheld")).body.classes, []);
    await clean(at, "release, left out, veiled");
    await page.check("#show-values");
    await page.click("#withheld tbody tr >> nth=0");
    await page.waitForFunction(() => document.querySelector("#reason")?.innerText.includes("k ="));
    const why = await page.innerText("#reason");
    assert.match(why, /Only \d+ rows would look alike here, and k = 5 asks for 5/);
    await clean(at, "release, left out");
    await page.uncheck("#show-values");
    await page.click("#tab-rows");
    await page.waitForSelector(".data tbody tr");
    assert.equal(await page.locator(".before-row").count(), 0);
    await clean(at, "release, rows");
    await page.check("#show-values");
    await page.waitForSelector(".before-row");
    assert.ok(await page.isVisible(".confidential-mark"));
    await clean(at, "release, rows with originals");
    assert.equal((await call(at, "finish", { output: "out.csv" })).status, 200);
    await quiet(at);
    const report = fs.readFileSync(path.join(place, "out.report.html"), "utf8");
    assert.ok(!report.includes("Zzyzx"), "the report names nobody's value");
  } finally {
    await at.end();
  }
});

test("9: what is written verifies, and the command line gives the same bytes; what fails leaves no file", async () => {
  const place = folder(2500);
  const at = await opened(path.join(place, "people.csv"));
  const { page } = at;
  try {
    await at.to("/goals");
    await page.click("text=Next: Search");
    await page.waitForURL("**/search");
    await page.click("text=Next: Release", { timeout: 90_000 });
    await page.click("text=Next: Finish");
    await page.waitForSelector("#output");
    await clean(at, "finish");
    await page.click("#write");
    await page.waitForSelector("#verdict", { timeout: 60_000 });
    await clean(at, "finish, written");
    const release = path.join(place, "people.release.csv");
    const state = await quiet(at);
    const quasi = state.columns.filter((it) => it.role === "quasi").map((it) => it.name);
    incrowd("verify", release, "-k", String(state.spec.privacy.k), "--quasi", quasi.join(","));
    const seed = path.join(place, "people.release.seed");
    assert.equal(fs.statSync(seed).mode & 0o777, 0o600);
    assert.ok(!fs.readFileSync(path.join(place, "people.release.spec.toml"), "utf8").includes("seed"));
    const again = path.join(place, "again.csv");
    incrowd("run", path.join(place, "people.release.spec.toml"), "--seed-file", seed, "-o", again, "--no-report", "--quiet");
    assert.ok(fs.readFileSync(again).equals(fs.readFileSync(release)), "the same bytes");
    assert.match(await page.innerText(".bar"), /verified and written/);
    // The table changes behind our back: what was found is not its release.
    fs.appendFileSync(path.join(place, "people.csv"), fs.readFileSync(path.join(place, "people.csv"), "utf8").split("\n")[1].replace(/^\d+/, "109") + "\n");
    await call(at, "finish", { output: "broken.csv" });
    const after = await quiet(at);
    assert.ok(after.error, "it is told");
    assert.ok(!fs.existsSync(path.join(place, "broken.csv")));
    assert.ok(!fs.existsSync(path.join(place, "broken.report.html")));
  } finally {
    await at.end();
  }
});

test("10: strangers are refused, a second tab follows, and after Quit the address is dead", async () => {
  const place = folder(500);
  const at = await opened(path.join(place, "people.csv"));
  const { page, origin, token, context } = at;
  const ask = (headers, method = "POST", where = "/api/state") => new Promise((told) => {
    const { port } = new URL(origin);
    const request = http.request({ host: "127.0.0.1", port, method, path: where, headers }, (answer) => {
      let body = "";
      answer.on("data", (part) => { body += part; });
      answer.on("end", () => told({ status: answer.statusCode, body, headers: answer.headers }));
    });
    request.end(method === "POST" ? "{}" : undefined);
  });
  try {
    const host = origin.slice(7);
    const good = { Host: host, Origin: origin, Authorization: `Bearer ${token}` };
    assert.equal((await ask(good)).status, 200);
    const strangers = [
      { ...good, Host: "evil.example" }, { ...good, Host: host.replace("127.0.0.1", "localhost") },
      { ...good, Origin: "http://127.0.0.1:1" }, { ...good, Origin: "https://evil.example" },
      { ...good, "Sec-Fetch-Site": "same-site" }, { ...good, "Sec-Fetch-Site": "cross-site" },
      { ...good, Authorization: "Bearer 0" }, { Host: host, Origin: origin }, { Host: host, Authorization: good.Authorization },
    ];
    for (const headers of strangers) {
      const { status, body } = await ask(headers);
      assert.equal(status, 403, JSON.stringify(headers));
      assert.ok(body.length > 0);
    }
    assert.equal((await ask({ Host: "evil.example" }, "GET", "/")).status, 403);
    // Pages of another port and of another site.
    const other = http.createServer((_, answer) => {
      answer.setHeader("Content-Type", "text/html");
      answer.end(`<title>other</title><iframe src="${origin}/"></iframe>`);
    });
    await new Promise((go) => other.listen(0, "127.0.0.1", go));
    const stranger = await context.newPage();
    await stranger.goto(`http://127.0.0.1:${other.address().port}/`);
    const got = await stranger.evaluate(async ([where, secret]) => {
      const tries = [
        fetch(`${where}/api/state`, { method: "POST", headers: { Authorization: `Bearer ${secret}` }, body: "{}" }),
        fetch(`${where}/`, { mode: "no-cors" }).then((answer) => { if (answer.type === "opaque") throw new Error("nothing to see"); return answer; }),
      ];
      const done = await Promise.allSettled(tries);
      const frame = document.querySelector("iframe");
      let inside = "";
      try { inside = frame.contentDocument?.body?.innerText ?? ""; } catch { inside = "closed"; }
      return { read: done.filter((it) => it.status === "fulfilled" && it.value.ok).length, inside };
    }, [origin, token]);
    assert.equal(got.read, 0);
    assert.ok(!got.inside.includes("Columns"));
    await stranger.close();
    other.close();
    // Code that is not a file of ours does not run.
    const ran = await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "globalThis.broken = true";
      document.body.append(script);
      return globalThis.broken === true;
    });
    assert.equal(ran, false);
    // A second tab follows.
    const second = await context.newPage();
    const messages = listenTo(second);
    await second.goto(`${origin}/goals#token=${token}`);
    await second.waitForSelector("#k");
    assert.ok(!second.url().includes("token"), "the address is cleaned");
    await call(at, "spec", { privacy: { k: 7 } });
    await second.waitForFunction(() => document.querySelector("#k")?.value === "7");
    assert.deepEqual(messages, []);
    await call(at, "quit");
    await new Promise((go) => setTimeout(go, 1500));
    await assert.rejects(fetch(origin));
  } finally {
    await at.end();
  }
});

test("eight clicks lead from an unknown file to a verified release, at 900 pixels in the dark, too", async () => {
  const place = folder(1500);
  for (const look of [{ width: 1280 }, { width: 900, scheme: "dark" }]) {
    const at = await start(place, look);
    const { page } = at;
    let clicks = 0;
    const click = async (where) => {
      clicks += 1;
      await page.click(where, { timeout: 90_000 });
    };
    try {
      await page.fill("#path", "people.csv");
      await click("main .row .main");
      await page.waitForURL("**/columns");
      await quiet(at);
      await page.waitForTimeout(300);
      if (await page.locator("#undecided button").count()) await click("#undecided button");
      await click("text=Next: Goals");
      await quiet(at);
      await clean(at, "goals");
      await click("text=Next: Search");
      await page.waitForURL("**/search");
      await click("text=Next: Release");
      await page.waitForSelector(".tiles");
      await clean(at, "release");
      await click("text=Next: Finish");
      await page.fill("#output", `out-${look.width}.csv`);
      await click("#write");
      await page.waitForSelector("#verdict", { timeout: 60_000 });
      await clean(at, "finish");
      assert.ok(clicks <= 8, `${clicks} clicks`);
    } finally {
      await at.end();
    }
  }
});

test("every page is clean, light and dark, wide and narrow, and so is the help", async () => {
  const place = folder(800);
  for (const look of [{ width: 1280 }, { width: 640, scheme: "dark" }, { width: 400 }, { width: 1920, scheme: "dark" }]) {
    const at = await opened(path.join(place, "people.csv"), look);
    const { page } = at;
    try {
      await call(at, "spec", { algorithm: { method: "mondrian" } });
      await quiet(at);
      await call(at, "search");
      await quiet(at);
      const pages = {
        "/": "[aria-label='First rows']", "/columns": ".live b", "/columns/age": "#effects table", "/goals": "#k", "/search": "#gap",
        "/alternatives": ".empty", "/release": ".tiles", "/risk": "tbody tr", "/use": "tbody tr", "/finish": "#output", "/again": "#recoding",
        "/records": "#records", "/options": "#options-privacy", "/project": "#notes",
      };
      for (const [where, shown] of Object.entries(pages)) {
        await at.to(where);
        await page.waitForSelector(shown, { timeout: 60_000 });
        await clean(at, where);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(wide <= 0, `${where} is ${wide} pixels too wide`);
      }
      await page.focus("h1");
      await page.keyboard.press("?");
      await page.waitForSelector("[role=dialog]");
      await page.waitForFunction(() => document.activeElement?.getAttribute("role") === "dialog");
      for (let tab = 0; tab < 6; tab += 1) await page.keyboard.press("Tab");
      assert.ok(await page.evaluate(() => Boolean(document.activeElement?.closest("[role=dialog]"))), "the keyboard stays in the help");
      await clean(at, "help");
      await page.keyboard.press("Escape");
      await page.waitForSelector("[role=dialog]", { state: "detached" });
    } finally {
      await at.end();
    }
  }
});

test("a table that needs a hierarchy gets one from a file, in eight clicks", async () => {
  const place = folder(1200);
  const at = await start(place);
  const { page } = at;
  let clicks = 0;
  const click = async (where) => {
    clicks += 1;
    await page.click(where, { timeout: 90_000 });
  };
  try {
    await page.fill("#path", "people.csv");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/columns");
    await quiet(at);
    await click('tr[data-column="education"] a');
    await page.waitForSelector("#import-path");
    await page.fill("#import-path", "hierarchies/education.csv");
    await click("text=Import");
    await page.waitForSelector("#tree");
    await clean(at, "hierarchy, imported");
    await click("text=Back to the columns");
    await click("text=Next: Goals");
    await quiet(at);
    await click("text=Next: Search");
    await click("text=Next: Release");
    await click("text=Next: Finish");
    await click("#write");
    await page.waitForSelector("#verdict", { timeout: 60_000 });
    assert.equal(clicks, 8);
    const spec = fs.readFileSync(path.join(place, "people.release.spec.toml"), "utf8");
    assert.match(spec, /rows = /);
  } finally {
    await at.end();
  }
});

test("the best so far is looked at while the search goes on, and the end of the search takes its place", async () => {
  const place = folder(20_000);
  const at = await opened(path.join(place, "people.csv"));
  const { page } = at;
  try {
    await call(at, "spec", { goal: { metric: "dm" }, algorithm: { method: "optimal", "time-limit": null } });
    await quiet(at);
    assert.equal((await call(at, "so-far")).status, 422);
    await at.to("/search");
    await page.click(".head .main");
    await page.waitForSelector("#so-far:not([disabled])", { timeout: 60_000 });
    await page.click("#so-far");
    await page.waitForURL(/\/release$/);
    await page.waitForSelector("#is-so-far", { timeout: 60_000 });
    const { body } = await call(at, "state");
    assert.equal(body.work?.kind, "search");
    assert.ok(body.answer.made && body.answer.so_far > 0 && body.answer.achieved_k >= body.answer.k);
    await page.click("#tab-rows");
    await page.waitForSelector("#tab-panel table tbody tr");
    await clean(at, "release, so far");
    // It cannot be written, and is no release of the project.
    assert.deepEqual(body.project.releases, []);
    assert.equal((await call(at, "finish", { output: "early.csv" })).status, 422);
    // What is worked out of it is not told of the release that the search ends with.
    await call(at, "begin-risk");
    for (let tries = 0; !(await call(at, "risk")).body.told; tries += 1) {
      assert.ok(tries < 300, "no risk is told");
      await new Promise((go) => setTimeout(go, 100));
    }
    await page.click("#is-so-far .danger");
    const state = await quiet(at);
    assert.ok(state.answer.made && state.answer.so_far === null && state.answer.cost <= body.answer.cost);
    assert.equal(state.project.releases.length, 1);
    assert.equal((await call(at, "risk")).body.told, null);
    await page.waitForSelector("#is-so-far", { state: "detached" });
  } finally {
    await at.end();
  }
});
