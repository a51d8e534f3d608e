// @ts-check
/** What is around every page: the rail with the steps, the bar with the answer. */

import { h } from "./dom.js";
import { reach } from "./net.js";
import { amount, count, onPage, percent, sentence, time, whole } from "./words.js";
import { STEPS } from "./app.js";

/** @import * as Api from "./api.js" */
/** @typedef {import("./app.js").App} App */
/** @typedef {import("./net.js").Fault} Fault */
/** @typedef {import("./dom.js").Content} Content */
/** @typedef {import("./dom.js").FieldEvent} FieldEvent */

/** How the states of steps look and sound. @type {Record<Api.StepStatus, [string, string]>} */
const MARKS = {
  done: ["✓", "done"],
  open: ["○", "can be done"],
  todo: ["!", "needs a decision"],
  stale: ["↻", "out of date"],
  closed: ["·", "not yet"],
};

/** @type {Record<keyof Api.StepStates, string>} */
const NAMES = {
  open: "Open", columns: "Columns", goals: "Goals", search: "Search", alternatives: "Alternatives",
  release: "Release", risk: "Risk", use: "Usefulness", finish: "Finish", again: "New data",
};

/** @param {App} app */
export function shell(app) {
  const { page, name } = app.here();
  const error = app.error ?? app.state.error;
  return h("div", { class: "frame" },
    h("a", { class: "skip", href: "#main", onclick: skip }, "To the page"),
    rail(app, name),
    h("main", { id: "main", tabindex: "-1" },
      app.over || !app.there ? gone(app) : null,
      error && !app.over ? problem(app, error) : null,
      h("div", { key: app.path, class: `page page-${name}` }, page.view(app))),
    bar(app),
    app.help ? help(app) : null);
}

