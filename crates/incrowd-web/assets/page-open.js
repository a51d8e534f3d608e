// @ts-check
/** Open: choose a table. */

import { h } from "./dom.js";
import { call, reach } from "./net.js";
import { fetchProjects, mayDiscard, projects } from "./open-projects.js";
import { kindOf, shelf, welcome } from "./open-shelf.js";
import { empty, head, next, values } from "./shell.js";
import { ago, bytes, count, onPage, percent, whole } from "./words.js";

/** @import * as Api from "./api.js" */
/** @typedef {import("./app.js").App} App */
/** @typedef {import("./dom.js").FieldEvent} FieldEvent */
/** What the page keeps. @typedef {{ typed: string, entries: Api.FileEntry[], at: number, asked: string, preview: Api.PreviewAnswer | null, previewOf: string, opening: boolean, recent: Api.RecentSpec[], read: { path: string, reading: Api.ReadSettings } | null, reading: Api.ReadSettings, sheets: string[], sheetsOf: string }} Own */

/** @param {App} app @returns {Own} */
function own(app) {
  return app.of("open", () => ({ typed: "", entries: [], at: -1, asked: "", preview: null, previewOf: "", opening: false, recent: [], read: null, reading: {}, sheets: [], sheetsOf: "" }));
}

/** @param {App} app @param {string} typed */
async function complete(app, typed) {
  const mine = own(app);
  mine.typed = typed;
  mine.at = -1;
  mine.asked = typed;
  const { entries } = await call("files", { typed }).catch(() => ({ entries: [] }));
  if (mine.asked !== typed) return;
  mine.entries = entries;
  app.draw();
  if (mine.sheetsOf !== typed) await sheets(app, typed);
}

/** Which sheets a workbook has. @param {App} app @param {string} path */
async function sheets(app, path) {
  const mine = own(app);
  const before = mine.sheets.length;
  mine.sheetsOf = path;
  mine.reading.sheet = undefined;
  mine.sheets = [];
  if (/\.(xlsx|xlsm|xlsb|xls|ods)$/i.test(path)) {
    const told = await call("reading", { path }).catch(() => ({ sheets: [] }));
    if (mine.sheetsOf !== path) return;
    mine.sheets = told.sheets;
  }
  if (before || mine.sheets.length) app.draw();
}

/** Goes on to the columns once the table is there: a small one may be before the server has answered. @param {App} app */
function follow(app) {
  own(app).opening = true;
  app.here().page.changed?.(app);
}

/** @param {App} app @param {string} path @param {Api.ReadSettings} [reading] @param {boolean} [anew] */
async function take(app, path, reading, anew) {
  const mine = own(app);
  if (!reading) {
    // A workbook of several sheets is not opened by guessing.
    if (mine.sheetsOf !== path) await sheets(app, path);
    if (mine.sheets.length > 1 && mine.reading.sheet === undefined) {
      mine.typed = path;
      app.say(`${path} has ${mine.sheets.length} sheets: choose one`);
      app.drawNow();
      document.getElementById("which-sheet")?.querySelector("button")?.focus();
      return;
    }
    const said = Object.fromEntries(Object.entries(mine.reading).filter((it) => it[1]));
    if (Object.keys(said).length) return readAs(app, path, said);
  }
  const discard = mayDiscard(app);
  if (discard === null) return;
  mine.read = reading ? { path, reading } : null;
  if ((await app.ask("open", { path, ...reading, anew, discard })) && !reading) follow(app);
}

/** Opens a table as somebody says. @param {App} app @param {string} path @param {Api.ReadSettings} reading */
async function readAs(app, path, reading) {
  const discard = mayDiscard(app);
  if (discard === null) return;
  own(app).read = { path, reading };
  if (await app.ask("open", { path, ...reading, anew: false, discard })) follow(app);
}

