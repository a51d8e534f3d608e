// @ts-check
/** Alternatives: risk against loss, over methods, kinds and k. */

import { h } from "./dom.js";
import { call } from "./net.js";
import { scale, ticks } from "./charts.js";
import { doing, empty, head, next } from "./shell.js";
import { amount, percent, sentence, time, whole } from "./words.js";

/** @import * as Api from "./api.js" */
/** @typedef {import("./app.js").App} App */
/** @typedef {import("./dom.js").FieldEvent} FieldEvent */
/** What the page keeps. @typedef {{ told: Api.AlternativesAnswer | null, of: number | null, axis: "highest" | "average", at: number | null, other: number | null, bound: string | null, known: Api.MethodsAnswer | null, methods: string[], ks: string, seconds: string, fault: string | null }} Own */

/** A release, and its place among the points. @typedef {Api.AlternativePoint & { at: number, cost: number, highest: number }} Point */

/** @type {Record<Api.ReleaseKind, [string, string]>} */
const KINDS = { local: ["k0", "circle"], global: ["k1", "square"], levels: ["k2", "triangle"], cells: ["k3", "diamond"], mixed: ["k4", "wedge"] };
/** @type {["highest" | "average", string][]} */
const AXES = [["highest", "Risk at most"], ["average", "Risk on average"]];

/** @param {App} app @returns {Own} */
function own(app) {
  return app.of("alternatives", () => ({ told: null, of: null, axis: "highest", at: null, other: null, bound: null, known: null, methods: [], ks: "", seconds: "10", fault: null }));
}

/** @param {App} app */
async function fetchAll(app) {
  const mine = own(app);
  mine.of = app.state.version;
  mine.told = await call("alternatives").catch(() => null);
  mine.known ??= await call("methods").catch(() => null);
  if (mine.at === null) {
    const present = mine.told?.points.findIndex((it) => it.present && it.cost !== null) ?? -1;
    mine.at = present >= 0 ? present : null;
  }
  app.draw();
}

/** @type {import("./app.js").Page} */
export const alternatives = {
  title: "Alternatives",
  enter: fetchAll,
  changed(app) {
    if (app.here().page === alternatives && own(app).of !== app.state.version) fetchAll(app);
  },
  view(app) {
    const { state } = app;
    const mine = own(app);
    const lead = "Each mark is a release that was found and verified: to the left it is safer, further down it loses less.";
    if (!state.file) return [head("Alternatives", lead), empty("No table is open", next("/", "Open one"))];
    const comparing = state.work?.kind === "compare";
    const closed = state.steps.alternatives.state === "closed";
    const points = usable(mine);
    return [
      head("Alternatives", lead, comparing
        ? h("button", { class: "danger", onclick: () => app.ask("stop") }, "Stop, keep what is there ", h("kbd", null, "Esc"))
        : h("button", { class: points.length ? "" : "main", disabled: Boolean(state.work) || closed, onclick: () => begin(app) }, points.length ? "Compare again" : "Compare")),
      closed ? h("div", { class: "note bad" }, "Decide on the columns first. ", h("a", { href: "/columns", "data-go": true }, "To the columns")) : null,
      mine.told?.stale && points.length ? h("div", { class: "note warn" }, "The columns or goals have changed since. Compare again.") : null,
      comparing && state.work ? going(app, state.work) : closed ? null : chosenToCompare(app),
      mine.told && points.length ? [plane(app, mine.told, points), table(app, mine.told)] : comparing ? null
        : empty("Nothing is compared yet", "Every kind of release is searched for several k, ten seconds each at most. Nothing is written."),
    ];
  },
};

/** Begins to compare what was chosen. @param {App} app */
function begin(app) {
  const mine = own(app);
  const ks = mine.ks.split(/[,;\s]+/).filter(Boolean).map(Number);
  const seconds = Number(mine.seconds);
  mine.fault = ks.some((it) => !Number.isInteger(it) || it < 1) ? "k are whole numbers, such as 5, 10, 20."
    : !(seconds > 0 && seconds <= 3600) ? "The time for each search lies between 0 and 3,600 seconds." : null;
  if (mine.fault) return app.draw();
  [mine.at, mine.other] = [null, null];
  app.ask("begin-compare", { methods: mine.methods, ks, seconds });
}

