// @ts-check
/** Two releases of the project side by side. */

import { h } from "./dom.js";
import { call } from "./net.js";
import { values } from "./shell.js";
import { amount, percent, time, whole } from "./words.js";

/** @import * as Api from "./api.js" */
/** @typedef {import("./app.js").App} App */
/** @typedef {import("./dom.js").FieldEvent} FieldEvent */
/** What the page keeps. @typedef {{ one: number | null, other: number | null, of: string, told: Api.PairAnswer | null, rows: Api.PairRowsAnswer | null, from: number, differing: boolean }} Own */

const PAGE = 20;

/** @param {App} app @returns {Own} */
function own(app) {
  return app.of("pair", () => ({ one: null, other: null, of: "", told: null, rows: null, from: 0, differing: true }));
}

/** The two that are compared: unless somebody chooses, the last ones. @param {App} app @returns {[Api.ReleaseEntry, Api.ReleaseEntry] | null} */
function chosen(app) {
  const mine = own(app);
  const all = app.state.project?.releases ?? [];
  const of = (/** @type {number | null} */ id, /** @type {number} */ from) => all.find((it) => it.id === id) ?? all[all.length - from];
  const [one, other] = [of(mine.one, 2), of(mine.other, 1)];
  return one && other && one.id !== other.id ? [one, other] : null;
}

/** Fetches what is compared, once for each pair. @param {App} app */
export async function compare(app) {
  const mine = own(app);
  const pair = chosen(app);
  if (!pair || !pair.every((it) => it.kept)) return;
  const asked = { one: pair[0].id, other: pair[1].id };
  const mark = `${app.state.file?.name} ${asked.one} ${asked.other}`;
  if (mine.of === mark && (mine.told?.ready || app.state.aside.includes("pair"))) return;
  if (mine.of !== mark) {
    Object.assign(mine, { of: mark, told: null, rows: null, from: 0 });
    mine.told = await call("pair", asked).catch(() => null);
    if (mine.told && !mine.told.ready) await app.ask("begin-pair", asked);
  } else {
    const told = await call("pair", asked).catch(() => null);
    // What could not be had back was told.
    if (!told?.ready) return;
    mine.told = told;
  }
  if (mine.told?.ready) await fetchRows(app, 0);
  app.draw();
}

/** @param {App} app @param {number} from */
async function fetchRows(app, from) {
  const mine = own(app);
  const pair = chosen(app);
  if (!pair) return;
  mine.from = Math.max(0, from);
  mine.rows = await call("pair-rows", { one: pair[0].id, other: pair[1].id, from: mine.from, count: PAGE, original: app.values, differing: mine.differing }).catch(() => null);
  app.draw();
}

/** @param {App} app @param {Api.ProjectSummary} project */
export function comparison(app, project) {
  if (project.releases.length < 2) return null;
  const mine = own(app);
  const pair = chosen(app);
  const choice = (/** @type {"one" | "other"} */ which, /** @type {string} */ title, /** @type {Api.ReleaseEntry | undefined} */ at) => h("label", null, `${title} `, h("select", {
    id: `pair-${which}`, value: String(at?.id ?? ""),
    onchange: (/** @type {FieldEvent} */ event) => { mine[which] = Number(event.target.value); compare(app); app.draw(); },
  }, project.releases.map((it) => h("option", { value: String(it.id), key: it.id }, `${it.name}: ${it.figures.method}, k ${it.figures.k}`))));
  return h("section", { class: "card", key: "pair", id: "pair" },
    h("h2", null, "Compare two releases"),
    h("div", { class: "row wrap" }, choice("one", "One", pair?.[0] ?? project.releases.find((it) => it.id === mine.one)), choice("other", "Other", pair?.[1] ?? project.releases.find((it) => it.id === mine.other))),
    pair ? [figures(pair), columns(mine, pair), rows(app, mine, pair)] : h("p", { class: "soft" }, "Choose two different ones."));
}

