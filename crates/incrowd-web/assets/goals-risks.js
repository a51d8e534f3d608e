// @ts-check
/** Goals: risk as a requirement, in the words of those who approve releases, and the population. */

import { h } from "./dom.js";
import { percent } from "./words.js";

/** @import * as Api from "./api.js" */
/** @typedef {import("./app.js").App} App */
/** @typedef {import("./dom.js").FieldEvent} FieldEvent */
/** @typedef {import("./dom.js").Content} Content */

/** A number somebody typed, or nothing. @param {FieldEvent} event */
const typed = (event) => (event.target.value.trim() === "" ? null : Number(event.target.value));

/** A share of so many percent, without the dust of doubles. @param {number} number */
const share = (number) => Number((number / 100).toPrecision(12));

/** @param {number | null | undefined} part */
const hundred = (part) => (part === null || part === undefined ? "" : Number((100 * part).toPrecision(12)));

/** A share as the spec writes it, be it a number or a text with a percent sign. @param {string | number | null | undefined} text */
function read(text) {
  if (text === undefined || text === null || text === "") return null;
  const words = String(text).trim();
  return words.endsWith("%") ? Number(words.slice(0, -1)) / 100 : Number(words);
}

/** @param {string} id @param {string} label @param {Content} field @param {Content} [hint] */
function line(id, label, field, hint) {
  return [
    h("label", { for: id, key: `${id}-label` }, label),
    h("div", { class: "row wrap", key: `${id}-field` }, field),
    hint ? h("p", { class: "wide hint", key: `${id}-hint` }, hint) : null,
  ];
}

/** A field for a number, with what it counts behind it. @param {string} id @param {string | number | null | undefined} value @param {(event: FieldEvent) => void} onchange @param {Record<string, string>} [more] @param {string} [unit] */
function number(id, value, onchange, more, unit) {
  const field = h("input", { id, type: "number", min: "0", step: "any", placeholder: "any", value: value ?? "", onchange, ...more });
  return unit ? h("span", { class: "with-unit", key: id }, field, unit) : field;
}

/** What the release as a whole must keep to. @param {App} app */
export function risks(app) {
  const { privacy } = app.spec;
  const set = (/** @type {keyof Api.PrivacySection} */ key, /** @type {string | number | null} */ value) => app.patch({ privacy: { [key]: value } });
  const [most = null, above = null] = String(privacy["max-at-risk"] ?? "").split("@").map(read);
  const atRisk = (/** @type {number | null} */ part, /** @type {number | null} */ risk) => set("max-at-risk", part === null ? null : `${part}@${risk ?? 0.2}`);
  const highest = read(privacy["max-risk"]);
  const average = read(privacy["max-average-risk"]);
  const quasi = app.state.columns.filter((it) => it.role === "quasi").length;
  const known = privacy["known-columns"];
  return h("section", { class: "card", id: "risks" },
    h("h2", null, "Risk, as approvers ask for it"),
    h("div", { class: "fields" },
      line("max-risk", "Risk of anybody at most", number("max-risk", highest, (event) => set("max-risk", typed(event)), { max: "1", placeholder: "as k says" }),
        highest ? `Somebody who hides worst is found with a chance of ${percent(highest)}: crowds of ${Math.ceil(1 / highest - 1e-9)}.` : "0.09 is what EMA and Health Canada ask of published data."),
      line("max-average-risk", "Risk on average at most", number("max-average-risk", average, (event) => set("max-average-risk", typed(event)), { max: "1" }),
        average ? `Of all people, ${percent(average)} would be found if somebody tried all of them.` : null),
      line("max-at-risk", "Rows at risk at most", [
        number("max-at-risk", hundred(most), (event) => { const part = typed(event); atRisk(part === null ? null : share(part), above); }, { max: "100" }, "%"),
        h("label", { for: "at-risk-above", class: "check" }, "above a risk of ", number("at-risk-above", above, (event) => atRisk(most ?? 0.05, typed(event)), { max: "1", placeholder: "0.2" }))],
      most !== null && above !== null ? `${percent(most)} of the rows may be found with a chance above ${percent(above)}, all others not.` : null),
      line("known-columns", "Others know at most", [
        number("known-columns", known, (event) => set("known-columns", typed(event)), { min: "1", step: "1", placeholder: "all" }, `of ${quasi} columns`)],
      known ? `k holds for every ${known} of the quasi-identifiers; whoever knows more of a person may find a single row.` : null)));
}