/** Which methods, which k, how long. @param {App} app */
function chosenToCompare(app) {
  const mine = own(app);
  const names = (mine.known?.methods ?? []).map((it) => it.name).filter((it) => it !== "auto");
  const all = [...(mine.known?.kinds ?? []).map((it) => `auto:kind=${it.name}`), ...names];
  const turn = (/** @type {string} */ name) => {
    mine.methods = mine.methods.includes(name) ? mine.methods.filter((it) => it !== name) : [...mine.methods, name];
    app.draw();
  };
  return h("details", { class: "card", key: "what", id: "compare-what" }, h("summary", null, `What to compare: ${mine.methods.length ? mine.methods.join(", ") : "every kind of release"}; k ${mine.ks.trim() || "2 to 50"}; ${mine.seconds} s each`),
    h("div", { class: "fields" },
      h("label", { for: "compare-k" }, "k"), h("input", { id: "compare-k", type: "text", placeholder: "2, 3, 5, 10, 20, 50 and that of the goals", value: mine.ks, oninput: (/** @type {FieldEvent} */ event) => { mine.ks = event.target.value; } }),
      h("label", { for: "compare-seconds" }, "Seconds for each search"), h("input", { id: "compare-seconds", type: "number", min: "1", max: "3600", step: "any", value: mine.seconds, oninput: (/** @type {FieldEvent} */ event) => { mine.seconds = event.target.value; } })),
    mine.fault ? h("p", { class: "note bad", role: "alert" }, mine.fault) : null,
    h("fieldset", { class: "choices" }, h("legend", null, "Methods"),
      h("p", { class: "hint" }, "None chosen: every kind of release by the method that suits it, mondrian as the quick one, and an exact one."),
      h("div", { class: "row wrap" }, all.map((name) => h("label", { class: "check", key: name },
        h("input", { type: "checkbox", value: name, checked: mine.methods.includes(name), onchange: () => turn(name) }), ` ${name}`)))));
}

/** @param {Own} mine @returns {Point[]} */
function usable(mine) {
  return /** @type {Point[]} */ ((mine.told?.points ?? []).map((it, at) => ({ ...it, at })).filter((it) => it.cost !== null && it.highest !== null));
}

/** @param {App} app @param {Api.WorkState} work */
function going(app, work) {
  return h("section", { class: "card", key: "going" },
    h("div", { class: "reading" },
      h("progress", { max: "1", value: work.part ? (work.part.number - 1) / work.part.of : null, "aria-label": "Progress" }),
      h("span", null, work.part ? `${sentence(work.part.name)}: ${work.part.number} of ${work.part.of}` : sentence(doing(work)))),
    h("ul", { class: "log soft" }, work.done.slice(-6).map((/** @type {string} */ it) => h("li", { key: it }, it))));
}

/** @param {Own} mine @param {Point} point */
function risk(mine, point) {
  return point[mine.axis] ?? point.highest;
}

