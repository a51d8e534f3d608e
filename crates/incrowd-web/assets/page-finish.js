// @ts-check
/** Finish: write, verify, hand over. */

import { h } from "./dom.js";
import { deliver, reach, save } from "./net.js";
import { approval, waitsFor } from "./finish-approval.js";
import { fillForms, forms } from "./finish-forms.js";
import { empty, head, next } from "./shell.js";
import { bytes, sentence, whole } from "./words.js";

/** @import * as Api from "./api.js" */
/** @typedef {import("./app.js").App} App */
/** @typedef {import("./dom.js").FieldEvent} FieldEvent */
/** What the page keeps. @typedef {{ output: string | null, of: null, recoding: boolean, replace: boolean, again?: boolean }} Own */

/** What the files are. @type {Record<string, [string, string, string]>} */
const FILES = {
  release: ["Release", "The table to share", ""],
  report: ["Report", "As safe to share as the release", ""],
  spec: ["Spec", "How it was made: runs on the command line", ""],
  seed: ["Seed", "Undoes the shuffling", "confidential"],
  recoding: ["Recoding", "For new rows; lists original values", "confidential"],
};

/** @param {App} app @returns {Own} */
function own(app) {
  return app.of("finish", () => ({ output: null, of: null, recoding: false, replace: false }));
}

/** The name that the release has if nobody says otherwise. @param {App} app */
function usual(app) {
  const { file } = app.state;
  const name = app.spec.release?.output ?? "release.csv";
  const folder = !file || file.made_up || !file.name.includes("/") ? "" : file.name.slice(0, file.name.lastIndexOf("/") + 1);
  return name.includes("/") ? name : folder + name;
}

/** @type {import("./app.js").Page} */
export const finish = {
  title: "Finish",
  enter: fillForms,
  changed(app) {
    if (app.here().page === finish) fillForms(app);
  },
  view(app) {
    const { state } = app;
    const lead = "The release is written, read back by an independent verifier, and only then appears under its name.";
    const { answer } = state;
    if (!answer?.made) return [head("Finish", lead), empty("There is no release yet", next("/search", "To the search"))];
    const mine = own(app);
    const written = answer.verified ? state.written : null;
    const writing = state.work?.kind === "finish";
    return [
      head("Finish", lead, written ? h("button", { onclick: () => { mine.again = !mine.again; app.draw(); } }, "Write once more") : null),
      answer.stale ? h("div", { class: "note warn" }, "The question has changed since the search. ", h("a", { href: "/search", "data-go": true }, "Search again"), " before you write.") : null,
      written ? done(app, written) : null,
      written && !writing ? forms(app) : null,
      !written || mine.again || writing ? form(app, answer, writing) : null,
    ];
  },
};

/** @param {App} app @param {Api.ReleaseSummary} answer @param {boolean} writing */
function form(app, answer, writing) {
  const mine = own(app);
  const { state } = app;
  const output = mine.output ?? usual(app);
  const waiting = waitsFor(app);
  const write = async () => {
    if (await app.ask("finish", { output: mine.output ?? usual(app), recoding: mine.recoding, replace: mine.replace })) mine.again = false;
  };
  const keep = () => save(new Blob([state.toml ?? ""], { type: "application/toml" }), "spec.toml");
  return h("div", { class: "two", key: "form" },
    h("section", { class: "card" },
      h("h2", null, "Write the release"),
      h("label", { for: "output", class: "label" }, "File"),
      h("input", { id: "output", class: "mono", type: "text", spellcheck: "false", value: output, oninput: (/** @type {FieldEvent} */ event) => { mine.output = event.target.value; } }),
      h("p", { class: "hint" }, `${reach().shelf ? "In this tab, to be saved from here" : `In ${state.root}`}. By its ending: .csv, .csv.gz, .csv.zst, .parquet or .xlsx. Beside it: the report, the spec, and the seed (for you alone).`),
      h("label", { class: "check" }, h("input", { type: "checkbox", checked: mine.recoding || !answer.repeatable, disabled: !answer.repeatable, onchange: (/** @type {FieldEvent} */ event) => { mine.recoding = event.target.checked; app.draw(); } }), " Save the recoding, too, for new data later"),
      answer.repeatable ? null : h("p", { class: "note" }, "The search was stopped, so a new search may find another release. The recoding is saved: with it this very release can be made again."),
      h("label", { class: "check" }, h("input", { type: "checkbox", checked: mine.replace, onchange: (/** @type {FieldEvent} */ event) => { mine.replace = event.target.checked; app.draw(); } }), " Replace files that are there"),
      h("div", { class: "row" },
        h("button", { class: "main", id: "write", disabled: Boolean(state.work) || answer.stale || waiting.length > 0, onclick: write }, "Write and verify"),
        writing ? h("span", { class: "reading" }, h("span", { class: "spin", "aria-hidden": "true" }), state.work?.phase === "verify" ? "verifying" : "writing") : null),
      waiting.length && !answer.stale ? h("p", { class: "note warn", id: "waits" }, `Waits for: ${waiting.join("; ")}.`) : null,
      h("details", null, h("summary", null, "The spec"), h("pre", { tabindex: "0" }, state.toml), h("button", { class: "small", onclick: keep }, "Save the spec"))),
    h("div", { class: "stack" },
      approval(app),
      answer.warnings.length ? h("div", { class: "note warn", key: "think" }, h("strong", null, "To think about"), answer.warnings.map((it) => h("p", { key: it.message }, `${sentence(it.message)}.`))) : null));
}

