// @ts-check
/** The application: one state for all pages, which comes from where it is computed. */

import { render } from "./dom.js";
import { call, connect, reach, Refused } from "./net.js";
import { lost, shell } from "./shell.js";
import { again } from "./page-again.js";
import { alternatives } from "./page-alternatives.js";
import { columns } from "./page-columns.js";
import { finish } from "./page-finish.js";
import { goals } from "./page-goals.js";
import { hierarchy } from "./page-hierarchy.js";
import { open } from "./page-open.js";
import { options } from "./page-options.js";
import { project } from "./page-project.js";
import { records } from "./page-records.js";
import { release } from "./page-release.js";
import { risk } from "./page-risk.js";
import { search } from "./page-search.js";
import { treat } from "./page-treat.js";
import { usefulness } from "./page-use.js";

/** @typedef {import("./net.js").RouteName} RouteName */
/** @template {RouteName} N @typedef {import("./net.js").Given<N>} Given */
/** @template {RouteName} N @typedef {import("./net.js").Answer<N>} Answer */
/** @typedef {import("./api.js").StateAnswer} State */
/** @typedef {import("./api.js").StepStates} StepStates */

/**
 * A page: what it shows of the state, and what it does when it comes up or the state has changed.
 * @typedef {object} Page
 * @property {string} title
 * @property {(app: App) => import("./dom.js").Content} view
 * @property {(app: App) => void} [enter]
 * @property {(app: App) => void} [changed]
 */

/** The steps in their order. @type {{name: keyof StepStates, path: string, page: Page}[]} */
export const STEPS = [
  { name: "open", path: "/", page: open },
  { name: "columns", path: "/columns", page: columns },
  { name: "goals", path: "/goals", page: goals },
  { name: "search", path: "/search", page: search },
  { name: "alternatives", path: "/alternatives", page: alternatives },
  { name: "release", path: "/release", page: release },
  { name: "risk", path: "/risk", page: risk },
  { name: "use", path: "/use", page: usefulness },
  { name: "finish", path: "/finish", page: finish },
  { name: "again", path: "/again", page: again },
];

export class App {
  constructor() {
    /** What was told last: no page is drawn before it has. @type {State} */
    this.state = /** @type {any} */ (null);
    /** What went wrong with the last thing asked for here. @type {Refused | null} */
    this.error = null;
    /** Whether the application is there. */
    this.there = true;
    this.over = false;
    this.path = reach().here();
    /** Whether original values are shown, in this tab and until it is left. */
    this.values = false;
    this.keys = sessionStorage.getItem("incrowd-keys") !== "off";
    this.help = false;
    /** Each page's own: what is typed, which tab is open. @type {Record<string, unknown>} */
    this.own = {};
    this.drawn = false;
    this.said = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.waiting = undefined;
    /** What fetches the state just now. @type {Promise<void> | null} */
    this.fetching = null;
    this.wanted = false;
  }

  /** The page of the present address. @returns {{name: keyof StepStates | "project" | "options" | "records", page: Page, column?: string}} */
  here() {
    if (this.path === "/project") return { name: "project", page: project };
    if (this.path === "/records") return { name: "records", page: records };
    if (this.path === "/options") return { name: "options", page: options };
    if (this.path.startsWith("/columns/")) {
      const column = decodeURIComponent(this.path.slice(9));
      const role = this.state?.columns?.find((it) => it.name === column)?.role;
      const replaced = role === "identifying" || role === "plain" || role === "class";
      return { name: "columns", page: replaced ? treat : hierarchy, column };
    }
    return STEPS.find((step) => step.path === this.path) ?? STEPS[0];
  }

  /** Draws soon, once for all that has changed. */
  draw() {
    if (this.drawn) return;
    this.drawn = true;
    requestAnimationFrame(() => {
      this.drawn = false;
      this.drawNow();
    });
  }

  drawNow() {
    const root = document.getElementById("app");
    if (!root || !this.state) return;
    document.title = `${this.here().page.title} – incrowd`;
    render(root, shell(this));
  }

  /** Goes to a page. @param {string} path @param {boolean} [back] */
  go(path, back) {
    if (path === this.path) return;
    if (!back) history.pushState(null, "", reach().href(path));
    this.path = path;
    this.error = null;
    this.drawNow();
    this.here().page.enter?.(this);
    // Whoever does not see the page hears where they are.
    const heading = document.querySelector("main h1");
    if (heading instanceof HTMLElement) heading.focus({ preventScroll: true });
    document.querySelector("main")?.scrollTo(0, 0);
  }