/** @param {App} app @param {Api.AlternativesAnswer} told @param {Point[]} points */
function plane(app, told, points) {
  const mine = own(app);
  const [width, height, left, right, top, bottom] = [760, 400, 70, 20, 18, 46];
  const risks = points.map((it) => risk(mine, it));
  const high = Math.max(...risks) * 1.05;
  const low = Math.min(...risks) * 0.9;
  const most = Math.max(...points.map((it) => it.cost)) * 1.06;
  const x = scale(low, high, left, width - right, true);
  const y = scale(0, most, height - bottom, top);
  const chosen = points.find((it) => it.at === mine.at) ?? null;
  const kinds = /** @type {Api.ReleaseKind[]} */ (Object.keys(KINDS)).filter((kind) => points.some((it) => it.kind === kind));
  // A bound of next to nothing says nothing.
  const tight = (/** @type {string} */ kind) => Math.max(0, ...points.filter((it) => it.kind === kind && it.bound !== null).map((it) => (it.bound ?? 0) / it.cost));
  const withBound = kinds.filter((kind) => tight(kind) > 0.01);
  // Unless somebody chooses: of the kinds that lose least, whose bound no other kind undercuts by much.
  const usual = withBound.find((it) => it === "local" || it === "global") ?? "";
  const kind = mine.bound === "" || withBound.some((it) => it === mine.bound) ? mine.bound : usual;
  const order = [...points].sort((a, b) => risk(mine, a) - risk(mine, b) || a.cost - b.cost);
  const key = (/** @type {KeyboardEvent} */ event) => {
    // Keys may follow each other faster than the page is drawn.
    const chosen = points.find((it) => it.at === mine.at) ?? null;
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      const place = order.findIndex((it) => it.at === mine.at);
      const to = order[Math.max(0, Math.min(order.length - 1, place + step))] ?? order[0];
      mine.at = to.at;
      app.say(`${to.method}, k ${to.k}: cost ${amount(to.cost)}`);
      app.draw();
    } else if (event.key === " " && chosen) {
      // The chosen one stays beside those that the arrows go to.
      event.preventDefault();
      mine.other = mine.other === chosen.at ? null : chosen.at;
      app.say(mine.other === null ? "not compared any more" : `${chosen.method}, k ${chosen.k}, is compared with those you go to`);
      app.draw();
    } else if (event.key === "Enter" && chosen && !app.state.work) {
      event.preventDefault();
      choose(app, chosen);
    }
  };
  return h("section", { class: "card", key: "plane" },
    h("div", { class: "row between wrap" },
      h("div", { class: "legend" }, kinds.map((it) => h("span", { key: it, class: "key" }, h("svg", { class: "plane", width: 14, height: 14, viewBox: "-8 -8 16 16", "aria-hidden": "true" }, shape(it, 0, 0, "")), it))),
      h("div", { class: "row wrap" },
        h("label", null, "Across ", h("select", { value: mine.axis, onchange: (/** @type {FieldEvent} */ event) => { mine.axis = /** @type {Own["axis"]} */ (event.target.value); app.draw(); } }, AXES.map(([value, name]) => h("option", { value, key: value }, name)))),
        withBound.length ? h("label", null, "Proven bound of ", h("select", { value: kind, onchange: (/** @type {FieldEvent} */ event) => { mine.bound = event.target.value; app.draw(); } }, h("option", { value: "" }, "none"), withBound.map((it) => h("option", { value: it, key: it }, it)))) : null)),
    h("svg", {
      class: "chart plane", id: "plane", viewBox: `0 0 ${width} ${height}`, tabindex: "0", role: "application", onkeydown: key,
      "aria-label": `Releases by risk and loss; arrows choose one, Space compares it with others, Enter takes it. ${chosen ? `Chosen: ${chosen.method}, k ${chosen.k}` : ""}`,
    },
      h("defs", null, h("pattern", { id: "hatch", width: 8, height: 8, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, h("line", { class: "hatch-line", x1: 0, y1: 0, x2: 0, y2: 8 }))),
      ticks(0, most, 5).map((mark) => h("g", { key: `y${mark}` }, h("line", { class: "grid", x1: left, x2: width - right, y1: y(mark), y2: y(mark) }), h("text", { x: left - 8, y: y(mark) + 4, "text-anchor": "end" }, amount(mark)))),
      marks(low, high).map((mark) => h("g", { key: `x${mark}` }, h("line", { class: "grid", x1: x(mark), x2: x(mark), y1: top, y2: height - bottom }), h("text", { x: x(mark), y: height - 26, "text-anchor": "middle" }, percent(mark).replace(/\.0+%/, "%")))),
      h("line", { class: "axis", x1: left, x2: width - right, y1: height - bottom, y2: height - bottom }),
      h("text", { x: width - right, y: height - 8, "text-anchor": "end" }, `${AXES.find(([it]) => it === mine.axis)?.[1]} (log scale) →`),
      h("text", { x: left, y: 12 }, `↑ loss (${told.metric})`),
      kind ? impossible(points.filter((it) => it.kind === kind), mine, x, y, height - bottom, width - right) : null,
      points.map((it) => h("g", { key: it.at, onclick: (/** @type {MouseEvent} */ event) => { pick(app, it.at, event.shiftKey); } },
        shape(it.kind, x(risk(mine, it)), y(it.cost), `${it.at === mine.at || it.at === mine.other ? "chosen" : ""} ${kind && it.kind !== kind ? "other-kind" : ""}`), h("title", null, `${it.method}, k ${it.k}: cost ${amount(it.cost)}`))),
      chosen ? h("text", { class: "strong", x: Math.min(width - 150, x(risk(mine, chosen)) + 12), y: y(chosen.cost) - 10 }, `${chosen.method}, k ${chosen.k}`) : null),
    kind ? h("p", { class: "hint" }, `Hatched: impossible for ${kind} releases, which cannot cost less than the line; that is proven. Other kinds are drawn faintly.`)
      : withBound.length ? h("p", { class: "hint" }, `What is proven can be drawn for: ${withBound.join(", ")}.`) : null,
    detail(app, chosen),
    versus(app, chosen, points.find((it) => it.at === mine.other) ?? null));
}

