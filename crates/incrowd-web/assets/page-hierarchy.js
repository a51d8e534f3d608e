// @ts-check
/** Hierarchy: how one column is made less exact, and what that does. */

import { h } from "./dom.js";
import { blob, call, save } from "./net.js";
import { breakPoints, reading } from "./hierarchy-breaks.js";
import { beside } from "./page-treat.js";
import { empty, head, next, values } from "./shell.js";
import { amount, count, percent, sentence, whole } from "./words.js";

/** @import * as Api from "./api.js" */
/** What the server refused to tell. @typedef {{ error: string }} Failure */
/** @typedef {import("./app.js").App} App */
/** @typedef {import("./dom.js").FieldEvent} FieldEvent */
/** A hierarchy that can be edited. @typedef {Api.HierarchyAnswer & { rows: string[][] }} Edited */
/** What the page keeps. @typedef {{ column: string, told: Api.HierarchyAnswer | Failure | null, of: string | null, open: Set<string>, on: Set<string>, at: string | null, name: string, file: string, drag: Node | null, files?: Api.FileEntry[], undo?: null }} Own */
/** @typedef {{label: string, level: number, path: string, rows: number[], children: Node[]}} Node */

/** @param {App} app @returns {Own} */
function own(app) {
  return app.of("hierarchy", () => ({ column: "", told: null, of: null, open: new Set(), on: new Set(), at: null, name: "", file: "", drag: null }));
}

/** @param {App} app */
async function fetchAll(app) {
  const mine = own(app);
  const { column = "" } = app.here();
  if (mine.column !== column) Object.assign(mine, { column, told: null, open: new Set(), on: new Set(), at: null, undo: null });
  mine.of = app.state.toml;
  if (!mine.files) mine.files = (await call("files", { typed: "" }).catch(() => ({ entries: [] }))).entries;
  const told = await call("hierarchy", { column }).catch((error) => ({ error: error.message }));
  if (app.here().column !== column) return;
  mine.told = told;
  app.draw();
}

/** @param {App} app @param {Api.HierarchySetting} rule */
function put(app, rule) {
  const mine = own(app);
  mine.on.clear();
  return app.ask("put-hierarchy", { column: mine.column, hierarchy: rule });
}

/** The tree of a matrix of labels. @param {string[][]} rows @returns {Node} */
function tree(rows) {
  const top = rows[0].length - 1;
  const make = (/** @type {number[]} */ of, /** @type {number} */ level, /** @type {string} */ above) => {
    const label = rows[of[0]][level];
    const path = `${above}/${label}`;
    /** @type {Node[]} */
    const children = [];
    if (level > 0) {
      /** @type {Map<string, number[]>} */
      const groups = new Map();
      for (const row of of) {
        const name = rows[row][level - 1];
        const group = groups.get(name);
        if (group) group.push(row);
        else groups.set(name, [row]);
      }
      for (const group of groups.values()) children.push(make(group, level - 1, path));
    }
    return { label, level, path, rows: of, children };
  };
  return make(rows.map((_, at) => at), top, "");
}

/** The name of a group. A group that is called as a value is shows it, which must be asked for. @param {App} app @param {Node} node @param {Map<string, number>} counts */
function shown(app, node, counts) {
  return !app.values && counts.has(node.label) ? "•••" : node.label;
}

/** @param {Node} node @param {Own} mine @param {Node[]} list @param {boolean} leaves */
function visible(node, mine, list, leaves) {
  list.push(node);
  if (mine.open.has(node.path)) for (const child of node.children) if (child.level > 0 || leaves) visible(child, mine, list, leaves);
  return list;
}

/** @param {Node} node @param {string | null} path @returns {Node | null} */
function find(node, path) {
  if (node.path === path) return node;
  for (const child of node.children) {
    const found = path?.startsWith(child.path) ? find(child, path) : null;
    if (found) return found;
  }
  return null;
}

