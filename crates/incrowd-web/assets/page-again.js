// @ts-check
/** New data: next month's table with a saved recoding. */

import { h } from "./dom.js";
import { call } from "./net.js";
import { head } from "./shell.js";
import { onPage, percent, sentence, whole } from "./words.js";

/** @import * as Api from "./api.js" */
/** @typedef {import("./app.js").App} App */
/** @typedef {import("./dom.js").FieldEvent} FieldEvent */
/** What the page keeps. @typedef {{ recoding: string | null, input: string, output: string, earlier: string, unseen: boolean, told: Api.AppliedRecoding | null, of: number | null, files: Api.FileEntry[] }} Own */

/** @param {App} app @returns {Own} */
function own(app) {
  return app.of("again", () => ({ recoding: null, input: "", output: "", earlier: "", unseen: false, told: null, of: null, files: [] }));
}

/** @param {App} app */
async function fetchAll(app) {
  const mine = own(app);
  mine.of = app.state.version;
  mine.told = (await call("again-told").catch(() => null))?.told ?? null;
  mine.files = (await call("files", { typed: "" }).catch(() => ({ entries: [] }))).entries;
  const saved = app.state.written?.files?.find((it) => it.what === "recoding")?.name;
  mine.recoding ??= saved ?? mine.files.find((it) => it.name.endsWith("recoding.json"))?.path ?? "";
  app.draw();
}

/** @type {import("./app.js").Page} */
export const again = {
  title: "New data",
  enter: fetchAll,
  changed(app) {
    if (app.here().page === again && own(app).of !== app.state.version && !app.state.work) fetchAll(app);
  },
  view(app) {
    const mine = own(app);
    const { work } = app.state;
    const busy = work?.kind === "again";
    const field = (/** @type {"recoding" | "input" | "output" | "earlier"} */ name, /** @type {string} */ title, /** @type {string} */ hint, /** @type {string} */ kind) => h("div", { key: name },
      h("label", { class: "label", for: name }, title),
      h("input", { id: name, class: "mono block", type: "text", spellcheck: "false", list: `${name}-list`, placeholder: hint, value: mine[name] ?? "", oninput: (/** @type {FieldEvent} */ event) => { mine[name] = event.target.value; } }),
      h("datalist", { id: `${name}-list` }, mine.files.filter((it) => it.kind === kind).map((it) => h("option", { value: it.path, key: it.path }))));
    const go = (/** @type {boolean} */ write) => app.ask("again", { recoding: mine.recoding ?? "", input: mine.input, suppress_unseen: mine.unseen, earlier: mine.earlier.split(","), output: write ? mine.output : null });
    return [
      head("New data", "A saved recoding treats new rows as it treated the first ones, so that releases fit together. Crowds that are too small among the new rows are left out."),
      h("div", { class: "two" },
        h("section", { class: "card" },
          field("recoding", "Recoding", "people.release.recoding.json", "recoding"),
          field("input", "New table", "people-march.csv", "table"),
          field("output", "Release", "people-march.release.csv", "none"),
          field("earlier", "Earlier releases of these people, with commas between them", "people.release.csv", "table"),
          h("label", { class: "check" }, h("input", { type: "checkbox", checked: mine.unseen, onchange: (/** @type {FieldEvent} */ event) => { mine.unseen = event.target.checked; app.draw(); } }), " Leave out rows with values that the recoding has not seen"),
          h("div", { class: "row" },
            h("button", { disabled: Boolean(work), onclick: () => go(false) }, "Try, write nothing"),
            h("button", { class: "main", disabled: Boolean(work), onclick: () => go(true) }, "Write and verify"),
            busy ? h("span", { class: "reading" }, h("span", { class: "spin", "aria-hidden": "true" }), "working") : null)),
        h("section", { class: "card", id: "again" }, mine.told
          ? [mine.told.output
            ? h("div", { class: "note good" }, h("strong", null, "Written and verified: "), mine.told.output)
            : h("div", { class: "note" }, "Tried: nothing was written."),
          h("table", null, h("tbody", null, [
            ["Rows", whole(mine.told.rows)], ["Released", whole(mine.told.released)],
            ["Left out", `${whole(mine.told.suppressed)} (${percent(mine.told.suppressed / Math.max(1, mine.told.rows))})`],
            ["Crowds", whole(mine.told.classes)], ["Smallest crowd", `${whole(mine.told.achieved_k)} (k = ${mine.told.k})`], ["Exactness kept", percent(1 - (mine.told.gcp ?? 0))],
          ].map(([name, value]) => h("tr", { key: name }, h("th", { scope: "row" }, name), h("td", { class: "number" }, value))))),
          mine.told.warnings.map((/** @type {string} */ it) => h("p", { class: "note warn", key: it }, `${sentence(onPage(it))}.`))]
          : [h("h2", null, "What comes of it"), h("p", { class: "soft" }, "Unseen values, rows that would be left out, and how large crowds are stand here.")])),
    ];
  },
};
