// @ts-check
/** Finish: what approvers file about a release, and the record of releases. */

import { h } from "./dom.js";
import { deliver, save } from "./net.js";
import { sentence } from "./words.js";

/** @import * as Api from "./api.js" */
/** @typedef {import("./app.js").App} App */
/** @typedef {import("./dom.js").FieldEvent} FieldEvent */
/** What the page keeps. @typedef {{ attested: Record<string, string>, replace: boolean, into: string | null, by: string, remark: string, harbor: boolean, wrote: string[] | null, begun: string | null }} Own */

/** What the forms are. @type {Record<string, [string, string]>} */
const FORMS = {
  "safe-harbor": ["HIPAA Safe Harbor", "The 18 identifiers, and what was done about each"],
  "expert-determination": ["HIPAA expert determination", "45 CFR 164.514(b)(1): risks, attacks, and what the expert must state and sign"],
  "motivated-intruder": ["Motivated intruder test", "As the ICO describes it: what was tried, by whom, with which knowledge"],
  clinical: ["EMA and Health Canada", "Sections of the anonymization report; what only people can say is marked"],
  iso27559: ["ISO/IEC 27559", "The parts of the framework; what only people can say is marked"],
  croissant: ["Croissant", "JSON-LD for catalogues: columns, hashes, k, the verdict"],
};

/** @type {Record<Api.ItemStatus, string>} */
const STANDING = { done: "good", absent: "", attested: "good", open: "bad" };

/** @param {App} app @returns {Own} */
function own(app) {
  return app.of("forms", () => ({ attested: {}, replace: false, into: null, by: "", remark: "", harbor: false, wrote: null, begun: null }));
}

/** Fills the forms in as soon as there is something to tell. @param {App} app */
export function fillForms(app) {
  const mine = own(app);
  const { state } = app;
  const mark = state.written && state.answer?.verified ? JSON.stringify(state.written.files) + state.written.summary : null;
  if (mark && !state.formed && !state.aside.includes("forms") && !state.work && mine.begun !== mark) {
    mine.begun = mark;
    mine.wrote = null;
    fill(app);
  }
}

/** @param {App} app */
function fill(app) {
  return app.ask("begin-forms", { attested: own(app).attested });
}

/** @param {App} app */
export function forms(app) {
  const { formed, aside } = app.state;
  const busy = aside.includes("forms");
  if (!formed) {
    return h("section", { class: "card", key: "forms" }, h("h2", null, "What approvers file"),
      busy ? h("p", { class: "soft" }, h("span", { class: "spin", "aria-hidden": "true" }), " Filling in the forms …")
        : h("div", { class: "row" }, h("button", { id: "fill", onclick: () => fill(app) }, "Fill in the forms")));
  }
  return [h("div", { class: "two", key: "forms" }, h("div", { class: "stack" }, files(app, formed, busy), record(app, formed)), harbor(app, formed, busy))];
}

/** @param {App} app @param {Api.FormsSummary} formed @param {boolean} busy */
function files(app, formed, busy) {
  const mine = own(app);
  const keep = async (/** @type {string} */ what) => {
    const form = await app.ask("form", { what });
    if (form) save(new Blob([form.text], { type: "text/plain" }), form.name);
  };
  const write = async () => {
    mine.wrote = (await app.ask("write-forms", { replace: mine.replace }))?.files ?? null;
    app.draw();
  };
  const print = async (/** @type {string} */ what) => {
    const ticket = await app.ask("form-ticket", { what });
    if (ticket) await deliver(ticket.path);
  };
  return h("section", { class: "card", id: "forms" },
    h("div", { class: "row between" }, h("h2", null, "What approvers file"), busy ? h("span", { class: "spin", role: "img", "aria-label": "filling in" }) : null),
    h("p", { class: "hint" }, "From the spec, the files and a fresh verdict. Forms show no value of anybody."),
    h("table", null,
      h("thead", null, h("tr", null, h("th", { scope: "col" }, "Form"), h("th", { scope: "col" }, h("span", { class: "unseen" }, "Save or print")))),
      h("tbody", null, formed.forms.map((it) => h("tr", { key: it.what },
        h("th", { scope: "row" }, FORMS[it.what][0], h("div", { class: "reason" }, FORMS[it.what][1])),
        h("td", null, h("div", { class: "row" },
          h("button", { class: "small", onclick: () => keep(it.what) }, "Save", h("span", { class: "unseen" }, ` ${FORMS[it.what][0]}`)),
          it.what === "croissant" ? null : h("button", { class: "small", "data-print": it.what, onclick: () => print(it.what) }, "Print", h("span", { class: "unseen" }, ` ${FORMS[it.what][0]}`)))))))),
    h("p", { class: "hint" }, "Print opens the form as a page: print it from there, or save it as PDF."),
    h("div", { class: "row wrap" },
      h("button", { id: "write-forms", onclick: write }, "Write all beside the release"),
      h("label", { class: "check" }, h("input", { type: "checkbox", checked: mine.replace, onchange: (/** @type {FieldEvent} */ event) => { mine.replace = event.target.checked; app.draw(); } }), " Replace files that are there")),
    mine.wrote ? h("p", { class: "note good", id: "forms-written", role: "status" }, "Written: ", h("span", { class: "mono" }, mine.wrote.join(", "))) : null);
}

