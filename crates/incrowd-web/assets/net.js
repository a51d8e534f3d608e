// @ts-check
/** What pages talk to: the server of this launch, or a worker of this page. No page knows which. */

/**
 * What calls are given and answer, as Rust has it: `api.d.ts` is written from there.
 * @typedef {import("./api.js").RouteName} RouteName
 */
/** @template {RouteName} N @typedef {import("./api.js").Given<N>} Given */
/** @template {RouteName} N @typedef {import("./api.js").Answer<N>} Answer */
/** @typedef {Pick<import("./api.js").ErrorReport, "message"> & Partial<import("./api.js").ErrorReport>} Fault */

/**
 * One way to reach the application.
 * @typedef {object} Api
 * @property {() => Promise<boolean>} enter Gets ready; false where this tab may not.
 * @property {[string, string]} stranger What such a tab is told, and what to do.
 * @property {(name: string, given: unknown) => Promise<Response>} post Calls the application.
 * @property {(hear: Hear, there: (there: boolean) => void) => void} listen Hears the events of the session.
 * @property {(ticket: string) => Promise<Response | null>} fetch What a ticket is for; null where the browser has opened it.
 * @property {() => string | null} secondTab The address of a tab that follows this one, where there can be one.
 * @property {() => string} here The page of the present address.
 * @property {(page: string) => string} href The address of a page.
 * @property {Shelf | null} shelf Where files come from, if not from a folder of this machine.
 */
/** @typedef {(event: Partial<import("./api.js").SessionNews> & { fault?: Fault }) => void} Hear */
/**
 * Files that were brought into this tab, and lie nowhere else.
 * @typedef {object} Shelf
 * @property {(files: Iterable<File>) => Promise<string[]>} bring Takes files in, and tells their names.
 * @property {(name: string) => Promise<Blob>} take One of them, as it is now.
 * @property {() => boolean} keeps Whether projects are kept in this browser.
 * @property {(keep: boolean) => Promise<void>} keep Keeps them from now on, or forgets them.
 */

/** @type {Api} */
let api;

/** Says what pages talk to. @param {Api} chosen */
export function connect(chosen) {
  api = chosen;
}

/** What pages talk to. */
export const reach = () => api;

/** An answer that says no, with a reason for people. */
export class Refused extends Error {
  /** @param {Fault} [error] */
  constructor(error) {
    super(error?.message ?? "the server gave no reason");
    this.code = error?.code ?? "unknown";
    this.help = error?.help ?? null;
    this.columns = error?.columns ?? [];
  }
}

/**
 * Calls the application.
 * @template {RouteName} N
 * @param {N} name
 * @param {Given<N>} given
 * @returns {Promise<Answer<N>>}
 */
export async function call(name, ...given) {
  return (await api.post(name, given[0])).json();
}

/**
 * A file from the application.
 * @template {keyof import("./api.js").FileRoutes} N
 * @param {N} name
 * @param {import("./api.js").FileRoutes[N]} given
 * @returns {Promise<Blob>}
 */
export async function blob(name, given) {
  return (await api.post(name, given)).blob();
}

/** Shows or saves what a ticket is for. @param {string} ticket */
export async function deliver(ticket) {
  const answer = await api.fetch(ticket);
  if (!answer) return;
  const name = answer.headers.get("Content-Disposition");
  const content = await answer.blob();
  if (name) await save(content, decodeURIComponent(name));
  else show(await content.text());
}

/** Shows a page that may look as it likes, and do nothing. @param {string} text */
function show(text) {
  const dialog = document.createElement("dialog");
  dialog.className = "shown";
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-modals");
  frame.title = "Report";
  frame.srcdoc = text;
  const row = document.createElement("div");
  row.className = "row";
  const close = document.createElement("button");
  close.textContent = "Close";
  close.onclick = () => dialog.close();
  const keep = document.createElement("button");
  keep.textContent = "Save";
  keep.onclick = () => save(new Blob([text], { type: "text/html" }), "report.html");
  row.append(close, keep);
  dialog.append(row, frame);
  dialog.onclose = () => dialog.remove();
  document.body.append(dialog);
  dialog.showModal();
}

/**
 * Hands a file to the person at the browser.
 * @param {Blob} content
 * @param {string} name
 */
export async function save(content, name) {
  const choose = api.shelf ? /** @type {any} */ (globalThis).showSaveFilePicker : undefined;
  if (choose) {
    try {
      const stream = await (await choose({ suggestedName: name })).createWritable();
      await stream.write(content);
      return await stream.close();
    } catch (error) {
      // Whoever has changed their mind wants no download either.
      if (error instanceof DOMException && error.name === "AbortError") return;
    }
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
