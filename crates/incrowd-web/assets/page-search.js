// @ts-check
/** Search: cost falls, bound rises. */

import { h } from "./dom.js";
import { call } from "./net.js";
import { race } from "./charts.js";
import { doing, empty, head, next, reached } from "./shell.js";
import { amount, count, METRICS, onPage, percent, sentence, time, whole } from "./words.js";
import { repairs } from "./why-not.js";

/** @import * as Api from "./api.js" */
/** @typedef {import("./app.js").App} App */
/** @typedef {import("./dom.js").FieldEvent} FieldEvent */
/** What the page keeps. @typedef {{ known: Api.MethodsAnswer | null, points: Api.TraceAnswer["points"], of: number | null }} Own */

/** @param {App} app @returns {Own} */
function own(app) {
  return app.of("search", () => ({ known: null, points: [], of: null }));
}

/** @type {import("./app.js").Page} */
export const search = {
  title: "Search",
  async enter(app) {
    const mine = own(app);
    mine.known ??= await call("methods").catch(() => null);
    search.changed?.(app);
    app.draw();
  },
  async changed(app) {
    const mine = own(app);
    const { answer, work } = app.state;
    if (answer && !work && mine.of !== app.state.version) {
      mine.of = app.state.version;
      mine.points = (await call("trace").catch(() => ({ points: [] }))).points;
      app.draw();
    }
  },
  view(app) {
    const { state } = app;
    if (!state.file) return [head("Search", "Find a release."), empty("No table is open", next("/", "Open one"))];
    const running = state.work?.kind === "search";
    const closed = state.steps.search.state === "closed";
    const found = state.answer?.made && !state.answer.stale && !running;
    return [
      head("Search", "Find the release that loses least and keeps to the goals.",
        running
          ? [seeBest(app), h("button", { class: "danger", onclick: () => app.ask("stop") }, "Stop, keep the best ", h("kbd", null, "Esc"))]
          : [h("button", { class: found ? "" : "main", disabled: Boolean(state.work) || closed, onclick: () => app.ask("search") }, state.answer ? "Search again" : "Search"),
            found ? next("/release", "Next: Release") : null]),
      closed ? h("div", { class: "note bad" }, `${sentence(state.steps.search.note)}. `, h("a", { href: "/columns", "data-go": true }, "Decide on the columns")) : null,
      running && state.work ? going(state.work) : result(app),
      state.answer?.made && !running ? reached(state.answer) : null,
      how(app),
    ];
  },
};

/** What is there already can be looked at while the search goes on. @param {App} app @param {boolean} [again] */
export function seeBest(app, again) {
  const { work, aside } = app.state;
  if (work?.kind !== "search") return null;
  const busy = aside.includes("so-far");
  return h("button", {
    id: "so-far", disabled: busy || !work.can_be_seen, title: work.can_be_seen ? "" : "Nothing can be shown yet",
    onclick: async () => { if (await app.ask("so-far")) app.go("/release"); },
  }, busy ? "Making it …" : again ? "Look at the best by now" : "Look at the best so far");
}

/** @param {Api.WorkState} work */
function going(work) {
  const speed = work.searching !== null && work.searching > 0.3 ? work.nodes / work.searching : null;
  return h("section", { class: "card", key: "going" },
    h("div", { class: "gap-card" },
      h("div", null,
        h("p", { class: "big", id: "gap" }, work.gap !== null ? percent(work.gap) : work.share !== null ? `${Math.floor(100 * work.share)}%` : "…"),
        h("p", { class: "soft" }, work.gap !== null ? "gap to the proven bound: it falls" : work.share !== null ? "of the foreseen work is done; no bound yet" : "no bound yet")),
      h("dl", { class: "meters" },
        meter("Cost", amount(work.cost), "cost"), meter("Bound", amount(work.bound), "bound"), meter("Looked at", whole(work.nodes), "nodes"),
        meter("Per second", speed === null ? "–" : whole(speed), "speed"), meter("Time", time(work.searching ?? work.seconds), "time"))),
    h("div", { class: "reading" },
      h("progress", { max: "1", value: work.share ?? null, "aria-label": "Progress" }),
      h("span", null, sentence(doing(work)), work.phase === "read" && work.rows ? `: ${whole(work.rows)} rows` : "")),
    race(work.points, work.searching));
}

/** @param {string} name @param {string} value @param {string} id */
function meter(name, value, id) {
  return h("div", { key: id }, h("dt", null, name), h("dd", { id: `meter-${id}` }, value));
}

/** @param {App} app */
function result(app) {
  const { answer } = app.state;
  if (!answer) return empty("No search yet", "Choose below how to search, or just press Search.");
  if (!answer.made) {
    return h("section", { class: "card", key: "none" },
      h("div", { class: "note bad" }, h("strong", null, "There is no release. "), `${sentence(answer.why ?? answer.in_words)}.`),
      h("p", null, "Allow more rows to be left out, ask for a smaller k, or give columns a hierarchy. ", h("a", { href: "/goals", "data-go": true }, "To the goals")),
      repairs(app));
  }
  return h("section", { class: "card", key: "result" },
    answer.stale ? h("div", { class: "note warn" }, "This answers the question before the last change. Search again.") : null,
    h("dl", { class: "figures" },
      figure("Smallest crowd", whole(answer.achieved_k), `k = ${answer.k} was asked for`, "figure-k"),
      figure("Risk at most", percent(answer.highest), "to find the person who hides worst", "figure-risk"),
      figure("Detail kept", percent(1 - (answer.gcp ?? 0)), answer.suppressed ? `${count(answer.suppressed, "row")} left out` : "no row left out", "figure-kept")),
    h("p", { class: "proof", id: "gap" }, proof(answer)),
    h("dl", { class: "meters" },
      meter("Cost", amount(answer.cost), "cost"), meter("Bound", amount(answer.bound), "bound"),
      meter("Gap", answer.gap === null ? "–" : percent(answer.gap), "gap-share"), meter("Search", time(answer.seconds), "time")),
    summary(answer.summary),
    h("p", { class: "soft" }, `Found by ${answer.method}`, answer.chosen ? `: ${answer.chosen}.` : "."),
    answer.notes.map((/** @type {string} */ note) => h("p", { class: "note", key: note }, `${sentence(note)}.`)),
    own(app).points.length ? race(own(app).points, answer.seconds) : null);
}

