// @ts-check
/** Usefulness: will readers' work survive. */

import { h } from "./dom.js";
import { call } from "./net.js";
import { empty, head, next, values } from "./shell.js";
import { amount, count, percent, sentence, whole } from "./words.js";

/** @import * as Api from "./api.js" */
/** @typedef {import("./app.js").App} App */
/** @typedef {import("./dom.js").FieldEvent} FieldEvent */
/** What the page keeps. @typedef {{ told: Api.Answer<"use"> | null, of: number | null, class: string, question: string, asked: { question: string, answer: Api.CountAnswer }[], begun?: number }} Own */

/** @param {App} app @returns {Own} */
function own(app) {
  return app.of("use", () => ({ told: null, of: null, class: "", question: "", asked: [] }));
}

/** @param {App} app */
async function fetchAll(app) {
  const mine = own(app);
  mine.of = app.state.version;
  mine.told = await call("use").catch(() => null);
  app.draw();
  const { answer, work } = app.state;
  if (answer?.made && (!work || answer.so_far) && !app.state.aside.includes("use") && (!mine.told?.told || mine.told.stale) && mine.begun !== answer.nodes + (answer.cost ?? 0)) {
    mine.begun = answer.nodes + (answer.cost ?? 0);
    begin(app);
  }
}

/** @param {App} app */
function begin(app) {
  const mine = own(app);
  return app.ask("begin-use", mine.class ? { class: mine.class } : {});
}

/** Asks a question of somebody's own. @param {App} app @param {Event} event */
async function ask(app, event) {
  event.preventDefault();
  const mine = own(app);
  const question = mine.question.trim();
  if (!question) return;
  const answer = await app.ask("count", { question });
  if (!answer) return;
  mine.asked = [{ question, answer }, ...mine.asked.filter((it) => it.question !== question)].slice(0, 8);
  app.say(`In truth ${whole(answer.truth)}, from the release ${whole(answer.estimate)}`);
  app.draw();
}

/** @type {Record<Api.AssociationMeasure, string>} */
const MEASURES = { pearson: "correlation", "cramers-v": "Cramér’s V", "correlation-ratio": "correlation ratio" };

/** A figure before and after. @param {{ before: number | null, after: number | null }} it */
function both(it) {
  return [h("td", { class: "number" }, amount(it.before)), h("td", { class: "number" }, h("strong", null, amount(it.after)))];
}

