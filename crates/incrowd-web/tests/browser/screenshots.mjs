// Pictures of the pages, for whoever wants to see them without running anything: node screenshots.mjs FOLDER

import path from "node:path";
import { call, close, folder, opened, quiet } from "./helper.mjs";

const target = process.argv[2];
const place = folder(5000);
const at = await opened(path.join(place, "people.csv"), { width: 1280, height: 800 });
const { page } = at;
const shot = async (name) => {
  await page.waitForTimeout(400);
  await page.screenshot({ path: path.join(target, `serve-${name}.png`) });
};
try {
  await at.to("/columns");
  await page.waitForSelector(".live b");
  await shot("columns");
  await at.to("/goals");
  await page.waitForSelector("#k");
  await shot("goals");
  await call(at, "search");
  await quiet(at);
  await at.to("/search");
  await page.waitForSelector("#gap");
  await shot("search");
  await at.to("/release");
  await page.waitForSelector(".tiles");
  await shot("release");
  await call(at, "begin-compare", {});
  await quiet(at);
  await at.to("/alternatives");
  await page.waitForSelector("#plane");
  await page.focus("#plane");
  for (let step = 0; step < 8; step += 1) await page.keyboard.press("ArrowRight");
  await shot("alternatives");
} finally {
  await at.end();
  await close();
}
