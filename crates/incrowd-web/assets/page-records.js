// @ts-check
/** Records: who stands out, by what, and what the release does about it. */

import { h } from "./dom.js";
import { call } from "./net.js";
import { empty, head, next, values } from "./shell.js";
import { count, whole } from "./words.js";

/** @import * as Api from "./api.js" */
/** @typedef {import("./app.js").App} App */
/** @typedef {import("./dom.js").FieldEvent} FieldEvent */
/** Which records are looked at. @typedef {{ at_most: number | null, at_least: number | null, column: string | null, descending: boolean, fate: "released" | "left" | null }} Order */
/** What the page keeps. @typedef {{ order: Order, from: number, told: Api.ListedRecords | null, why: Api.RecordKeysAnswer | null, of: number | null, error: string | null, serial: number, begun: boolean }} Own */

const PAGE = 50;

/** @param {App} app @returns {Own} */
function own(app) {
  return app.of("records", () => ({ order: { at_most: null, at_least: null, column: null, descending: false, fate: null }, from: 0, told: null, why: null, of: null, error: null, serial: 0, begun: false }));
}

/** Goes to the records behind a number. @param {App} app @param {Partial<Order>} which */
export function showRecords(app, which) {
  const mine = own(app);
  mine.order = { at_most: null, at_least: null, column: null, descending: false, fate: null, ...which };
  [mine.from, mine.why] = [0, null];
  app.go("/records");
}

/** @param {App} app @param {number} [from] */
async function fetchPage(app, from) {
  const mine = own(app);
  mine.from = Math.max(0, from ?? mine.from);
  mine.serial += 1;
  const { serial } = mine;
  const order = Object.fromEntries(Object.entries(mine.order).filter((it) => it[1] !== null));
  const told = await call("records", { ...order, descending: mine.order.descending, from: mine.from, count: PAGE, show: app.values }).catch(() => null);
  if (serial !== mine.serial) return;
  mine.told = told?.told ?? null;
  app.draw();
}

/** Counts who stands where, unless that is known. @param {App} app */
async function fetchAll(app) {
  const mine = own(app);
  mine.of = app.state.version;
  if (!app.state.file || app.state.aside.includes("records")) return;
  await fetchPage(app);
  if ((!mine.told || mine.told.stale) && !app.state.work && !mine.begun) {
    mine.begun = true;
    await app.ask("begin-records");
    mine.begun = false;
  }
}

/** @param {App} app @param {number} number */
async function why(app, number) {
  const mine = own(app);
  mine.why = await call("record-keys", { number, show: app.values }).catch(() => null);
  if (mine.why) app.say(mine.why.keys.length ? `Record ${number} stands out by ${mine.why.keys[0].columns.join(" and ")}` : `Record ${number} does not stand out`);
  app.draw();
}

/** @type {import("./app.js").Page} */
export const records = {
  title: "Records",
  enter: fetchAll,
  changed(app) {
    if (app.here().page === records && own(app).of !== app.state.version) fetchAll(app);
  },
  view(app) {
    const { state } = app;
    const lead = "Each row of the table with its crowd: who stands out, by what, and what the release does about it.";
    if (!state.file) return [head("Records", lead), empty("No table is open", next("/", "Open one"))];
    const mine = own(app);
    const { told } = mine;
    const counting = state.aside.includes("records");
    return [
      head("Records", lead, [counting ? h("span", { class: "spin", role: "img", "aria-label": "counting" }) : null, next("/risk", "Back to the risk", false)]),
      told?.stale && !counting ? h("div", { class: "note warn" }, "The columns, goals or release have changed since. ", h("button", { class: "small", onclick: () => app.ask("begin-records") }, "Count again")) : null,
      filters(app),
      !told ? h("p", { class: "soft" }, counting ? h("span", { class: "spin", "aria-hidden": "true" }) : null, counting ? " Counting …" : "Mark what others may know as quasi-identifiers first.")
        : h("div", { class: mine.why ? "two" : "stack" }, list(app, told), mine.why ? detail(app, mine.why) : null),
    ];
  },
};

/** @param {App} app */
function filters(app) {
  const mine = own(app);
  const k = app.spec.privacy.k ?? 5;
  const set = (/** @type {Partial<Order>} */ change) => { mine.order = { ...mine.order, ...change }; mine.why = null; fetchPage(app, 0); };
  const { at_most: most, at_least: least, fate } = mine.order;
  const shown = least !== null ? "other" : most === null ? "" : most === 1 ? "1" : most === k - 1 ? "below" : "other";
  return h("section", { class: "card" }, h("div", { class: "row between wrap" },
    h("div", { class: "row wrap" },
      h("label", null, "Show ", h("select", { id: "records-crowd", value: shown, onchange: (/** @type {FieldEvent} */ event) => {
        const { value } = event.target;
        if (value !== "other") set({ at_least: null, at_most: value === "" ? null : value === "1" ? 1 : k - 1 });
      } },
        h("option", { value: "" }, "all rows"), h("option", { value: "1" }, "rows that stand alone"), h("option", { value: "below" }, `rows in crowds below k = ${k}`),
        shown === "other" ? h("option", { value: "other" }, `rows in crowds of ${least !== null && least !== most ? `${whole(least)} to ` : ""}${whole(most)}`) : null)),
      app.state.answer?.made ? h("label", null, "that are ", h("select", { id: "records-fate", value: fate ?? "", onchange: (/** @type {FieldEvent} */ event) => set({ fate: /** @type {Order["fate"]} */ (event.target.value || null) }) },
        h("option", { value: "" }, "released or not"), h("option", { value: "released" }, "released"), h("option", { value: "left" }, "left out"))) : null),
    values(app, () => { fetchPage(app); if (mine.why) why(app, mine.why.number); })));
}