/** A number that is read first. @param {string} name @param {string} value @param {string} what @param {string} id */
function figure(name, value, what, id) {
  return h("div", { key: id }, h("dt", null, name), h("dd", null, h("span", { class: "big", id }, value), h("span", { class: "soft" }, what)));
}

/** What is proven of the release. @param {Api.ReleaseSummary} answer */
function proof(answer) {
  if (answer.gap === null) return "Nothing is proven of the least loss of this kind of release.";
  return answer.gap === 0 ? "Proven optimal: no release of this kind loses less." : `Proven: no release of this kind loses more than ${percent(answer.gap)} less.`;
}

/** The answer and the columns, in the words of every front end. @param {Api.RunSummary} told */
function summary(told) {
  return [
    h("dl", { class: "answer", key: "answer" }, told.answer.map((it) => [
      h("dt", { key: `${it.name} ${it.text}` }, it.name), h("dd", { key: `${it.name} ${it.text} text`, class: it.tone }, `${onPage(it.text)}.`)])),
    h("table", { key: "columns" },
      h("thead", null, h("tr", null, h("th", { scope: "col" }, "Column"), h("th", { scope: "col" }, "What happened"), h("th", { scope: "col", class: "number" }, "Detail kept"))),
      h("tbody", null, told.columns.map((it) => h("tr", { key: it.column },
        h("th", { scope: "row" }, it.column), h("td", null, it.what), h("td", { class: "number" }, it.kept === null ? "" : percent(it.kept)))))),
  ];
}

/** @param {App} app */
function how(app) {
  const { known } = own(app);
  const algorithm = app.state.spec?.algorithm ?? {};
  const auto = !algorithm.method || algorithm.method === "auto";
  const kind = auto ? algorithm.kind ?? "local" : null;
  const options = () => Object.fromEntries(Object.keys(algorithm).filter((it) => !["method", "time-limit", "seed", "threads", "prove"].includes(it)).map((it) => [it, null]));
  const set = (/** @type {Api.Patch<Api.AlgorithmSection>} */ changes) => app.patch({ algorithm: changes });
  return h("section", { class: "card", key: "how" },
    h("h2", null, "How to search"),
    h("fieldset", { class: "choices grid" },
      h("legend", null, "What the release looks like"),
      (known?.kinds ?? []).map((it) => h("label", { class: `choice ${kind === it.name ? "on" : ""}`, key: it.name },
        h("input", { type: "radio", name: "kind", value: it.name, checked: kind === it.name, onchange: () => set({ ...options(), method: "auto", kind: it.name, effort: algorithm.effort ?? null }) }),
        h("span", null, sentence(it.name)), h("small", null, sentence(it.about))))),
    h("div", { class: "row wrap" },
      h("label", null, "Effort ", h("select", { value: algorithm.effort ?? "normal", disabled: !auto, onchange: (/** @type {FieldEvent} */ event) => set({ effort: event.target.value === "normal" ? null : event.target.value }) },
        (known?.efforts ?? []).map((it) => h("option", { value: it.name, key: it.name }, it.name)))),
      h("label", null, "Stop after ", h("select", { value: algorithm["time-limit"] ?? "", onchange: (/** @type {FieldEvent} */ event) => set({ "time-limit": event.target.value || null }) },
        [...new Set(["10s", "1m", "60s", "5m", "1h", "", algorithm["time-limit"] ?? ""])].filter((it) => it !== "60s" || algorithm["time-limit"] === "60s").map((it) => h("option", { value: it, key: it }, it === "" ? "as long as it takes" : it)))),
      h("label", null, "Method ", h("select", {
        value: algorithm.method ?? "auto",
        onchange: (/** @type {FieldEvent} */ event) => set({ ...options(), method: event.target.value }),
      }, (known?.methods ?? []).map((it) => h("option", { value: it.name, key: it.name }, it.kind ? `${it.name} (${it.kind})` : `${it.name}: chosen for you`)))),
      known?.methods?.find((it) => it.name === (algorithm.method ?? "auto"))?.options.some((it) => it.name === "gap")
        ? h("label", null, "Stop at a gap of ", h("select", { value: algorithm.gap ?? "", onchange: (/** @type {FieldEvent} */ event) => set({ gap: event.target.value || null }) },
          [["", "nothing"], ["1%", "1%"], ["5%", "5%"], ["10%", "10%"]].map(([value, name]) => h("option", { value, key: value }, name)))) : null,
      h("label", { class: "check" }, h("input", { type: "checkbox", checked: algorithm.prove === true, onchange: (/** @type {FieldEvent} */ event) => set({ prove: event.target.checked ? true : null }) }), " prove how little it can cost")),
    h("p", { class: "hint" }, `Made small: ${METRICS[app.state.spec?.goal?.metric ?? "ncp"]}.`));
}
