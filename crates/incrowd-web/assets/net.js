// @ts-check
/** Talks to the server of this launch. */

/**
 * What calls are given and answer, as Rust has it: `api.d.ts` is written from there.
 * @typedef {import("./api.js").RouteName} RouteName
 */
/** @template {RouteName} N @typedef {import("./api.js").Given<N>} Given */
/** @template {RouteName} N @typedef {import("./api.js").Answer<N>} Answer */
/** @typedef {Pick<import("./api.js").ErrorReport, "message"> & Partial<import("./api.js").ErrorReport>} Fault */

const KEY = "incrowd-token";

/** @type {string | null} */
let token = null;

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

/** Takes the token from the address, which is cleaned, or from this tab. @returns {Promise<boolean>} */
export async function enter() {
  const given = new URLSearchParams(location.hash.slice(1));
  if (location.hash) history.replaceState(null, "", location.pathname);
  token = given.get("token") ?? sessionStorage.getItem(KEY);
  const once = given.get("once");
  if (once) {
    const answer = await fetch("/api/enter", { method: "POST", body: once });
    if (answer.ok) token = (await answer.json()).token;
  }
  token ??= await askTabs();
  if (!token) return false;
  sessionStorage.setItem(KEY, token);
  // A step that is opened in a tab of its own has no token yet: pages of the same address tell each other.
  tabs.onmessage = (event) => {
    if (event.data === "token?" && token) tabs.postMessage({ token });
  };
  return true;
}

/** Other tabs of this address, in this browser. */
const tabs = new BroadcastChannel("incrowd");

/** The token of another tab, if there is one. @returns {Promise<string | null>} */
function askTabs() {
  return new Promise((told) => {
    const late = setTimeout(() => told(null), 600);
    tabs.onmessage = (event) => {
      if (typeof event.data?.token !== "string") return;
      clearTimeout(late);
      told(event.data.token);
    };
    tabs.postMessage("token?");
  });
}

/** The token, for an address that opens a second tab. */
export function address() {
  return `${location.origin}/#token=${token}`;
}

/**
 * @param {string} name
 * @param {unknown} given
 * @returns {Promise<Response>}
 */
async function post(name, given) {
  const answer = await fetch(`/api/${name}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify(given ?? {}),
  });
  if (answer.ok) return answer;
  const told = await answer.json().catch(() => null);
  throw new Refused(told?.error ?? { message: `the server answered ${answer.status}` });
}

/**
 * Calls the server.
 * @template {RouteName} N
 * @param {N} name
 * @param {Given<N>} given
 * @returns {Promise<Answer<N>>}
 */
export async function call(name, ...given) {
  return (await post(name, given[0])).json();
}

/**
 * A file from the server.
 * @template {keyof import("./api.js").FileRoutes} N
 * @param {N} name
 * @param {import("./api.js").FileRoutes[N]} given
 * @returns {Promise<Blob>}
 */
export async function blob(name, given) {
  return (await post(name, given)).blob();
}

/**
 * Hands a file to the person at the browser.
 * @param {Blob} content
 * @param {string} name
 */
export function save(content, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/**
 * Hears the events of the session, a JSON object in each line, for as long as the server is there.
 * @param {(event: Partial<import("./api.js").SessionNews>) => void} hear
 * @param {(there: boolean) => void} lost
 */
export async function listen(hear, lost) {
  for (;;) {
    try {
      const answer = await fetch("/api/events", { headers: { Authorization: `Bearer ${token}` } });
      if (!answer.ok || !answer.body) throw new Error("no events");
      lost(true);
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        const lines = (rest + value).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) if (line) hear(JSON.parse(line));
      }
    } catch {
      // Told below.
    }
    lost(false);
    await new Promise((go) => setTimeout(go, 1500));
  }
}
