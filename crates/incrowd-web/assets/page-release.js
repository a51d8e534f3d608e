// @ts-check
/** Release: what became of the table. */

import { h } from "./dom.js";
import { call } from "./net.js";
import { pairs } from "./charts.js";
import { showRecords } from "./page-records.js";
import { seeBest } from "./page-search.js";
import { empty, head, next, reached, values } from "./shell.js";
import { amount, count, percent, sentence, time, whole } from "./words.js";

/** @import * as Api from "./api.js" */
/** @typedef {import("./app.js").App} App */
/** @typedef {import("./dom.js").FieldEvent} FieldEvent */
/** What the page keeps. @typedef {{ tab: string, of: string | null, told: Api.ReleaseAnswer | null, rows: Api.RowsAnswer | null, from: number, withheld: Api.WithheldAnswer | null, reason: Api.WithholdingReason | null }} Own */

const TABS = [["columns", "Columns"], ["classes", "Crowds"], ["rows", "Rows"], ["suppressed", "Left out"]];
const PAGE = 50;

/** @param {App} app @returns {Own} */
function own(app) {
  return app.of("release", () => ({ tab: "columns", of: null, told: null, rows: null, from: 0, withheld: null, reason: null }));
}

/** Whose release it is that is shown. @param {App} app */
function mark(app) {
  const { answer } = app.state;
  return answer ? `${answer.cost} ${answer.k} ${answer.method} ${answer.released} ${answer.nodes} ${answer.so_far} ${app.state.file?.name}` : null;
}

/** @param {App} app */
async function fetchAll(app) {
  const mine = own(app);
  if (!app.state.answer?.made) return;
  mine.of = mark(app);
  mine.reason = null;
  mine.told = await call("release").catch(() => null);
  await fetchWithheld(app);
  await fetchRows(app, 0);
  app.draw();
}

/** Rows that are left out, each crowd by itself only where original values are shown. @param {App} app */
async function fetchWithheld(app) {
  const mine = own(app);
  if (!app.values) mine.reason = null;
  mine.withheld = await call("withheld", { show: app.values }).catch(() => null);
  app.draw();
}

/** @param {App} app @param {number} from */
async function fetchRows(app, from) {
  const mine = own(app);
  mine.from = Math.max(0, from);
  mine.rows = await call("rows", { from: mine.from, count: PAGE, original: app.values }).catch(() => null);
  app.draw();
}

/** @type {import("./app.js").Page} */
export const release = {
  title: "Release",
  enter(app) {
    if (own(app).of !== mark(app) || app.values) fetchAll(app);
  },
  changed(app) {
    if (app.here().page === release && own(app).of !== mark(app) && (!app.state.work || app.state.answer?.so_far)) fetchAll(app);
  },
  view(app) {
    const { answer } = app.state;
    const lead = "What became of the table. Nothing is written yet.";
    if (app.state.aside.includes("so-far") && !answer?.so_far) {
      return [head("Release", lead), h("p", { class: "soft" }, h("span", { class: "spin", "aria-hidden": "true" }), " Making the best so far a release to look at …")];
    }
    if (!answer?.made) return [head("Release", lead), empty("There is no release yet", next("/search", "To the search"))];
    const mine = own(app);
    return [
      head("Release", answer.verified ? "What became of the table. It is written and verified." : lead, answer.so_far ? null : next("/finish", "Next: Finish")),
      answer.so_far ? h("div", { class: "note row wrap", id: "is-so-far", key: "so-far" }, h("span", null, `The best release after ${time(answer.so_far)} of searching. The search goes on; what it ends with is kept. `), seeBest(app, true), h("button", { class: "danger", onclick: () => app.ask("stop") }, "Stop, keep the best")) : null,
      answer.stale ? h("div", { class: "note warn" }, "This answers the question before the last change. ", h("a", { href: "/search", "data-go": true }, "Search again")) : null,
      answer.warnings.length ? h("details", { class: "note warn", key: "warnings" }, h("summary", null, `${count(answer.warnings.length, "thing")} to think about`),
        answer.warnings.map((it) => h("p", { key: it.message }, `${sentence(it.message)}.`))) : null,
      reached(answer),
      h("div", { class: "tabs", role: "tablist", "aria-label": "Views", onkeydown: (/** @type {KeyboardEvent} */ event) => tabKey(app, event) }, TABS.map(([name, title]) => h("button", {
        role: "tab", id: `tab-${name}`, "aria-selected": mine.tab === name ? "true" : "false", "aria-controls": "tab-panel", key: name, tabindex: mine.tab === name ? "0" : "-1",
        onclick: () => { mine.tab = name; app.draw(); },
      }, title, name === "suppressed" && answer.suppressed ? ` (${whole(answer.suppressed)})` : ""))),
      h("div", { role: "tabpanel", id: "tab-panel", "aria-labelledby": `tab-${mine.tab}`, class: "stack", key: mine.tab },
        !mine.told ? h("p", { class: "soft" }, h("span", { class: "spin", "aria-hidden": "true" }), " Looking at the release …")
          : mine.tab === "columns" ? columnsTab(mine.told) : mine.tab === "classes" ? classesTab(app, mine.told) : mine.tab === "rows" ? rowsTab(app) : suppressedTab(app)),
    ];
  },
};

