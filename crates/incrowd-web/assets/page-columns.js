// @ts-check
/** Columns: what each of them is. */

import { h } from "./dom.js";
import { call } from "./net.js";
import { empty, head, next, values } from "./shell.js";
import { count, percent, ROLES, whole } from "./words.js";

/** @import * as Api from "./api.js" */
/** @typedef {import("./app.js").App} App */
/** What the page keeps. @typedef {{ values: Record<string, Api.ValuesAnswer | null> }} Own */

/** @param {App} app @returns {Own} */
function own(app) {
  return app.of("columns", () => ({ values: {} }));
}

/** @param {App} app @param {string} column @param {Api.Role} role */
function give(app, column, role) {
  const about = app.state.columns.find((it) => it.name === column);
  const { privacy } = app.spec;
  // What was done to the column in its old role goes with it.
  const kept = role === "plain" || role === "identifying";
  const unlinks = privacy.linked && !kept && (about?.released ?? column) === privacy.unit;
  app.patch({
    columns: { [column]: { role, ...(kept ? {} : { treat: null }), ...(role === "plain" ? {} : { follows: null }), ...(role === "identifying" || role === "quasi" ? { narrowing: null } : {}) } },
    privacy: unlinks ? { linked: null } : {},
  });
}

/** @param {App} app @param {string[]} names @param {Api.Role} role */
function giveAll(app, names, role) {
  app.patch({ columns: Object.fromEntries(names.map((name) => [name, { role }])) });
}

/** Roles and treatments as the Safe Harbor list of HIPAA asks for them; undo takes them back. @param {App} app */
function harbor(app) {
  const busy = app.state.aside.includes("safe-harbor");
  const title = "United States, HIPAA: leaves out names, numbers and addresses, keeps three digits of ZIP codes, years of dates, ages up to 90";
  return h("button", { disabled: busy, title, onclick: () => app.ask("safe-harbor") }, busy ? "Looking at the values" : "As Safe Harbor asks");
}

/** @param {App} app */
async function fetchValues(app) {
  const mine = own(app);
  for (const column of app.state.columns) {
    if (!app.values || mine.values[column.name]) continue;
    mine.values[column.name] = await call("values", { column: column.name }).catch(() => null);
    app.draw();
  }
}

/** @type {import("./app.js").Page} */
export const columns = {
  title: "Columns",
  enter(app) {
    own(app).values = {};
    if (app.state.file) call("looked-at", { step: "columns" }).catch(() => {});
    if (app.values) fetchValues(app);
  },
  view(app) {
    const { state } = app;
    if (!state.file) return [head("Columns", "What each column is."), empty("No table is open", next("/", "Open one"))];
    const undecided = state.columns.filter((it) => !it.role || it.role === "undecided").map((it) => it.name);
    return [
      head("Columns", "Say what each column is. The roles were guessed from names and values; the reason stands beside each.",
        undecided.length
          ? h("button", { class: "main", disabled: true, "aria-describedby": "undecided" }, "Next: Goals")
          : next("/goals", "Next: Goals")),
      live(app),
      undecided.length ? h("div", { class: "note bad", id: "undecided", key: "undecided" },
        h("strong", null, `${count(undecided.length, "column")} ${undecided.length === 1 ? "is" : "are"} undecided: `),
        undecided.map((/** @type {string} */ name, /** @type {number} */ at) => [at ? ", " : "", h("code", null, name)]),
        h("p", null, "Released as they are they would single people out. Decide on each, or leave all of them out."),
        h("button", { onclick: () => giveAll(app, undecided, "identifying") }, undecided.length === 1 ? "Leave it out" : "Leave all of them out")) : null,
      tells(app),
      h("section", { class: "card" },
        h("div", { class: "row between" },
          h("details", { class: "grow" }, h("summary", null, "What the roles mean"), h("div", { class: "legend" }, ROLES.map(([name, title, what], at) => h("span", { key: name }, h("kbd", null, String(at + 1)), ` ${title}: ${what.toLowerCase()}`)))),
          harbor(app),
          values(app, () => fetchValues(app))),
        h("div", { class: app.values ? "confidential" : "" },
          app.values ? h("p", { class: "confidential-mark" }, "Original values: confidential, in no report") : null,
          h("table", { class: "columns-table" },
            h("thead", null, h("tr", null,
              h("th", { scope: "col" }, "Column"), h("th", { scope: "col" }, "Role"),
              h("th", { scope: "col", class: "number" }, "Distinct"), h("th", { scope: "col", class: "number hide-narrow" }, "Missing"),
              h("th", { scope: "col", class: "number hide-narrow", title: "Pairs of rows that it tells apart" }, "Separates"),
              h("th", { scope: "col" }, "Released as"))),
            h("tbody", null, state.columns.map((column) => row(app, column)))))),
      combinations(app),
    ];
  },
};

