// Figures of incrowd.html: node measure.mjs ROWS..., a JSON object for each size. Times are seconds.

import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { binary, call, close, folder, html, opened, quiet, start } from "./helper.mjs";

const timed = async (work) => {
  const since = performance.now();
  await work();
  return Number(((performance.now() - since) / 1000).toFixed(2));
};
try {
  for (const rows of process.argv.slice(2).map(Number)) {
    const table = path.join(folder(rows), "people.csv");
    const at = await start();
    const open = await timed(() => opened(at, table));
    const search = await timed(async () => {
      await call(at, "search");
      await quiet(at);
    });
    const write = await timed(async () => {
      await call(at, "finish", { output: "out.csv" });
      await quiet(at);
    });
    const { body } = await call(at, "state");
    if (!body.answer?.verified) throw new Error(JSON.stringify(body.error));
    const memory = await at.page.evaluate(() => performance.measureUserAgentSpecificMemory?.().then((it) => it.bytes).catch(() => null) ?? null);
    // The same question on one thread of the command.
    const spec = path.join(path.dirname(table), "spec.toml");
    fs.writeFileSync(spec, body.toml);
    const report = path.join(path.dirname(table), "time");
    const native = binary ? await timed(() => execFileSync("bash", ["-c", `TIMEFORMAT='%U %S'; { time "$0" run "$1" --threads 1 --no-report --quiet -o "$2" 2>/dev/null; } 2>"$3"`, binary, spec, `${table}.out`, report])) : null;
    const cpu = binary ? fs.readFileSync(report, "utf8").trim().split(" ").map(Number).reduce((a, b) => a + b) : null;
    console.log(JSON.stringify({ rows, file: fs.statSync(html).size, first: at.first / 1000, open, search, write, released: body.answer.released, cost: body.answer.cost, memory, native, cpu }));
    await at.end();
  }
} finally {
  await close();
}
