// @ts-check
/** All options: what the command line can ask, with an explanation beside every field. */

import { h } from "./dom.js";
import { call } from "./net.js";
import { empty, head, next } from "./shell.js";
import { sentence } from "./words.js";

/** @import * as Api from "./api.js" */
/** @typedef {import("./app.js").App} App */
/** @typedef {import("./dom.js").FieldEvent} FieldEvent */
/** A schema of JSON. @typedef {{ $ref?: string, type?: string | string[], enum?: unknown[], const?: unknown, anyOf?: Schema[], oneOf?: Schema[], items?: Schema, properties?: Record<string, Schema>, additionalProperties?: Schema, description?: string, $defs?: Record<string, Schema>, minimum?: number, maximum?: number, pattern?: string }} Schema */
/** What the page keeps. @typedef {{ schema: Schema | null, column: string, find: string, wrong: Record<string, string> }} Own */

/** @param {App} app @returns {Own} */
function own(app) {
  return app.of("options", () => ({ schema: null, column: "", find: "", wrong: {} }));
}

/** The sections, in the order in which they are shown. @type {[string, string][]} */
const SECTIONS = [["privacy", "Privacy"], ["goal", "Goal"], ["columns", "One column"], ["data", "Table"], ["algorithm", "Search"], ["release", "Release"]];

/** What has no meaning here: databases, and files that Finish names. */
const ELSEWHERE = new Set(["data.input", "data.table", "data.where", "data.in-database", "release.output", "release.report", "release.internal-report", "release.certificate", "release.recoding", "release.seed-file", "release.into", "release.grant", "columns.role"]);

/** @type {import("./app.js").Page} */
export const options = {
  title: "All options",
  async enter(app) {
    const mine = own(app);
    mine.schema ??= /** @type {Schema | null} */ ((await call("options").catch(() => null))?.schema ?? null);
    app.draw();
  },
  view(app) {
    const lead = "Everything that a spec can say, as the command line asks it. What is empty has its default.";
    if (!app.state.file) return [head("All options", lead), empty("No table is open", next("/", "Open one"))];
    const mine = own(app);
    if (!mine.schema) return [head("All options", lead), h("p", { class: "soft" }, "Reading …")];
    const columns = app.state.columns.map((it) => it.released ?? it.name);
    if (!columns.includes(mine.column)) mine.column = columns[0] ?? "";
    return [
      head("All options", lead),
      h("section", { class: "card", key: "find" }, h("div", { class: "row wrap" },
        h("label", { class: "row grow" }, "Find ", h("input", { id: "find-option", type: "text", class: "grow", value: mine.find, placeholder: "k, average, date ...", oninput: (/** @type {FieldEvent} */ event) => { mine.find = event.target.value; app.draw(); } })),
        h("span", { class: "soft", role: "status" }, `${set(app)} set`))),
      SECTIONS.map(([name, title]) => section(app, mine, name, title, columns)),
    ];
  },
};

/** How many options are set. @param {App} app */
function set(app) {
  const spec = /** @type {Record<string, Record<string, unknown>>} */ (/** @type {unknown} */ (app.spec));
  const of = (/** @type {string} */ name) => Object.keys(spec[name] ?? {}).filter((key) => !ELSEWHERE.has(`${name}.${key}`)).length;
  return SECTIONS.filter(([name]) => name !== "columns").reduce((sum, [name]) => sum + of(name), 0);
}

/** What a schema stands for. @param {Schema} root @param {Schema} schema @returns {Schema} */
function resolved(root, schema) {
  const name = schema.$ref?.split("/").pop();
  return name ? { ...root.$defs?.[name], ...schema, description: schema.description ?? root.$defs?.[name]?.description } : schema;
}