/** @param {number | null} one @param {number | null} other @param {(difference: number) => string} text */
function difference(one, other, text) {
  if (one === null || other === null) return "–";
  const by = other - one;
  return by === 0 ? "same" : `${by > 0 ? "+" : "−"}${text(Math.abs(by))}`;
}

/** @param {[Api.ReleaseEntry, Api.ReleaseEntry]} pair */
function figures(pair) {
  const [a, b] = [pair[0].figures, pair[1].figures];
  const kept = (/** @type {Api.ReleaseFigures} */ it) => (it.loss === null ? null : 1 - it.loss);
  /** @type {[string, number | null, number | null, (value: number | null) => string][]} */
  const lines = [
    ["Asked for: k", a.k, b.k, whole], ["Smallest crowd", a.achieved_k, b.achieved_k, whole], ["Risk at most", a.highest, b.highest, percent], ["Risk on average", a.average, b.average, percent],
    ["Detail kept", kept(a), kept(b), percent], [a.metric === b.metric ? `Loss (${a.metric})` : "Loss", a.cost, b.cost, amount], ["Gap to the bound", a.gap, b.gap, percent],
    ["Rows released", a.released, b.released, whole], ["Rows left out", a.suppressed, b.suppressed, whole], ["Crowds", a.classes, b.classes, whole], ["Time of the search", a.seconds, b.seconds, time],
  ];
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Figures of both", key: "figures" }, h("table", { id: "pair-figures" },
    titles(pair, "Difference"),
    h("tbody", null,
      lines.map(([name, one, other, text]) => h("tr", { key: name, class: one === other ? "" : "differs" }, h("th", { scope: "row" }, name), h("td", { class: "number" }, text(one)), h("td", { class: "number" }, text(other)), h("td", { class: "number soft" }, difference(one, other, text)))),
      h("tr", { key: "also" }, h("th", { scope: "row" }, "Also met"), [a, b].map((it, at) => h("td", { class: "number", key: at }, it.requirements.join("; ") || "–")), h("td", null)))));
}

/** @param {[Api.ReleaseEntry, Api.ReleaseEntry]} pair @param {string} last */
function titles(pair, last) {
  return h("thead", null, h("tr", null, h("td", null), pair.map((it) => h("th", { scope: "col", class: "number", key: it.id }, it.name)), h("th", { scope: "col", class: "number" }, last)));
}

/** What became of the columns. @param {Own} mine @param {[Api.ReleaseEntry, Api.ReleaseEntry]} pair */
function columns(mine, pair) {
  const [a, b] = pair.map((it) => it.figures.columns);
  const names = [...new Set([...a, ...b].map((it) => it.column))];
  const of = (/** @type {Api.ColumnFigures[]} */ list, /** @type {string} */ name) => list.find((it) => it.column === name);
  return h("div", { class: "stack", key: "columns" }, h("h3", null, "Columns"),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Columns of both" }, h("table", { id: "pair-columns" },
      h("thead", null, h("tr", null, h("th", { scope: "col" }, "Column"), pair.map((it) => h("th", { scope: "col", key: it.id }, it.name)), h("th", { scope: "col", class: "number" }, "Detail kept"))),
      h("tbody", null, names.map((name) => {
        const [one, other] = [of(a, name), of(b, name)];
        return h("tr", { key: name }, h("th", { scope: "row" }, name, before(mine, name)), h("td", null, one?.what ?? "left out"), h("td", null, other?.what ?? "left out"),
          h("td", { class: "number" }, one?.kept == null && other?.kept == null ? "" : `${percent(one?.kept ?? null)} → ${percent(other?.kept ?? null)}`));
      })))));
}