/** @type {import("./app.js").Page} */
export const hierarchy = {
  title: "Hierarchy",
  enter: fetchAll,
  changed(app) {
    if (app.here().page === hierarchy && own(app).of !== app.state.toml) fetchAll(app);
  },
  view(app) {
    const { column = "" } = app.here();
    const about = app.state.columns?.find((it) => it.name === column);
    const back = next("/columns", "Back to the columns", false);
    if (!about) return [head("Hierarchy", "How a column is made less exact."), empty("There is no such column", back)];
    const mine = own(app);
    const answer = mine.column === column ? mine.told : null;
    const failed = answer && "error" in answer ? answer.error : null;
    const told = answer && !("error" in answer) ? answer : null;
    return [
      head(`How ${column} is made less exact`, "Values are released as groups. A hierarchy says which groups there are; without one, numbers become ranges and texts become sets.", back),
      about.role !== "quasi" ? h("div", { class: "note warn" }, `${column} is ${about.role}: a hierarchy matters for quasi-identifiers only.`) : null,
      failed !== null ? h("div", { class: "note bad" }, failed) : null,
      told?.fault ? h("div", { class: "note bad", role: "alert" }, sentence(told.fault)) : null,
      !told ? failed === null && h("p", { class: "soft" }, h("span", { class: "spin", "aria-hidden": "true" }), " Looking at the values …")
        : h("div", { class: "two" },
          h("div", { class: "stack" }, told.rows ? editor(app, { ...told, rows: told.rows }) : null, breakPoints(app, told, about), rules(app, told, about)),
          h("div", { class: "stack" }, effects(told), options(app, about), reading(app, about), beside(app, about))),
    ];
  },
};

/** @param {App} app @param {Edited} told */
function editor(app, told) {
  const mine = own(app);
  const root = tree(told.rows);
  if (!mine.open.size) mine.open.add(root.path);
  const list = visible(root, mine, [], app.values);
  mine.at = list.some((it) => it.path === mine.at) ? mine.at : root.path;
  const chosen = list.filter((it) => mine.on.has(it.path));
  const counts = new Map(told.counts);
  const renamed = find(root, mine.at);
  return h("section", { class: "card" },
    h("div", { class: "row between" }, h("h2", null, `${count(told.rows.length, "value")} in ${count(told.rows[0].length - 1, "level")}`), values(app)),
    h("ul", { class: "tree", role: "tree", "aria-label": `Groups of ${mine.column}`, "aria-multiselectable": "true", id: "tree", onkeydown: (/** @type {KeyboardEvent} */ event) => key(app, told, list, event) }, item(app, root, counts, told)),
    h("div", { class: "row wrap" },
      h("button", { id: "join", disabled: !canJoin(chosen, list, mine), onclick: () => join(app, told, list) }, "Join ", h("kbd", null, "J")),
      h("button", { id: "group", disabled: !canGroup(chosen, told, app), onclick: () => group(app, told, list) }, "Group ", h("kbd", null, "G")),
      h("button", { id: "split", disabled: !canSplit(find(root, mine.at)), onclick: () => split(app, told, root) }, "Cut ", h("kbd", null, "C")),
      h("label", null, "Name ", h("input", { type: "text", id: "rename", value: renamed ? shown(app, renamed, counts) : "", disabled: (renamed?.level ?? 0) === 0, onchange: (/** @type {FieldEvent} */ event) => rename(app, told, root, event.target.value) })),
      moves(app, told, root, renamed)),
    h("p", { class: "hint" }, "Arrows move, → and ← open and close, Space chooses, J joins the chosen groups (or one with the next), G puts them below a new group, C cuts a group into what is in it, Alt and ↑ or ↓ change the order. A group can be dragged into another. Ctrl+Z undoes."),
    h("div", { class: "row wrap" },
      h("button", { onclick: async () => save(await blob("export", { column: mine.column }), `${mine.column}.csv`) }, "Export (ARX CSV)"),
      h("button", { onclick: () => put(app, null) }, "Without a hierarchy")));
}