/** Chooses a point, or another to compare it with. @param {App} app @param {number} at @param {boolean} beside */
function pick(app, at, beside) {
  const mine = own(app);
  if (beside && mine.at !== null && mine.at !== at) mine.other = mine.other === at ? null : at;
  else [mine.at, mine.other] = [at, null];
  app.draw();
}

/** Two releases side by side. @param {App} app @param {Point | null} one @param {Point | null} other */
function versus(app, one, other) {
  if (!one) return null;
  if (!other || other.at === one.at) return h("p", { class: "hint" }, "Shift and a click compare another one with it; on the keyboard, Space and then the arrows.");
  const rows = [["Cost", amount(one.cost), amount(other.cost)], ["Detail kept", percent(1 - (one.gcp ?? 0)), percent(1 - (other.gcp ?? 0))], ["Gap to the proven bound", percent(one.gap), percent(other.gap)], ["Smallest crowd", whole(one.achieved_k), whole(other.achieved_k)], ["Risk on average", percent(one.average), percent(other.average)], ["Left out", whole(one.suppressed), whole(other.suppressed)]];
  return h("table", { id: "versus" },
    h("thead", null, h("tr", null, h("td", null), h("th", { scope: "col", class: "number" }, `${one.method}, k ${one.k}`), h("th", { scope: "col", class: "number" }, `${other.method}, k ${other.k}`))),
    h("tbody", null, rows.map(([name, left, right]) => h("tr", { key: name }, h("th", { scope: "row" }, name), h("td", { class: "number" }, left), h("td", { class: "number" }, right)))));
}

/** @param {number} low @param {number} high */
function marks(low, high) {
  return [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1].filter((it) => it >= low && it <= high);
}

/** What cannot be: below the bound of each k. @param {Point[]} points @param {Own} mine @param {(value: number) => number} x @param {(value: number) => number} y @param {number} floor @param {number} end */
function impossible(points, mine, x, y, floor, end) {
  /** @type {Map<number, {risk: number, bound: number}>} */
  const best = new Map();
  for (const it of points) {
    if (it.bound === null) continue;
    const known = best.get(it.k);
    // A bound for a k holds for every release whose crowds are so large.
    const at = mine.axis === "highest" ? 1 / it.k : risk(mine, it);
    if (!known || it.bound > known.bound) best.set(it.k, { risk: at, bound: it.bound });
  }
  const steps = [...best.values()].sort((a, b) => a.risk - b.risk);
  if (!steps.length) return null;
  let path = "";
  let line = "";
  steps.forEach((step, at) => {
    const from = at === 0 ? x(step.risk) - 24 : x(steps[at - 1].risk);
    path += `${at ? "" : `M${Math.max(70, from)} ${floor}`}L${Math.max(70, from)} ${y(step.bound)}H${Math.min(end, x(step.risk))}`;
    line += `${at ? "V" : `M${Math.max(70, from)} `}${y(step.bound)}H${Math.min(end, x(step.risk))}`;
  });
  const last = Math.min(end, x(steps[steps.length - 1].risk));
  return h("g", { key: "impossible" }, h("path", { d: `${path}L${last} ${floor}Z`, fill: "url(#hatch)" }), h("path", { class: "edge", d: line }));
}

