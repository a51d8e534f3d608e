// Approval: writing waits for what must be done, and forms are pages to print.

import { after, test } from "node:test";
import { strict as assert } from "node:assert";
import fs from "node:fs";
import path from "node:path";
import { call, clean, close, folder, opened, quiet } from "./helper.mjs";

after(close);

test("writing waits for the items that bind and for the reviewer, and a form is printed", async () => {
  const place = folder(1000);
  const at = await opened(path.join(place, "people.csv"));
  const { page } = at;
  try {
    await call(at, "spec", { privacy: { k: 4 }, algorithm: { method: "mondrian" } });
    await quiet(at);
    await call(at, "search");
    await quiet(at);
    await at.to("/finish");
    await page.waitForSelector("#approval");
    assert.ok(await page.isEnabled("#write"), "nothing binds unless somebody says so");
    await page.fill("#new-item", "the ethics board was asked");
    await page.click("#add-item");
    await page.waitForSelector("#waits >> text=the ethics board was asked");
    assert.ok(await page.isDisabled("#write"));
    await page.check("#needs-approval");
    await page.waitForSelector("#waits >> text=the approval of a reviewer");
    await clean(at, "finish, waiting");
    await page.fill("#ticked-by", "J. Doe");
    await page.check("#approval .checklist li:last-child input >> nth=0");
    await page.waitForFunction(() => !document.querySelector("#waits")?.textContent?.includes("ethics"));
    await page.fill("#review-text", "well argued");
    await page.click("#say-approve");
    await page.waitForSelector("#decision >> text=Approved by J. Doe");
    await page.waitForSelector("#waits", { state: "detached" });
    assert.match(await page.innerText("#comments"), /well argued/);
    await page.fill("#output", "release.csv");
    await page.click("#write");
    await page.waitForSelector("#verdict");
    const report = fs.readFileSync(path.join(place, "release.report.html"), "utf8");
    assert.match(report, /the ethics board was asked \(J\. Doe, \d{4}-\d\d-\d\d\)/);
    assert.ok(!report.includes("well argued"), "comments stay in the project");
    await page.waitForSelector("[data-print=clinical]");
    await clean(at, "finish, approved");
    const [form] = await Promise.all([at.context.waitForEvent("page"), page.click("[data-print=clinical]")]);
    await form.waitForSelector("h2");
    assert.match(await form.innerText("body"), /k = 4/);
    const pdf = await form.pdf().catch(() => null);
    assert.ok(pdf === null || pdf.length > 5000);
    // Another release is another one to approve.
    await call(at, "spec", { privacy: { k: 6 } });
    await quiet(at);
    await call(at, "search");
    await quiet(at);
    await at.to("/finish");
    await page.waitForSelector("#waits >> text=the ethics board was asked");
    assert.ok(await page.isDisabled("#write"));
  } finally {
    await at.end();
  }
});
