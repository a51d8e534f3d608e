// @ts-check
/** Goals: who gets the release, what must hold, what may be lost. */

import { h } from "./dom.js";
import { call } from "./net.js";
import { population, risks } from "./goals-risks.js";
import { empty, head, next, problem } from "./shell.js";
import { METRICS, percent, sentence } from "./words.js";
import { repairs } from "./why-not.js";

/** @import * as Api from "./api.js" */
/** @typedef {import("./app.js").App} App */
/** @typedef {import("./dom.js").FieldEvent} FieldEvent */
/** What the page keeps. @typedef {{ purpose: Api.ReleasePurpose, proposal: Api.ProposalAnswer | null, known: Api.MethodsAnswer | null, files: Api.FileEntry[], context: string | undefined, fault: string | null }} Own */

/** @type {[keyof Api.ReleasePurpose, string, [string, string, string][]][]} */
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

/** @param {App} app @returns {Own} */
function own(app) {
  return app.of("goals", () => ({ purpose: { audience: "public", knowledge: "member", harm: "medium" }, proposal: null, known: null, files: [], context: undefined, fault: null }));
}

/** @param {App} app */
async function propose(app) {
  const mine = own(app);
  mine.proposal = await call("propose", mine.purpose).catch(() => null);
  app.draw();
}

/** The answers are those of the spec, where it has some: also after an undo, and in another tab. @param {App} app */
function follow(app) {
  const mine = own(app);
  const context = app.state.spec?.context ?? null;
  const mark = JSON.stringify(context);
  if (mine.context === mark) return;
  mine.context = mark;
  if (context) mine.purpose = { ...context };
  propose(app);
}

/** @type {import("./app.js").Page} */
export const goals = {
  title: "Goals",
  async enter(app) {
    follow(app);
    if (app.state.file) call("looked-at", { step: "goals" }).catch(() => {});
    const mine = own(app);
    mine.fault = null;
    mine.files = (await call("files", { typed: "" }).catch(() => ({ entries: [] }))).entries;
    mine.known ??= await call("methods").catch(() => null);
    app.draw();
  },
  changed: follow,
  view(app) {
    const { state } = app;
    if (!state.file) return [head("Goals", "What the release must keep to."), empty("No table is open", next("/", "Open one"))];
    const told = state.look.told;
    const blocked = told?.infeasible || told?.refused;
    const go = async () => {
      if (await app.ask("search")) app.go("/search");
    };
    return [
      head("Goals", "Three questions propose how large crowds must be. Every number can be changed.",
        h("button", { class: "main", disabled: Boolean(blocked) || Boolean(state.work), onclick: go }, "Next: Search")),
      told?.infeasible ? h("div", { class: "note bad", role: "alert", id: "infeasible", key: "infeasible" },
        h("strong", null, "These goals cannot be met: "), told.infeasible, ". ",
        h("p", null, "Ask for less: a smaller k, a higher risk, fewer different values, or another sensitive column."),
        repairs(app)) : null,
      told?.doubtful ? h("div", { class: "note warn", id: "doubtful", key: "doubtful" }, `${sentence(told.doubtful)}.`) : null,
      told?.refused && !told.infeasible ? problem(app, told.refused, "refused") : null,
      h("div", { class: "two even" }, purpose(app), asked(app)),
    ];
  },
};

/** @param {App} app */
function purpose(app) {
  const mine = own(app);
  const { proposal } = mine;
  const { context } = app.spec;
  const { k = 1 } = app.spec.privacy;
  const taken = context && QUESTIONS.every(([name]) => context[name] === mine.purpose[name]);
  return h("section", { class: "card" },
    h("div", { class: "row between" }, h("h2", null, "What is it for?"),
      taken ? h("span", { class: "tag good", id: "context", title: "These answers stand in the spec under [context]" }, "in the spec") : null),
    QUESTIONS.map(([name, question, answers]) => h("fieldset", { class: "choices cards", key: name },
      h("legend", null, question),
      answers.map(([value, title, what]) => h("label", { class: `choice ${mine.purpose[name] === value ? "on" : ""}`, key: value },
        h("input", {
          type: "radio", name, value, checked: mine.purpose[name] === value,
          onchange: () => { mine.purpose = { ...mine.purpose, [name]: value }; propose(app); },
        }), h("span", null, title), what ? h("small", null, what) : null)))),
    proposal ? h("div", { class: "note", key: "proposal" },
      h("strong", null, `Proposed: k = ${proposal.k}${proposal.l ? `, ${proposal.l} different sensitive values in every crowd` : ""}`),
      proposal.why.map((/** @type {string} */ why) => h("p", { key: why }, why)),
      h("button", { id: "take", class: taken && k >= proposal.k ? "" : "main", onclick: () => app.ask("propose", { ...mine.purpose, take: true }) }, "Use this proposal"),
      h("span", { class: "hint" }, " Writes the answers and the numbers into the spec.")) : null,
    proposal?.guidance ? h("details", { key: "guidance", id: "guidance" }, h("summary", null, "What guidance says"),
      h("table", { class: "light" },
        h("thead", null, h("tr", null, h("th", { scope: "col" }, "Who"), h("th", { scope: "col" }, "For"), h("th", { scope: "col", class: "number" }, "Risk"), h("th", { scope: "col", class: "number" }, "k"))),
        h("tbody", null, proposal.guidance.map((it) => h("tr", { key: it.who + it.for },
          h("th", { scope: "row" }, it.who), h("td", null, it.for), h("td", { class: "number" }, it.threshold), h("td", { class: "number" }, it.k)))))) : null);
}