/** @param {App} app @param {Node} node @param {Map<string, number>} counts @param {Edited} told @returns {import("./dom.js").VNode} */
function item(app, node, counts, told) {
  const mine = own(app);
  const open = mine.open.has(node.path);
  const inner = node.children.filter((it) => it.level > 0 || app.values);
  const rows = node.rows.reduce((sum, row) => sum + (counts.get(told.rows[row][0]) ?? 0), 0);
  return h("li", {
    role: "treeitem", key: node.path, "aria-level": told.rows[0].length - node.level, "aria-expanded": inner.length ? String(open) : null, "aria-selected": String(mine.on.has(node.path)),
    tabindex: mine.at === node.path ? "0" : "-1", "data-path": node.path,
    onfocus: (/** @type {Event} */ event) => { event.stopPropagation(); if (mine.at !== node.path) { mine.at = node.path; app.draw(); } },
  },
    h("div", {
      class: `node ${mine.on.has(node.path) ? "on" : ""}`,
      draggable: node.level > 0 || app.values ? "true" : null,
      ondragstart: (/** @type {DragEvent} */ event) => { event.stopPropagation(); mine.drag = node; event.dataTransfer?.setData("text/plain", ""); },
      ondragover: (/** @type {DragEvent} */ event) => { if (mine.drag && canMove(app, mine.drag, node)) event.preventDefault(); },
      ondrop: (/** @type {DragEvent} */ event) => { event.preventDefault(); event.stopPropagation(); if (mine.drag && canMove(app, mine.drag, node)) moveInto(app, told, mine.drag.path, node); },
      onclick: (/** @type {Event} */ event) => {
        event.stopPropagation();
        mine.at = node.path;
        if (/** @type {HTMLElement} */ (event.target).matches(".twist")) flip(mine.open, node.path);
        else flip(mine.on, node.path);
        app.draw();
      },
    },
      h("span", { class: "twist", "aria-hidden": "true" }, inner.length ? (open ? "▾" : "▸") : ""),
      h("span", null, shown(app, node, counts)),
      h("span", { class: "soft small-text" }, node.level ? `${count(node.rows.length, "value")}, ${count(rows, "row")}` : count(rows, "row"))),
    open && inner.length ? h("ul", { role: "group" }, inner.slice(0, 400).map((child) => item(app, child, counts, told))) : null);
}

/** @param {Set<string>} set @param {string} value */
function flip(set, value) {
  if (!set.delete(value)) set.add(value);
}