/** @param {App} app @param {Api.FormsSummary} formed @param {boolean} busy */
function harbor(app, formed, busy) {
  const mine = own(app);
  const { items, done } = formed.checklist;
  const open = items.filter((it) => it.standing === "open").length;
  const attest = (/** @type {Api.ChecklistItem} */ it) => it.standing === "open" || mine.attested[it.key] !== undefined;
  return h("section", { class: "card", id: "safe-harbor" },
    h("div", { class: "row between" }, h("h2", null, "HIPAA Safe Harbor"),
      h("span", { class: `tag ${done ? "good" : "bad"}`, id: "harbor-standing" }, done ? "done" : `${open} open`)),
    h("p", { class: "hint" }, "For data from the United States. Columns are found by their names and values. What no program can see, somebody attests by name."),
    h("table", { class: "light" },
      h("thead", null, h("tr", null, h("th", { scope: "col" }, "Item"), h("th", { scope: "col" }, "Standing"))),
      h("tbody", null, items.map((it) => h("tr", { key: it.key, "data-item": it.key },
        h("th", { scope: "row" }, h("span", { class: "soft" }, it.key.length === 1 ? `${it.key} ` : ""), sentence(it.what),
          it.done.length ? h("div", { class: "reason" }, it.done.map(sentence).join(". ")) : null,
          attest(it) ? h("input", {
            type: "text", class: "block", id: `attest-${it.key}`, "aria-label": `Who attests item ${it.key}, and what`, placeholder: "Who says what: J. Doe looked at all columns", value: mine.attested[it.key] ?? "",
            onchange: (/** @type {FieldEvent} */ event) => { mine.attested[it.key] = event.target.value; fill(app); },
          }) : null),
        h("td", null, h("span", { class: `tag ${STANDING[it.standing]}` }, it.standing)))))),
    busy ? h("p", { class: "soft" }, h("span", { class: "spin", "aria-hidden": "true" }), " Going through the list …") : null);
}

/** @param {App} app @param {Api.FormsSummary} formed */
function record(app, formed) {
  const mine = own(app);
  const { recorded, work } = app.state;
  const put = () => app.ask("record", { into: mine.into ?? formed.record, approved_by: mine.by, remark: mine.remark, safe_harbor: mine.harbor, attested: mine.attested });
  const field = (/** @type {string} */ id, /** @type {string} */ title, /** @type {"into" | "by" | "remark"} */ name, /** @type {string} */ hint, /** @type {string} */ value) => [
    h("label", { for: id, key: `${id}-label` }, title),
    h("input", { id, key: id, type: "text", class: name === "into" ? "mono" : "", spellcheck: "false", placeholder: hint, value, oninput: (/** @type {FieldEvent} */ event) => { mine[name] = event.target.value; } }),
  ];
  return h("section", { class: "card", id: "record" }, h("h2", null, "On record"),
    h("p", { class: "hint" }, "A line for each release: hashes of release, table and spec, the verdict, who approved it and when. Every line holds the hash of the one before, so that none can be changed unnoticed."),
    h("div", { class: "fields" },
      field("record-into", "Record", "into", "record.jsonl", mine.into ?? formed.record),
      field("approved-by", "Approved by", "by", "J. Doe, data protection officer", mine.by),
      field("remark", "Remark", "remark", "none", mine.remark)),
    h("label", { class: "check" }, h("input", { type: "checkbox", checked: mine.harbor, onchange: (/** @type {FieldEvent} */ event) => { mine.harbor = event.target.checked; app.draw(); } }), " With the Safe Harbor list, which must have no open item"),
    h("div", { class: "row" },
      h("button", { class: "main", id: "put-on-record", disabled: Boolean(work), onclick: put }, recorded ? "Put on record again" : "Put on record"),
      work?.kind === "record" ? h("span", { class: "reading" }, h("span", { class: "spin", "aria-hidden": "true" }), "verifying") : null),
    recorded ? h("div", { class: "stack", id: "recorded" },
      h("div", { class: "note good", role: "status" }, h("strong", null, `Number ${recorded.entry.number} of ${recorded.into}. `),
        recorded.entry.approved_by ? `Approved by ${recorded.entry.approved_by}, ${recorded.entry.at}.` : `Approved by nobody yet, ${recorded.entry.at}.`,
        h("p", { class: "hint" }, "Keep this hash elsewhere, so that lines cut off the end are noticed: ", h("code", null, recorded.entry.hash))),
      h("p", null, "Whoever gets the release checks it so:"),
      h("pre", { id: "verify-record", tabindex: "0" }, recorded.command)) : null);
}
