// @ts-check
/** Projects that the browser keeps from one time to the next, where somebody has asked for it. */

const NAME = "incrowd-projects";

/** @returns {Promise<IDBDatabase>} */
function database() {
  return new Promise((opened, failed) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => request.result.createObjectStore("projects");
    request.onsuccess = () => opened(request.result);
    request.onerror = () => failed(request.error);
  });
}

/** Whether projects are kept. */
export async function isKept() {
  return (await indexedDB.databases()).some((it) => it.name === NAME);
}

/** The projects that are kept. @returns {Promise<[string, Blob][]>} */
export async function kept() {
  const base = await database();
  const read = (/** @type {IDBRequest} */ request) => new Promise((done, failed) => {
    request.onsuccess = () => done(request.result);
    request.onerror = () => failed(request.error);
  });
  const store = base.transaction("projects").objectStore("projects");
  const [names, contents] = /** @type {[string[], ArrayBuffer[]]} */ (await Promise.all([read(store.getAllKeys()), read(store.getAll())]));
  base.close();
  return names.map((name, at) => [name, new Blob([contents[at]])]);
}

/** Keeps these projects, and no others. @param {Map<string, Blob>} projects */
export async function keepAll(projects) {
  const contents = await Promise.all([...projects].map(async ([name, it]) => /** @type {const} */ ([name, await it.arrayBuffer()])));
  const base = await database();
  await new Promise((done, failed) => {
    const change = base.transaction("projects", "readwrite");
    const store = change.objectStore("projects");
    store.clear();
    for (const [name, bytes] of contents) store.put(bytes, name);
    change.oncomplete = () => done(null);
    change.onerror = () => failed(change.error);
  });
  base.close();
}

/** Keeps none, and forgets those that were kept. */
export function forgetAll() {
  return new Promise((done, failed) => {
    const request = indexedDB.deleteDatabase(NAME);
    request.onsuccess = () => done(null);
    request.onerror = () => failed(request.error);
  });
}
