// What can be chosen before a file is opened, and what a second tab and a reload do.

import { after, test } from "node:test";
import { strict as assert } from "node:assert";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { call, clean, close, folder, listenTo, opened, quiet, start } from "./helper.mjs";

after(close);

/** A workbook with two sheets, as few bytes as will do. */
function workbook(file) {
  const cell = (text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
  const sheet = (rows) => `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${rows.map((row) => `<row>${row.map(cell).join("")}</row>`).join("")}</sheetData></worksheet>`;
  const parts = {
    "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/worksheets/sheet2.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>',
    "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Read me" sheetId="1" r:id="rId1"/><sheet name="People" sheetId="2" r:id="rId2"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet2.xml"/></Relationships>',
    "xl/worksheets/sheet1.xml": sheet([["Note"], ["The table is on the other sheet."]]),
    "xl/worksheets/sheet2.xml": sheet([["age", "sex"], ...Array.from({ length: 40 }, (_, row) => [String(20 + (row % 20)), row % 2 ? "F" : "M"])]),
  };
  const make = "import json, sys, zipfile\nwith zipfile.ZipFile(sys.argv[1], 'w') as book:\n  for name, text in json.load(sys.stdin).items(): book.writestr(name, text)";
  execFileSync("python3", ["-c", make, file], { input: JSON.stringify(parts) });
}

test("a workbook asks which sheet, and an encoding is chosen on the page", async () => {
  const place = folder(50);
  workbook(path.join(place, "clinic.xlsx"));
  // Bytes that are no UTF-8 and no Windows-1252.
  fs.writeFileSync(path.join(place, "old.csv"), Buffer.concat([Buffer.from("age,town\n"), ...Array.from({ length: 60 }, (_, row) => Buffer.concat([Buffer.from(`${20 + (row % 30)},`), Buffer.from([0xcf, 0xf0, 0xe0, 0x81, 0xe0, 0x0a])]))]));
  const at = await start(place);
  const { page } = at;
  try {
    await page.fill("#path", "clinic.xlsx");
    await page.waitForSelector("#which-sheet");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement?.textContent === "Read me");
    assert.equal((await quiet(at)).file, null, "nothing is opened by guessing");
    await clean(at, "open, which sheet");
    await page.click("#which-sheet >> text=People");
    await page.waitForURL("**/columns");
    const state = await quiet(at);
    assert.deepEqual([state.file.sheet, state.columns.map((it) => it.name)], ["People", ["age", "sex"]]);
    await at.to("/");
    await page.fill("#path", "old.csv");
    await page.keyboard.press("Enter");
    await page.waitForSelector("main > .note.bad");
    const words = await page.innerText("main > .note.bad");
    assert.ok(!words.includes("--"), `no command line on a page: ${words}`);
    assert.match(words, /How to read it/);
    await page.waitForSelector("#how-to-read[open]");
    at.messages.splice(0);
    await page.selectOption("#read-encoding", "windows-1251");
    await page.click("text=Open >> nth=0");
    await page.click("button.main >> text=Open").catch(() => {});
    await page.waitForURL("**/columns");
    assert.equal((await quiet(at)).file.encoding, "windows-1251");
  } finally {
    await at.end();
  }
});

test("a step opens in a tab of its own, and a report can be loaded again", async () => {
  const place = folder(500);
  const at = await opened(path.join(place, "people.csv"));
  const { page, context } = at;
  try {
    await call(at, "spec", { algorithm: { method: "mondrian" } });
    await quiet(at);
    await call(at, "search");
    await quiet(at);
    await at.to("/columns");
    const [tab] = await Promise.all([context.waitForEvent("page"), page.click('.step[href="/risk"]', { modifiers: ["Control"] })]);
    const said = listenTo(tab);
    await tab.waitForSelector("h1 >> text=Risk");
    await tab.waitForSelector("#risk-histogram .threshold");
    assert.deepEqual(said, []);
    await tab.close();
    await call(at, "finish", { output: "out.csv" });
    await quiet(at);
    await at.to("/finish");
    await page.waitForSelector("#verdict");
    const [report] = await Promise.all([context.waitForEvent("page"), page.click("#verdict ~ * >> text=Open report, #report-open, text=Open >> nth=0").catch(() => {})]).catch(() => [null]);
    if (report) {
      await report.waitForLoadState();
      const before = await report.title();
      await report.reload();
      assert.equal(await report.title(), before);
    }
    const { body } = await call(at, "ticket", { what: "report" });
    for (let times = 0; times < 3; times += 1) {
      const answer = await fetch(at.origin + body.path, { headers: { "Sec-Fetch-Dest": "document", "Sec-Fetch-Mode": "navigate" } });
      assert.equal(answer.status, 200, `load ${times + 1}`);
      assert.match(await answer.text(), /<!DOCTYPE html>/i);
    }
  } finally {
    await at.end();
  }
});