/** @param {App} app */
function asked(app) {
  const { columns, look } = app.state;
  const { spec } = app;
  const sensitive = columns.filter((it) => it.role === "sensitive");
  const { k = 1 } = spec.privacy;
  const mine = own(app);
  const setK = (/** @type {FieldEvent} */ event) => {
    const typed = event.target.value.trim();
    const value = Number(typed);
    mine.fault = typed === "" ? "Say how many: k is a whole number of at least 2."
      : !Number.isInteger(value) ? "k counts people: a whole number."
        : value < 1 ? "k must be at least 2: nobody hides among fewer."
          : null;
    if (mine.fault === null) app.patch({ privacy: { k: value } });
    app.draw();
  };
  const limit = spec.goal?.["max-suppressed"];
  const metric = spec.goal?.metric ?? "ncp";
  return h("div", { class: "stack" },
    h("section", { class: "card" },
      h("div", { class: "row between" }, h("h2", null, "What must hold"), look?.pending ? h("span", { class: "spin", role: "img", "aria-label": "checking" }) : null),
      h("div", { class: "fields" },
        h("label", { for: "k" }, "Everybody hides among at least"),
        h("div", { class: "row" },
          h("input", { id: "k", type: "number", min: "2", step: "1", value: k, "aria-invalid": mine.fault ? "true" : null, "aria-describedby": "k-says", onchange: setK }),
          h("input", { type: "range", min: "2", max: "50", value: Math.min(50, k), "aria-label": "k", oninput: () => {}, onchange: setK, class: "grow" })),
        h("div", { id: "k-says", class: "wide" }, mine.fault
          ? h("p", { class: "note bad", role: "alert" }, `${mine.fault} k stays ${k}.`)
          : k < 2
            ? h("p", { class: "note bad", role: "alert" }, "k = 1 hides nobody: whoever knows a person may find the right row for certain. Ask for at least 2, unless another requirement below protects people.")
            : h("p", { class: "hint" }, `k = ${k}: whoever knows a person finds the right row with a chance of at most ${percent(1 / k)}.`)),
        sensitive.map((it) => diversity(app, it.released ?? it.name)),
        sensitive.length ? null : h("p", { class: "wide hint" }, "No column is sensitive, so k is all that can be asked for. ", h("a", { href: "/columns", "data-go": true }, "Change roles")),
        h("label", { for: "unit" }, "Who is protected"),
        h("select", { id: "unit", value: spec.privacy.unit ?? "", onchange: (/** @type {FieldEvent} */ event) => protect(app, event.target.value) },
          h("option", { value: "" }, "every row (checked)"), h("option", { value: "row" }, "every row: nobody has two"),
          columns.filter((it) => it.role === "identifying" || it.role === "plain").map((it) =>
            h("option", { value: it.released ?? it.name, key: it.name }, `people told apart by ${it.released ?? it.name}`))),
        spec.privacy.unit === "row" ? h("p", { class: "wide note warn", id: "rows-only", key: "rows-only" }, "Rows are not checked for people who have several. Whoever has, hides among fewer than k, and their rows together tell more. Choose “every row (checked)”, or the column that tells people apart.") : null,
        linked(app))),
    risks(app),
    population(app, own(app).files),
    h("section", { class: "card" },
      h("h2", null, "What may be lost"),
      h("div", { class: "fields" },
        h("label", { for: "limit" }, "Rows that may be left out"),
        h("select", {
          id: "limit", value: limit === undefined ? "" : String(limit),
          onchange: (/** @type {FieldEvent} */ event) => app.patch({ goal: { "max-suppressed": event.target.value === "" ? null : event.target.value === "0" ? 0 : event.target.value } }),
        },
          [["", "as the method thinks best"], ["0", "none"], ["1%", "1%"], ["2%", "2%"], ["5%", "5%"], ["10%", "10%"], ["all", "any number"],
            ...(limit !== undefined && !["0", "1%", "2%", "5%", "10%", "all"].includes(String(limit)) ? [[String(limit), String(limit)]] : [])]
            .map(([value, name]) => h("option", { value, key: value }, name))),
        h("label", { for: "metric" }, "What counts as loss"),
        h("select", { id: "metric", value: metric, onchange: (/** @type {FieldEvent} */ event) => app.patch({ goal: { metric: /** @type {Api.Metric} */ (event.target.value) } }) },
          Object.entries(METRICS).map(([value, name]) => h("option", { value, key: value }, name))),
        h("label", { for: "suppressed" }, "Rows that are left out"),
        h("select", { id: "suppressed", value: spec.release?.suppressed ?? "drop", onchange: (/** @type {FieldEvent} */ event) => app.patch({ release: { suppressed: event.target.value === "drop" ? null : "blank" } }) },
          h("option", { value: "drop" }, "are not in the release"), h("option", { value: "blank" }, "stay, with every quasi-identifier blank")))),
    warnings(app));
}