/** What models are called, by the key that tells them apart. @type {Record<string, string>} */
const MODELS = {
  distinct_l: "l-diversity", entropy_l: "Entropy l-diversity", recursive_c_l: "Recursive (c,l)-diversity",
  t_closeness: "t-closeness", alpha_k: "(alpha,k)-anonymity", basic_beta: "Basic beta-likeness",
  enhanced_beta: "Enhanced beta-likeness", delta_disclosure: "delta-disclosure privacy",
};

/** @param {Api.Model} model */
function called(model) {
  return Object.keys(model).map((it) => MODELS[it] ?? it).join();
}

/** @param {App} app @param {Api.WrittenSummary} written */
function done(app, written) {
  const verdict = written.verdict;
  const told = new Set((app.state.answer?.warnings ?? []).map((it) => it.message));
  const news = (written.warnings ?? []).filter((it) => !told.has(it.message));
  const get = async (/** @type {Api.WrittenFile} */ file) => {
    const ticket = await app.ask("ticket", { what: file.what });
    if (ticket) await deliver(ticket.path);
  };
  return h("div", { class: "two", key: "done" },
    h("section", { class: "card" },
      h("div", { class: "note good", id: "verdict", role: "status" }, h("strong", null, "Written and verified. "), `${whole(written.released)} rows${reach().shelf ? ": save the files that you need" : ` in ${written.folder}`}`),
      h("ul", { class: "verdict-lines" },
        h("li", null, `every released row looks like at least ${whole((verdict?.k ?? 1) - 1)} others (k = ${whole(verdict?.k)}; asked for ${verdict?.required_k})`),
        (verdict?.risks ?? []).map((it) => h("li", { key: it.requirement, class: it.holds ? "" : "no" }, it.text)),
        (verdict?.models ?? []).map((model) => h("li", { key: called(model.model) + model.column }, `${called(model.model)} of ${model.column} holds`)),
        h("li", null, `${whole(verdict?.classes)} crowds, no identifying column among the released ones`),
        (verdict?.notes ?? []).map((/** @type {string} */ note) => h("li", { key: note }, note))),
      news.map((it) => h("p", { class: "note warn", key: it.message }, it.message)),
      h("table", null,
        h("thead", null, h("tr", null, h("th", { scope: "col" }, "File"), h("th", { scope: "col" }, "What it is"), h("th", { scope: "col", class: "number" }, "Size"), h("th", { scope: "col" }, h("span", { class: "unseen" }, "Save")))),
        h("tbody", null, written.files.map((file) => {
          const [title, what, secret] = FILES[file.what];
          return h("tr", { key: file.what },
            h("th", { scope: "row" }, h("span", { class: "mono" }, file.name), secret ? [" ", h("span", { class: "tag bad" }, secret)] : null),
            h("td", null, `${title}. `, h("span", { class: "soft" }, what)),
            h("td", { class: "number" }, bytes(file.size)),
            h("td", null, h("div", { class: "row" },
              file.what === "report" ? h("button", { class: "small", onclick: () => get(file) }, "Look") : null,
              file.what === "report" ? null : h("button", { class: "small", onclick: () => get(file) }, "Save", h("span", { class: "unseen" }, ` ${title}`)))));
        })))),
    h("section", { class: "card" },
      h("h2", null, "The same on the command line"),
      h("pre", null, written.command),
      h("p", { class: "hint" }, written.lost_key
        ? "The key of pseudonyms or shifted dates was not kept: all else comes out the same, these do not."
        : written.repeatable
        ? "It reads the same table, searches anew, and gives the same bytes."
        : "The search was stopped, so the saved recoding is applied instead of searching anew."),
      h("details", null, h("summary", null, "The spec"), h("pre", { tabindex: "0" }, app.state.toml)),
      next("/again", "New data with this recoding", false)));
}
