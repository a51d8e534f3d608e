// @ts-check
/** Charts that live: drawn from numbers, in the colours of the page. */

import { h } from "./dom.js";
import { amount, time, whole } from "./words.js";

/**
 * Places on an axis.
 * @param {number} low @param {number} high @param {number} from @param {number} to @param {boolean} [log]
 */
export function scale(low, high, from, to, log) {
  const of = log ? (/** @type {number} */ x) => Math.log10(Math.max(x, 1e-12)) : (/** @type {number} */ x) => x;
  const [a, b] = [of(low), of(high)];
  const span = b - a || 1;
  return (/** @type {number} */ x) => from + ((of(x) - a) / span) * (to - from);
}

/** Round numbers between two ends. @param {number} low @param {number} high @param {number} about */
export function ticks(low, high, about) {
  const span = high - low || Math.abs(high) || 1;
  const raw = span / Math.max(1, about);
  const ten = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((it) => it * ten).find((it) => it >= raw) ?? raw;
  const marks = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step / 1000; at += step) marks.push(Math.abs(at) < step / 1000 ? 0 : at);
  return marks;
}

/** Powers of ten and their twos and fives. @param {number} low @param {number} high */
export function logTicks(low, high) {
  const marks = [];
  for (let ten = Math.floor(Math.log10(low)); ten <= Math.ceil(Math.log10(high)); ten += 1) {
    for (const it of [1, 2, 5]) {
      const mark = it * 10 ** ten;
      if (mark >= low * 0.999 && mark <= high * 1.001) marks.push(mark);
    }
  }
  return marks.length > 8 ? marks.filter((mark) => Math.log10(mark) % 1 === 0) : marks;
}

/**
 * How cost falls and the bound rises until they meet.
 * @param {[number, number | null, number | null][]} points seconds, cost, bound
 * @param {number | null} now seconds since the search began
 */
export function race(points, now) {
  const [width, height, left, right, top, bottom] = [720, 260, 74, 16, 16, 34];
  const costs = points.map((it) => it[1]).filter((it) => it !== null && it > 0);
  const bounds = points.map((it) => it[2]).filter((it) => it !== null && it > 0);
  const all = /** @type {number[]} */ ([...costs, ...bounds]);
  if (!all.length) return h("div", { class: "empty" }, "The first release found appears here.");
  let [low, high] = [Math.min(...all), Math.max(...all)];
  if (high / low < 1.05) [low, high] = [low / 1.1, high * 1.1];
  const end = Math.max(now ?? 0, points[points.length - 1][0], 0.2);
  const x = scale(0, end, left, width - right);
  const y = scale(low, high, height - bottom, top, true);
  const line = (/** @type {1 | 2} */ which) => {
    let path = "";
    let last = null;
    for (const point of points) {
      const value = point[which];
      if (value === null || value <= 0) continue;
      path += path ? `H${x(point[0]).toFixed(1)}V${y(value).toFixed(1)}` : `M${x(point[0]).toFixed(1)} ${y(value).toFixed(1)}`;
      last = value;
    }
    return { path: path ? `${path}H${x(end).toFixed(1)}` : "", last };
  };
  const [cost, bound] = [line(1), line(2)];
  const marks = logTicks(low, high);
  return h("figure", null,
    h("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Cost ${amount(cost.last)}, bound ${amount(bound.last)} after ${time(end)}` },
      (marks.length ? marks : [low, high]).map((mark) => h("g", { key: `y${mark}` },
        h("line", { class: "grid", x1: left, x2: width - right, y1: y(mark), y2: y(mark) }),
        h("text", { x: left - 8, y: y(mark) + 4, "text-anchor": "end" }, amount(mark)))),
      ticks(0, end, 6).map((mark) => h("text", { key: `x${mark}`, x: x(mark), y: height - 14, "text-anchor": "middle" }, `${Number(mark.toPrecision(3))} s`)),
      h("line", { class: "axis", x1: left, x2: width - right, y1: height - bottom, y2: height - bottom }),
      bound.path ? h("path", { class: "bound", d: bound.path }) : null,
      cost.path ? h("path", { class: "cost", d: cost.path }) : null,
      cost.last !== null ? h("circle", { class: "cost-mark", r: 4, cx: x(end), cy: y(cost.last) }) : null,
      bound.last !== null ? h("rect", { class: "bound-mark", width: 8, height: 8, x: x(end) - 4, y: y(bound.last) - 4 }) : null,
      cost.last !== null ? h("text", { class: "strong", x: x(end) - 10, y: y(cost.last) - 8, "text-anchor": "end" }, `cost ${amount(cost.last)} falls`) : null,
      bound.last !== null ? h("text", { class: "strong", x: x(end) - 10, y: y(bound.last) + 18, "text-anchor": "end" }, `bound ${amount(bound.last)} rises`) : null),
    h("figcaption", { class: "hint" }, "Cost falls, the proven bound rises; where they meet, nothing better exists. Log scale."),
    h("details", null, h("summary", null, "As a table"),
      h("div", { class: "log", tabindex: "0", role: "region", "aria-label": "Cost and bound over time" }, h("table", null,
        h("thead", null, h("tr", null, h("th", { scope: "col" }, "Seconds"), h("th", { scope: "col", class: "number" }, "Cost"), h("th", { scope: "col", class: "number" }, "Bound"))),
        h("tbody", null, points.slice(-200).map((point, at) => h("tr", { key: at },
          h("td", null, point[0].toFixed(2)), h("td", { class: "number" }, amount(point[1])), h("td", { class: "number" }, amount(point[2])))))))));
}

/** Rows of a bar: whole where they are. @param {number} it */
function rows(it) {
  return it >= 10 || Number.isInteger(it) ? whole(it) : it.toFixed(1);
}

/**
 * Two bars for each value: before and after.
 * @param {{label: string, before: number, after: number}[]} bars
 * @param {(at: number) => void} [show] goes to the records behind a bar
 */
export function pairs(bars, show) {
  const most = Math.max(1, ...bars.map((bar) => Math.max(bar.before, bar.after)));
  return h("div", { class: "bars" }, bars.map((bar, at) => [
    show && bar.before > 0 ? h("button", { class: "value link", key: `v${bar.label}`, title: "Show these rows of the table", onclick: () => show(at) }, bar.label)
      : h("span", { class: "value", key: `v${bar.label}`, title: bar.label }, bar.label),
    h("span", { class: "pairs", key: `p${bar.label}`, "aria-hidden": "true" },
      h("i", { class: "b", vars: { "--w": `${(100 * bar.before) / most}%` } }), h("i", { class: "a", vars: { "--w": `${(100 * bar.after) / most}%` } })),
    h("span", { class: "number soft", key: `n${bar.label}` }, h("span", { class: "unseen" }, "table "), rows(bar.before), h("span", { class: "unseen" }, ", release"), h("span", { "aria-hidden": "true" }, " → "), rows(bar.after)),
  ]));
}
