// How a browser gets in: by a page on disk that nobody else can read, once.

import { after, test } from "node:test";
import { strict as assert } from "node:assert";
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { binary, close, newPage } from "./helper.mjs";

after(close);

test("a browser that is opened finds its way in, and nobody finds it after it", async () => {
  const place = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "incrowd-page-")));
  const home = path.join(place, "home");
  const asked = path.join(place, "asked");
  fs.mkdirSync(home);
  fs.writeFileSync(path.join(place, "xdg-open"), `#!/bin/sh\necho "$@" > ${asked}.part; mv ${asked}.part ${asked}\n`, { mode: 0o755 });
  const env = { ...process.env, HOME: home, PATH: `${place}:${process.env.PATH}` };
  const server = spawn(binary, ["serve", place], { env, stdio: ["ignore", "ignore", "ignore"] });
  try {
    for (let tries = 0; !fs.existsSync(asked); tries += 1) {
      assert.ok(tries < 300, "no browser is asked for");
      await new Promise((go) => setTimeout(go, 100));
    }
    const file = fs.readFileSync(asked, "utf8").trim();
    const copy = path.join(place, "copy.html");
    fs.copyFileSync(file, copy);
    const first = await newPage();
    await first.goto(`file://${file}`);
    await first.waitForSelector(".rail");
    assert.match(first.url(), /^http:\/\/127\.0\.0\.1:\d+\/$/);
    for (let tries = 0; fs.readdirSync(home).some((it) => it.startsWith("incrowd-open-")); tries += 1) {
      assert.ok(tries < 100, "the page stays");
      await new Promise((go) => setTimeout(go, 100));
    }
    // Whoever has a copy of the page comes too late.
    const second = await newPage();
    await second.goto(`file://${copy}`);
    await second.waitForURL(/^http:/);
    await second.waitForSelector("text=This tab has no token.");
    assert.equal(await second.locator(".rail").count(), 0);
  } finally {
    server.kill();
  }
});