/** @param {Event} event */
function skip(event) {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

/** @param {App} app @param {string} name */
function rail(app, name) {
  const { state } = app;
  return h("nav", { class: "rail", "aria-label": "Steps" },
    h("div", { class: "brand" },
      h("span", { class: "logo", "aria-hidden": "true" }),
      h("span", { class: "brand-name" }, "incrowd")),
    state.project && state.file
      ? h("a", { class: "file", id: "to-project", href: "/project", "data-go": true, title: `Project ${state.project.name}`, "aria-current": name === "project" ? "page" : null },
        state.file.name, h("span", { class: `step-note ${state.project.at_risk ? "warn" : ""}` }, kept(state.project)))
      : h("p", { class: "file", title: state.root }, "no table open"),
    h("ol", { class: "steps" }, STEPS.map((step) => {
      const { state: where, note } = state.steps[step.name] ?? { state: "open", note: "" };
      const [mark, sound] = MARKS[where];
      return h("li", { key: step.name },
        h("a", {
          href: step.path, "data-go": true, class: `step ${where}`,
          "aria-current": step.name === name ? "page" : null, title: where === "closed" ? note : null,
        },
          h("span", { class: "mark", "aria-hidden": "true" }, mark),
          h("span", { class: "step-name" }, NAMES[step.name]),
          h("span", { class: "unseen" }, `, ${sound}`),
          note && where !== "closed" ? h("span", { class: "step-note" }, note) : null));
    })),
    h("div", { class: "rail-foot" },
      state.file ? h("a", { class: "step", id: "to-records", href: "/records", "data-go": true, "aria-current": name === "records" ? "page" : null }, h("span", { class: "mark", "aria-hidden": "true" }, "☷"), h("span", { class: "step-name" }, "Records")) : null,
      state.file ? h("a", { class: "step", id: "to-options", href: "/options", "data-go": true, "aria-current": name === "options" ? "page" : null }, h("span", { class: "mark", "aria-hidden": "true" }, "☰"), h("span", { class: "step-name" }, "All options")) : null,
      h("div", { class: "pair" },
        h("button", { class: "quiet", disabled: !state.undo, onclick: () => app.ask("undo"), title: "Ctrl+Z" }, "Undo"),
        h("button", { class: "quiet", disabled: !state.redo, onclick: () => app.ask("redo"), title: "Ctrl+Shift+Z" }, "Redo")),
      h("div", { class: "pair" },
        h("button", { class: "quiet", onclick: () => { app.help = true; app.draw(); } }, "Help ", h("kbd", null, "?")),
        reach().shelf ? null : h("button", { class: "quiet", onclick: () => quit(app) }, "Quit"))));
}

/** How safe the work is. @param {Api.ProjectSummary} project */
function kept(project) {
  if (project.fault) return "project: cannot be saved";
  if (!project.path) return "project: not kept";
  const releases = project.releases.length ? `, ${count(project.releases.length, "release")}` : "";
  if (project.stored && reach().shelf) return `project: ${reach().shelf?.keeps() ? "kept in this browser" : "in this tab"}${releases}`;
  return project.stored ? `project: saved${releases}` : "project: nothing to save yet";
}

/** @param {App} app */
async function quit(app) {
  if (!confirm(app.state.project?.at_risk ? "End incrowd? What was decided here cannot be saved and is lost." : "End incrowd? The project is saved.")) return;
  await app.ask("quit");
  app.over = true;
  app.draw();
}

/** @param {App} app */
function gone(app) {
  return h("div", { class: "note bad", role: "alert" },
    h("strong", null, app.over ? "incrowd has ended." : "incrowd does not answer."),
    h("p", null, app.over
      ? "This tab can be closed. What was written is in its folder."
      : "It has ended, or the machine is busy. This page comes back by itself if it does."));
}

/** What is wrong, why, and how to fix it. @param {App} app @param {Fault} error @param {string} [id] of what stays until it is fixed */
export function problem(app, error, id) {
  const columns = error.columns ?? [];
  return h("div", { class: "note bad", role: "alert", key: id ?? "problem", id },
    id ? null : h("button", { class: "close", "aria-label": "Close", onclick: () => { app.error = null; app.ask("dismiss"); } }, "×"),
    h("strong", { class: "lines" }, sentence(onPage(columns.length ? error.message.split("\n")[0] : error.message))),
    columns.length
      ? h("ul", { class: "mends" }, columns.map((it) => h("li", { key: it.column },
        h("code", null, it.column), ": ", it.why, " ",
        h("button", { class: "small", onclick: () => mend(app, [it]) }, it.role === "unit" ? "Protect people, told apart by it" : it.role === "identifying" ? "Leave it out" : `Make it ${it.role}`))))
      : error.help ? h("p", { class: "lines" }, sentence(onPage(error.help))) : null,
    columns.length > 1
      ? h("button", { onclick: () => mend(app, columns) }, "Make all of them so")
      : null);
}

/** Gives columns the roles that fix an error. @param {App} app @param {Api.ColumnFix[]} fixes */
function mend(app, fixes) {
  const units = fixes.filter((it) => it.role === "unit");
  const columns = Object.fromEntries(fixes.filter((it) => it.role !== "unit").map((it) => [it.column, { role: /** @type {Api.Role} */ (it.role) }]));
  app.patch({ columns, ...(units.length ? { privacy: { unit: units[0].column } } : {}) });
}

/** The bar with the answer, which never goes away. @param {App} app */
function bar(app) {
  const { answer, work, file, look } = app.state;
  const standing = look?.told?.standing;
  /** @type {[string, string, string][]} */
  const facts = [];
  const add = (/** @type {string} */ name, /** @type {string} */ value, /** @type {string} */ why) => facts.push([name, value, why]);
  if (answer?.made) {
    add("Rows", whole(answer.released), `${whole(answer.released)} of ${whole(answer.rows)} rows are released`);
    add("k", whole(answer.achieved_k), `The smallest crowd has ${whole(answer.achieved_k)}; asked for were ${answer.k}`);
    add("Risk at most", percent(answer.highest), "The chance to find the person who hides worst: 1 / k");
    add("on average", percent(answer.average), "The share of all people that would be found if somebody tried all");
    add("Cost", amount(answer.cost), `What the release loses by the metric ${answer.metric}`);
    add("Bound", amount(answer.bound), answer.bound === null ? "Nothing is proven of the least cost of this kind of release" : "No release of this kind can cost less: proven");
    add("Gap", answer.gap === null ? "–" : percent(answer.gap), "What a better search could save at most");
    add("Suppressed", whole(answer.suppressed), `${percent(answer.suppressed / answer.rows)} of the rows are left out`);
    const also = answer.requirements ?? [];
    if (also.length) add("Also asked", `${also.length} met`, also.map((it) => sentence(it.text)).join(". "));
  } else if (file) {
    add("Rows", whole(file.rows), `${whole(file.rows)} rows in ${count(file.columns, "column")}`);
    if (standing) {
      add("Stand alone", percent(standing.unique_share), `${whole(standing.unique_rows)} rows share their ${standing.quasi} quasi-identifiers with no other`);
      add("Risk today", percent(standing.highest), "The chance to find the person who hides worst, as the table is");
    }
  }
  const verdict = work
    ? ["busy", `${sentence(doing(work))} …`]
    : !answer ? ["none", file ? "no release yet" : "no table yet"]
      : !answer.made ? ["bad", "no release"]
        : answer.stale ? ["stale", "question changed: search again"]
          : answer.verified ? ["good", "verified and written"] : ["open", "not yet written"];
  return h("footer", { class: "bar", "aria-label": "Answer" },
    h("dl", { class: answer?.stale ? "facts faded" : "facts" }, facts.map(([name, value, why]) =>
      h("div", { key: name, title: why }, h("dt", null, name), h("dd", null, value)))),
    h("p", { class: `verdict ${verdict[0]}` }, h("span", { class: "dot", "aria-hidden": "true" }), verdict[1],
      work ? h("span", { class: "clock" }, ` ${time(work.seconds)}`) : null));
}

/** What goes on, in words. @param {Api.WorkState} work */
export function doing(work) {
  /** @type {Record<string, string>} */
  const phases = {
    read: "reading the table", inspect: "looking at the columns", search: "searching", write: "writing",
    verify: "verifying", look: "looking at the release",
  };
  const what = work.kind === "compare" ? "comparing" : phases[work.phase] ?? "working";
  return what;
}

/** @param {App} app */
function help(app) {
  const before = document.activeElement;
  const close = () => { app.help = false; app.draw(); };
  // The keyboard stays in the dialog while it is open, and goes back to where it was.
  const stay = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Tab") return;
    const all = /** @type {HTMLElement} */ (event.currentTarget).querySelectorAll("a, button, input");
    const [first, last] = [/** @type {HTMLElement} */ (all[0]), /** @type {HTMLElement} */ (all[all.length - 1])];
    const to = event.shiftKey && document.activeElement === first ? last : !event.shiftKey && document.activeElement === last ? first : null;
    if (!to) return;
    event.preventDefault();
    to.focus();
  };
  const enter = (/** @type {HTMLElement} */ el) => setTimeout(() => {
    el.focus();
    const watch = new MutationObserver(() => {
      if (el.isConnected) return;
      watch.disconnect();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    });
    watch.observe(document.body, { childList: true, subtree: true });
  }, 0);
  /** @type {[string[], string][]} */
  const keys = [
    [["Ctrl+Z"], "undo the last change"], [["Ctrl+Shift+Z"], "do it again"],
    [["Esc"], "stop what goes on; the best found so far is kept"],
    [["1", "–", "5"], "on a column: identifying, quasi, sensitive, class, plain"],
    [["[", "]"], "the step before, the next step"], [["Space"], "on the plane of alternatives: compare the chosen one with others"], [["?"], "this list"],
  ];
  return h("div", { class: "veil", onclick: (/** @type {Event} */ event) => { if (event.target === event.currentTarget) close(); } },
    h("div", { class: "dialog", role: "dialog", "aria-modal": "true", "aria-labelledby": "help-title", tabindex: "-1", onkeydown: stay, mounted: enter },
      h("h2", { id: "help-title" }, "Keys and help"),
      h("table", { class: "keys" }, h("tbody", null, keys.map(([names, does]) => h("tr", { key: does },
        h("th", { scope: "row" }, names.map((name) => (name === "–" ? " – " : h("kbd", null, name)))), h("td", null, does))))),
      h("label", { class: "check" },
        h("input", {
          type: "checkbox", checked: app.keys,
          onchange: (/** @type {FieldEvent} */ event) => {
            app.keys = event.target.checked;
            sessionStorage.setItem("incrowd-keys", app.keys ? "on" : "off");
            app.draw();
          },
        }), " Keys without Ctrl work"),
      reach().secondTab() ? h("p", { class: "soft" }, "A second tab follows this one: ", h("a", { href: reach().secondTab(), target: "_blank", rel: "noopener" }, "open one"), ".") : null,
      h("p", { class: "soft" }, `incrowd ${app.state.incrowd}. ${reach().shelf ? "Files are in this tab, and gone with it." : `Files below ${app.state.root}.`} Nothing leaves this machine.`),
      h("button", { class: "main", onclick: close }, "Close")));
}

