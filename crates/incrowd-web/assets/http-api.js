// @ts-check
/** Talks to the server of this launch. */

import { Refused } from "./net.js";

const KEY = "incrowd-token";

/** @type {string | null} */
let token = null;

/** Takes the token from the address, which is cleaned, or from this tab. @returns {Promise<boolean>} */
async function enter() {
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
 * Hears the events of the session, a JSON object in each line, for as long as the server is there.
 * @param {import("./net.js").Hear} hear
 * @param {(there: boolean) => void} lost
 */
async function listen(hear, lost) {
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

/** @type {import("./net.js").Api} */
export const httpApi = {
  enter,
  stranger: ["This tab has no token.", "Open the address that `incrowd serve` printed in the terminal."],
  post,
  listen,
  async fetch(ticket) {
    globalThis.open(ticket, "_blank", "noopener");
    return null;
  },
  secondTab: () => `${location.origin}/#token=${token}`,
  here: () => location.pathname,
  href: (page) => page,
  shelf: null,
};