/** @param {App} app @param {Edited} told @param {Node[]} list @param {KeyboardEvent} event */
function key(app, told, list, event) {
  const mine = own(app);
  const place = list.findIndex((it) => it.path === mine.at);
  const node = list[place];
  const to = (/** @type {Node | undefined} */ other) => {
    if (!other) return;
    mine.at = other.path;
    app.drawNow();
    const element = document.querySelector(`[data-path="${CSS.escape(other.path)}"]`);
    if (element instanceof HTMLElement) element.focus();
  };
  if (event.altKey && !event.ctrlKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
    event.preventDefault();
    event.stopPropagation();
    return shift(app, told, list[0], event.key === "ArrowUp" ? -1 : 1);
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "ArrowDown") to(list[place + 1]);
  else if (event.key === "ArrowUp") to(list[place - 1]);
  else if (event.key === "Home") to(list[0]);
  else if (event.key === "End") to(list[list.length - 1]);
  else if (event.key === "ArrowRight") {
    if (!mine.open.has(node.path)) { mine.open.add(node.path); app.drawNow(); } else to(list[place + 1]);
  } else if (event.key === "ArrowLeft") {
    if (mine.open.delete(node.path)) app.drawNow();
    else to(list.slice(0, place).reverse().find((it) => node.path.startsWith(`${it.path}/`)));
  } else if (event.key === " ") { flip(mine.on, node.path); app.drawNow(); }
  else if (event.key.toLowerCase() === "j") join(app, told, list);
  else if (event.key.toLowerCase() === "g") group(app, told, list);
  else if (event.key.toLowerCase() === "c") split(app, told, list[0]);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/** The groups to be joined: those chosen, or the present one and the next beside it. @param {Node[]} chosen @param {Node[]} list @param {Own} mine */
function joined(chosen, list, mine) {
  if (chosen.length > 1) return chosen;
  const node = chosen[0] ?? list.find((it) => it.path === mine.at);
  if (!node) return [];
  const above = node.path.slice(0, node.path.length - node.label.length - 1);
  const beside = list.filter((it) => it.level === node.level && it.path === `${above}/${it.label}`);
  const other = beside[beside.indexOf(node) + 1] ?? beside[beside.indexOf(node) - 1];
  return other ? [node, other] : [];
}

/** @param {Node[]} chosen @param {Node[]} list @param {Own} mine */
function canJoin(chosen, list, mine) {
  const nodes = joined(chosen, list, mine);
  return nodes.length > 1 && nodes[0].level > 0 && nodes.every((it) => it.level === nodes[0].level);
}

/** A name that no group has yet. @param {Edited} told @param {string} stem */
function free(told, stem) {
  const taken = new Set(told.rows.flat());
  let number = 1;
  while (taken.has(`${stem} ${number}`)) number += 1;
  return `${stem} ${number}`;
}

/** Joins groups: they get one label, below what is above the first. @param {App} app @param {Edited} told @param {Node[]} list */
function join(app, told, list) {
  const mine = own(app);
  const nodes = joined(list.filter((it) => mine.on.has(it.path)), list, mine);
  if (nodes.length < 2 || nodes[0].level === 0 || nodes.some((it) => it.level !== nodes[0].level)) return;
  const { level } = nodes[0];
  // Names made of values would show them.
  const counts = new Map(told.counts);
  const veiled = !app.values && nodes.some((it) => counts.has(it.label));
  const name = veiled ? free(told, "group") : nodes.map((it) => it.label).join(", ");
  const label = name.length > 60 ? `${nodes[0].label}, … (${nodes.length} groups)` : name;
  const rows = told.rows.map((/** @type {string[]} */ row) => [...row]);
  const above = told.rows[nodes[0].rows[0]].slice(level + 1);
  for (const node of nodes) for (const row of node.rows) rows[row].splice(level, rows[row].length, label, ...above);
  mine.open.add(nodes[0].path.slice(0, nodes[0].path.length - nodes[0].label.length - 1));
  app.say(`Joined: ${label}`);
  put(app, { rows });
}

/** Levels of a hierarchy, beside the values. */
const DEEPEST = 12;

/** @param {Node[]} chosen @param {Edited} told @param {App} app */
function canGroup(chosen, told, app) {
  const [first] = chosen;
  if (!first || told.rows[0].length > DEEPEST || first.level === told.rows[0].length - 1) return false;
  return chosen.every((it) => it.level === first.level) && (first.level > 0 || app.values);
}

/** Puts groups below a new one, on a level of its own; every other group has a level of its own name there. @param {App} app @param {Edited} told @param {Node[]} list */
function group(app, told, list) {
  const mine = own(app);
  const chosen = list.filter((it) => mine.on.has(it.path));
  const nodes = chosen.length ? chosen : list.filter((it) => it.path === mine.at);
  if (!canGroup(nodes, told, app)) return;
  const { level } = nodes[0];
  const label = free(told, "group");
  const inside = new Set(nodes.flatMap((it) => it.rows));
  const above = told.rows[nodes[0].rows[0]].slice(level + 1);
  const rows = told.rows.map((row, at) => inside.has(at) ? [...row.slice(0, level + 1), label, ...above] : [...row.slice(0, level + 1), row[level], ...row.slice(level + 1)]);
  app.say(`${nodes.length} in ${label}`);
  put(app, { rows });
}

/** The node that a node stands below. @param {Node} root @param {Node} node @returns {Node | null} */
function parentOf(root, node) {
  for (const child of root.children) {
    if (child === node) return root;
    if (node.path.startsWith(`${child.path}/`)) {
      const found = parentOf(child, node);
      if (found) return found;
    }
  }
  return null;
}

/** Changes the place of a group among those beside it. @param {App} app @param {Edited} told @param {Node} root @param {number} by */
function shift(app, told, root, by) {
  const node = find(root, own(app).at);
  const beside = node ? parentOf(root, node)?.children ?? [] : [];
  const place = node ? beside.indexOf(node) : -1;
  const other = beside[place + by];
  if (!node || !other) return;
  const [first, second] = by < 0 ? [node, other] : [other, node];
  const moved = new Set([...first.rows, ...second.rows]);
  const start = Math.min(...moved);
  const kept = told.rows.filter((_, at) => !moved.has(at));
  const before = told.rows.filter((_, at) => !moved.has(at) && at < start).length;
  const block = [...first.rows, ...second.rows].map((at) => told.rows[at]);
  app.say(by < 0 ? "moved up" : "moved down");
  put(app, { rows: [...kept.slice(0, before), ...block, ...kept.slice(before)] });
}

/** @param {App} app @param {Node} node @param {Node} into */
function canMove(app, node, into) {
  return into.level > node.level && (node.level > 0 || app.values) && !node.path.startsWith(`${into.path}/${node.label}`);
}

/** Puts a group below another. @param {App} app @param {Edited} told @param {string} path @param {Node} into */
function moveInto(app, told, path, into) {
  own(app).drag = null;
  // The tree may have changed since it was taken up.
  const node = find(tree(told.rows), path);
  if (!node || into.level <= node.level) return;
  const above = told.rows[into.rows[0]].slice(into.level);
  const inside = new Set(node.rows);
  const rows = told.rows.map((row, at) => {
    if (!inside.has(at)) return row;
    return [...row.slice(0, node.level + 1), ...new Array(into.level - node.level - 1).fill(node.label), ...above];
  });
  const counts = new Map(told.counts);
  app.say(`${shown(app, node, counts)} is in ${shown(app, into, counts)}`);
  put(app, { rows });
}

/** The same without a mouse: where a group goes, and its place. @param {App} app @param {Edited} told @param {Node} root @param {Node | null} node */
function moves(app, told, root, node) {
  if (!node || node === root || (node.level === 0 && !app.values)) return null;
  /** @type {Node[]} */
  const places = [];
  const look = (/** @type {Node} */ it) => {
    if (it.level === node.level + 1 && !it.children.includes(node) && !it.children.some((child) => child.path === node.path)) places.push(it);
    if (it.level > node.level + 1) it.children.forEach(look);
  };
  look(root);
  const counts = new Map(told.counts);
  return h("span", { class: "row", key: "moves" },
    places.length && places.length <= 300 ? h("label", null, "Move into ", h("select", { id: "move-into", value: "", onchange: (/** @type {FieldEvent} */ event) => { const into = places[Number(event.target.value)]; if (event.target.value !== "" && into) moveInto(app, told, node.path, into); } },
      h("option", { value: "" }, "…"), places.map((it, at) => h("option", { value: String(at), key: it.path }, shown(app, it, counts))))) : null,
    h("button", { class: "small", "aria-label": "Move up", onclick: () => shift(app, told, root, -1) }, "↑"), h("button", { class: "small", "aria-label": "Move down", onclick: () => shift(app, told, root, 1) }, "↓"));
}

/** @param {Node | null} node */
function canSplit(node) {
  return Boolean(node && node.level > 0 && node.children.length > 1);
}

/** Cuts a group: what is in it takes its place. @param {App} app @param {Edited} told @param {Node} root */
function split(app, told, root) {
  const node = find(root, own(app).at);
  if (!node || !canSplit(node) || node === root) return;
  const rows = told.rows.map((/** @type {string[]} */ row) => [...row]);
  for (const row of node.rows) rows[row][node.level] = rows[row][node.level - 1];
  app.say(`Cut: ${shown(app, node, new Map(told.counts))}`);
  put(app, { rows });
}

/** @param {App} app @param {Edited} told @param {Node} root @param {string} name */
function rename(app, told, root, name) {
  const node = find(root, own(app).at);
  if (!node || node.level === 0 || !name.trim() || name === shown(app, node, new Map(told.counts))) return;
  const rows = told.rows.map((/** @type {string[]} */ row) => [...row]);
  for (const row of node.rows) rows[row][node.level] = name.trim();
  put(app, { rows });
}

/** What stands in a field of a form that is sent. @param {SubmitEvent} event @param {string} name */
function field(event, name) {
  return String(new FormData(/** @type {HTMLFormElement} */ (event.target)).get(name) ?? "");
}

/** @param {App} app @param {Api.HierarchyAnswer} told @param {Api.ColumnSummary} about */
function rules(app, told, about) {
  const mine = own(app);
  const numbers = (/** @type {string} */ text) => text.split(/[,;\s]+/).filter(Boolean).map(Number);
  const start = () => {
    const missing = new Set(told.missing);
    const list = told.counts.map((it) => it[0]).filter((/** @type {string} */ it) => !missing.has(it.trim())).sort();
    put(app, { rows: list.map((/** @type {string} */ it) => [it, it, "*"]) });
  };
  const imported = async () => {
    if (mine.file.trim()) await app.ask("import", { column: mine.column, path: mine.file });
  };
  return h("section", { class: "card" }, h("h2", null, told.rows ? "Another hierarchy" : "Give it a hierarchy"),
    told.codes ? h("div", { class: "row wrap" }, h("span", null, `The values look like ${about.codes?.what ?? "codes"}.`), h("button", { onclick: () => put(app, told.codes) }, "Use what suits them")) : null,
    told.numeric ? h("form", { class: "row wrap", onsubmit: (/** @type {SubmitEvent} */ event) => { event.preventDefault(); const widths = numbers(field(event, "widths")); if (widths.length) put(app, { intervals: widths, start: Number(field(event, "start")) || 0 }); } },
      h("label", null, "Intervals of width ", h("input", { type: "text", name: "widths", value: "5, 10, 20", size: "12" })), h("label", null, "from ", h("input", { type: "number", name: "start", value: "0", step: "any" })), h("button", null, "Build")) : null,
    told.date ? h("form", { class: "row wrap", onsubmit: (/** @type {SubmitEvent} */ event) => { event.preventDefault(); put(app, { date: /** @type {Api.DatePeriod[]} */ (field(event, "units").split(",")) }); } },
      h("label", null, "Dates by ", h("select", { name: "units" }, ["month,quarter,year,decade", "month,year", "year,decade", "week,year", "day,month,year"].map((it) => h("option", { value: it, key: it }, it.replaceAll(",", ", "))))), h("button", null, "Build")) : null,
    !told.date ? h("div", { class: "row wrap" }, h("button", { onclick: () => put(app, { prefix: true }) }, "First characters"), h("span", { class: "hint" }, "02138, 0213*, 021**, … for codes")) : null,
    !told.numeric && !told.date && told.distinct <= 500 ? h("div", { class: "row wrap" }, h("button", { id: "start-tree", onclick: start }, "Groups by hand"), h("span", { class: "hint" }, "begins with every value by itself")) : null,
    h("div", { class: "row wrap" }, h("label", null, "File in ARX’s form ", h("input", { type: "text", class: "mono", id: "import-path", value: mine.file, placeholder: "age.csv", list: "import-list", oninput: (/** @type {FieldEvent} */ event) => { mine.file = event.target.value; } })),
      h("datalist", { id: "import-list" }, (mine.files ?? []).filter((it) => it.kind === "table").map((it) => h("option", { value: it.path, key: it.path }))), h("button", { onclick: imported }, "Import")));
}

/** @param {Api.HierarchyAnswer} told */
function effects(told) {
  return h("section", { class: "card", id: "effects" }, h("h2", null, "What each level does"),
    h("p", { class: "hint" }, "With all other columns as they are: rows that still hide among fewer than k."),
    told.levels_fault ? h("p", { class: "note bad" }, sentence(told.levels_fault)) : null,
    told.levels ? h("table", null, h("thead", null, h("tr", null, h("th", { scope: "col" }, "Level"), h("th", { scope: "col", class: "number" }, "Values"), h("th", { scope: "col", class: "number" }, "Below k"), h("th", { scope: "col", class: "wide-cell" }, h("span", { class: "unseen" }, "Share")))),
      h("tbody", null, told.levels.map((it) => h("tr", { key: it.level },
        h("th", { scope: "row" }, it.level === 0 ? "as it is" : it.values === 1 ? `${it.level} (nothing told)` : String(it.level)), h("td", { class: "number" }, whole(it.values)), h("td", { class: "number" }, `${whole(it.below_k)}`),
        h("td", null, h("div", { class: "row" }, h("div", { class: "meter grow", "aria-hidden": "true" }, h("i", { vars: { "--w": `${100 * it.share}%` } })), h("span", { class: "soft small-text" }, percent(it.share)))))))) : null);
}

/** @param {App} app @param {Api.ColumnSummary} about */
function options(app, about) {
  const spec = app.column(about.name);
  const set = (/** @type {keyof Api.ColumnSection} */ name, /** @type {string | number | (string | number)[] | null} */ value) => app.patch({ columns: { [about.name]: { [name]: value } } });
  const list = (/** @type {string} */ text) => {
    const all = text.split(/[,;]+/).map((it) => it.trim()).filter(Boolean);
    return all.length ? all.map((it) => (it !== "" && !Number.isNaN(Number(it)) ? Number(it) : it)) : null;
  };
  const number = (/** @type {FieldEvent} */ event) => (event.target.value === "" ? null : Number(event.target.value));
  return h("section", { class: "card" }, h("h2", null, "Wishes"),
    h("div", { class: "fields" },
      h("label", { for: "weight" }, "Counts in the loss"), h("input", { id: "weight", type: "number", min: "0.1", step: "any", placeholder: "1", value: spec.weight ?? "", onchange: (/** @type {FieldEvent} */ event) => set("weight", number(event)) }),
      h("label", { for: "summary" }, "Groups are shown as"), h("select", { id: "summary", value: spec.summary ?? "", onchange: (/** @type {FieldEvent} */ event) => set("summary", event.target.value || null) },
        [["", "usual"], ["range", "range or set"], ["node", "name of the group"], ["nodes", "names of several groups"], ["mean", "mean"], ["median", "median"], ["columns", "two columns: least and most"]].map(([value, name]) => h("option", { value, key: value }, name))),
      h("label", { for: "cut-at" }, "Always cut at"), h("input", { id: "cut-at", type: "text", placeholder: "18, 65", value: (spec["cut-at"] ?? []).join(", "), onchange: (/** @type {FieldEvent} */ event) => set("cut-at", list(event.target.value)) }),
      h("label", { for: "never-cut-at" }, "Never cut at"), h("input", { id: "never-cut-at", type: "text", placeholder: "none", value: (spec["never-cut-at"] ?? []).join(", "), onchange: (/** @type {FieldEvent} */ event) => set("never-cut-at", list(event.target.value)) }),
      h("label", { for: "min-level" }, "Levels from"), h("div", { class: "row" }, h("input", { id: "min-level", type: "number", min: "0", step: "1", placeholder: "0", value: spec["min-level"] ?? "", onchange: (/** @type {FieldEvent} */ event) => set("min-level", number(event)) }), h("label", null, "to ", h("input", { type: "number", min: "0", step: "1", placeholder: amount(null), value: spec["max-level"] ?? "", onchange: (/** @type {FieldEvent} */ event) => set("max-level", number(event)) })))),
    h("p", { class: "hint" }, "Cuts are heeded by methods that search cuts (optimal, climb), levels by those that search levels."));
}