/** @param {App} app @param {Own} mine @param {string} name @param {string} title @param {string[]} columns */
function section(app, mine, name, title, columns) {
  const root = /** @type {Schema} */ (mine.schema);
  const given = resolved(root, root.properties?.[name] ?? {});
  const of = name === "columns" ? resolved(root, given.additionalProperties ?? {}) : given;
  const wanted = mine.find.trim().toLowerCase();
  const found = Object.entries(of.properties ?? {}).filter(([key, it]) => !ELSEWHERE.has(`${name}.${key}`) && (!wanted || `${key} ${it.description ?? ""}`.toLowerCase().includes(wanted)));
  if (!found.length) return null;
  const spec = /** @type {Record<string, any>} */ (/** @type {unknown} */ (app.spec));
  const values = (name === "columns" ? spec.columns?.[mine.column] : spec[name]) ?? {};
  const put = (/** @type {string} */ key, /** @type {unknown} */ value) => app.patch(/** @type {Api.SpecPatch} */ ({ [name]: name === "columns" ? { [mine.column]: { [key]: value } } : { [key]: value } }));
  return h("section", { class: "card", key: name, id: `options-${name}` },
    h("div", { class: "row between wrap" }, h("h2", null, title),
      name === "columns" ? h("label", null, "Column ", h("select", { id: "option-column", value: mine.column, onchange: (/** @type {FieldEvent} */ event) => { mine.column = event.target.value; mine.wrong = {}; app.draw(); } }, columns.map((it) => h("option", { value: it, key: it }, it)))) : null),
    found.map(([key, schema]) => option(mine, `${name}-${key}`, key, resolved(root, schema), values[key], (value) => put(key, value))));
}

/** The texts that a schema allows, if it allows no others. @param {Schema} schema @returns {string[] | null} */
function choices(schema) {
  if (schema.enum) return schema.enum.map(String);
  const all = schema.oneOf ?? schema.anyOf;
  const some = all?.map((it) => (it.const !== undefined ? [String(it.const)] : it.enum ? it.enum.map(String) : null));
  return some?.every((it) => it !== null) ? some.flatMap((it) => it ?? []) : null;
}

/** A field with its explanation. @param {Own} mine @param {string} id @param {string} key @param {Schema} schema @param {unknown} value @param {(value: unknown) => unknown} put */
function option(mine, id, key, schema, value, put) {
  const types = [schema.type ?? []].flat();
  const known = choices(schema);
  const isSet = value !== undefined && value !== null;
  const [about, ...more] = (schema.description ?? "").split(/(?<=\.) /);
  const shared = { id, "aria-describedby": `${id}-about` };
  const typed = (/** @type {FieldEvent} */ event) => {
    const text = event.target.value.trim();
    delete mine.wrong[id];
    if (text === "") return put(null);
    const number = Number(text);
    if (types.length === 1 && (types[0] === "number" || types[0] === "integer") && Number.isFinite(number)) return put(number);
    if (types.includes("string") || types.includes("number")) return put(text);
    // Lists by commas, all else as JSON.
    if (/^[[{"]/.test(text)) {
      try {
        return put(JSON.parse(text));
      } catch (error) {
        mine.wrong[id] = `This is not JSON: ${/** @type {Error} */ (error).message}`;
        return put(value ?? null);
      }
    }
    return put(types.includes("array") ? text.split(",").map((it) => it.trim()).filter(Boolean) : Number.isFinite(number) ? number : text);
  };
  const shown = !isSet ? "" : Array.isArray(value) && value.every((it) => typeof it !== "object") ? value.join(", ") : typeof value === "object" ? JSON.stringify(value) : String(value);
  const field = types.includes("boolean")
    ? h("select", { ...shared, value: isSet ? String(value) : "", onchange: (/** @type {FieldEvent} */ event) => put(event.target.value === "" ? null : event.target.value === "true") }, [["", "default"], ["true", "yes"], ["false", "no"]].map(([it, name]) => h("option", { value: it, key: it }, name)))
    : known
      ? h("select", { ...shared, value: isSet ? String(value) : "", onchange: (/** @type {FieldEvent} */ event) => put(event.target.value || null) }, ["", ...known].map((it) => h("option", { value: it, key: it }, it || "default")))
      : h("input", { ...shared, type: "text", class: "mono", spellcheck: "false", value: shown, onchange: typed });
  return h("div", { class: `option ${isSet ? "set" : ""}`, key: id, "data-option": id },
    h("label", { for: id }, h("code", null, key)), field,
    h("div", { id: `${id}-about`, class: "reason" }, sentence(about), more.length ? ` ${more.join(" ")}` : "", mine.wrong[id] ? h("p", { class: "note bad" }, mine.wrong[id]) : null));
}