const ENCODINGS = [
  "utf-8", "windows-1252", "iso-8859-15", "iso-8859-2", "windows-1250", "windows-1251", "koi8-r", "windows-1253", "windows-1254", "windows-1255", "windows-1256", "windows-1257", "windows-1258", "windows-874",
  "iso-8859-3", "iso-8859-4", "iso-8859-5", "iso-8859-6", "iso-8859-7", "iso-8859-8", "iso-8859-10", "iso-8859-13", "iso-8859-14", "iso-8859-16", "macintosh", "x-mac-cyrillic", "ibm866", "koi8-u",
  "utf-16le", "utf-16be", "shift_jis", "euc-jp", "iso-2022-jp", "gb18030", "gbk", "big5", "euc-kr",
];
const DELIMITERS = [["", "found"], [",", "comma"], [";", "semicolon"], ["tab", "tab"], ["|", "bar"]];

/** What somebody knows of a file before it is opened. @param {App} app */
function howToRead(app) {
  const mine = own(app);
  const set = (/** @type {keyof Api.ReadSettings} */ name) => (/** @type {FieldEvent} */ event) => { mine.reading[name] = event.target.value || undefined; app.draw(); };
  const wanted = /--(encoding|delimiter)/.test(`${app.state.error?.message} ${app.state.error?.help}`);
  const chosen = [mine.reading.delimiter, mine.reading.encoding].filter(Boolean).join(", ");
  return [
    mine.sheets.length > 1 ? h("div", { class: "note", id: "which-sheet", key: "which-sheet" }, h("strong", null, `${mine.sheetsOf} has ${mine.sheets.length} sheets. Which one is the table?`),
      h("div", { class: "row wrap" }, mine.sheets.map((name) => h("button", { key: name, disabled: Boolean(app.state.work), "aria-pressed": mine.reading.sheet === name ? "true" : "false", onclick: () => { mine.reading.sheet = name; take(app, mine.sheetsOf); } }, name)))) : null,
    h("details", { id: "how-to-read", key: "how-to-read", open: wanted ? true : undefined }, h("summary", null, `How to read it${chosen ? `: ${chosen}` : ""}`),
      h("div", { class: "row wrap" },
        h("label", null, "Between fields ", h("select", { id: "read-delimiter", value: mine.reading.delimiter ?? "", onchange: set("delimiter") }, DELIMITERS.map(([value, name]) => h("option", { value, key: value }, name)))),
        h("label", null, "Encoding ", h("select", { id: "read-encoding", value: mine.reading.encoding ?? "", onchange: set("encoding") }, h("option", { value: "" }, "found"), ENCODINGS.map((name) => h("option", { value: name, key: name }, name))))),
      h("p", { class: "hint" }, "Found by itself in nearly all files. What is chosen here holds for the next file that is opened.")),
  ];
}

/** Another way to read the table would lose what was decided on: a new project can be read so. @param {App} app */
function readAnew(app) {
  const { read } = own(app);
  if (!read || !app.state.error || app.state.work) return null;
  return h("div", { class: "note warn", id: "read-anew" }, "The table stays as it was read before. ",
    h("button", { onclick: () => take(app, read.path, read.reading, true) }, "Read it so in a new project"));
}

/** @param {App} app */
async function demo(app) {
  const discard = mayDiscard(app);
  if (discard !== null && (await app.ask("demo", { discard }))) follow(app);
}

/** @param {App} app @param {Api.FileEntry} entry */
function choose(app, entry) {
  if (entry.folder) {
    const field = document.getElementById("path");
    const typed = `${entry.path}/`;
    if (field instanceof HTMLInputElement) {
      field.value = typed;
      field.focus();
    }
    complete(app, typed);
  } else if (entry.kind === "recoding") app.go("/again");
  else {
    own(app).typed = entry.path;
    take(app, entry.path);
  }
}

