// @ts-check
/** Talks to the application in a worker of this page. */

import { Refused } from "../../incrowd-web/assets/net.js";
import { forgetAll, isKept, keepAll, kept } from "./kept-projects.js";

/** @typedef {{ status: number, body: Uint8Array<ArrayBuffer> }} Answer */

/** @type {Worker} */
let worker;
let serial = 0;
/** @type {Map<number, { told: (answer: Answer) => void, failed: (error: Refused) => void }>} */
const waiting = new Map();
/** @type {import("../../incrowd-web/assets/net.js").Hear} */
let hear = () => {};
/** Files as they were brought: a worker that must begin anew gets them again. @type {Map<string, Blob>} */
const brought = new Map();
/** Projects as the worker has saved them. @type {Map<string, Blob>} */
const projects = new Map();
/** The table that was opened last. @type {unknown} */
let opened = null;
let keeps = false;
/** Whether the browser can suspend a module, so that calls are answered while it works. */
const suspends = "Suspending" in WebAssembly;

const text = (/** @type {string} */ id) => document.getElementById(id)?.textContent ?? "";

/** Begins a worker with all files that there are. */
async function begin() {
  const address = URL.createObjectURL(new Blob([text("worker")], { type: "text/javascript" }));
  worker = new Worker(address);
  await new Promise((ready, failed) => {
    worker.onerror = (event) => failed(new Error(event.message));
    worker.onmessage = ({ data }) => (data.ready ? ready(null) : failed(new Error(data.fault)));
    worker.postMessage({ module: text("module") });
  });
  URL.revokeObjectURL(address);
  worker.onerror = (event) => revive(event.message);
  worker.onmessage = ({ data }) => {
    if (data.event) hear(JSON.parse(data.event));
    else if (data.fault) revive(data.fault);
    else if (data.projects) remember(data.projects);
    else {
      waiting.get(data.id)?.told(data);
      waiting.delete(data.id);
    }
  };
  for (const [name, content] of [...brought, ...projects]) await put(name, content);
}

/** Begins anew after a fault, or where nothing else ends the work. @param {string | null} why */
async function revive(why) {
  worker.terminate();
  const message = why === null ? "The work was stopped, and what it had found is lost: this browser cannot stop it otherwise"
    : /memory|allocat/i.test(why) ? "There was not enough memory in this tab" : `Fault of incrowd: ${why.split("\n")[0]}`;
  const error = { message, help: why === null ? "" : "the table was read again; for large tables use the program `incrowd`" };
  for (const { failed } of waiting.values()) failed(new Refused(error));
  waiting.clear();
  await begin();
  if (opened) await post("open", { .../** @type {object} */ (opened), anew: false, discard: true }).catch(() => {});
  hear({ version: -1, fault: error });
}

/** @param {object} message @param {Transferable[]} [given] @returns {Promise<Answer>} */
function send(message, given = []) {
  serial += 1;
  const id = serial;
  return new Promise((told, failed) => {
    waiting.set(id, { told, failed });
    worker.postMessage({ id, ...message }, given);
  });
}

/** @param {string} name @param {Blob} content */
async function put(name, content) {
  const bytes = await content.arrayBuffer();
  await send({ put: name, bytes }, [bytes]);
}

/** Projects that the worker has saved or deleted. @param {[string, Uint8Array<ArrayBuffer> | null][]} changed */
function remember(changed) {
  for (const [name, bytes] of changed) {
    if (bytes) projects.set(name, new Blob([bytes]));
    else projects.delete(name);
  }
  if (keeps) keepAll(projects).catch(() => { keeps = false; });
}

/** @param {Answer} answer */
function response({ status, body }) {
  return new Response(body, { status, headers: { "Content-Type": "application/json" } });
}

/** @param {string} name @param {unknown} given */
async function post(name, given) {
  if (name === "stop" && !suspends) {
    await revive(null);
    return Response.json({ stopped: true });
  }
  const answer = await send({ call: name, given: given ?? {} });
  if (name === "open" && answer.status === 200) opened = given;
  if (name === "demo") opened = null;
  if (answer.status === 200) return response(answer);
  throw new Refused((await response(answer).json().catch(() => null))?.error);
}

/** @type {import("../../incrowd-web/assets/net.js").Api} */
export const workerApi = {
  async enter() {
    if (await isKept().catch(() => false)) {
      keeps = true;
      for (const [name, content] of await kept().catch(() => [])) projects.set(name, content);
    }
    await begin();
    return true;
  },
  stranger: ["This browser cannot open the page.", "It needs WebAssembly and workers: use a current version of Firefox, Chrome, Edge or Safari."],
  post,
  listen(heard, there) {
    hear = heard;
    there(true);
  },
  async fetch(ticket) {
    const { status, body } = await send({ ticket: ticket.slice(ticket.lastIndexOf("/") + 1) });
    if (status === 404) throw new Refused({ message: new TextDecoder().decode(body) });
    const end = status === 201 ? body.indexOf(10) : -1;
    const name = encodeURIComponent(new TextDecoder().decode(body.subarray(0, Math.max(end, 0))));
    return new Response(body.subarray(end + 1), name ? { headers: { "Content-Disposition": name } } : {});
  },
  secondTab: () => null,
  // A file has one address: pages are told apart behind its `#`.
  here: () => decodeURI(location.hash.slice(1)) || "/",
  href: (page) => `#${page}`,
  shelf: {
    async bring(files) {
      const names = [];
      for (const file of files) {
        if (file.name.endsWith(".incrowd")) projects.set(file.name, file);
        else brought.set(file.name, file);
        await put(file.name, file);
        names.push(file.name);
      }
      return names;
    },
    async take(name) {
      return new Blob([(await send({ take: name })).body]);
    },
    keeps: () => keeps,
    async keep(wanted) {
      if (wanted) await keepAll(projects);
      else await forgetAll();
      keeps = wanted;
    },
  },
};
