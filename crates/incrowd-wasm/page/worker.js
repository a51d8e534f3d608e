// @ts-check
/** The worker: holds the application and its files, answers calls, and does the work that they begin. */

import { application } from "./application.js";

/** @typedef {import("./application.js").Application} Application */

/** @type {Application} */
let app;
let working = false;

const post = (/** @type {object} */ message, /** @type {Transferable[]} */ given = []) => /** @type {any} */ (globalThis).postMessage(message, given);

/** Tells where the session is, and which projects it has saved. */
function tell() {
  post({ event: app.event() });
  const projects = app.changed((name) => name.endsWith(".incrowd"));
  if (projects.length) post({ projects });
}

/** Does what was begun, one after the other. */
async function work() {
  if (working) return;
  working = true;
  while (await app.work()) tell();
  working = false;
}

/** @param {{ id: number, call?: string, given?: unknown, ticket?: string, put?: string, bytes?: ArrayBuffer, take?: string }} asked */
function answer({ id, call, given, ticket, put, bytes, take }) {
  /** @type {import("./application.js").Answer} */
  let told;
  if (put !== undefined) told = app.put(put, new Uint8Array(bytes ?? new ArrayBuffer()));
  else if (take !== undefined) told = app.take(take);
  else if (ticket !== undefined) told = app.fetch(ticket);
  else told = app.call(call ?? "", given);
  post({ id, ...told }, [told.body.buffer]);
  if (call !== "state") tell();
  work().catch(failed);
}

/** What cannot go on is told; the page begins anew. @param {unknown} error */
function failed(error) {
  post({ fault: app?.fault() ?? String(error) });
}

/** Bytes that are text in the page. @param {string} packed */
async function unpacked(packed) {
  const bytes = Uint8Array.from(atob(packed.trim()), (sign) => sign.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

globalThis.onmessage = async ({ data }) => {
  try {
    if (data.module === undefined) return answer(data);
    app = await application(await unpacked(data.module), (event) => post({ event }));
    post({ ready: true });
  } catch (error) {
    failed(error);
  }
};
