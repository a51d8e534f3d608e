// @ts-check
/** Treatment: what becomes of a column that is no quasi-identifier. */

import { h } from "./dom.js";
import { reading } from "./hierarchy-breaks.js";
import { empty, head, next } from "./shell.js";
import { sentence } from "./words.js";

/** @import * as Api from "./api.js" */
/** @typedef {import("./app.js").App} App */
/** @typedef {import("./dom.js").FieldEvent} FieldEvent */

/**
 * What can be done, in words: the word of the spec, its name, what it does, what it leaves to those who look.
 * @type {[string, string, string, string][]}
 */
const TREATS = [
  ["", "Nothing", "", ""],
  ["pseudonym", "Pseudonyms", "16 letters and digits for each value, made with a key; equal values get equal ones.", "Rows of one value stay linked, and whoever has the key or the table undoes it."],
  ["random", "Pseudonyms without a key", "The same, under a key that nobody keeps: it cannot be made again, not even by you.", "Rows of one value stay linked; whoever has the table undoes it."],
  ["last", "Last characters", "The last characters, a * for each of the others. Short values show none.", "What is left is released unchanged, and k does not count it: it may still identify people."],
  ["initials", "Initials", "The first letter of each word.", "Rare initials, and their number, may tell people apart; k does not count them."],
  ["shift", "Shifted dates", "All dates of a person move by the same number of days, so that distances stay.", "Order and distances stay: one true date, or an unusual distance, gives away all dates of a person."],
  ["fixed", "One text", "The same text in every row.", "Nothing but which rows had no value."],
  ["zip3", "Three digits of a ZIP code", "Of the United States; 000 for the areas of 20,000 people or fewer by the census of 2020, as HIPAA asks.", "The area; k does not count it unless the column is quasi."],
  ["drop", "Left out", "The column is not released.", "Nothing."],
];

/** @param {string} column @param {string | null} role */
const nothing = (column, role) => (role === "identifying" ? ["Not released", `${column} names people, so it is left out unless its values are replaced.`] : ["As it is", "Values are released as they are."]);

/** @type {import("./app.js").Page} */
export const treat = {
  title: "Treatment",
  view(app) {
    const { column } = app.here();
    const about = app.state.columns?.find((it) => it.name === column);
    const back = next("/columns", "Back to the columns", false);
    if (!about) return [head("Treatment", "What becomes of a column."), empty("There is no such column", back)];
    const can = about.role === "plain" || about.role === "identifying";
    return [
      head(`How ${column} is released`, `It is ${about.role ?? "undecided"}. Quasi-identifiers are generalized; other columns can be replaced, so that they name nobody and are still of use.`, back),
      can ? null : h("div", { class: "note" }, `Values of columns that are ${about.role ?? "undecided"} are not replaced. Make it plain or identifying on the page of the columns first.`),
      h("div", { class: "two" }, can ? choices(app, about) : null, h("div", { class: "stack" }, can ? key(app, about) : null, beside(app, about), reading(app, about))),
    ];
  },
};

/** What a treatment is made of. @param {string | undefined} text */
function parts(text) {
  if (!text) return { word: "", rest: "" };
  const at = text.indexOf(":");
  return at < 0 ? { word: text, rest: "" } : { word: text.slice(0, at), rest: text.slice(at + 1) };
}

/** Changes what becomes of a column. A pseudonym of those who are protected links their rows. @param {App} app @param {Api.ColumnSummary} about @param {string | null} text */
function put(app, about, text) {
  const { privacy } = app.spec;
  const unit = (about.released ?? about.name) === privacy.unit;
  const links = text !== null && /^(pseudonym|random)/.test(text);
  return app.patch({
    columns: { [about.name]: { treat: text, ...(text ? { follows: null } : {}) } },
    privacy: unit ? { linked: links || null } : {},
  });
}

/** @param {App} app @param {Api.ColumnSummary} about */
function choices(app, about) {
  const { word, rest } = parts(about.treat?.text);
  const dates = /^(date|time)/.test(about.kind);
  const usual = (/** @type {string} */ it) => ({ last: "last:4", shift: "shift:365", fixed: "fixed:removed" })[it] ?? it;
  return h("section", { class: "card" },
    h("fieldset", { class: "choices", id: "treats" },
      h("legend", null, "What becomes of its values"),
      TREATS.filter(([it]) => it !== "shift" || dates || word === "shift").map(([name, title, does, leaks]) => {
        const [called, what] = name === "" ? nothing(about.name, about.role) : [title, does];
        return h("label", { class: `choice ${word === name ? "on" : ""}`, key: name },
          h("input", { type: "radio", name: "treat", value: name, checked: word === name, onchange: () => put(app, about, name === "" ? null : usual(name)) }),
          h("span", null, called),
          h("small", null, what, leaks ? [" ", h("b", null, "Leaves: "), `${leaks[0].toLowerCase()}${leaks.slice(1)}`] : null));
      })),
    word === "pseudonym" ? h("div", { class: "fields", key: "domain" },
      h("label", { for: "domain" }, "Domain"), h("input", { id: "domain", type: "text", placeholder: about.released ?? about.name, value: rest, onchange: (/** @type {FieldEvent} */ event) => put(app, about, event.target.value.trim() ? `pseudonym:${event.target.value.trim()}` : "pseudonym") }),
      h("p", { class: "wide hint" }, "Columns and tables of one domain and key have the same pseudonyms and can be linked on purpose; those of others cannot.")) : null,
    word === "last" ? h("div", { class: "fields", key: "last" },
      h("label", { for: "last" }, "Characters"), h("div", { class: "row" }, h("input", { id: "last", type: "number", min: "1", max: "64", step: "1", value: rest, onchange: (/** @type {FieldEvent} */ event) => put(app, about, `last:${event.target.value}`) }))) : null,
    word === "fixed" ? h("div", { class: "fields", key: "fixed" },
      h("label", { for: "fixed" }, "Text"), h("input", { id: "fixed", type: "text", value: rest, onchange: (/** @type {FieldEvent} */ event) => put(app, about, `fixed:${event.target.value}`) })) : null,
    word === "shift" ? shift(app, about, rest) : null);
}

