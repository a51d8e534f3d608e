// @ts-check
/** Risk: who could find whom. */

import { h } from "./dom.js";
import { call } from "./net.js";
import { pairs } from "./charts.js";
import { attack, fetchAttack } from "./risk-attack.js";
import { showRecords } from "./page-records.js";
import { empty, head, next } from "./shell.js";
import { percent, sentence, whole } from "./words.js";

/** @import * as Api from "./api.js" */
/** @typedef {import("./app.js").App} App */
/** @typedef {import("./dom.js").FieldEvent} FieldEvent */
/** What the page keeps. @typedef {{ told: Api.Answer<"risk"> | null, of: number | null, fraction: string, begun?: number }} Own */

/** @param {App} app @returns {Own} */
function own(app) {
  return app.of("risk", () => ({ told: null, of: null, fraction: "" }));
}

/** @param {App} app */
async function fetchAll(app) {
  const mine = own(app);
  mine.of = app.state.version;
  fetchAttack(app);
  mine.told = await call("risk").catch(() => null);
  app.draw();
  const { answer, work } = app.state;
  if (answer?.made && (!work || answer.so_far) && !app.state.aside.includes("risk") && (!mine.told?.told || mine.told.stale) && mine.begun !== answer.nodes + (answer.cost ?? 0)) {
    mine.begun = answer.nodes + (answer.cost ?? 0);
    begin(app);
  }
}

/** @param {App} app */
function begin(app) {
  const fraction = Number(own(app).fraction) / 100;
  return app.ask("begin-risk", fraction > 0 && fraction <= 1 ? { fraction } : {});
}

/** @type {import("./app.js").Page} */
export const risk = {
  title: "Risk",
  enter: fetchAll,
  changed(app) {
    if (app.here().page === risk && own(app).of !== app.state.version && !app.state.aside.includes("risk")) fetchAll(app);
  },
  view(app) {
    const { state } = app;
    const lead = "Who could find whom, in the table as it is and in the release.";
    if (!state.file) return [head("Risk", lead), empty("No table is open", next("/", "Open one"))];
    if (!state.answer?.made) return [head("Risk", lead), empty("There is no release yet", next("/search", "To the search")), attack(app)];
    const mine = own(app);
    const told = mine.told?.told;
    return [
      head("Risk", lead, [state.aside.includes("risk") && told ? h("span", { class: "spin", role: "img", "aria-label": "counting" }) : null, h("button", { onclick: () => begin(app) }, "Count again"), next("/finish", "Next: Finish")]),
      mine.told?.stale && told ? h("div", { class: "note warn" }, "This is of the release before.") : null,
      told ? [attackers(app, told), histogram(app, told), h("div", { class: "two even" }, population(app, told), combinations(told))]
        : h("p", { class: "soft" }, h("span", { class: "spin", "aria-hidden": "true" }), " Counting …"),
      attack(app),
    ];
  },
};

/** @param {App} app @param {Api.RiskResult} told */
function attackers(app, told) {
  const { before, after, threshold } = told;
  const row = (/** @type {string} */ name, /** @type {string} */ what, /** @type {string} */ was, /** @type {string} */ is) => h("tr", { key: name },
    h("th", { scope: "row" }, name, h("div", { class: "reason" }, what)), h("td", { class: "number" }, was), h("td", { class: "number" }, h("strong", null, is)));
  const at = (/** @type {Api.AttackerRisk} */ it) => `${percent(it.share_at_risk)} (${whole(it.records_at_risk)})`;
  return h("section", { class: "card" },
    h("table", null,
      h("thead", null, h("tr", null, h("th", { scope: "col" }, "Attacker"), h("th", { scope: "col", class: "number" }, "Table"), h("th", { scope: "col", class: "number" }, "Release"))),
      h("tbody", null,
        row("Prosecutor, at worst", "Knows that a certain person is in the table, and all quasi-identifiers of that person", percent(before.prosecutor.highest), percent(after.prosecutor.highest)),
        row("Prosecutor, on average", "The same, over all people", percent(before.prosecutor.average), percent(after.prosecutor.average)),
        row("Rows at risk", `Found with a chance above ${percent(threshold)}`, at(before.prosecutor), at(after.prosecutor)),
        row("Marketer", "Tries everybody and counts hits", percent(before.marketer.in_table), percent(after.marketer.in_table)),
        row("Journalist, on average", "Wants to show that somebody can be found; knows only who is in the population", before.journalist ? percent(before.journalist.average) : "–", after.journalist ? percent(after.journalist.average) : "–"),
        row("Rows that stand alone", "No other row looks the same", whole(before.unique_rows), whole(after.unique_rows)))),
    h("div", { class: "row wrap" }, h("button", { id: "show-alone", onclick: () => showRecords(app, { at_most: 1 }) }, "Show the rows that stand alone"),
      h("button", { onclick: () => showRecords(app, { at_most: Math.max(1, Math.ceil(1 / threshold) - 1) }) }, "Show the rows at risk")),
    after.notes.map((/** @type {string} */ note) => h("p", { class: "hint", key: note }, `${sentence(note)}.`)));
}

