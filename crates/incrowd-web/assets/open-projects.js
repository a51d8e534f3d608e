// @ts-check
/** Projects to go on with. */

import { h } from "./dom.js";
import { call } from "./net.js";
import { ago, sentence, whole } from "./words.js";

/** @import * as Api from "./api.js" */
/** @typedef {import("./app.js").App} App */

/** @param {App} app */
export async function fetchProjects(app) {
  app.own.projects = (await call("projects").catch(() => ({ projects: [] }))).projects;
  app.draw();
}

/** Asks before work is lost that cannot be saved. @param {App} app @returns {boolean | null} whether it may be lost; null where nobody wants that */
export function mayDiscard(app) {
  const { project } = app.state;
  if (!project?.at_risk) return false;
  const why = project.fault ? sentence(project.fault.message) : "Work on made-up people is not kept";
  return confirm(`${why}. Open another table all the same, and lose what was decided here?`) ? true : null;
}

/** @param {App} app @param {(path: string) => void} take */
export function projects(app, take) {
  const all = app.of("projects", () => /** @type {Api.ProjectEntry[]} */ ([]));
  if (!all.length) return null;
  const remove = async (/** @type {Api.ProjectEntry} */ it) => {
    if (!confirm(`Delete the project ${it.name}? Its question, releases and notes are gone; the table and written files stay.`)) return;
    if (await app.ask("delete-project", { path: it.path })) await fetchProjects(app);
  };
  return h("section", { class: "card", key: "projects", id: "projects" }, h("h2", null, "Projects"),
    h("table", null,
      h("thead", null, h("tr", null, h("th", { scope: "col" }, "Project"), h("th", { scope: "col" }, "Table"), h("th", { scope: "col", class: "number" }, "Releases"), h("th", { scope: "col" }, "Changed"), h("th", { scope: "col" }, h("span", { class: "unseen" }, "Open or delete")))),
      h("tbody", null, all.map((it) => h("tr", { key: it.path },
        h("th", { scope: "row" }, it.name, app.state.project?.path === it.path ? h("span", { class: "tag good" }, "open") : null, it.fault ? h("div", { class: "reason" }, sentence(it.fault)) : null),
        h("td", { class: "soft" }, it.table), h("td", { class: "number" }, whole(it.releases)), h("td", { class: "soft" }, ago(it.seconds)),
        h("td", null, h("div", { class: "row" },
          h("button", { class: "small", disabled: Boolean(app.state.work || it.fault), onclick: () => take(it.path) }, "Open", h("span", { class: "unseen" }, ` project ${it.name}`)),
          h("button", { class: "small", disabled: Boolean(app.state.work), onclick: () => remove(it) }, "Delete", h("span", { class: "unseen" }, ` project ${it.name}`)))))))));
}