/** @param {App} app @param {KeyboardEvent} event */
function tabKey(app, event) {
  const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
  if (!step) return;
  const mine = own(app);
  const at = TABS.findIndex(([name]) => name === mine.tab);
  mine.tab = TABS[(at + step + TABS.length) % TABS.length][0];
  app.drawNow();
  document.getElementById(`tab-${mine.tab}`)?.focus();
}

/** @param {Api.ReleaseAnswer} told */
function columnsTab(told) {
  const about = (/** @type {string} */ name) => [
    ...told.losses.filter((it) => it.column === name).map((it) => `but ${it.words}`),
    ...told.sets.filter((/** @type {string} */ it) => it.startsWith(`${name} `)),
  ];
  return [
    h("p", { class: "row wrap" }, h("span", { class: "key" }, h("i", { class: "b" }), "table"), h("span", { class: "key" }, h("i", { class: "a" }), "release"),
      h("span", { class: "soft small-text" }, "Rows by value. What a label leaves open is divided evenly; rows left out are in neither.")),
    h("div", { class: "tiles" }, told.picture?.attributes.map((it) => h("section", { class: "tile", key: it.name },
      h("div", { class: "row between" }, h("h3", null, it.name), h("span", { class: "tag" }, `${percent(it.kept)} kept`)),
      h("div", { class: "meter", "aria-hidden": "true" }, h("i", { vars: { "--w": `${100 * it.kept}%` } })),
      h("p", { class: "reason" }, sentence(it.words)),
      about(it.name).map((words) => h("p", { class: "reason", key: words }, words)),
      pairs(it.bars)))),
    unchanged(told),
  ];
}

/** @param {Api.ReleaseAnswer} told */
function unchanged(told) {
  if (!told.unchanged.length) return null;
  return h("section", { class: "card" },
    h("h2", null, "Columns that stay as they are"),
    h("table", null, h("thead", null, h("tr", null, h("th", { scope: "col" }, "Column"), h("th", { scope: "col", class: "number" }, "Rows it singles out"), h("th", { scope: "col", class: "number" }, "With the released quasi-identifiers"))),
      h("tbody", null, told.unchanged.map((it) => h("tr", { key: it.column },
        h("th", { scope: "row" }, it.column), h("td", { class: "number" }, `${it.estimated ? "about " : ""}${whole(it.unique_rows)}`), h("td", { class: "number" }, whole(it.unique_rows_with_quasi)))))));
}

