// @ts-check
/** What is done to the values of a column as it is read: break points on a histogram, top codes, rounding, parts of dates. */

import { h } from "./dom.js";
import { scale, ticks } from "./charts.js";
import { whole } from "./words.js";

/** @import * as Api from "./api.js" */
/** @typedef {import("./app.js").App} App */
/** @typedef {import("./dom.js").FieldEvent} FieldEvent */
/** What the page keeps. @typedef {{ column: string | null, of: string | null, breaks: number[], drag: number, fault: string | null }} Own */

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, FLOOR] = [640, 190, 14, 14, 22, 158];

/** A number without needless digits. @param {number} it */
const short = (it) => String(Number(it.toPrecision(6)));

/** @param {App} app @returns {Own} */
function own(app) {
  return app.of("breaks", () => ({ column: null, of: null, breaks: [], drag: -1, fault: null }));
}

/** The numbers of a column, each with its rows. @param {Api.HierarchyAnswer} told @returns {[number, number][]} */
function numbers(told) {
  /** @type {[number, number][]} */
  const all = told.counts.map((it) => [it[0].trim() === "" ? NaN : Number(it[0]), it[1]]);
  return all.filter((it) => Number.isFinite(it[0]));
}

/** @param {App} app @param {string} column @param {number[]} breaks */
function put(app, column, breaks) {
  const sorted = [...new Set(breaks.map((it) => Number(it.toPrecision(12))))].sort((a, b) => a - b);
  return app.patch({ columns: { [column]: { breaks: sorted.length ? sorted : null } } });
}

/** Takes break points that were typed, unless they are none. @param {App} app @param {string} column @param {string} text @param {number} low @param {number} high */
function typed(app, column, text, low, high) {
  const parts = text.split(/[,;\s]+/).filter(Boolean);
  const points = parts.map(Number);
  const odd = parts.filter((_, at) => !Number.isFinite(points[at]));
  const outside = points.filter((it) => it <= low || it > high);
  const twice = points.length !== new Set(points).size;
  const mine = own(app);
  mine.fault = odd.length ? `“${odd[0]}” is no number. The break points stay as they were.`
    : outside.length ? `${short(outside[0])} cuts nothing: the values lie from ${short(low)} to ${short(high)}. The break points stay as they were.`
      : twice ? "A break point stands there twice. They stay as they were." : null;
  if (mine.fault) app.draw();
  else put(app, column, points);
}