/** @param {Api.ReleaseKind | null} kind @param {number} x @param {number} y @param {string} extra */
function shape(kind, x, y, extra) {
  const [colour, form] = KINDS[kind ?? "local"];
  const name = `point ${colour} ${extra}`;
  if (form === "circle") return h("circle", { class: name, cx: x, cy: y, r: 6 });
  if (form === "square") return h("rect", { class: name, x: x - 5.5, y: y - 5.5, width: 11, height: 11 });
  if (form === "triangle") return h("path", { class: name, d: `M${x} ${y - 7}L${x + 7} ${y + 5}L${x - 7} ${y + 5}Z` });
  if (form === "wedge") return h("path", { class: name, d: `M${x} ${y + 7}L${x + 7} ${y - 5}L${x - 7} ${y - 5}Z` });
  return h("path", { class: name, d: `M${x} ${y - 8}L${x + 7} ${y}L${x} ${y + 8}L${x - 7} ${y}Z` });
}

/** @param {App} app @param {Point} point */
async function choose(app, point) {
  await app.ask("choose", { method: point.method, k: point.k });
}

/** @param {App} app @param {Point | null} point */
function detail(app, point) {
  if (!point) return h("p", { class: "soft" }, "Click a mark, or choose one with the arrow keys.");
  const { answer, work } = app.state;
  const taken = answer?.made && !answer.stale && answer.k === point.k && label(app.spec.algorithm ?? {}) === point.method;
  return h("div", { class: "row between wrap", id: "chosen" },
    h("p", null, h("strong", null, `${point.method}, k ${point.k}. `), `Cost ${amount(point.cost)}, ${whole(point.suppressed)} rows left out, smallest crowd ${whole(point.achieved_k)}, found in ${time(point.seconds)}. `,
      point.gap !== null ? `Gap to the proven bound: ${percent(point.gap)}.` : "Nothing is proven of the least cost."),
    taken ? h("div", { class: "row" }, h("span", { class: "tag good" }, "this is the release"), next("/release", "Next: Release"))
      : h("button", { class: "main", id: "choose", disabled: Boolean(work), onclick: () => choose(app, point) }, "Take this one"));
}

/** A method with its options as it is written. @param {Api.AlgorithmSection} algorithm */
function label(algorithm) {
  const options = Object.entries(algorithm).filter(([name]) => !["method", "time-limit", "seed", "threads", "prove"].includes(name));
  return (algorithm.method ?? "auto") + options.map(([name, value]) => `:${name}=${value}`).join("");
}

/** @param {App} app @param {Api.AlternativesAnswer} told */
function table(app, told) {
  const mine = own(app);
  return h("details", { class: "card", key: "table" }, h("summary", null, "As a table"),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Releases" }, h("table", { class: "data" },
      h("thead", null, h("tr", null, ["Method", "Kind", "k", "Cost", "Bound", "Risk at most", "on average", "Left out", "Time", "Outcome"].map((name) => h("th", { scope: "col", key: name }, name)))),
      h("tbody", null, told.points.map((it, at) => h("tr", { key: at, class: `pick ${mine.at === at ? "chosen" : ""}`, onclick: () => { if (it.cost !== null) { mine.at = at; app.draw(); } } },
        h("th", { scope: "row" }, it.cost === null ? it.method : h("button", { class: "small", "aria-pressed": mine.at === at ? "true" : "false", onclick: (/** @type {MouseEvent} */ event) => { event.stopPropagation(); pick(app, at, event.shiftKey); } }, it.method)), h("td", null, it.kind), h("td", { class: "number" }, it.k), h("td", { class: "number" }, amount(it.cost)), h("td", { class: "number" }, amount(it.bound)),
        h("td", { class: "number" }, percent(it.highest)), h("td", { class: "number" }, percent(it.average)), h("td", { class: "number" }, whole(it.suppressed)), h("td", { class: "number" }, time(it.seconds)), h("td", null, it.why ?? it.outcome)))))));
}
