// @ts-check
/** Why not? What would make a release possible, a click each. */

import { h } from "./dom.js";

/** @import * as Api from "./api.js" */
/** @typedef {import("./app.js").App} App */
/** @typedef {[string, Api.SpecPatch]} Repair */

/** What limits a release beyond k, in words. @type {[string, string][]} */
const LIMITS = [
  ["max-average-risk", "the limit of the average risk"], ["max-at-risk", "the limit of rows at risk"], ["max-risk", "the limit of the highest risk"], ["delta-presence", "the limits of presence"],
  ["max-population-unique", "the limit of population uniques"], ["max-bias", "the limit of the bias"], ["linked", "the protection of linked rows"],
  ["l-diversity", "l-diversity"], ["t-closeness", "t-closeness"], ["alpha", "(alpha,k)-anonymity"], ["beta-likeness", "beta-likeness"], ["delta-disclosure", "delta-disclosure privacy"],
];

/** What can be asked for instead. Each change can be undone. @param {App} app @returns {Repair[]} */
function possible(app) {
  const spec = /** @type {any} */ (app.spec);
  const privacy = spec.privacy ?? {};
  /** @type {Repair[]} */
  const all = [];
  const limit = spec.goal?.["max-suppressed"];
  if (limit !== undefined && limit !== "all" && limit !== "100%") {
    if (!["5%", "10%"].includes(String(limit))) all.push(["Allow 5% of the rows to be left out", { goal: { "max-suppressed": "5%" } }]);
    all.push(["Allow any number of rows to be left out", { goal: { "max-suppressed": "all" } }]);
  }
  if (privacy.k > 2) {
    const less = Math.max(2, Math.floor(privacy.k / 2));
    all.push([`Ask for k = ${less}`, { privacy: { k: less } }]);
  }
  for (const [key, name] of LIMITS) if (privacy[key] !== undefined && privacy[key] !== false) all.push([`Give up ${name}`, /** @type {Api.SpecPatch} */ ({ privacy: { [key]: null } })]);
  const quasi = app.state.columns.filter((it) => it.role === "quasi");
  // The column that tells the most people apart costs the most.
  const worst = [...quasi].sort((a, b) => b.unique_share - a.unique_share || b.distinct - a.distinct)[0];
  if (quasi.length > 1 && worst) all.push([`Leave out ${worst.name}`, { columns: { [worst.released ?? worst.name]: { role: "identifying" } } }]);
  return all;
}

/** @param {App} app */
export function repairs(app) {
  const all = possible(app);
  if (!all.length) return null;
  return h("div", { class: "stack", key: "repairs", id: "repairs" },
    h("p", null, "What would help, each with one click; undo takes it back:"),
    h("div", { class: "row wrap" }, all.map(([name, patch]) => h("button", { class: "small", key: name, onclick: () => app.patch(patch) }, name))));
}