/** Break points of a column of numbers. @param {App} app @param {Api.HierarchyAnswer} told @param {Api.ColumnSummary} about */
export function breakPoints(app, told, about) {
  const all = numbers(told);
  if (!told.numeric || all.length < 3) return null;
  const mine = own(app);
  const spec = app.column(about.name);
  const mark = JSON.stringify(spec.breaks ?? []);
  if (mine.column !== about.name || mine.of !== mark) Object.assign(mine, { column: about.name, of: mark, breaks: (spec.breaks ?? []).map(Number), drag: -1, fault: null });
  const integers = all.every((it) => Number.isInteger(it[0]));
  const [low, high] = [Math.min(...all.map((it) => it[0])), Math.max(...all.map((it) => it[0]))];
  const step = integers ? 1 : (high - low) / 100;
  const x = scale(low, high, LEFT, WIDTH - RIGHT);
  const value = (/** @type {number} */ place) => {
    const at = low + ((place - LEFT) / (WIDTH - LEFT - RIGHT)) * (high - low);
    const near = Math.round(at / step) * step;
    return Math.max(low, Math.min(high, integers ? Math.round(near) : Number(near.toPrecision(3))));
  };
  const add = () => {
    // In the middle of the widest range.
    const ends = [low, ...mine.breaks, high].sort((a, b) => a - b);
    let widest = 0;
    for (let at = 1; at < ends.length - 1; at += 1) if (ends[at + 1] - ends[at] > ends[widest + 1] - ends[widest]) widest = at;
    put(app, about.name, [...mine.breaks, value(x((ends[widest] + ends[widest + 1]) / 2))]);
  };
  return h("section", { class: "card", id: "break-points" },
    h("div", { class: "row between" }, h("h2", null, "Break points"), h("button", { class: "small", id: "add-break", onclick: add }, "Add one")),
    h("p", { class: "hint" }, "Values become ranges between the breaks as the table is read; a break belongs to the range above it. Drag one, or move it with ← and → (with Shift by ten); Delete takes it away."),
    h("svg", { class: "chart breaks", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group", "aria-label": `How the values of ${about.name} are distributed, with its break points` },
      bars(all, low, high, integers),
      ticks(low, high, 8).map((it) => h("text", { key: `t${it}`, x: x(it), y: HEIGHT - 16, "text-anchor": "middle" }, short(it))),
      h("line", { class: "axis", x1: LEFT, x2: WIDTH - RIGHT, y1: FLOOR, y2: FLOOR }),
      mine.breaks.map((/** @type {number} */ it, /** @type {number} */ at) => handle(app, about.name, { it, at, x, value, low, high, step }))),
    h("div", { class: "row" }, h("label", { for: "breaks" }, "In numbers"),
      h("input", { id: "breaks", class: "grow", type: "text", placeholder: "none", value: (spec.breaks ?? []).join(", "), "aria-invalid": mine.fault ? "true" : null, "aria-describedby": mine.fault ? "breaks-fault" : null,
        onchange: (/** @type {FieldEvent} */ event) => typed(app, about.name, event.target.value, low, high) })),
    mine.fault ? h("p", { class: "note bad", id: "breaks-fault", role: "alert" }, mine.fault) : null);
}

/**
 * Bars of one width, whose edges are round numbers: values that lie evenly give bars that do. Of whole numbers every bar
 * holds equally many.
 * @param {[number, number][]} all @param {number} low @param {number} high @param {boolean} integers
 */
function bars(all, low, high, integers) {
  const about = (high - low + (integers ? 1 : 0)) / 48;
  const ten = 10 ** Math.floor(Math.log10(about || 1));
  const nice = [1, 2, 5, 10].map((it) => it * ten).find((it) => it >= about * 0.999) ?? ten;
  const width = integers ? Math.max(1, Math.round(nice)) : nice || 1;
  const first = Math.floor(low / width + 1e-9);
  const many = Math.floor(high / width + 1e-9) - first + 1;
  const counts = new Array(many).fill(0);
  for (const [at, rows] of all) counts[Math.max(0, Math.min(many - 1, Math.floor(at / width + 1e-9) - first))] += rows;
  const most = Math.max(...counts);
  // A whole number stands in the middle of its place.
  const shift = integers ? 0.5 : 0;
  const x = scale(low, high, LEFT, WIDTH - RIGHT);
  const place = (/** @type {number} */ it) => Math.max(LEFT - 8, Math.min(WIDTH - RIGHT + 8, x(it - shift)));
  return counts.map((rows, at) => {
    const height = ((FLOOR - TOP) * rows) / most;
    const from = (first + at) * width;
    const to = from + width - (integers ? 1 : 0);
    const [left, right] = [place(from), place(from + width)];
    return h("rect", { key: `b${at}`, class: "bar-rows", x: left + 0.25, y: FLOOR - height, width: Math.max(0.5, right - left - 0.5), height },
      h("title", null, `${from === to ? short(from) : `${short(from)} to ${short(to)}`}: ${whole(rows)} rows`));
  });
}

/**
 * A break that can be moved.
 * @param {App} app
 * @param {string} column
 * @param {{ it: number, at: number, x: (value: number) => number, value: (place: number) => number, low: number, high: number, step: number }} its
 */
function handle(app, column, { it, at, x, value, low, high, step }) {
  const mine = own(app);
  const move = (/** @type {number} */ to) => {
    mine.breaks[at] = Math.max(low, Math.min(high, Number(to.toPrecision(12))));
    app.drawNow();
  };
  const place = (/** @type {PointerEvent} */ event) => {
    const box = /** @type {SVGSVGElement} */ (/** @type {SVGElement} */ (event.currentTarget).ownerSVGElement).getBoundingClientRect();
    return ((event.clientX - box.left) / box.width) * WIDTH;
  };
  const key = (/** @type {KeyboardEvent} */ event) => {
    const far = event.shiftKey ? 10 : 1;
    if (event.key === "ArrowLeft" || event.key === "ArrowDown") move(it - far * step);
    else if (event.key === "ArrowRight" || event.key === "ArrowUp") move(it + far * step);
    else if (event.key === "Delete" || event.key === "Backspace") put(app, column, mine.breaks.filter((/** @type {number} */ _, /** @type {number} */ other) => other !== at));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const settle = () => {
    if (JSON.stringify(mine.breaks) !== mine.of) put(app, column, mine.breaks);
  };
  return h("g", {
    key: `h${at}`, class: "handle", tabindex: "0", role: "slider", "aria-label": `Break ${at + 1} of ${column}`, "aria-valuemin": low, "aria-valuemax": high, "aria-valuenow": it,
    onkeydown: key, onkeyup: settle, onblur: settle,
    onpointerdown: (/** @type {PointerEvent & { currentTarget: Element }} */ event) => { mine.drag = at; event.currentTarget.setPointerCapture(event.pointerId); },
    onpointermove: (/** @type {PointerEvent} */ event) => { if (mine.drag === at) move(value(place(event))); },
    onpointerup: () => { mine.drag = -1; settle(); },
  },
    h("rect", { class: "handle-reach", x: x(it) - 12, y: 2, width: 24, height: FLOOR }),
    h("line", { x1: x(it), x2: x(it), y1: TOP - 4, y2: FLOOR }), h("circle", { cx: x(it), cy: TOP - 6, r: 6 }),
    h("text", { class: "strong", x: x(it) + 9, y: TOP - 2 }, short(it)));
}

/** What else is done as the column is read, whatever its role. @param {App} app @param {Api.ColumnSummary} about */
export function reading(app, about) {
  const spec = app.column(about.name);
  const set = (/** @type {keyof Api.ColumnSection} */ name, /** @type {string | number | null} */ value) => app.patch({ columns: { [about.name]: { [name]: value === "" ? null : value } } });
  const number = (/** @type {"round" | "bottom" | "top" | "keep-prefix"} */ id, /** @type {string} */ title, /** @type {string} */ hint) => [
    h("label", { for: id, key: `${id}-label` }, title),
    h("div", { class: "row", key: id }, h("input", { id, type: "number", step: "any", placeholder: hint, value: spec[id] ?? "", onchange: (/** @type {FieldEvent} */ event) => set(id, event.target.value === "" ? null : Number(event.target.value)) })),
  ];
  const numeric = /^(integer|number)/.test(about.kind);
  const dates = /^(date|time)/.test(about.kind);
  return h("section", { class: "card", id: "reading" }, h("h2", null, "As it is read"),
    h("p", { class: "hint" }, "Done to every value before anything else, whatever the role. The verifier checks it."),
    h("div", { class: "fields" },
      numeric ? [number("round", "Rounded to", "no"), number("bottom", "At least", "no"), number("top", "At most", "no")] : null,
      dates ? [h("label", { for: "date-unit" }, "Cut to"), h("select", { id: "date-unit", value: spec["date-unit"] ?? "", onchange: (/** @type {FieldEvent} */ event) => set("date-unit", event.target.value) },
        [["", "as it is"], ["day", "the day"], ["week", "the week"], ["month", "the month"], ["quarter", "the quarter"], ["year", "the year"], ["decade", "the decade"]].map(([value, name]) => h("option", { value, key: value }, name))),
      h("label", { for: "age-at" }, "As an age on"), h("input", { id: "age-at", type: "text", placeholder: "2026-01-01", value: spec["age-at"] ?? "", onchange: (/** @type {FieldEvent} */ event) => set("age-at", event.target.value.trim()) })] : null,
      !numeric && !dates ? number("keep-prefix", "First characters kept", "all") : null));
}