/** @param {App} app @param {KeyboardEvent} event */
function key(app, event) {
  const mine = own(app);
  const most = mine.entries.length - 1;
  if (event.key === "ArrowDown") mine.at = Math.min(most, mine.at + 1);
  else if (event.key === "ArrowUp") mine.at = Math.max(-1, mine.at - 1);
  else if (event.key === "Tab" && !event.shiftKey && mine.entries.length === 1 && mine.entries[0].path !== mine.typed) {
    choose(app, { ...mine.entries[0], kind: "table", folder: true });
    const field = /** @type {HTMLInputElement} */ (event.target);
    field.value = mine.entries[0].folder ? `${mine.entries[0].path}/` : mine.entries[0].path;
    mine.typed = field.value;
  } else if (event.key === "Enter") {
    if (mine.at >= 0) choose(app, mine.entries[mine.at]);
    else take(app, /** @type {HTMLInputElement} */ (event.target).value);
  } else return;
  event.preventDefault();
  app.draw();
}

/** @param {App} app */
async function preview(app) {
  const mine = own(app);
  if (!app.state.file) return;
  mine.preview = await call("preview", { show: app.values }).catch(() => null);
  mine.previewOf = app.state.file.name;
  app.draw();
}

/** @param {App} app */
async function recent(app) {
  own(app).recent = (await call("recent").catch(() => ({ specs: [] }))).specs;
  app.draw();
}

/** Specs to go on with. @param {App} app */
function specs(app) {
  const mine = own(app);
  if (!mine.recent.length) return null;
  return h("section", { class: "card", key: "recent", id: "recent" }, h("h2", null, "Recent specs"),
    h("table", null,
      h("thead", null, h("tr", null, h("th", { scope: "col" }, "Spec"), h("th", { scope: "col" }, "Table"), h("th", { scope: "col", class: "number" }, "k"), h("th", { scope: "col" }, "Changed"), h("th", { scope: "col" }, h("span", { class: "unseen" }, "Open")))),
      h("tbody", null, mine.recent.map((it) => h("tr", { key: it.path },
        h("th", { scope: "row" }, h("span", { class: "mono" }, it.path)), h("td", { class: "soft" }, it.table), h("td", { class: "number" }, whole(it.k)), h("td", { class: "soft" }, ago(it.seconds)),
        h("td", null, h("button", { class: "small", disabled: Boolean(app.state.work), onclick: () => take(app, it.path) }, "Open", h("span", { class: "unseen" }, ` ${it.path}`))))))));
}

/** @type {import("./app.js").Page} */
export const open = {
  title: "Open a table",
  enter(app) {
    if (!app.state.work) own(app).opening = false;
    complete(app, own(app).typed);
    preview(app);
    recent(app);
    fetchProjects(app);
    welcome(app, (path) => complete(app, "").then(() => (path === null ? undefined : take(app, path))));
  },
  changed(app) {
    const mine = own(app);
    const { file, work, error } = app.state;
    if (mine.opening && !work) {
      mine.opening = false;
      if (file && !error) app.go("/columns");
    }
    if (file && mine.previewOf !== file.name) preview(app);
  },
  view(app) {
    const mine = own(app);
    const { file, work, root } = app.state;
    const reading = work?.kind === "open";
    return [
      head("Open a table", reach().shelf ? "Files are read in this tab. It can reach no network: nothing leaves it but what you save." : `Files below ${root}. They are read where they are: nothing is uploaded or copied.`,
        file ? next("/columns", "Next: Columns") : null),
      h("section", { class: "card" },
        reach().shelf ? shelf(app, mine.entries, (entry) => choose(app, entry), () => demo(app)) : h("label", { for: "path", class: "label" }, "File"),
        reach().shelf ? null : h("div", { class: "row" },
          h("input", {
            id: "path", class: "grow mono", type: "text", autocomplete: "off", spellcheck: "false", placeholder: "patients.csv",
            value: mine.typed, role: "combobox", "aria-expanded": mine.entries.length > 0 ? "true" : "false",
            "aria-controls": "entries", "aria-activedescendant": mine.at >= 0 ? `entry-${mine.at}` : null,
            oninput: (/** @type {FieldEvent} */ event) => complete(app, event.target.value),
            onkeydown: (/** @type {KeyboardEvent} */ event) => key(app, event),
            mounted: (/** @type {HTMLElement} */ el) => { if (!app.state.file) setTimeout(() => el.focus(), 0); },
          }),
          h("button", { class: "main", disabled: Boolean(work), onclick: () => take(app, mine.typed) }, "Open"),
          h("button", { disabled: Boolean(work), onclick: () => demo(app) }, "Try made-up people")),
        reading ? h("div", { class: "reading" },
          h("progress", { max: "1", value: work.share ?? null, "aria-label": "Reading" }),
          h("span", null, work.phase === "inspect" ? "looking at the columns" : `${whole(work.rows)} rows`),
          h("button", { class: "small", onclick: () => app.ask("stop") }, "Stop ", h("kbd", null, "Esc"))) : null,
        reach().shelf ? null : mine.entries.length
          ? h("ul", { id: "entries", class: "entries", role: "listbox", "aria-label": "Files" }, mine.entries.map((entry, /** @type {number} */ at) =>
            h("li", {
              key: entry.path, id: `entry-${at}`, role: "option", "aria-selected": at === mine.at ? "true" : "false",
              class: `entry ${entry.kind}`, onclick: () => choose(app, entry),
            },
              h("span", { class: "entry-name" }, entry.name), h("span", { class: "soft" }, kindOf(entry)),
              h("span", { class: "number soft" }, entry.folder ? "" : bytes(entry.size)))))
          : h("p", { id: "entries", class: "soft" }, mine.typed ? "Nothing here begins like that." : "There are no tables in this folder."),
        howToRead(app)),
      readAnew(app),
      projects(app, (path) => take(app, path)),
      specs(app),
      file ? about(app, file) : reading ? empty("Reading …", "Its columns appear here.") : empty("No table is open", reach().shelf ? "Choose a file, drop one here, or try made-up people." : "Type a name, choose one from the list, or try made-up people."),
    ];
  },
};

