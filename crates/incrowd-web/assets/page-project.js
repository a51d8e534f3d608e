// @ts-check
/** Project: what is kept of the work on a table, and its releases. */

import { h } from "./dom.js";
import { save } from "./net.js";
import { compare, comparison } from "./project-pair.js";
import { empty, head, next } from "./shell.js";
import { amount, count, percent, sentence, whole } from "./words.js";

/** @import * as Api from "./api.js" */
/** @typedef {import("./app.js").App} App */
/** @typedef {import("./dom.js").FieldEvent} FieldEvent */

/** @type {import("./app.js").Page} */
export const project = {
  title: "Project",
  enter: compare,
  changed(app) {
    if (app.here().page === project) compare(app);
  },
  view(app) {
    const { state } = app;
    const lead = "Question, hierarchies, releases and notes. Kept in one file beside the table as you work; nobody else can read it.";
    if (!state.project || !state.file) return [head("Project", lead), empty("No table is open", next("/", "Open one"))];
    return [
      head("Project", lead, h("button", { id: "save-spec", onclick: () => save(new Blob([state.toml ?? ""], { type: "application/toml" }), "spec.toml") }, "Save the spec")),
      about(app, state.project),
      releases(app, state.project),
      comparison(app, state.project),
      notes(app, state.project),
    ];
  },
};

/** @param {App} app @param {Api.ProjectSummary} project */
function about(app, project) {
  const { path, fault } = project;
  const rename = (/** @type {FieldEvent} */ event) => app.ask("rename-project", { name: event.target.value });
  const remove = async () => {
    if (path && confirm(`Delete the project ${project.name}? Its question, releases and notes are gone; the table and written files stay.`)) {
      if (await app.ask("delete-project", { path })) app.go("/");
    }
  };
  const anew = async () => {
    if (confirm("Begin a new project with this table? This one stays in its file.")) await app.ask("open", { path: app.state.file?.name ?? "", anew: true });
  };
  return h("section", { class: "card", key: "about", id: "project" },
    fault ? h("div", { class: "note bad", role: "alert", id: "project-fault" }, h("strong", null, sentence(fault.message)), fault.help ? h("p", null, sentence(fault.help)) : null) : null,
    path
      ? [h("label", { for: "project-name", class: "label", key: "label" }, "Name"),
        h("div", { class: "row wrap", key: "name" },
          h("input", { id: "project-name", type: "text", spellcheck: "false", value: project.name, onchange: rename }),
          h("button", { onclick: anew, disabled: Boolean(app.state.work) }, "New project"),
          h("button", { class: "danger", id: "delete-project", onclick: remove, disabled: Boolean(app.state.work) || !project.stored }, "Delete")),
        h("p", { class: "hint", key: "where" }, project.stored ? ["Kept in ", h("span", { class: "mono" }, path), ", at most a second behind what you see."] : "Its file appears with the first change.")]
      : h("p", { class: "note warn" }, "Work on made-up people is not kept. Open a table of your own to have a project."));
}

/** @param {App} app @param {Api.ProjectSummary} project */
function releases(app, project) {
  const busy = Boolean(app.state.work);
  if (!project.releases.length) return empty("No release yet", ["Every release that a search finds is kept here. ", next("/search", "To the search", false)]);
  return h("section", { class: "card", key: "releases", id: "releases" },
    h("h2", null, "Releases"),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Releases" }, h("table", { class: "data" },
      h("thead", null, h("tr", null, ["Name", "Method", "k", "Risk at most", "Detail kept", "Left out", "Loss", "Found", "Written"].map((name) => h("th", { scope: "col", key: name }, name)), h("th", { scope: "col" }, h("span", { class: "unseen" }, "Actions")))),
      h("tbody", null, project.releases.map((it) => h("tr", { key: it.id, "data-release": it.id, class: it.present ? "chosen" : "" },
        h("th", { scope: "row" }, h("input", { type: "text", "aria-label": `Name of release ${it.id}`, value: it.name, onchange: (/** @type {FieldEvent} */ event) => app.ask("name-release", { id: it.id, name: event.target.value }) }),
          it.present ? h("span", { class: "tag good" }, "shown") : null),
        h("td", null, it.figures.method), h("td", { class: "number" }, whole(it.figures.k)), h("td", { class: "number" }, percent(it.figures.highest)),
        h("td", { class: "number" }, it.figures.loss === null ? "–" : percent(1 - it.figures.loss)), h("td", { class: "number" }, whole(it.figures.suppressed)), h("td", { class: "number" }, amount(it.figures.cost)),
        h("td", null, when(it.figures.at)), h("td", null, it.written[0] ?? "not yet"),
        h("td", null, h("div", { class: "row" },
          h("button", { class: "small", "data-do": "write", disabled: busy, onclick: () => take(app, it, "/finish") }, it.kept ? "Write" : "Search again", h("span", { class: "unseen" }, ` ${it.name}`)),
          it.present ? null : h("button", { class: "small", "data-do": "show", disabled: busy, onclick: () => take(app, it, "/release") }, "Show", h("span", { class: "unseen" }, ` ${it.name}`)),
          h("button", { class: "small", "data-do": "drop", onclick: () => { if (confirm(`Take ${it.name} out of the project? Written files stay.`)) app.ask("drop-release", { id: it.id }); } }, "Remove", h("span", { class: "unseen" }, ` ${it.name}`))))))))),
    h("p", { class: "hint" }, `${sentence(count(project.releases.length, "release"))}. Showing or writing one brings its question back with it; undo returns to the question before.`));
}

/** Makes a release the present one, and goes on with it. @param {App} app @param {Api.ReleaseEntry} release @param {string} path */
async function take(app, release, path) {
  if (await app.ask("take-release", { id: release.id })) app.go(release.kept ? path : "/search");
}

/** @param {number} seconds */
export function when(seconds) {
  return new Date(seconds * 1000).toLocaleString("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
}

/** @param {App} app @param {Api.ProjectSummary} project */
function notes(app, project) {
  return h("section", { class: "card", key: "notes" },
    h("label", { for: "notes", class: "label" }, "Notes"),
    h("textarea", { id: "notes", rows: "5", class: "block", value: project.notes, onchange: (/** @type {FieldEvent} */ event) => app.ask("notes", { notes: event.target.value }) }),
    h("p", { class: "hint" }, "For yourself and those who work on this with you. They are in no report."));
}
