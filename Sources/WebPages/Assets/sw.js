// The service worker, with which the wallet opens even without a network. It caches the shells of a few pages (their HTML, which has no
// personal data and is filled by scripts), and the files that these pages need. The wallet's page itself stores the cards that it showed
// last, and says how old they are. In place of any other page, a page of this service says that there is no connection.
//
// The build replaces each `asset:` name below with the file's address, which changes with the file's content. So a release in which one of
// these files differs has a different worker, which replaces this one at once. It uses another cache, and deletes the old one, if a file in
// the name of `CACHE` differs.

/** @type {any} */
const worker = self;

const FILES = [
  "asset:style.css", "asset:icons.svg", "asset:acts.js", "asset:api.js", "asset:card.js", "asset:codes.js", "asset:collect.js",
  "asset:counter.js", "asset:live.js", "asset:offline.js",
  "asset:queue.js", "asset:scan-page.js", "asset:ui.js", "asset:wallet.js", "asset:wallet-card.js", "asset:words.js",
  "asset:workplace.js",
  "asset:words.en.js", "asset:words.zh-Hans.js",
];
/** The address whose cached page is shown for every stamp code. A page with an actual code in its address is never cached. */
const CODE_SHELL = "/s/00000000";
/** The address whose cached page is shown for every page that is not cached. */
const OFFLINE = "/offline";
const SHELLS = ["/wallet", "/scan", "/counter", CODE_SHELL, OFFLINE];
const CACHE = `greentea-shell-${"asset:wallet.js".slice(-20, -3)}-${"asset:collect.js".slice(-20, -3)}-${"asset:style.css".slice(-21, -4)}-${"asset:words.en.js".slice(-20, -3)}`;
/** Options with which a cached page matches a request with any language and any cookies. */
const ANY = { ignoreVary: true };
/** Milliseconds to wait for the network before the cached page is shown. Without a cached page, the worker waits longer. */
const PATIENCE = 4_000;

worker.addEventListener("install", (/** @type {any} */ event) => {
  event.waitUntil((async () => {
    const cache = await caches.open(CACHE);
    await cache.addAll(FILES);
    await Promise.all(SHELLS.map((path) => refresh(cache, path).catch(() => null)));
    await worker.skipWaiting();
  })());
});

worker.addEventListener("activate", (/** @type {any} */ event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) if (name.startsWith("greentea-") && name !== CACHE) await caches.delete(name);
    await worker.clients.claim();
  })());
});

worker.addEventListener("message", (/** @type {any} */ event) => {
  if (event.data !== "purge") return;
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter((name) => name.startsWith("greentea-private")).map((name) => caches.delete(name)))));
});

worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const { request } = event;
  const address = new URL(request.url);
  if (address.origin !== location.origin) return;
  if (request.mode === "navigate" && request.method === "POST" && address.pathname === "/language") return event.respondWith(inLanguage(event));
  if (request.method !== "GET") return;
  if (request.mode === "navigate") {
    // A file of the API is saved by its link, and no page.
    if (!address.pathname.startsWith("/v1/")) event.respondWith(page(event, shellOf(address.pathname)));
  } else if (address.pathname.startsWith("/assets/")) {
    event.respondWith(caches.match(request, ANY).then((found) => found ?? fetch(request)));
  }
});

/**
 * The address of the cached page for a requested path; null if that path has none. The page of a card is the same for all cards.
 * @param {string} path
 */
function shellOf(path) {
  if (SHELLS.includes(path)) return path;
  if (/^\/s\/[0-9A-Za-z]{4}-?[0-9A-Za-z]{4}$/.test(path)) return CODE_SHELL;
  return /^\/wallet\/card_[0-9a-z]{26}$/.test(path) ? "/wallet/card" : null;
}

/**
 * Requests the page from the network, so that its language and release are current. Returns the cached page, if there is one, when the
 * network fails or is too slow; without one, the page that says so.
 * @param {any} event
 * @param {string | null} shell
 */
async function page(event, shell) {
  const cache = await caches.open(CACHE);
  const kept = shell ? await cache.match(shell, ANY) : null;
  try {
    const response = await Promise.race([fetch(event.request), late(kept ? PATIENCE : 60_000)]);
    if (shell === CODE_SHELL) event.waitUntil(refresh(cache, shell).catch(() => null));
    else if (shell && response.ok && !response.redirected) event.waitUntil(cache.put(shell, response.clone()));
    return response;
  } catch (error) {
    const shown = kept ?? await cache.match(OFFLINE, ANY);
    if (shown) return shown;
    throw error;
  }
}

/**
 * Sends the choice of a language, and caches the shells again, which were in the other language.
 * @param {any} event
 */
async function inLanguage(event) {
  const cache = await caches.open(CACHE);
  try {
    const response = await fetch(event.request);
    event.waitUntil(Promise.all(SHELLS.map((path) => refresh(cache, path).catch(() => null))));
    return response;
  } catch (error) {
    const shown = await cache.match(OFFLINE, ANY);
    if (shown) return shown;
    throw error;
  }
}

/** @param {number} milliseconds @returns {Promise<never>} */
function late(milliseconds) {
  return new Promise((_, reject) => setTimeout(() => reject(new Error("late")), milliseconds));
}

/**
 * @param {Cache} cache
 * @param {string} path
 */
async function refresh(cache, path) {
  const response = await fetch(path, { credentials: "same-origin" });
  if (response.ok && !response.redirected) await cache.put(path, response);
}
