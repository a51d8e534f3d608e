// @ts-check
/** Goals: who gets the release, what must hold, what may be lost. */

import { h } from "./dom.js";
import { call } from "./net.js";
import { empty, head, next, problem } from "./shell.js";
import { METRICS, percent, sentence } from "./words.js";

/** @typedef {import("./app.js").App} App */

/** @type {[string, string, [string, string, string][]][]} */
const QUESTIONS = [
  ["audience", "Who gets the release?", [
    ["public", "Anybody", "It is published"],
    ["agreement", "Named recipients", "They have signed an agreement"],
    ["internal", "Colleagues", "It stays within the institution"]]],
  ["knowledge", "What can they know?", [
    ["member", "That a certain person is in the table", "A neighbour, a colleague, a register"],
    ["sample", "Not who is in it", "It is a sample of many more people"]]],
  ["harm", "How bad is it for a person to be found?", [
    ["low", "A nuisance", ""],
    ["medium", "It can cost money, standing or a post", ""],
    ["high", "It can ruin a life", "Health, crime, persecution"]]],
];

/** @param {App} app */
function own(app) {
  return app.of("goals", () => ({ purpose: { audience: "public", knowledge: "member", harm: "medium" }, proposal: null, known: null }));
}

/** @param {App} app */
async function propose(app) {
  const mine = own(app);
  mine.proposal = await call("propose", mine.purpose).catch(() => null);
  app.draw();
}

/** @type {import("./app.js").Page} */
export const goals = {
  title: "Goals",
  async enter(app) {
    propose(app);
    const mine = own(app);
    mine.known ??= await call("methods").catch(() => null);
    app.draw();
  },
  view(app) {
    const { state } = app;
    if (!state.file) return [head("Goals", "What the release must keep to."), empty("No table is open", next("/", "Open one"))];
    const told = state.look?.told ?? {};
    const blocked = told.infeasible || told.refused;
    const go = async () => {
      if (await app.ask("search")) app.go("/search");
    };
    return [
      head("Goals", "Three questions propose how large crowds must be. Every number can be changed.",
        h("button", { class: "main", disabled: Boolean(blocked) || Boolean(state.work), onclick: go }, "Next: Search")),
      told.infeasible ? h("div", { class: "note bad", role: "alert", id: "infeasible", key: "infeasible" },
        h("strong", null, "These goals cannot be met: "), told.infeasible, ". ",
        h("p", null, "Ask for less: a smaller k, fewer different values, or another sensitive column.")) : null,
      told.refused && !told.infeasible ? problem(app, told.refused, "refused") : null,
      h("div", { class: "two even" }, purpose(app), asked(app)),
    ];
  },
};

/** @param {App} app */
function purpose(app) {
  const mine = own(app);
  const { proposal } = mine;
  const k = app.state.spec.privacy.k;
  return h("section", { class: "card" },
    h("h2", null, "What is it for?"),
    QUESTIONS.map(([name, question, answers]) => h("fieldset", { class: "choices cards", key: name },
      h("legend", null, question),
      answers.map(([value, title, what]) => h("label", { class: `choice ${mine.purpose[name] === value ? "on" : ""}`, key: value },
        h("input", {
          type: "radio", name, value, checked: mine.purpose[name] === value,
          onchange: () => { mine.purpose[name] = value; propose(app); },
        }), h("span", null, title), what ? h("small", null, what) : null)))),
    proposal ? h("div", { class: "note", key: "proposal" },
      h("strong", null, `Proposed: k = ${proposal.k}${proposal.l ? `, ${proposal.l} different sensitive values in every crowd` : ""}`),
      proposal.why.map((/** @type {string} */ why) => h("p", { key: why }, why)),
      h("button", { class: k === proposal.k ? "" : "main", onclick: () => app.ask("propose", { ...mine.purpose, take: true }) }, "Use this proposal")) : null);
}