/** The column whose name a release has. @param {App} app @param {string | undefined} name */
function called(app, name) {
  return app.state.columns.find((it) => (it.released ?? it.name) === name);
}

/** Says who is protected. Rows that were linked by another one are not any more. @param {App} app @param {string} unit */
function protect(app, unit) {
  const { privacy } = app.spec;
  const before = privacy.linked ? called(app, privacy.unit) : null;
  app.patch({ privacy: { unit: unit || null, linked: null }, columns: before ? { [before.name]: { treat: null } } : {} });
}

/** Whether the rows of a person can be told to belong together. @param {App} app */
function linked(app) {
  const { privacy } = app.spec;
  const unit = privacy.unit && privacy.unit !== "row" ? called(app, privacy.unit) : null;
  if (!unit) return null;
  const link = (/** @type {FieldEvent} */ event) => app.patch({
    privacy: { linked: event.target.checked || null }, columns: { [unit.name]: { treat: event.target.checked ? "pseudonym" : null } },
  });
  return [
    h("label", { class: "check wide", key: "linked" }, h("input", { id: "linked", type: "checkbox", checked: privacy.linked === true, onchange: link }),
      h("span", null, "Release a pseudonym of ", h("code", null, privacy.unit), ", so that rows of one person stay together")),
    h("p", { class: "wide hint", key: "linked-hint" }, privacy.linked
      ? "Several ordinary rows together are seldom ordinary: k people must now share the whole collection of their rows, and others are left out."
      : "Without it nobody can tell which rows are of one person."),
  ];
}

/** What protects a sensitive column. @param {App} app @param {string} column */
function diversity(app, column) {
  const { privacy } = app.spec;
  /** @template M @param {M | M[] | undefined} models @returns {M[]} */
  const list = (models) => (models === undefined ? [] : Array.isArray(models) ? models : [models]);
  const is = (/** @type {{ column?: string }} */ it) => (it.column ?? column) === column;
  const l = list(privacy["l-diversity"]).find(is)?.l ?? "";
  const t = list(privacy["t-closeness"]).find(is)?.t ?? "";
  const change = (/** @type {"l-diversity" | "t-closeness"} */ key, /** @type {"l" | "t"} */ name, /** @type {string} */ value) => {
    /** @type {{ column?: string }[]} */
    const all = key === "l-diversity" ? list(privacy[key]) : list(privacy[key]);
    const others = all.filter((it) => !is(it));
    const models = value === "" ? others : [...others, { column, [name]: Number(value) }];
    app.patch({ privacy: { [key]: models.length ? models : null } });
  };
  return [
    h("label", { for: `l-${column}`, key: `l-${column}-label` }, "Different values of ", h("code", null, column)),
    h("div", { class: "row wrap", key: `l-${column}-field` },
      h("input", { id: `l-${column}`, type: "number", min: "2", step: "1", placeholder: "any", value: l, onchange: (/** @type {FieldEvent} */ event) => change("l-diversity", "l", event.target.value) }),
      h("label", { class: "check" }, "and no further from the whole than ",
        h("input", { id: `t-${column}`, type: "number", min: "0", max: "1", step: "0.05", placeholder: "any", value: t, onchange: (/** @type {FieldEvent} */ event) => change("t-closeness", "t", event.target.value) }))),
  ];
}

/** @param {App} app */
function warnings(app) {
  const all = app.state.look?.told?.warnings ?? [];
  if (!all.length) return null;
  return h("div", { class: "note warn" }, h("strong", null, "To think about"),
    all.map((it) => h("p", { key: it.code + it.message }, `${sentence(it.message)}.`)));
}