/** Rows by their risk, with the threshold drawn between those above it and those below. @param {App} app @param {Api.RiskResult} told */
function histogram(app, told) {
  const { before, after, threshold } = told;
  const froms = [...new Set([...before.class_sizes, ...after.class_sizes].map((it) => it.from))].sort((a, b) => a - b);
  const of = (/** @type {Api.SizeGroup[]} */ list, /** @type {number} */ from) => list.find((it) => it.from === from);
  const bars = froms.map((from) => {
    const to = (of(before.class_sizes, from) ?? of(after.class_sizes, from))?.to ?? from;
    return { from, to, label: from === to ? `${percent(1 / from)}` : `${percent(1 / to)} – ${percent(1 / from)}`, before: of(before.class_sizes, from)?.rows ?? 0, after: of(after.class_sizes, from)?.rows ?? 0 };
  });
  // A crowd of 1 / threshold people is safe.
  const safe = bars.findIndex((it) => 1 / it.from <= threshold + 1e-9);
  const part = (/** @type {typeof bars} */ list) => pairs(list, (at) => showRecords(app, { at_least: list[at].from, at_most: list[at].to }));
  const above = safe < 0 ? bars : bars.slice(0, safe);
  return h("section", { class: "card", id: "risk-histogram" }, h("h2", null, "Rows by their risk"),
    h("p", null, h("span", { class: "key" }, h("i", { class: "b" }), "table"), h("span", { class: "key" }, h("i", { class: "a" }), "release"), h("span", { class: "soft small-text" }, "The chance that whoever knows the quasi-identifiers finds the row. A range goes to its rows.")),
    above.length ? part(above) : h("p", { class: "soft" }, "No row is above the threshold."),
    h("p", { class: "threshold" }, `threshold ${percent(threshold)}: above it rows are at risk`),
    safe >= 0 ? part(bars.slice(safe)) : h("p", { class: "soft" }, "No row is below it."));
}

/** @param {App} app @param {Api.RiskResult} told */
function population(app, told) {
  const mine = own(app);
  const of = told.before.population_uniqueness;
  const after = told.after.population_uniqueness;
  return h("section", { class: "card" }, h("h2", null, "The population"),
    h("div", { class: "row wrap" }, h("label", null, "The table holds ", h("input", { type: "number", min: "0", max: "100", step: "any", value: mine.fraction, placeholder: "?", oninput: (/** @type {FieldEvent} */ event) => { mine.fraction = event.target.value; } }), " % of all people it could be about "),
      h("button", { onclick: () => begin(app) }, "Estimate")),
    of ? h("table", null, h("thead", null, h("tr", null, h("th", { scope: "col" }, "People unique in the population"), h("th", { scope: "col", class: "number" }, "Table"), h("th", { scope: "col", class: "number" }, "Release"))),
      h("tbody", null, of.estimates.map((it, /** @type {number} */ at) => h("tr", { key: it.estimator },
        h("th", { scope: "row" }, it.estimator, it.estimator === of.chosen ? h("span", { class: "tag good" }, "chosen") : null),
        h("td", { class: "number" }, percent(it.share)), h("td", { class: "number" }, percent(after?.estimates?.[at]?.share))))))
      : h("p", { class: "soft" }, "Say which share of the population is in the table, and three estimators tell how many people are unique there."),
    of ? h("p", { class: "hint" }, `${sentence(of.why)}.`) : null);
}

/** @param {Api.RiskResult} told */
function combinations(told) {
  const [before, after] = [told.before.unique_combinations, told.after.unique_combinations];
  const rows = before?.combinations?.slice(0, 8) ?? [];
  const still = new Map((after?.combinations ?? []).map((it) => [it.columns.join(), it.unique]));
  return h("section", { class: "card" }, h("h2", null, "What singles people out"),
    rows.length ? h("table", null, h("thead", null, h("tr", null, h("th", { scope: "col" }, "Columns together"), h("th", { scope: "col", class: "number" }, "Table"), h("th", { scope: "col", class: "number" }, "Release"))),
      h("tbody", null, rows.map((it) => h("tr", { key: it.columns.join() }, h("th", { scope: "row" }, it.columns.join(", ")), h("td", { class: "number" }, whole(it.unique)), h("td", { class: "number" }, whole(still.get(it.columns.join()) ?? 0))))))
      : h("p", { class: "soft" }, "No few columns single anybody out."));
}