/** @param {App} app */
function asked(app) {
  const { spec, columns, look } = app.state;
  const sensitive = columns.filter((/** @type {any} */ it) => it.role === "sensitive");
  const k = spec.privacy.k;
  const setK = (/** @type {any} */ event) => {
    const value = Math.round(Number(event.target.value));
    if (value >= 1) app.patch({ privacy: { k: value } });
  };
  const limit = spec.goal?.["max-suppressed"];
  const metric = spec.goal?.metric ?? "ncp";
  return h("div", { class: "stack" },
    h("section", { class: "card" },
      h("div", { class: "row between" }, h("h2", null, "What must hold"), look?.pending ? h("span", { class: "spin", role: "img", "aria-label": "checking" }) : null),
      h("div", { class: "fields" },
        h("label", { for: "k" }, "Everybody hides among at least"),
        h("div", { class: "row" },
          h("input", { id: "k", type: "number", min: "1", step: "1", value: k, onchange: setK }),
          h("input", { type: "range", min: "2", max: "50", value: Math.min(50, k), "aria-label": "k", oninput: () => {}, onchange: setK, class: "grow" })),
        h("p", { class: "wide hint" }, `k = ${k}: whoever knows a person finds the right row with a chance of at most ${percent(1 / k)}.`),
        sensitive.map((/** @type {any} */ it) => diversity(app, it.released ?? it.name)),
        sensitive.length ? null : h("p", { class: "wide hint" }, "No column is sensitive, so k is all that can be asked for. ", h("a", { href: "/columns", "data-go": true }, "Change roles")),
        h("label", { for: "unit" }, "Who is protected"),
        h("select", { id: "unit", value: spec.privacy.unit ?? "", onchange: (/** @type {any} */ event) => app.patch({ privacy: { unit: event.target.value || null } }) },
          h("option", { value: "" }, "every row (checked)"), h("option", { value: "row" }, "every row, I am sure"),
          columns.filter((/** @type {any} */ it) => it.role === "identifying" || it.role === "plain").map((/** @type {any} */ it) =>
            h("option", { value: it.name, key: it.name }, `people told apart by ${it.name}`))))),
    h("section", { class: "card" },
      h("h2", null, "What may be lost"),
      h("div", { class: "fields" },
        h("label", { for: "limit" }, "Rows that may be left out"),
        h("select", {
          id: "limit", value: limit === undefined ? "" : String(limit),
          onchange: (/** @type {any} */ event) => app.patch({ goal: { "max-suppressed": event.target.value === "" ? null : event.target.value === "0" ? 0 : event.target.value } }),
        },
          [["", "as the method thinks best"], ["0", "none"], ["1%", "1%"], ["2%", "2%"], ["5%", "5%"], ["10%", "10%"], ["all", "any number"],
            ...(limit !== undefined && !["0", "1%", "2%", "5%", "10%", "all"].includes(String(limit)) ? [[String(limit), String(limit)]] : [])]
            .map(([value, name]) => h("option", { value, key: value }, name))),
        h("label", { for: "metric" }, "What counts as loss"),
        h("select", { id: "metric", value: metric, onchange: (/** @type {any} */ event) => app.patch({ goal: { metric: event.target.value } }) },
          Object.entries(METRICS).map(([value, name]) => h("option", { value, key: value }, name))),
        h("label", { for: "suppressed" }, "Rows that are left out"),
        h("select", { id: "suppressed", value: spec.release?.suppressed ?? "drop", onchange: (/** @type {any} */ event) => app.patch({ release: { suppressed: event.target.value === "drop" ? null : event.target.value } }) },
          h("option", { value: "drop" }, "are not in the release"), h("option", { value: "blank" }, "stay, with every quasi-identifier blank")),
        h("label", { for: "population" }, "The whole population, if you have it"),
        h("input", {
          id: "population", type: "text", class: "mono", placeholder: "none", value: spec.data.population ?? "",
          onchange: (/** @type {any} */ event) => app.patch({ data: { population: event.target.value.trim() || null } }),
        }))),
    warnings(app));
}

/** What protects a sensitive column. @param {App} app @param {string} column */
function diversity(app, column) {
  const { privacy } = app.state.spec;
  const list = (/** @type {any} */ models) => (models === undefined ? [] : Array.isArray(models) ? models : [models]);
  const is = (/** @type {any} */ it) => (it.column ?? column) === column;
  const l = list(privacy["l-diversity"]).find(is)?.l ?? "";
  const t = list(privacy["t-closeness"]).find(is)?.t ?? "";
  const change = (/** @type {string} */ key, /** @type {string} */ name, /** @type {string} */ value) => {
    const others = list(privacy[key]).filter((/** @type {any} */ it) => !is(it));
    const models = value === "" ? others : [...others, { column, [name]: Number(value) }];
    app.patch({ privacy: { [key]: models.length ? models : null } });
  };
  return [
    h("label", { for: `l-${column}`, key: `l-${column}-label` }, "Different values of ", h("code", null, column)),
    h("div", { class: "row wrap", key: `l-${column}-field` },
      h("input", { id: `l-${column}`, type: "number", min: "2", step: "1", placeholder: "any", value: l, onchange: (/** @type {any} */ event) => change("l-diversity", "l", event.target.value) }),
      h("label", { class: "check" }, "and no further from the whole than ",
        h("input", { id: `t-${column}`, type: "number", min: "0", max: "1", step: "0.05", placeholder: "any", value: t, onchange: (/** @type {any} */ event) => change("t-closeness", "t", event.target.value) }))),
  ];
}

/** @param {App} app */
function warnings(app) {
  const all = app.state.look?.told?.warnings ?? [];
  if (!all.length) return null;
  return h("div", { class: "note warn" }, h("strong", null, "To think about"),
    all.map((/** @type {any} */ it) => h("p", { key: it.code + it.message }, `${sentence(it.message)}.`)));
}
