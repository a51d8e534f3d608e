// @ts-check
/** Numbers as people read them. */

/** @param {number | null | undefined} number */
export function whole(number) {
  if (number === null || number === undefined) return "–";
  return Math.round(number).toLocaleString("en-US");
}

/** A share in percent that never rounds something to nothing or less than all to all. @param {number | null | undefined} share */
export function percent(share) {
  if (share === null || share === undefined || Number.isNaN(share)) return "–";
  if (share > 0 && share < 0.0005) return "<0.1%";
  if (share >= 0.9995 && share < 1) return ">99.9%";
  const digits = share > 0 && share < 0.1 ? 2 : 1;
  return `${(100 * share).toFixed(digits)}%`;
}

/** @param {number | null | undefined} number */
export function amount(number) {
  if (number === null || number === undefined) return "–";
  const size = Math.abs(number);
  if (size >= 1000) return Math.round(number).toLocaleString("en-US");
  if (size >= 10) return number.toFixed(1);
  if (size === 0) return "0";
  return number.toPrecision(3);
}

/** @param {number | null | undefined} bytes */
export function bytes(bytes) {
  if (bytes === null || bytes === undefined) return "–";
  const units = ["B", "kB", "MB", "GB", "TB"];
  let at = 0;
  let size = bytes;
  while (size >= 1000 && at < units.length - 1) {
    size /= 1000;
    at += 1;
  }
  return `${at === 0 ? size : size.toFixed(size < 10 ? 1 : 0)}\u00a0${units[at]}`;
}

/** @param {number | null | undefined} seconds */
export function time(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/** How long ago that was. @param {number} seconds */
export function ago(seconds) {
  if (seconds < 90) return "just now";
  if (seconds < 5400) return `${Math.round(seconds / 60)} minutes ago`;
  if (seconds < 129_600) return `${Math.round(seconds / 3600)} hours ago`;
  return `${Math.round(seconds / 86_400)} days ago`;
}

/** @param {number} number @param {string} one @param {string} [many] */
export function count(number, one, many) {
  return `${whole(number)} ${number === 1 ? one : (many ?? `${one}s`)}`;
}

/** The first letter as a capital. @param {string} text */
export function sentence(text) {
  return text ? text[0].toUpperCase() + text.slice(1) : text;
}

/** What a message says of the command line, as it is called on the pages. @param {string} text */
export function onPage(text) {
  return text
    .replace(/--encoding \(encoding in \[data\]\)|--encoding/g, "“Encoding” under “How to read it”")
    .replace(/--sheet, or `sheet` in \[data\]|--sheet/g, "“Sheet” under “How to read it”")
    .replace(/--delimiter \(delimiter in \[data\]\)|--delimiter/g, "“Between fields” under “How to read it”")
    .replace(/ with --kind global, which/, " again with “global” chosen on the page Search, which")
    .replace(/check that with --earlier/, "name it under “Earlier releases”")
    .replace(/: name a file with -o/, ": that is done on the page Finish")
    .replace(/ \(--show-values (shows|tells)[^)]*\)/g, "");
}

/** What the roles mean. @type {[import("./api.js").Role, string, string][]} */
export const ROLES = [
  ["identifying", "Identifying", "Names a person: left out of the release"],
  ["quasi", "Quasi", "Others may know it: made less exact until everybody hides in a crowd"],
  ["sensitive", "Sensitive", "Must not be learned about a person: released, protected by the goals"],
  ["class", "Class", "What readers want to predict: released as it is"],
  ["plain", "Plain", "Released as it is, on purpose"],
];

/** What metrics are called by people. @type {Record<import("./api.js").Metric, string>} */
export const METRICS = {
  ncp: "Keep values exact (certainty penalty)",
  dm: "Keep crowds small (discernibility)",
  cm: "Keep a column predictable (classification)",
  loss: "Keep hierarchies low (general loss)",
  "geometric-loss": "Keep hierarchies low, every column alike (geometric loss)",
  precision: "Keep levels low (precision)",
  entropy: "Keep information (entropy)",
  "average-class-size": "Keep crowds small on average",
  blanks: "Keep cells (fewest blanks)",
};