/** @param {App} app @param {Api.ReleaseAnswer} told */
function classesTab(app, { picture }) {
  if (!picture) return null;
  const { sizes } = picture;
  const bars = sizes.map((it) => ({ label: it.from === it.to ? `${it.from}` : `${whole(it.from)} – ${whole(it.to)}`, before: it.before, after: it.after }));
  const facts = (/** @type {Api.ReidentificationRisk} */ it) => [whole(it.rows), whole(it.classes), percent(it.highest), percent(it.average), percent(it.unique)];
  const names = ["Rows", "Crowds", "Risk at most", "Risk on average", "Rows that stand alone"];
  const [before, after] = [facts(picture.before), facts(picture.after)];
  return h("div", { class: "two" },
    h("section", { class: "card" }, h("h2", null, "Rows by the size of their crowd"),
      h("p", null, h("span", { class: "key" }, h("i", { class: "b" }), "table"), h("span", { class: "key" }, h("i", { class: "a" }), "release")),
      pairs(bars, (at) => showRecords(app, { at_least: sizes[at].from, at_most: sizes[at].to }))),
    h("section", { class: "card" }, h("h2", null, "How well people hide"),
      h("table", null, h("thead", null, h("tr", null, h("td", null), h("th", { scope: "col", class: "number" }, "Table"), h("th", { scope: "col", class: "number" }, "Release"))),
        h("tbody", null, names.map((name, at) => h("tr", { key: name }, h("th", { scope: "row" }, name), h("td", { class: "number" }, before[at]), h("td", { class: "number" }, after[at])))))));
}

/** What happens to rows only when they are written. @param {App} app */
function afterwards(app) {
  const { columns } = app.state;
  const later = columns.filter((it) => it.follows).map((it) => it.released ?? it.name);
  const words = [
    later.length ? `${later.join(", ")} ${later.length === 1 ? "is" : "are"} put in` : "",
    app.spec.privacy.linked ? "rows that links give away are left out" : "",
  ].filter(Boolean);
  return words.length ? `When the release is written, ${words.join(", and ")}. ` : null;
}

/** @param {App} app */
function rowsTab(app) {
  const mine = own(app);
  const { rows } = mine;
  if (!rows) return null;
  const to = Math.min(rows.all, rows.from + rows.rows.length);
  return h("section", { class: "card" },
    h("div", { class: "row between" },
      h("p", null, afterwards(app), `Rows ${whole(rows.all ? rows.from + 1 : 0)} to ${whole(to)} of ${whole(rows.all)}, in an order of their own`),
      values(app, () => fetchRows(app, mine.from))),
    h("div", { class: `scroll ${app.values ? "confidential" : ""}`, tabindex: "0", role: "region", "aria-label": "Released rows" },
      app.values ? h("p", { class: "confidential-mark" }, "With the original below each row: confidential, in no report") : null,
      h("table", { class: "data" },
        h("thead", null, h("tr", null, h("th", { scope: "col", class: "number" }, "Crowd"), rows.header.map((it) => h("th", { scope: "col", key: it[0], title: it[1] }, it[0])))),
        h("tbody", null, rows.rows.map((row, /** @type {number} */ at) => [
          h("tr", { key: `r${rows.from + at}` }, h("td", { class: "number soft", title: "rows that look alike" }, whole(row.size)), row.fields.map((/** @type {string} */ field) => h("td", null, field))),
          row.before ? h("tr", { key: `b${rows.from + at}`, class: "before-row" }, h("td", null, "was"),
            rows.header.map((it) => {
              const place = rows.attributes.indexOf(it[0].replace(/_(min|max)$/, "")) >= 0 && rows.attributes.indexOf(it[0]) < 0 ? it[0].replace(/_(min|max)$/, "") : it[0];
              const index = rows.attributes.indexOf(place);
              return h("td", null, index >= 0 ? row.before?.[index] : "");
            })) : null,
        ])))),
    h("div", { class: "row" },
      h("button", { disabled: rows.from === 0, onclick: () => fetchRows(app, 0) }, "First"),
      h("button", { disabled: rows.from === 0, onclick: () => fetchRows(app, rows.from - PAGE) }, "Before"),
      h("button", { disabled: to >= rows.all, onclick: () => fetchRows(app, rows.from + PAGE) }, "Next")));
}

