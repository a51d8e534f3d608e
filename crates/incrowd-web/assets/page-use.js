// @ts-check
/** Usefulness: will readers' work survive. */

import { h } from "./dom.js";
import { call } from "./net.js";
import { empty, head, next } from "./shell.js";
import { count, percent, whole } from "./words.js";

/** @typedef {import("./app.js").App} App */

/** @param {App} app */
function own(app) {
  return app.of("use", () => ({ told: null, of: null, class: "" }));
}

/** @param {App} app */
async function fetchAll(app) {
  const mine = own(app);
  mine.of = app.state.version;
  mine.told = await call("use").catch(() => null);
  app.draw();
  const { answer, work } = app.state;
  if (answer?.made && !work && !app.state.aside.includes("use") && (!mine.told?.told || mine.told.stale) && mine.begun !== answer.nodes + answer.cost) {
    mine.begun = answer.nodes + answer.cost;
    begin(app);
  }
}

/** @param {App} app */
function begin(app) {
  const mine = own(app);
  return app.ask("begin-use", mine.class ? { class: mine.class } : {});
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
    const kept = state.columns.filter((/** @type {any} */ it) => it.role === "sensitive" || it.role === "class" || it.role === "plain");
    return [
      head("Usefulness", lead, [state.aside.includes("use") && told ? h("span", { class: "spin", role: "img", "aria-label": "asking" }) : null, next("/finish", "Next: Finish")]),
      mine.told?.stale && told ? h("div", { class: "note warn" }, "This is of the release before.") : null,
      told ? h("div", { class: "two even" },
        h("section", { class: "card" }, h("h2", null, "Questions"),
          h("p", { class: "hint" }, "A thousand random questions “how many rows have … and …?”, asked of the table and of the release. Each asks for about one in twenty of the values that could be."),
          h("table", null, h("thead", null, h("tr", null, h("th", { scope: "col" }, "Question about"), h("th", { scope: "col", class: "number" }, "Error, median"), h("th", { scope: "col", class: "number" }, "Error, mean"), h("th", { scope: "col", class: "number" }, "Questions"))),
            h("tbody", null, told.queries.map((/** @type {any} */ it) => h("tr", { key: it.dimensions }, h("th", { scope: "row" }, count(it.dimensions, "column")), h("td", { class: "number" }, percent(it.errors.median)), h("td", { class: "number" }, percent(it.errors.mean)), h("td", { class: "number" }, whole(it.errors.queries)))))),
          h("p", { class: "hint" }, "An error of 10% means: 100 in truth, 90 or 110 from the release.")),
        h("section", { class: "card" }, h("h2", null, "Prediction"),
          h("label", null, "A decision tree predicts ", h("select", { value: mine.class || told.predicted?.class || "", onchange: (/** @type {any} */ event) => { mine.class = event.target.value; begin(app); } },
            h("option", { value: "" }, "nothing"), kept.map((/** @type {any} */ it) => h("option", { value: it.released ?? it.name, key: it.name }, it.released ?? it.name)))),
          told.predicted ? h("table", null, h("tbody", null,
            [["Wrong from the release", told.predicted.release], ["Wrong from the table", told.predicted.original], ["Wrong by always saying the most frequent", told.predicted.baseline], ["Wrong over all rows, those left out included", told.predicted.with_suppressed]]
              .filter((it) => it[1] !== null).map(([name, share]) => h("tr", { key: name }, h("th", { scope: "row" }, name), h("td", { class: "number" }, percent(share))))))
            : h("p", { class: "soft" }, state.file.rows > told.most_rows ? `Trees are grown for tables of up to ${whole(told.most_rows)} rows.` : "Choose a column that is released as it is.")))
        : h("p", { class: "soft" }, h("span", { class: "spin", "aria-hidden": "true" }), " Asking questions …"),
    ];
  },
};
