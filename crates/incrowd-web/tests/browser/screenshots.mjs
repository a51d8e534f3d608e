// Screenshots of the pages, for whoever wants to see them without running anything: node screenshots.mjs FOLDER
// The plane of the alternatives also as SVG, as it stands in the documentation (docs/figures/serve-alternatives.svg).

import fs from "node:fs";
import path from "node:path";
import { call, close, folder, opened, quiet } from "./helper.mjs";

const target = process.argv[2];
const place = folder(Number(process.env.ROWS ?? 5000));
const at = await opened(path.join(place, "people.csv"), { width: 1280, height: 800 });
const { page } = at;
/** The plane as a file of its own: what the style sheet says stands in the elements. */
function drawn() {
  const names = ["fill", "stroke", "stroke-width", "opacity", "font-size", "font-weight", "text-anchor"];
  const plane = document.getElementById("plane");
  const copy = plane.cloneNode(true);
  const from = plane.querySelectorAll("*");
  copy.querySelectorAll("*").forEach((element, at) => {
    const style = getComputedStyle(from[at]);
    if (!["title", "defs", "pattern", "g"].includes(element.tagName)) {
      for (const name of names) {
        const value = style.getPropertyValue(name);
        const usual = { opacity: "1", stroke: "none", "text-anchor": "start", "font-weight": "400" }[name] === value;
        const words = name.startsWith("font") || name === "text-anchor";
        if (!usual && !(words && element.tagName !== "text") && !(name === "stroke-width" && style.stroke === "none")) element.setAttribute(name, value);
      }
    }
    element.removeAttribute("class");
  });
  for (const name of ["class", "id", "tabindex", "role", "aria-label"]) copy.removeAttribute(name);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("font-family", "system-ui, sans-serif");
  const box = plane.viewBox.baseVal;
  return `${copy.outerHTML.replace(">", `><rect width="${box.width}" height="${box.height}" fill="#fff"/>`).replaceAll("><", ">\n<")}\n`;
}

const shot = async (name) => {
  await page.waitForTimeout(400);
  await page.screenshot({ path: path.join(target, `serve-${name}.png`) });
};
/** All of a page, however long it is. */
const whole = async (name) => {
  const tall = await page.evaluate(() => document.querySelector("main").scrollHeight + document.querySelector(".bar").offsetHeight);
  await page.setViewportSize({ width: 1280, height: Math.max(800, tall) });
  await shot(name);
  await page.setViewportSize({ width: 1280, height: 800 });
};
try {
  await at.to("/columns");
  await page.waitForSelector(".live b");
  await shot("columns");
  await at.to("/goals");
  await page.waitForSelector("#k");
  await shot("goals");
  await whole("goals-whole");
  await call(at, "search");
  await quiet(at);
  await at.to("/search");
  await page.waitForSelector("#gap");
  await shot("search");
  await at.to("/release");
  await page.waitForSelector(".tiles");
  await shot("release");
  await at.to("/risk");
  await page.waitForSelector("#begin-attack:not([disabled])");
  await page.click("#begin-attack");
  await page.waitForSelector("#attacked", { timeout: 60_000 });
  await whole("risk");
  await at.to("/finish");
  await page.click("#write");
  await page.waitForSelector("#forms", { timeout: 60_000 });
  await page.fill("#approved-by", "J. Doe");
  await page.click("#put-on-record");
  await page.waitForSelector("#recorded", { timeout: 60_000 });
  await whole("finish");
  await call(at, "spec", { privacy: { k: 12 } });
  await quiet(at);
  await call(at, "search");
  await quiet(at);
  await at.to("/project");
  await page.waitForSelector("#pair-rows");
  await whole("project");
  await at.to("/options");
  await page.waitForSelector("#options-privacy");
  await shot("options");
  await at.to("/");
  await page.waitForSelector("#projects");
  await whole("open");
  await call(at, "begin-compare", { seconds: 5 });
  await quiet(at);
  await at.to("/alternatives");
  await page.waitForSelector("#plane");
  // What is proven of one kind is drawn, too.
  const bounds = page.locator("label:has-text('Proven bound') select");
  if (await bounds.count()) await bounds.selectOption({ index: 1 });
  await page.focus("#plane");
  for (let step = 0; step < 8; step += 1) await page.keyboard.press("ArrowRight");
  await shot("alternatives");
  fs.writeFileSync(path.join(target, "serve-alternatives.svg"), await page.evaluate(drawn));
} finally {
  await at.end();
  await close();
}
