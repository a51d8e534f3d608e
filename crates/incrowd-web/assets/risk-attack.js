// @ts-check
/** Risk: people looked for in a release, be it ours or another tool's. */

import { h } from "./dom.js";
import { call, save } from "./net.js";
import { count, percent, sentence, whole } from "./words.js";

/** @import * as Api from "./api.js" */
/** @typedef {import("./app.js").App} App */
/** @typedef {import("./dom.js").FieldEvent} FieldEvent */
/** What the page keeps. @typedef {{ told: Api.Answer<"attack"> | null, of: number | null, release: string, control: string, known: string, secret: string, files: Api.FileEntry[] }} Own */

/** @param {App} app @returns {Own} */
function own(app) {
  return app.of("attack", () => ({ told: null, of: null, release: "", control: "", known: "", secret: "", files: [] }));
}

/** @param {App} app */
export async function fetchAttack(app) {
  const mine = own(app);
  if (mine.of === app.state.version) return;
  mine.of = app.state.version;
  mine.told = await call("attack").catch(() => null);
  mine.files = (await call("files", { typed: "" }).catch(() => ({ entries: [] }))).entries;
  app.draw();
}

/** Names between commas. @param {string} text */
const names = (text) => text.split(",").map((it) => it.trim()).filter(Boolean);

/** @param {App} app */
function begin(app) {
  const mine = own(app);
  return app.ask("begin-attack", { release: mine.release, control: mine.control, known: names(mine.known), secret: names(mine.secret) });
}

/** @param {App} app */
export function attack(app) {
  const mine = own(app);
  const { state } = app;
  const busy = state.aside.includes("attack");
  const usual = (/** @type {string} */ role) => state.columns.filter((it) => it.role === role).map((it) => it.released ?? it.name).join(", ");
  const field = (/** @type {"release" | "control" | "known" | "secret"} */ name, /** @type {string} */ title, /** @type {string} */ hint, /** @type {boolean} */ file) => [
    h("label", { for: `attack-${name}`, key: `${name}-label` }, title),
    h("input", { id: `attack-${name}`, key: name, type: "text", class: file ? "mono" : "", spellcheck: "false", placeholder: hint, list: file ? "attack-files" : null, value: mine[name], oninput: (/** @type {FieldEvent} */ event) => { mine[name] = event.target.value; app.draw(); } }),
  ];
  const made = Boolean(state.answer?.made);
  return h("section", { class: "card", id: "attack", key: "attack" },
    h("h2", null, "Attack it"),
    h("p", { class: "hint" }, "A thousand people of the table are looked for, one by one, with the release and what others may know: is there exactly one row that fits, do two halves of what is known lead to the same row, what is a column of theirs? Only what goes beyond guesses about people who are not in the data counts. These are the three questions of the European data protection authorities (WP216)."),
    h("div", { class: "fields" },
      field("release", "Release", made ? "the one that was found" : "a file of any tool", true),
      field("control", "People who are not in it", "none: the release is rebuilt without each person", true),
      field("known", "An attacker knows", usual("quasi") || "what others probably know", false),
      field("secret", "and wants to know", usual("sensitive") || "each column in turn", false)),
    h("datalist", { id: "attack-files" }, mine.files.filter((it) => it.kind === "table").map((it) => h("option", { value: it.path, key: it.path }))),
    h("div", { class: "row" },
      h("button", { id: "begin-attack", class: mine.told?.told ? "" : "main", disabled: busy || Boolean(state.work) || (!made && !mine.release.trim()), onclick: () => begin(app) }, mine.told?.told ? "Attack again" : "Attack"),
      busy ? h("span", { class: "reading" }, h("span", { class: "spin", "aria-hidden": "true" }), "looking for people") : null),
    mine.told?.told ? answer(app, mine.told.told, mine.told.stale) : null);
}

/** @param {App} app @param {Api.AttackSummary} told @param {boolean} stale */
function answer(app, told, stale) {
  const keep = async () => {
    const page = await app.ask("attack-page");
    if (page) save(new Blob([page.page], { type: "text/html" }), "attack.html");
  };
  return h("div", { class: "stack", id: "attacked", key: "attacked" },
    stale ? h("div", { class: "note warn" }, "This is of the release before.") : null,
    h("div", { class: `note ${told.found ? "bad" : "good"}`, role: "status" }, h("strong", null, told.release ? `${told.release}: ` : ""), told.headline),
    h("table", null,
      h("thead", null, h("tr", null, h("th", { scope: "col" }, "Attack"), h("th", { scope: "col", class: "number" }, "Right"), h("th", { scope: "col", class: "number" }, "Control"), h("th", { scope: "col", class: "number" }, "Risk"), h("th", { scope: "col" }, "Interval"))),
      h("tbody", null, told.attacks.map((it) => h("tr", { key: it.name },
        h("th", { scope: "row" }, sentence(it.name), it.found ? [" ", h("span", { class: "tag bad" }, "found")] : null, h("div", { class: "reason" }, sentence(it.question))),
        h("td", { class: "number" }, percent(it.right)), h("td", { class: "number" }, percent(it.control)), h("td", { class: "number" }, h("strong", null, percent(it.risk))),
        h("td", { class: "wide-cell" }, interval(it)))))),
    h("p", { class: "hint" }, `${count(told.released, "row")}, attacked with ${told.known.join(", ")}. Control: ${told.compared}. All intervals hold together in ${percent(told.confidence)} of cases; one that begins at 0 may be chance.`),
    told.notes.map((/** @type {string} */ it) => h("p", { class: "hint", key: it }, `${sentence(it)}.`)),
    h("div", { class: "row" }, h("button", { class: "small", onclick: keep }, "Save as a page")));
}

/** From where to where a risk may lie. @param {Api.AttackResultRow} it */
function interval(it) {
  const [left, width] = [100 * it.low, Math.max(0.6, 100 * (it.high - it.low))];
  return h("div", { class: "row" },
    h("svg", { class: "interval grow", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
      h("rect", { class: "interval-all", x: 0, y: 3, width: 100, height: 2 }), h("rect", { class: it.found ? "interval-bad" : "interval-range", x: left, y: 1, width, height: 6 })),
    h("span", { class: "soft small-text interval-words" }, `${percent(it.low)} to ${percent(it.high)}`), h("span", { class: "unseen" }, `of ${whole(it.tries)} tries`));
}