/** @param {App} app @param {Api.FileSummary} file */
function about(app, file) {
  const mine = own(app);
  const again = (/** @type {Api.ReadSettings} */ reading) => take(app, file.name, reading);
  return h("section", { class: "card" },
    h("div", { class: "row between" },
      h("h2", null, file.name),
      values(app, () => preview(app))),
    h("p", { class: "soft" }, `${count(file.rows, "row")}, ${count(file.columns, "column")}, ${bytes(file.size)}, ${file.format}`,
      file.made_up ? ": nobody in it exists" : ""),
    file.notes.map((/** @type {string} */ note) => h("p", { class: "note", key: note }, onPage(note))),
    file.format === "delimited text" && !file.made_up
      ? h("div", { class: "row wrap" },
        h("label", null, "Between fields ", h("select", { id: "file-delimiter", value: file.delimiter ?? "", onchange: (/** @type {FieldEvent} */ event) => again({ delimiter: event.target.value }) },
          DELIMITERS.map(([value, name]) => h("option", { value, key: value }, name)))),
        h("label", null, "Encoding ", h("select", { id: "file-encoding", value: file.encoding ?? "", onchange: (/** @type {FieldEvent} */ event) => again({ encoding: event.target.value }) },
          h("option", { value: "" }, "found"), ENCODINGS.map((name) => h("option", { value: name, key: name }, name)))))
      : null,
    mine.preview
      ? h("div", { class: `scroll ${app.values ? "confidential" : ""}`, tabindex: "0", role: "region", "aria-label": "First rows" },
        app.values ? h("p", { class: "confidential-mark" }, "Original values: confidential, in no report") : null,
        h("table", { class: "data" },
          h("thead", null, h("tr", null, mine.preview.columns.map((/** @type {string} */ name) => h("th", { scope: "col", key: name }, name)))),
          h("tbody", null, mine.preview.rows.map((/** @type {string[]} */ row, /** @type {number} */ at) =>
            h("tr", { key: at }, row.map((field) => h("td", null, field)))))))
      : null,
    app.values ? null : h("p", { class: "soft" }, "Values are veiled until you ask for them."),
    app.state.look?.told?.standing
      ? h("p", null, `With the roles that were guessed, ${percent(app.state.look.told.standing.unique_share)} of the rows stand alone.`)
      : null);
}
