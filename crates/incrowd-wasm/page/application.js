// @ts-check
/** The module with a file system in memory: what a worker, or a test without a browser, calls. */

import { ConsoleStdout, Directory, File, OpenFile, PreopenDirectory, WASI } from "@bjorn3/browser_wasi_shim";

/** @typedef {{ status: number, body: Uint8Array<ArrayBuffer> }} Answer */
/** @typedef {Awaited<ReturnType<typeof application>>} Application */

/** No file here is a link, and whoever follows links must hear so. */
const NO_LINK = 28;

/**
 * @param {BufferSource} module
 * @param {(event: string) => void} hear what work tells while it goes on
 */
export async function application(module, hear) {
  const utf8 = new TextEncoder();
  const text = new TextDecoder();
  const data = new PreopenDirectory("/data", new Map());
  const temporary = new PreopenDirectory("/tmp", new Map());
  /** What was said last, should the module end. @type {string | null} */
  let fault = null;
  const said = ConsoleStdout.lineBuffered((line) => { fault ??= line; });
  const wasi = new WASI([], [], [new OpenFile(new File([])), said, said, data, temporary], { debug: false });
  wasi.wasiImport.path_readlink = () => NO_LINK;
  /** @type {any} */
  let wasm;
  const at = (/** @type {number} */ place, /** @type {number} */ length) => new Uint8Array(wasm.memory.buffer, place, length);
  const told = (/** @type {number} */ place, /** @type {number} */ length) => text.decode(at(place, length));
  // Where the browser can suspend a module, what has come meanwhile is answered before work goes on.
  const { Suspending, promising } = /** @type {any} */ (WebAssembly);
  const rest = (/** @type {number} */ place, /** @type {number} */ length) => {
    hear(told(place, length));
    return new Promise((go) => setTimeout(go));
  };
  const { instance } = await WebAssembly.instantiate(module, {
    wasi_snapshot_preview1: wasi.wasiImport,
    incrowd: {
      pause: Suspending ? new Suspending(rest) : (/** @type {number} */ place, /** @type {number} */ length) => hear(told(place, length)),
      fault: (/** @type {number} */ place, /** @type {number} */ length) => { fault = told(place, length); },
    },
  });
  wasm = instance.exports;
  wasi.initialize(/** @type {any} */ (instance));
  const give = (/** @type {Uint8Array} */ bytes) => {
    const place = wasm.room(bytes.length);
    at(place, bytes.length).set(bytes);
    return [place, bytes.length];
  };
  /** @param {number} status @returns {Answer} */
  const answer = (status) => ({ status, body: at(wasm.answer(), wasm.answer_length()).slice() });
  const begun = answer(wasm.begin());
  if (begun.status !== 200) throw new Error(text.decode(begun.body));
  const work = promising ? promising(wasm.work) : async () => wasm.work();
  /** Files as they were told last. @type {Map<string, unknown>} */
  let known = new Map();
  return {
    memory: () => wasm.memory.buffer.byteLength,
    fault: () => fault,
    /** @param {string} name @param {unknown} given */
    call: (name, given) => answer(wasm.call(...give(utf8.encode(name)), ...give(utf8.encode(JSON.stringify(given ?? {}))))),
    /** @param {string} code */
    fetch: (code) => answer(wasm.fetch(...give(utf8.encode(code)))),
    /** Does what was begun first; whether there was anything. @returns {Promise<boolean>} */
    work: async () => (await work()) !== 0,
    event() {
      return text.decode(answer(wasm.event()).body);
    },
    /** Lays a file into the folder. @param {string} name @param {Uint8Array<ArrayBuffer>} bytes @returns {Answer} */
    put(name, bytes) {
      const file = new File(bytes);
      data.dir.contents.set(name, file);
      known.set(name, file);
      return { status: 200, body: new Uint8Array() };
    },
    /** A file of the folder. @param {string} name @returns {Answer} */
    take(name) {
      /** @type {any} */
      let found = data.dir;
      for (const part of name.split("/")) found = found instanceof Directory ? found.contents.get(part) : undefined;
      return found instanceof File ? { status: 200, body: /** @type {Uint8Array<ArrayBuffer>} */ (found.data.slice()) } : { status: 404, body: new Uint8Array() };
    },
    /** Files that are new or gone since this was asked last. @param {(name: string) => boolean} which @returns {[string, Uint8Array<ArrayBuffer> | null][]} */
    changed(which) {
      const now = new Map([...data.dir.contents].filter(([name]) => which(name)));
      const before = known;
      known = now;
      const gone = [...before.keys()].filter((name) => which(name) && !now.has(name));
      const changed = [...now].filter(([name, file]) => before.get(name) !== file && file instanceof File);
      return [...changed.map(([name, file]) => /** @type {[string, Uint8Array<ArrayBuffer>]} */ ([name, /** @type {any} */ (file).data.slice()])), ...gone.map((name) => /** @type {[string, null]} */ ([name, null]))];
    },
  };
}