/** Rows by value in the table and in both. @param {Own} mine @param {string} name */
function before(mine, name) {
  const column = mine.told?.columns.find((it) => it.column === name);
  const bars = (column?.one ?? column?.other)?.bars;
  if (!column || !bars) return null;
  const after = (/** @type {Api.AttributePreview | null} */ it, /** @type {string} */ label) => it?.bars.find((bar) => bar.label === label)?.after ?? null;
  return h("details", null, h("summary", { class: "soft" }, "before and after"),
    h("table", { class: "light" },
      h("thead", null, h("tr", null, ["Value", "Table", "One", "Other"].map((it, at) => h("th", { scope: "col", class: at ? "number" : "", key: it }, it)))),
      h("tbody", null, bars.map((bar) => h("tr", { key: bar.label }, h("th", { scope: "row" }, bar.label), h("td", { class: "number" }, whole(bar.before)),
        h("td", { class: "number" }, whole(after(column.one, bar.label))), h("td", { class: "number" }, whole(after(column.other, bar.label))))))));
}

/** Rows of both. @param {App} app @param {Own} mine @param {[Api.ReleaseEntry, Api.ReleaseEntry]} pair */
function rows(app, mine, pair) {
  const lacking = pair.find((it) => !it.kept);
  if (lacking) return h("p", { class: "note", key: "rows" }, `The rows of ${lacking.name} are not kept: search for it again to see them.`);
  const told = mine.rows;
  if (!told) return h("p", { class: "soft", key: "rows" }, h("span", { class: "spin", "aria-hidden": "true" }), " Both are being brought back …");
  const names = [...new Set([...told.one, ...told.other])];
  const cell = (/** @type {string[]} */ header, /** @type {string[] | null} */ fields, /** @type {string} */ name) => (header.includes(name) ? fields?.[header.indexOf(name)] ?? null : null);
  return h("div", { class: "stack", key: "rows" },
    h("div", { class: "row between wrap" }, h("h3", null, "Rows of both"),
      h("div", { class: "row wrap" },
        h("label", { class: "check" }, h("input", { type: "checkbox", id: "differing", checked: mine.differing, onchange: (/** @type {FieldEvent} */ event) => { mine.differing = event.target.checked; fetchRows(app, 0); } }), " Only rows that differ"),
        values(app, () => fetchRows(app, mine.from)))),
    told.rows.length
      ? h("div", { class: `scroll ${app.values ? "confidential" : ""}`, tabindex: "0", role: "region", "aria-label": "Rows of both" },
        app.values ? h("p", { class: "confidential-mark" }, "Original values: confidential, in no report") : null,
        h("table", { class: "data", id: "pair-rows" },
          h("thead", null, h("tr", null, h("th", { scope: "col" }, "Release"), names.map((name) => h("th", { scope: "col", key: name }, name)))),
          told.rows.map((row, at) => h("tbody", { key: at, class: "pair-of-rows" },
            row.before ? h("tr", { key: "before" }, h("th", { scope: "row", class: "soft" }, "table"), names.map((name) => h("td", { key: name }, cell(told.attributes, row.before, name) ?? "")))  : null,
            [row.one, row.other].map((fields, which) => h("tr", { key: which }, h("th", { scope: "row" }, pair[which].name),
              fields ? names.map((name) => {
                const here = cell(which ? told.other : told.one, fields, name);
                const there = cell(which ? told.one : told.other, which ? row.one : row.other, name);
                return h("td", { key: name, class: here !== null && there !== null && here !== there ? "changed" : "" }, here ?? "–");
              }) : h("td", { colspan: String(names.length), class: "soft" }, "left out")))))))
      : h("p", { class: "soft", id: "pair-rows" }, "All rows are the same in both."),
    h("div", { class: "row" },
      h("button", { class: "small", disabled: mine.from === 0, onclick: () => fetchRows(app, mine.from - PAGE) }, "Before"),
      h("span", { class: "soft" }, told.all ? `${whole(mine.from + 1)} – ${whole(Math.min(told.all, mine.from + PAGE))} of ${whole(told.all)}` : ""),
      h("button", { class: "small", disabled: mine.from + PAGE >= told.all, onclick: () => fetchRows(app, mine.from + PAGE) }, "Next")));
}