/** A page without a session. @param {string} what @param {string} todo */
export function lost(what, todo) {
  return h("main", { class: "lost" }, h("h1", null, what), h("p", null, todo));
}

/** The heading of a page with what it is for. @param {string} title @param {Content} lead @param {Content} [action] */
export function head(title, lead, action) {
  return h("header", { class: "head" },
    h("div", null, h("h1", { tabindex: "-1" }, title), h("p", { class: "lead" }, lead)),
    action ? h("div", { class: "actions" }, action) : null);
}

/** A link to another page that looks like what is to be done next. @param {string} path @param {string} text @param {boolean} [main] */
export function next(path, text, main = true) {
  return h("a", { class: main ? "button main" : "button", href: path, "data-go": true }, text);
}

/** What is shown where there is nothing yet. @param {string} what @param {Content} todo */
export function empty(what, todo) {
  return h("div", { class: "empty" }, h("p", { class: "empty-what" }, what), h("p", null, todo));
}

/** What was asked of risks beyond k, and what the release reaches. @param {Api.ReleaseSummary} answer */
export function reached(answer) {
  const all = answer.requirements ?? [];
  if (!all.length) return null;
  return h("section", { class: "card", id: "reached", key: "reached" }, h("h2", null, "What else was asked for"),
    h("ul", { class: "verdict-lines" }, all.map((it) => h("li", { key: it.requirement }, sentence(it.text)))));
}

/** A switch for original values. @param {App} app @param {(shown: boolean) => void} [then] */
export function values(app, then) {
  return h("label", { class: "check" },
    h("input", {
      type: "checkbox", checked: app.values, id: "show-values",
      onchange: (/** @type {FieldEvent} */ event) => {
        app.values = event.target.checked;
        then?.(app.values);
        app.draw();
      },
    }), " Show original values");
}