/** What analysts find: loss by column and by who pays, summaries, associations. @param {App} app @param {Api.UtilitySummary} told */
function statistics(app, told) {
  const { statistics: found } = told;
  const columns = app.state.answer?.summary.columns.filter((it) => it.kept !== null) ?? [];
  const loss = h("section", { class: "card", id: "loss-by-column" }, h("h2", null, "Loss by column"),
    h("table", null, h("thead", null, h("tr", null, h("th", { scope: "col" }, "Column"), h("th", { scope: "col", class: "number" }, "Detail lost"), h("th", { scope: "col", class: "wide-cell" }, h("span", { class: "unseen" }, "Share")))),
      h("tbody", null, columns.map((it) => h("tr", { key: it.column }, h("th", { scope: "row" }, it.column), h("td", { class: "number" }, percent(1 - (it.kept ?? 0))),
        h("td", null, h("div", { class: "meter", "aria-hidden": "true" }, h("i", { vars: { "--w": `${100 * (1 - (it.kept ?? 0))}%` } }))))))));
  if (!found) return [loss, h("p", { class: "soft" }, `No statistics: ${told.no_statistics}.`)];
  return [
    h("div", { class: "two even" }, loss, subgroups(app, found)),
    h("section", { class: "card", id: "associations" }, h("h2", null, "Pairs of columns"),
      h("p", { class: "hint" }, `How strongly two columns go together, from 0 to 1 (correlations from -1), before and after: those first that lose most.`),
      h("table", null, h("thead", null, h("tr", null, h("th", { scope: "col" }, "Columns"), ["Table", "Release", "Difference"].map((name) => h("th", { scope: "col", class: "number", key: name }, name)))),
        h("tbody", null, found.associations.slice(0, 12).map((it) => h("tr", { key: it.columns.join() }, h("th", { scope: "row" }, it.columns.join(", "), h("div", { class: "reason" }, MEASURES[it.measure] ?? it.measure)), both(it), h("td", { class: "number" }, amount(it.difference)))))),
      h("p", { class: "hint" }, found.association_loss.map((it) => `${sentence(MEASURES[it.measure] ?? it.measure)} of ${count(it.pairs, "pair")}: off by ${amount(it.mean_difference)} on average, by ${amount(it.largest_difference)} at most. `))),
    h("section", { class: "card", id: "summaries" }, h("h2", null, "Summaries"),
      found.numbers.length ? h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Columns of numbers" }, h("table", { class: "data" },
        h("thead", null, h("tr", null, h("th", { scope: "col" }, "Column of numbers"), ["Mean, table", "release", "Deviation, table", "release", "Median, table", "release"].map((name, at) => h("th", { scope: "col", class: "number", key: at }, name)))),
        h("tbody", null, found.numbers.map((it) => h("tr", { key: it.column }, h("th", { scope: "row" }, it.column), both(it.mean), both(it.deviation), both(it.quantiles.find((at) => at.share === 0.5) ?? { before: null, after: null })))))) : null,
      found.categories.length ? h("table", null,
        h("thead", null, h("tr", null, h("th", { scope: "col" }, "Column of categories"), h("th", { scope: "col", class: "number" }, "Shares that moved"))),
        h("tbody", null, found.categories.map((it) => h("tr", { key: it.column }, h("th", { scope: "row" }, it.column), h("td", { class: "number" }, percent(it.distance)))))) : null),
  ];
}

/** Who pays for anonymity. @param {App} app @param {Api.AnalystStatistics} found */
function subgroups(app, found) {
  if (!found.subgroups.length) return h("section", { class: "card" }, h("h2", null, "Who pays"), h("p", { class: "soft" }, "No column has few enough values to tell the loss by."));
  return h("section", { class: "card", id: "subgroups" }, h("div", { class: "row between" }, h("h2", null, "Who pays"), values(app)),
    h("p", { class: "hint" }, "Loss and rows left out by group. Groups with few rows are not told."),
    found.subgroups.map((it) => h("details", { key: it.column, open: it === found.subgroups[0] ? true : undefined }, h("summary", null, it.column, it.exact ? "" : " (as far as the release tells)"),
      h("table", null, h("thead", null, h("tr", null, h("th", { scope: "col" }, "Value"), ["Rows", "Left out", "Detail lost"].map((name) => h("th", { scope: "col", class: "number", key: name }, name)))),
        h("tbody", null, it.values.map((value) => h("tr", { key: value.value }, h("th", { scope: "row" }, app.values ? value.value || "no value" : "•••"), h("td", { class: "number" }, whole(value.rows)), h("td", { class: "number" }, percent(value.suppressed_share)), h("td", { class: "number" }, percent(value.gcp)))))))));
}

/** @param {App} app */
function ownQuestions(app) {
  const mine = own(app);
  const quasi = app.state.columns.filter((it) => it.role === "quasi");
  const number = quasi.find((it) => /^(integer|number)/.test(it.kind));
  const hint = number ? `${number.released ?? number.name} = 30..40` : `${quasi[0]?.released ?? quasi[0]?.name ?? "age"} = …`;
  return h("section", { class: "card", id: "own-question" }, h("h2", null, "Your own question"),
    h("form", { class: "row", onsubmit: (/** @type {FieldEvent} */ event) => ask(app, event) },
      h("label", { for: "question" }, "How many rows have"),
      h("input", { id: "question", class: "mono grow", type: "text", spellcheck: "false", placeholder: hint, value: mine.question, oninput: (/** @type {FieldEvent} */ event) => { mine.question = event.target.value; } }),
      h("button", null, "Ask")),
    h("p", { class: "hint" }, "Conditions joined by “and”: a value, several between commas, a range 30..40, or >=, <=, >, <. About the quasi-identifiers: ", quasi.map((it) => it.released ?? it.name).join(", "), "."),
    mine.asked.length ? h("table", null,
      h("thead", null, h("tr", null, h("th", { scope: "col" }, "Question"), h("th", { scope: "col", class: "number" }, "Table"), h("th", { scope: "col", class: "number" }, "Release"), h("th", { scope: "col", class: "number" }, "Error"))),
      h("tbody", null, mine.asked.map((it) => h("tr", { key: it.question },
        h("th", { scope: "row" }, h("code", null, it.question)), h("td", { class: "number" }, whole(it.answer.truth)), h("td", { class: "number" }, whole(it.answer.estimate)), h("td", { class: "number" }, percent(it.answer.error)))))) : null);
}