  /** Fetches the state, once however often it is asked for. What is there afterwards is no older than the question. */
  fetch() {
    this.wanted = true;
    this.fetching ??= this.fetchWanted().finally(() => { this.fetching = null; });
    return this.fetching;
  }

  async fetchWanted() {
    try {
      while (this.wanted) {
        this.wanted = false;
        this.state = await call("state");
        this.here().page.changed?.(this);
        this.draw();
      }
    } catch (error) {
      if (error instanceof Refused) throw error;
    }
  }

  /**
   * Asks for something; what it refuses is shown.
   * @template {RouteName} N
   * @param {N} name
   * @param {Given<N>} given
   * @returns {Promise<Answer<N> | null>}
   */
  async ask(name, ...given) {
    // A refusal is of the question before: whoever sees it must not take it for the answer to this one.
    if (this.error) {
      this.error = null;
      this.draw();
    }
    try {
      const answer = await call(name, ...given);
      await this.fetch();
      return answer;
    } catch (error) {
      this.error = error instanceof Refused ? error : new Refused({ message: "There is no answer." });
      this.say(this.error.message);
      this.draw();
      return null;
    }
  }

  /** Changes the spec. @param {import("./api.js").SpecPatch} patch */
  patch(patch) {
    return this.ask("spec", patch);
  }

  /** Tells something to those who do not see the page, not more than once in two seconds. @param {string} text */
  say(text) {
    clearTimeout(this.waiting);
    const wait = Math.max(0, this.said + 2000 - Date.now());
    this.waiting = setTimeout(() => {
      this.said = Date.now();
      const place = document.getElementById("said");
      if (place) place.textContent = text;
    }, wait);
  }

  /**
   * A page's own things.
   * @template T
   * @param {string} name
   * @param {() => T} make
   * @returns {T}
   */
  of(name, make) {
    this.own[name] ??= make();
    return /** @type {T} */ (this.own[name]);
  }

  /** What the spec says of a column. @param {string} name @returns {Partial<import("./api.js").ColumnSection>} */
  column(name) {
    return this.state.spec?.columns?.[name] ?? {};
  }

  /** The spec, where a table is open. */
  get spec() {
    return /** @type {import("./api.js").Spec} */ (this.state.spec);
  }
}

/** @param {App} app @param {KeyboardEvent} event */
function key(app, event) {
  const target = /** @type {HTMLElement} */ (event.target);
  const typing = target.matches?.("input:not([type=radio]):not([type=checkbox]):not([type=range]), textarea, select");
  const ctrl = event.ctrlKey || event.metaKey;
  if (ctrl && !typing && event.key.toLowerCase() === "z") {
    event.preventDefault();
    app.ask(event.shiftKey ? "redo" : "undo");
  } else if (event.key === "Escape") {
    if (app.help) {
      app.help = false;
      app.draw();
    } else if (app.state?.work) app.ask("stop");
  } else if (app.keys && !typing && !ctrl && !event.altKey) {
    if (event.key === "?") {
      app.help = !app.help;
      app.draw();
    } else if (event.key === "[" || event.key === "]") {
      const at = STEPS.findIndex((step) => step.name === app.here().name);
      const to = STEPS[at + (event.key === "]" ? 1 : -1)];
      if (to) app.go(to.path);
    }
  }
}

/** @param {import("./net.js").Api} api what pages talk to */
export async function start(api) {
  const root = document.getElementById("app");
  if (!root) return;
  connect(api);
  if (!(await api.enter().catch(() => false))) {
    render(root, lost(...api.stranger));
    return;
  }
  const app = new App();
  try {
    await app.fetch();
  } catch {
    render(root, lost("This address is of an earlier launch.", "Open the address that `incrowd serve` printed last."));
    return;
  }
  addEventListener("popstate", () => app.go(api.here(), true));
  addEventListener("keydown", (event) => key(app, event));
  addEventListener("click", (event) => {
    const link = /** @type {HTMLElement} */ (event.target).closest?.("a[data-go]");
    const apart = event.ctrlKey || event.metaKey || event.shiftKey;
    if (link instanceof HTMLAnchorElement && !(apart && api.secondTab())) {
      event.preventDefault();
      app.go(link.pathname);
    }
  });
  app.here().page.enter?.(app);
  api.listen(
    (news) => {
      if (news.fault) app.error = new Refused(news.fault);
      if (news.version === undefined) return;
      if (news.version !== app.state.version) app.fetch().catch(() => {});
      else {
        app.state.work = news.work ?? null;
        app.draw();
      }
    },
    (there) => {
      if (app.there === there) return;
      app.there = there;
      if (there) app.fetch().catch(() => {});
      app.draw();
    },
  );
}
