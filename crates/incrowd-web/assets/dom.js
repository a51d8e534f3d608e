// @ts-check
/** Elements from descriptions: what differs is changed, everything else, focus and scroll included, stays. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * @typedef {object} VNode
 * @property {string} tag
 * @property {Record<string, any>} props
 * @property {Child[]} children
 * @property {any} [key]
 * @property {any} [el]
 */
/** @typedef {VNode | {text: string, el?: any}} Child */
/** What an element may hold. @typedef {Child | string | number | boolean | null | undefined | Content[]} Content */
/** What happened to a field. @typedef {Event & {target: HTMLInputElement, currentTarget: HTMLElement}} FieldEvent */

/**
 * Describes an element. Children may be texts, numbers, descriptions, lists of these, or nothing.
 * @param {string} tag
 * @param {Record<string, any> | null} [props]
 * @param {...Content} children
 * @returns {VNode}
 */
export function h(tag, props, ...children) {
  const { key, ...rest } = props ?? {};
  return { tag, props: rest, children: flat(children), key };
}

/** @param {Content[]} children @returns {Child[]} */
function flat(children) {
  /** @type {Child[]} */
  const list = [];
  for (const child of children) {
    if (child === null || child === undefined || child === false || child === true) continue;
    if (Array.isArray(child)) list.push(...flat(child));
    else if (typeof child === "object") list.push(child);
    else list.push({ text: String(child) });
  }
  return list;
}

/** @param {any} el @param {string} name @param {any} before @param {any} value */
function set(el, name, before, value) {
  if (name === "value") {
    // What somebody is typing is theirs.
    if (el.value !== String(value ?? "") && (document.activeElement !== el || el.tagName === "SELECT")) {
      el.value = String(value ?? "");
    }
    return;
  }
  if (before === value) return;
  if (name.startsWith("on")) el[name] = value ?? null;
  else if (name === "checked" || name === "disabled" || name === "indeterminate" || name === "open") {
    el[name] = Boolean(value);
  } else if (name === "vars") {
    for (const [key, it] of Object.entries(value ?? {})) el.style.setProperty(key, it);
  } else if (value === null || value === undefined || value === false) el.removeAttribute(name);
  else el.setAttribute(name, value === true ? "" : String(value));
}

/** @param {Child} node @param {string | null} space @returns {any} */
function create(node, space) {
  if ("text" in node) {
    node.el = document.createTextNode(node.text);
    return node.el;
  }
  const own = node.tag === "svg" ? SVG : space;
  const el = own ? document.createElementNS(own, node.tag) : document.createElement(node.tag);
  node.el = el;
  for (const child of node.children) el.append(create(child, own));
  // A choice is made when the choices are there.
  for (const [name, value] of Object.entries(node.props)) if (name !== "mounted") set(el, name, undefined, value);
  node.props.mounted?.(el);
  return el;
}

/** @param {Child} one @param {Child} other */
function alike(one, other) {
  if ("text" in one || "text" in other) return "text" in one && "text" in other;
  return one.tag === other.tag && one.key === other.key;
}

/** @param {Child} before @param {Child} after @param {string | null} space */
function change(before, after, space) {
  const el = before.el;
  after.el = el;
  if ("text" in after) {
    if (!("text" in before) || before.text !== after.text) el.data = after.text;
    return;
  }
  const old = /** @type {VNode} */ (before);
  const own = after.tag === "svg" ? SVG : space;
  children(el, old.children, after.children, own);
  for (const name of Object.keys(old.props)) if (!(name in after.props)) set(el, name, old.props[name], null);
  for (const [name, value] of Object.entries(after.props)) {
    if (name !== "mounted") set(el, name, old.props[name], value);
  }
}

/** @param {any} parent @param {Child[]} before @param {Child[]} after @param {string | null} space */
function children(parent, before, after, space) {
  const left = new Set(before);
  const keyed = new Map(before.map((node) => ["key" in node ? node.key : undefined, node]));
  /** @type {any} */
  let at = parent.firstChild;
  let next = 0;
  for (const node of after) {
    /** @type {Child | undefined} */
    let match;
    if ("key" in node && node.key !== undefined) match = keyed.get(node.key);
    else {
      while (next < before.length && !left.has(before[next])) next += 1;
      match = before[next];
    }
    if (match && left.has(match) && alike(match, node)) {
      left.delete(match);
      change(match, node, space);
      if (match.el === at) at = at.nextSibling;
      else parent.insertBefore(match.el, at);
    } else {
      parent.insertBefore(create(node, space), at);
    }
  }
  for (const node of left) node.el?.remove();
}

/** @type {WeakMap<Element, Child[]>} */
const shown = new WeakMap();

/**
 * Shows a description inside an element.
 * @param {Element} root
 * @param {Content} tree
 */
export function render(root, tree) {
  const after = flat([tree]);
  const before = shown.get(root);
  if (!before) root.replaceChildren();
  children(root, before ?? [], after, null);
  shown.set(root, after);
}