/** @type {import("./app.js").Page} */
export const usefulness = {
  title: "Usefulness",
  enter: fetchAll,
  changed(app) {
    if (app.here().page === usefulness && own(app).of !== app.state.version && !app.state.aside.includes("use")) fetchAll(app);
  },
  view(app) {
    const { state } = app;
    const lead = "Whether counts and predictions still come out as they did.";
    if (!state.answer?.made) return [head("Usefulness", lead), empty("There is no release yet", next("/search", "To the search"))];
    const mine = own(app);
    const told = mine.told?.told;
    const kept = state.columns.filter((it) => it.role === "sensitive" || it.role === "class" || it.role === "plain");
    return [
      head("Usefulness", lead, [state.aside.includes("use") && told ? h("span", { class: "spin", role: "img", "aria-label": "asking" }) : null, next("/finish", "Next: Finish")]),
      mine.told?.stale && told ? h("div", { class: "note warn" }, "This is of the release before.") : null,
      told ? h("div", { class: "two even" },
        h("section", { class: "card" }, h("h2", null, "Questions"),
          h("p", { class: "hint" }, "A thousand random questions “how many rows have … and …?”, asked of the table and of the release. Each asks for about one in twenty of the values that could be."),
          h("table", null, h("thead", null, h("tr", null, h("th", { scope: "col" }, "Question about"), h("th", { scope: "col", class: "number" }, "Error, median"), h("th", { scope: "col", class: "number" }, "Error, mean"), h("th", { scope: "col", class: "number" }, "Questions"))),
            h("tbody", null, told.queries.map((it) => h("tr", { key: it.dimensions }, h("th", { scope: "row" }, count(it.dimensions, "column")), h("td", { class: "number" }, percent(it.errors.median)), h("td", { class: "number" }, percent(it.errors.mean)), h("td", { class: "number" }, whole(it.errors.queries)))))),
          h("p", { class: "hint" }, "An error of 10% means: 100 in truth, 90 or 110 from the release.")),
        h("section", { class: "card" }, h("h2", null, "Prediction"),
          h("label", null, "A decision tree predicts ", h("select", { value: mine.class || told.predicted?.class || "", onchange: (/** @type {FieldEvent} */ event) => { mine.class = event.target.value; begin(app); } },
            h("option", { value: "" }, "nothing"), kept.map((it) => h("option", { value: it.released ?? it.name, key: it.name }, it.released ?? it.name)))),
          told.predicted ? h("table", null, h("tbody", null,
            /** @type {[string, number | null][]} */ ([["Wrong from the release", told.predicted.release], ["Wrong from the table", told.predicted.original], ["Wrong by always saying the most frequent", told.predicted.baseline], ["Wrong over all rows, those left out included", told.predicted.with_suppressed]])
              .filter((it) => it[1] !== null).map(([name, share]) => h("tr", { key: name }, h("th", { scope: "row" }, name), h("td", { class: "number" }, percent(share))))))
            : h("p", { class: "soft" }, (state.file?.rows ?? 0) > told.most_rows ? `Trees are grown for tables of up to ${whole(told.most_rows)} rows.` : "Choose a column that is released as it is.")))
        : h("p", { class: "soft" }, h("span", { class: "spin", "aria-hidden": "true" }), " Asking questions …"),
      told ? statistics(app, told) : null,
      ownQuestions(app),
    ];
  },
};