/** @param {App} app @param {number} number */
async function why(app, number) {
  const mine = own(app);
  mine.reason = await call("reason", { class: number }).catch(() => null);
  app.say(mine.reason?.sentence ?? "");
  app.draw();
}

/** @param {App} app */
function suppressedTab(app) {
  const mine = own(app);
  const { withheld, reason } = mine;
  if (!withheld?.rows) return empty("No row is left out", "Every row of the table is in the release.");
  const title = h("div", { class: "row between wrap" }, h("h2", null, `${count(withheld.rows, "row")} left out`), h("button", { class: "small", onclick: () => showRecords(app, { fate: "left" }) }, "Show the rows"), values(app, () => fetchWithheld(app)));
  if (!app.values || !withheld.classes.length) return h("section", { class: "card" }, title,
    h("p", { class: "hint" }, "Rows that would look alike stand together. They are people who stand out: what they have in common is shown with the original values only."),
    h("table", { id: "withheld-sizes" },
      h("thead", null, h("tr", null, h("th", { scope: "col", class: "number" }, "Rows that look alike"), h("th", { scope: "col", class: "number" }, "Crowds"), h("th", { scope: "col", class: "number" }, "Rows"))),
      h("tbody", null, withheld.sizes.map((it) => h("tr", { key: it.rows }, h("td", { class: "number" }, whole(it.rows)), h("td", { class: "number" }, whole(it.classes)), h("td", { class: "number" }, whole(it.rows * it.classes)))))));
  return h("div", { class: "two" },
    h("section", { class: "card confidential" },
      h("p", { class: "confidential-mark" }, "People who stand out: confidential, in no report"),
      title,
      h("p", { class: "hint" }, `Rows that would look alike stand together, as they would have been shown. ${withheld.all > withheld.classes.length ? `The ${withheld.classes.length} largest of ${whole(withheld.all)} crowds.` : ""}`),
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Rows left out" }, h("table", { class: "data", id: "withheld" },
        h("thead", null, h("tr", null, h("th", { scope: "col", class: "number" }, "Rows"), withheld.attributes.map((/** @type {string} */ name) => h("th", { scope: "col", key: name }, name)), h("th", { scope: "col" }, "Fails"), h("th", { scope: "col" }, h("span", { class: "unseen" }, "Reason")))),
        h("tbody", null, withheld.classes.map((it) => h("tr", { key: it.class, class: `pick ${reason?.class === it.class ? "chosen" : ""}`, onclick: () => why(app, it.class) },
          h("td", { class: "number" }, whole(it.rows)), it.labels.map((/** @type {string} */ label) => h("td", null, label)), h("td", null, it.fails),
          h("td", null, h("button", { class: "small", onclick: (/** @type {Event} */ event) => { event.stopPropagation(); why(app, it.class); } }, "Why?")))))))),
    h("section", { class: "card", id: "reason", "aria-live": "polite" }, reason
      ? [h("h2", null, "Why these rows are left out"), h("p", null, reason.sentence),
        reason.kept_at_k ? h("p", null, `k = ${reason.kept_at_k} would keep ${reason.rows === 1 ? "it" : "them"}. `, h("button", { class: "small", onclick: () => app.patch({ privacy: { k: reason.kept_at_k } }) }, `Ask for k = ${reason.kept_at_k}`)) : null,
        reason.repairs.length ? h("h3", null, "What would save them") : null,
        reason.repairs.map((it) => h("div", { class: "note", key: it.columns.join() },
          h("strong", null, it.columns.join(", ")), " less exact: ", it.labels.join(", "),
          h("p", null, `${it.sentence} Loss of ${amount(it.cost)} rows' worth.`)))]
      : [h("h2", null, "Why?"), h("p", { class: "soft" }, "Choose rows to see which requirement they fail, by how much, and what would save them.")]));
}
