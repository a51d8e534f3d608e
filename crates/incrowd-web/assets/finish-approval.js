// @ts-check
/** Finish: what must be done before a release is written, comments, and the reviewer. */

import { h } from "./dom.js";
import { count, sentence } from "./words.js";

/** @import * as Api from "./api.js" */
/** @typedef {import("./app.js").App} App */
/** @typedef {import("./dom.js").FieldEvent} FieldEvent */
/** What the page keeps. @typedef {{ by: string, item: string, text: string }} Own */

/** @param {App} app @returns {Own} */
function own(app) {
  return app.of("approval", () => ({ by: "", item: "", text: "" }));
}

/** What the release still waits for. @param {App} app @returns {string[]} */
export function waitsFor(app) {
  return app.state.project?.approval.waits_for ?? [];
}

/** @param {App} app */
export function approval(app) {
  const told = app.state.project?.approval;
  if (!told?.said) return null;
  return h("section", { class: "card", key: "approval", id: "approval" },
    h("div", { class: "row between" }, h("h2", null, "Before you share it"),
      h("span", { class: `tag ${told.waits_for.length ? "bad" : "good"}`, id: "approval-standing" }, told.waits_for.length ? `${count(told.waits_for.length, "thing")} open` : "nothing open")),
    h("p", { class: "hint" }, "No program knows these. What is ticked stands in the report, with name and date. A new release begins with an empty list."),
    checklist(app, told, told.said),
    review(app, told, told.said));
}

/** @param {App} app @param {Api.ApprovalSummary} told @param {Api.ReleaseApproval} said */
function checklist(app, told, said) {
  const mine = own(app);
  const { rules } = told;
  const set = (/** @type {Partial<Api.ApprovalRules>} */ change) => app.ask("approval-rules", { ...rules, ...change });
  const add = async () => {
    if (mine.item.trim() && (await set({ items: [...rules.items, { text: mine.item, required: true }] }))) {
      mine.item = "";
      const field = document.getElementById("new-item");
      if (field instanceof HTMLInputElement) field.value = "";
      app.draw();
    }
  };
  return [
    h("label", { class: "row wrap", key: "by" }, "Your name ", h("input", { id: "ticked-by", type: "text", class: "grow", placeholder: "J. Doe, data protection officer", value: mine.by, oninput: (/** @type {FieldEvent} */ event) => { mine.by = event.target.value; } })),
    h("ul", { class: "checklist", key: "list" }, rules.items.map((item, at) => {
      const tick = said.ticks.find((it) => it.text === item.text);
      return h("li", { key: item.text },
        h("label", { class: "check" }, h("input", { type: "checkbox", checked: Boolean(tick), onchange: (/** @type {FieldEvent} */ event) => app.ask("tick", { text: item.text, done: event.target.checked, by: mine.by }) }),
          h("span", null, sentence(item.text), tick ? h("span", { class: "reason" }, ` ${[tick.by, tick.date].filter(Boolean).join(", ")}`) : null)),
        h("div", { class: "row" },
          h("label", { class: "check reason" }, h("input", { type: "checkbox", checked: item.required, "aria-label": `Must be done: ${item.text}`, onchange: (/** @type {FieldEvent} */ event) => set({ items: rules.items.map((it, place) => (place === at ? { ...it, required: event.target.checked } : it)) }) }), " must be done"),
          h("button", { class: "quiet small", "aria-label": `Take off the list: ${item.text}`, onclick: () => set({ items: rules.items.filter((_, place) => place !== at) }) }, "×")));
    })),
    h("div", { class: "row", key: "add" }, h("input", { id: "new-item", type: "text", class: "grow", "aria-label": "Another line for the list", placeholder: "Another thing to do", value: mine.item, oninput: (/** @type {FieldEvent} */ event) => { mine.item = event.target.value; } }), h("button", { id: "add-item", onclick: add }, "Add")),
    h("label", { class: "check", key: "needs" }, h("input", { type: "checkbox", id: "needs-approval", checked: rules.needs_approval, onchange: (/** @type {FieldEvent} */ event) => set({ needs_approval: event.target.checked }) }), " Nothing is written before a reviewer approves it"),
  ];
}

/** @param {App} app @param {Api.ApprovalSummary} told @param {Api.ReleaseApproval} said */
function review(app, told, said) {
  const mine = own(app);
  const say = async (/** @type {"comment" | "approve" | "refuse"} */ kind) => {
    if (await app.ask("review", { kind, by: mine.by, text: mine.text })) {
      mine.text = "";
      const field = document.getElementById("review-text");
      if (field instanceof HTMLTextAreaElement) field.value = "";
      app.draw();
    }
  };
  const { decision } = said;
  return h("div", { class: "stack", key: "review" },
    h("h3", null, "Review"),
    decision ? h("p", { class: `note ${decision.approved ? "good" : "bad"}`, id: "decision", role: "status" }, `${decision.approved ? "Approved" : "Refused"} by ${decision.by}, ${decision.date}.`) : null,
    said.comments.length ? h("ul", { class: "verdict-lines", id: "comments" }, said.comments.map((it, at) => h("li", { key: at }, h("span", { class: "lines" }, it.text), h("span", { class: "reason" }, ` ${it.by}, ${it.date}`)))) : null,
    h("textarea", { id: "review-text", rows: "2", class: "block", "aria-label": "Comment", placeholder: "A comment: kept in the project, in no report", value: mine.text, oninput: (/** @type {FieldEvent} */ event) => { mine.text = event.target.value; } }),
    h("div", { class: "row wrap" },
      h("button", { id: "say-comment", onclick: () => say("comment") }, "Comment"),
      h("button", { id: "say-approve", onclick: () => say("approve") }, "Approve"),
      h("button", { id: "say-refuse", class: "danger", onclick: () => say("refuse") }, "Refuse")));
}