/** The line that follows every change. @param {App} app */
function live(app) {
  const { told, pending } = app.state.look ?? {};
  const standing = told?.standing;
  return h("p", { class: "live", key: "live", "aria-live": "polite", "data-pending": pending ? "true" : "false" },
    standing
      ? ["With these roles ", h("b", { "data-share": standing.unique_share }, percent(standing.unique_share)), " of the rows stand alone: ",
        h("b", null, whole(standing.unique_rows)), ` of ${whole(standing.rows)}. `, h("a", { href: "/records", "data-go": true, "aria-label": "Which rows stand alone?" }, "Which?"), " ",
        h("span", { class: "soft" }, `${percent(standing.below_k / standing.rows)} hide among fewer than ${standing.k}. `),
        standing.known.length ? h("span", { id: "still-known", class: "warned" }, `Counted with ${standing.known.join(", ")}: released as ${standing.known.length === 1 ? "it is" : "they are"}, but others may know ${standing.known.length === 1 ? "it" : "them"} all the same.`) : null]
      : "No column is a quasi-identifier yet: mark what others may know, such as age, sex and postal code.",
    pending ? h("span", { class: "spin", role: "img", "aria-label": "counting" }) : null);
}

/** Columns that undo others. @param {App} app */
function tells(app) {
  const told = app.state.look?.told?.tells ?? [];
  if (!told.length) return null;
  return h("div", { class: "note warn", key: "tells", id: "tells" },
    h("strong", null, "Columns that undo others: "), "released as they are, they tell what is hidden elsewhere.",
    h("ul", { class: "mends" }, told.slice(0, 8).map((it) => h("li", { key: `${it.column} ${it.quasi}` },
      h("code", null, it.column), " reveals ", h("code", null, it.quasi), ` in ${percent(it.share)} of the rows. `,
      h("button", { class: "small", onclick: () => app.patch({ columns: { [it.column]: { role: "plain", treat: null, follows: it.quasi } } }) }, `Let it follow ${it.quasi}`), " ",
      h("button", { class: "small", onclick: () => give(app, it.column, "quasi") }, `Make ${it.column} quasi`), " ",
      h("button", { class: "small", onclick: () => give(app, it.column, "identifying") }, "Leave it out")))),
    pairsTable(told));
}

/** Which columns tell which, at a glance. @param {Api.Disclosure[]} told */
function pairsTable(told) {
  const rows = [...new Set(told.map((it) => it.column))];
  const quasi = [...new Set(told.map((it) => it.quasi))];
  const share = (/** @type {string} */ column, /** @type {string} */ hidden) => told.find((it) => it.column === column && it.quasi === hidden)?.share ?? null;
  return h("details", { id: "pairs" }, h("summary", null, "As pairs"),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Columns and what they tell" }, h("table", { class: "data" },
      h("thead", null, h("tr", null, h("th", { scope: "col" }, "Column, as it is"), quasi.map((it) => h("th", { scope: "col", class: "number", key: it }, `tells ${it}`)))),
      h("tbody", null, rows.map((column) => h("tr", { key: column }, h("th", { scope: "row" }, column), quasi.map((hidden) => {
        const part = share(column, hidden);
        return h("td", { key: hidden, class: "number" }, part === null ? h("span", { class: "soft" }, "–") : h("span", { class: `tag ${part > 0.8 ? "bad" : "warn"}` }, percent(part)));
      })))))),
    h("p", { class: "hint" }, "The share of rows whose value is told beyond chance; a value narrowed down to two counts half. Smaller shares are not shown."));
}