/** What is asked in the population that the table is a part of. @param {App} app @param {Api.FileEntry[]} files */
export function population(app, files) {
  const { privacy, data } = app.spec;
  const set = (/** @type {Api.Patch<Api.PrivacySection> | undefined} */ changes) => app.patch({ privacy: changes });
  const fraction = read(privacy["sampling-fraction"]);
  const counted = fraction !== null ? "sample" : privacy["k-map"] ? "population" : "rows";
  const [least = null, most = null] = String(privacy["delta-presence"] ?? "").split(",").map(read);
  const presence = (/** @type {number | null} */ low, /** @type {number | null} */ high) => set({ "delta-presence": low === null && high === null ? null : `${low ?? 0},${high ?? 1}` });
  const count = (/** @type {FieldEvent} */ event) => set({
    rows: { "k-map": null, "sampling-fraction": null }, population: { "k-map": true, "sampling-fraction": null },
    sample: { "k-map": null, "sampling-fraction": fraction ?? 0.1 },
  }[/** @type {string} */ (event.target.value)]);
  const unique = read(privacy["max-population-unique"]);
  const weigh = (/** @type {FieldEvent} */ event) => {
    const column = app.state.columns.find((it) => (it.released ?? it.name) === event.target.value);
    app.patch({ data: { "survey-weight": event.target.value || null }, columns: column ? { [column.name]: { role: "quasi" } } : {} });
  };
  const numeric = app.state.columns.filter((it) => /^(integer|number|decimal)/.test(it.kind));
  return h("section", { class: "card", id: "people" },
    h("h2", null, "The population"),
    h("div", { class: "fields" },
      line("population", "A table of everybody", [
        h("input", {
          id: "population", type: "text", class: "mono grow", placeholder: "none", spellcheck: "false", list: "population-list", value: data.population ?? "",
          onchange: (/** @type {FieldEvent} */ event) => app.patch({ data: { population: event.target.value.trim() || null } }),
        }),
        h("datalist", { id: "population-list" }, files.filter((it) => it.kind === "table").map((it) => h("option", { value: it.path, key: it.path })))],
      "A file below the folder with the same quasi-identifiers, of all people whom the table could be about."),
      line("counted", "k counts", h("select", { id: "counted", value: counted, onchange: count },
        h("option", { value: "rows" }, "rows of the table"), h("option", { value: "population" }, "people of the population (k-map)"), h("option", { value: "sample" }, "people, estimated from a sample"))),
      counted === "sample" ? line("sampling-fraction", "The table holds", [
        number("sampling-fraction", hundred(fraction), (event) => { const part = typed(event); set({ "sampling-fraction": part === null ? null : share(part) }); }, { max: "100" }, "% of the population")],
      "An estimate: a crowd of fewer than k people would show so many rows in one of twenty samples at most.") : null,
      line("presence-most", "Known to be in the table", [
        h("label", { class: "check" }, "at least ", number("presence-least", hundred(least), (event) => { const part = typed(event); presence(part === null ? null : share(part), most); }, { max: "100", placeholder: "0" }, "%")),
        h("label", { class: "check" }, "at most ", number("presence-most", hundred(most), (event) => { const part = typed(event); presence(least, part === null ? null : share(part)); }, { max: "100" }, "%"))],
      most !== null ? `Whoever knows that a person fits a crowd is sure by at most ${percent(most)} that the person is in the table (delta-presence).` : null),
      line("max-population-unique", "Unique in the population", [
        number("max-population-unique", hundred(unique), (event) => { const part = typed(event); set({ "max-population-unique": part === null ? null : share(part) }); }, { max: "100" }, "% of the rows at most")]),
      line("survey-weight", "Survey weight", h("select", { id: "survey-weight", value: data["survey-weight"] ?? "", onchange: weigh },
        h("option", { value: "" }, "none"), numeric.map((it) => h("option", { value: it.released ?? it.name, key: it.name }, it.released ?? it.name))),
      data["survey-weight"] ? "Weights tell strata, so this column is a quasi-identifier: crowds show the mean of theirs, and the total stays that of the table." : null)));
}