/** @param {App} app @param {Api.ListedRecords} told */
function list(app, told) {
  const mine = own(app);
  const to = Math.min(told.all, told.from + told.records.length);
  const made = told.records.some((it) => it.fate !== null);
  const sort = (/** @type {string | null} */ column) => {
    mine.order = { ...mine.order, column, descending: mine.order.column === column && !mine.order.descending };
    fetchPage(app, 0);
  };
  const title = (/** @type {string | null} */ column, /** @type {string} */ name, /** @type {string} */ kind) => {
    const on = mine.order.column === column;
    return h("th", { scope: "col", key: name, class: kind, "aria-sort": on ? (mine.order.descending ? "descending" : "ascending") : "none" },
      h("button", { class: "sort", onclick: () => sort(column) }, name, h("span", { "aria-hidden": "true" }, on ? (mine.order.descending ? " ▼" : " ▲") : "")));
  };
  return h("section", { class: "card" },
    h("p", { id: "records-told" }, `${told.all ? whole(told.from + 1) : 0} to ${whole(to)} of ${count(told.all, "row")}`, told.all < told.rows ? ` (the table has ${whole(told.rows)})` : "", "."),
    h("div", { class: `scroll tall ${app.values ? "confidential" : ""}`, tabindex: "0", role: "region", "aria-label": "Records" },
      app.values ? h("p", { class: "confidential-mark" }, "Original values: confidential, in no report") : null,
      h("table", { class: "data", id: "records" },
        h("thead", null, h("tr", null, h("th", { scope: "col", class: "number" }, "Row"), title(null, "Crowd", "number"), made ? h("th", { scope: "col", class: "number" }, "In the release") : null,
          told.columns.map((name) => title(name, name, "")), h("th", { scope: "col" }, h("span", { class: "unseen" }, "Reason")))),
        h("tbody", null, told.records.map((it) => h("tr", { key: it.number, class: mine.why?.number === it.number ? "chosen" : "" },
          h("td", { class: "number soft" }, whole(it.number)),
          h("td", { class: "number" }, h("span", { class: it.crowd === 1 ? "tag bad" : it.crowd < told.k ? "tag warn" : "" }, whole(it.crowd))),
          made ? h("td", { class: "number" }, it.released === null ? h("span", { class: "soft" }, it.fate ?? "–") : whole(it.released)) : null,
          told.columns.map((name, at) => h("td", { key: name }, it.fields ? it.fields[at] : "•••")),
          h("td", null, h("button", { class: "small", onclick: () => why(app, it.number) }, "Why?", h("span", { class: "unseen" }, ` row ${it.number}`)))))))),
    h("form", { class: "row wrap", onsubmit: (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      const typed = Number(new FormData(/** @type {HTMLFormElement} */ (event.target)).get("to"));
      if (Number.isInteger(typed) && typed > 0) fetchPage(app, Math.min(typed, told.all) - 1);
    } },
      h("button", { type: "button", disabled: told.from === 0, onclick: () => fetchPage(app, 0) }, "First"),
      h("button", { type: "button", disabled: told.from === 0, onclick: () => fetchPage(app, told.from - PAGE) }, "Before"),
      h("button", { type: "button", disabled: to >= told.all, onclick: () => fetchPage(app, told.from + PAGE) }, "Next"),
      h("label", null, "Go to ", h("input", { type: "number", name: "to", id: "records-to", min: "1", max: String(told.all), step: "1" })), h("button", null, "Go")));
}

/** @param {App} app @param {Api.RecordKeysAnswer} told */
function detail(app, told) {
  const [first] = told.columns;
  return h("section", { class: "card", id: "record", "aria-live": "polite" },
    h("div", { class: "row between" }, h("h2", null, `Row ${whole(told.number)}`), h("button", { class: "small", onclick: () => { own(app).why = null; app.draw(); } }, "Close")),
    h("p", null, told.crowd === 1 ? "Nobody else looks the same by the quasi-identifiers." : `${count(told.crowd, "row")} look the same by the quasi-identifiers, itself among them.`),
    told.keys.length ? [h("h3", null, `What singles it out among fewer than ${told.k}`),
      h("table", { class: "light" }, h("thead", null, h("tr", null, h("th", { scope: "col" }, "Who knows"), h("th", { scope: "col", class: "number" }, "finds it among"))),
        h("tbody", null, told.keys.map((it) => h("tr", { key: it.columns.join() }, h("th", { scope: "row" }, it.columns.join(", ")), h("td", { class: "number" }, whole(it.records))))))]
      : h("p", { class: "soft" }, told.crowd >= told.k ? "No combination of columns singles it out." : "There are too many quasi-identifiers to look at every combination."),
    first ? [h("h3", null, "What would protect it"),
      h("p", null, "Making these less exact, those first that single it out most: ", told.columns.map((it, at) => [at ? ", " : "", h("a", { href: `/columns/${encodeURIComponent(it.column)}`, "data-go": true, key: it.column }, it.column), ` (${it.keys})`]), ".")] : null,
    told.fate === "released" ? h("p", { class: "note good" }, `In the release ${count(told.released ?? 0, "row")} look like it.`)
      : told.fate === "blank" ? h("p", { class: "note good" }, "In the release its quasi-identifiers are blank.")
        : told.fate === "left out" ? h("p", { class: "note good" }, "It is not in the release.") : null,
    told.labels ? h("p", null, "Shown as: ", told.labels.join(", ")) : null);
}
