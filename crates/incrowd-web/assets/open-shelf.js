// @ts-check
/** Files that are brought into the tab, where there is no folder to choose from. */

import { h } from "./dom.js";
import { reach, save } from "./net.js";
import { bytes } from "./words.js";

/** @import * as Api from "./api.js" */
/** @typedef {import("./app.js").App} App */
/** @typedef {import("./dom.js").FieldEvent} FieldEvent */

/** @type {Record<string, string>} */
const KINDS = { table: "table", spec: "spec file", project: "project", recoding: "recoding", folder: "folder" };

/** What a file is, in words. @param {Api.FileEntry} entry */
export const kindOf = (entry) => KINDS[entry.kind];

/** What is to be done with files that are brought: one of them is opened, by its name. @type {(path: string | null) => unknown} */
let brought = () => {};
let listening = false;

/** Lets files be dropped anywhere on the pages. @param {App} app @param {(path: string | null) => unknown} then */
export function welcome(app, then) {
  brought = then;
  if (!reach().shelf || listening) return;
  listening = true;
  addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dragged");
  });
  addEventListener("dragleave", (event) => { if (!event.relatedTarget) document.body.classList.remove("dragged"); });
  addEventListener("drop", (event) => {
    event.preventDefault();
    document.body.classList.remove("dragged");
    if (event.dataTransfer?.files.length) bring(app, event.dataTransfer.files);
  });
}

/** @param {App} app @param {Iterable<File>} files */
async function bring(app, files) {
  const names = await reach().shelf?.bring(files) ?? [];
  app.go("/");
  // What says most about the work is opened: the others belong to it.
  const first = [/\.incrowd$/i, /\.toml$/i].map((end) => names.find((name) => end.test(name))).find(Boolean);
  const only = names.length === 1 && !/\.json$/i.test(names[0]) ? names[0] : null;
  await brought(first ?? only);
}

/**
 * Chooses files, and shows those that are here.
 * @param {App} app
 * @param {Api.FileEntry[]} entries
 * @param {(entry: Api.FileEntry) => void} open
 * @param {() => void} demo
 */
export function shelf(app, entries, open, demo) {
  const busy = Boolean(app.state.work);
  const keep = async (/** @type {Api.FileEntry} */ entry) => {
    const content = await reach().shelf?.take(entry.path);
    if (content) await save(content, entry.name);
  };
  const stay = async (/** @type {FieldEvent} */ event) => {
    const wanted = event.target.checked;
    await reach().shelf?.keep(wanted).catch(() => app.say("This browser keeps nothing for this page."));
    event.target.checked = Boolean(reach().shelf?.keeps());
    app.draw();
  };
  return [
    h("div", { class: "drop", key: "drop" },
      h("p", null, h("strong", null, "Drop a table here"), ", a spec or a project with it, or"),
      h("div", { class: "row" },
        h("label", { class: "button main" }, "Choose files",
          h("input", {
            id: "pick", type: "file", multiple: true, class: "unseen", disabled: busy,
            onchange: (/** @type {FieldEvent} */ event) => { bring(app, [...event.target.files ?? []]); event.target.value = ""; },
          })),
        h("button", { disabled: busy, onclick: demo }, "Try made-up people"))),
    entries.length ? h("table", { key: "shelf", id: "shelf" },
      h("thead", null, h("tr", null, h("th", { scope: "col" }, "In this tab"), h("th", { scope: "col" }, "What it is"), h("th", { scope: "col", class: "number" }, "Size"), h("th", { scope: "col" }, h("span", { class: "unseen" }, "Open or save")))),
      h("tbody", null, entries.map((entry) => h("tr", { key: entry.path },
        h("th", { scope: "row" }, h("span", { class: "mono" }, entry.name)), h("td", { class: "soft" }, kindOf(entry)), h("td", { class: "number soft" }, bytes(entry.size)),
        h("td", null, h("div", { class: "row" },
          h("button", { class: "small", disabled: busy, onclick: () => open(entry) }, "Open", h("span", { class: "unseen" }, ` ${entry.name}`)),
          h("button", { class: "small", onclick: () => keep(entry) }, "Save", h("span", { class: "unseen" }, ` ${entry.name}`)))))))) : null,
    h("label", { class: "check", key: "keep" }, h("input", { type: "checkbox", id: "keep-projects", checked: Boolean(reach().shelf?.keeps()), onchange: stay }), " Keep projects in this browser"),
    h("p", { class: "hint", key: "keep-hint" }, "A project holds the question and what was found, with values of the table. Whoever uses this browser can read it. Otherwise save its file before you close this tab."),
  ];
}