/** @param {App} app @param {Api.ColumnSummary} about @param {string} rest */
function shift(app, about, rest) {
  const [days, weekday] = [rest.split(":")[0], rest.endsWith(":weekday")];
  const move = (/** @type {string} */ most, /** @type {boolean} */ weeks) => put(app, about, `shift:${most}${weeks ? ":weekday" : ""}`);
  return h("div", { class: "fields", key: "shift" },
    h("label", { for: "days" }, "By up to"), h("div", { class: "row wrap" },
      h("input", { id: "days", type: "number", min: "1", step: "1", value: days, onchange: (/** @type {FieldEvent} */ event) => move(event.target.value, weekday) }), h("span", null, "days, forwards or back")),
    h("label", { class: "check wide" }, h("input", { type: "checkbox", checked: weekday, onchange: (/** @type {FieldEvent} */ event) => move(days, event.target.checked) }), " By whole weeks, so that days of the week stay"),
    h("p", { class: "wide hint" }, "A person is who is told apart on the page of the goals. A short range leaves the season."));
}

/** The key of pseudonyms and shifts. @param {App} app @param {Api.ColumnSummary} about */
function key(app, about) {
  if (!about.treat?.needs_key) return null;
  const file = app.spec.release?.["key-file"] ?? "";
  const name = (/** @type {string} */ it) => app.patch({ release: { "key-file": it.trim() || null } });
  return h("section", { class: "card", key: "key" }, h("h2", null, "The key"),
    h("label", { class: "label", for: "key-file" }, "File"),
    h("div", { class: "row" },
      h("input", { id: "key-file", class: "mono grow", type: "text", placeholder: "none: it is forgotten", spellcheck: "false", value: file, onchange: (/** @type {FieldEvent} */ event) => name(event.target.value) }),
      file ? null : h("button", { onclick: () => name("pseudonyms.key") }, "Keep it")),
    h("p", { class: "hint" }, file
      ? "It is made when it is first needed, for your eyes only (mode 0600), and is in no other file. The same key makes the same pseudonyms and shifts."
      : "Without a file a fresh key is used and forgotten: the same cannot be made again."));
}

/** What a released column does to the quasi-identifiers beside it. @param {App} app @param {Api.ColumnSummary} about */
export function beside(app, about) {
  const quasi = app.state.columns.filter((it) => it.role === "quasi").map((it) => it.released ?? it.name);
  const set = (/** @type {Api.Patch<Api.ColumnSection>} */ changes) => app.patch({ columns: { [about.name]: changes } });
  const tells = (app.state.look?.told?.tells ?? []).filter((it) => it.column === about.name);
  const plain = about.role === "plain";
  const narrows = plain || about.role === "sensitive" || about.role === "class";
  if (!narrows) return null;
  return h("section", { class: "card", key: "beside" }, h("h2", null, "Beside the quasi-identifiers"),
    tells.map((it) => h("p", { class: "note warn", key: it.quasi }, `As it is, it tells ${it.quasi}.`)),
    plain ? h("div", { class: "fields" },
      h("label", { for: "follows" }, "It follows"),
      h("select", { id: "follows", value: about.follows ?? "", disabled: Boolean(about.treat), onchange: (/** @type {FieldEvent} */ event) => set({ follows: event.target.value || null }) },
        h("option", { value: "" }, "nothing"), quasi.map((/** @type {string} */ it) => h("option", { value: it, key: it }, it))),
      h("p", { class: "wide hint" }, about.treat
        ? "A column whose values are replaced follows nothing."
        : about.follows
          ? `Where the release shows a group of ${about.follows}, this column shows what belongs to that group: a set, a range, or * from 21 values on.`
          : "A town can follow a ZIP code: it is then shown as the towns of the group, and tells nothing more than the group does.")) : null,
    h("label", { class: "check" }, h("input", { id: "narrowing", type: "checkbox", checked: about.narrowing, onchange: (/** @type {FieldEvent} */ event) => set({ narrowing: event.target.checked || null }) }),
      h("span", null, "Others may know it: k must hold with it, too")),
    h("p", { class: "hint" }, sentence("in every class at least k people then share each of its values, and the verifier checks that.")),
    h("label", { class: "check" }, h("input", { id: "accept", type: "checkbox", checked: about.accept, onchange: (/** @type {FieldEvent} */ event) => set({ accept: event.target.checked || null }) }),
      h("span", null, "Release it although it looks as if it named people")));
}