/** @param {App} app @param {Api.ColumnSummary} column */
function row(app, column) {
  const role = column.role ?? "undecided";
  const shown = own(app).values[column.name];
  const key = (/** @type {KeyboardEvent} */ event) => {
    const at = Number(event.key);
    if (at >= 1 && at <= ROLES.length && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      give(app, column.name, ROLES[at - 1][0]);
    }
  };
  return h("tr", { key: column.name, "data-column": column.name },
    h("th", { scope: "row" },
      h("span", { class: "name" }, column.name), " ", h("span", { class: "tag" }, column.kind),
      column.exposed && role !== "identifying" && role !== "quasi" ? h("span", { class: "tag warn", title: column.exposed }, "singles out") : null,
      h("div", { class: "reason" }, column.reason),
      app.values && shown ? h("div", { class: "reason" },
        shown.min !== null ? `${shown.min} to ${shown.max}. ` : "",
        shown.frequent.map((it) => `${it.value} ${percent(it.share)}`).join(", ")) : null),
    h("td", null,
      h("fieldset", { class: `roles ${role === "undecided" ? "undecided" : ""}`, onkeydown: key },
        h("legend", { class: "unseen" }, `Role of ${column.name}`),
        ROLES.map(([name, title, what]) => h("label", { key: name, class: role === name ? "on" : "", title: what },
          h("input", { type: "radio", name: `role-${column.name}`, value: name, checked: role === name, onchange: () => give(app, column.name, name) }), title))),
      role !== "undecided" && role !== column.guessed ? h("div", { class: "reason" }, `guessed: ${column.guessed}`) : null),
    h("td", { class: "number", "data-name": "Distinct" }, whole(column.distinct)),
    h("td", { class: "number hide-narrow", "data-name": "Missing" }, whole(column.missing)),
    h("td", { class: "number hide-narrow", "data-name": "Separates" }, percent(column.separation)),
    h("td", null, role === "quasi"
      ? h("a", { href: `/columns/${encodeURIComponent(column.name)}`, "data-go": true }, column.hierarchy ? "hierarchy" : defaults(column), h("span", { class: "unseen" }, ` of ${column.name}`))
      : role === "undecided" ? h("span", { class: "soft" }, "–")
        : h("a", { href: `/columns/${encodeURIComponent(column.name)}`, "data-go": true }, released(column, role), h("span", { class: "unseen" }, ` of ${column.name}`))));
}

/** What becomes of a column that is no quasi-identifier. @param {Api.ColumnSummary} column @param {Api.Role} role */
function released(column, role) {
  if (column.treat) return column.treat.words;
  if (column.follows) return `follows ${column.follows}`;
  return role === "identifying" ? "left out" : column.narrowing ? "as it is, narrowing" : "as it is";
}

/** What becomes of a column without a hierarchy. @param {Api.ColumnSummary} column */
function defaults(column) {
  return /^(integer|number|date|time|decimal)/.test(column.kind) ? "ranges" : "sets of values";
}

/** @param {App} app */
function combinations(app) {
  const all = app.state.combinations ?? [];
  if (!all.length) return null;
  return h("details", { class: "card", key: "combinations" },
    h("summary", null, "Which few columns single most people out"),
    h("table", null, h("thead", null, h("tr", null, h("th", { scope: "col" }, "Columns together"), h("th", { scope: "col", class: "number" }, "Rows that stand alone"))),
      h("tbody", null, all.map((it) => h("tr", { key: it.columns.join() },
        h("th", { scope: "row" }, it.columns.join(", ")), h("td", { class: "number" }, percent(it.unique_share)))))));
}
