// Requests to the service. Each write has a name, its `act`, made of its purpose and object, such as `stamp K7QF2M9X`. If the answer to a
// write is lost, the write is repeated with the same idempotency key, so that it never takes effect twice. If the session has expired, one
// tab refreshes it for all tabs. A refusal becomes an `ApiError` with the service's code and the service's sentence in the page's language.

/** The beginning of the names of stored values. */
const PREFIX = "greentea.";
/** @type {Map<string, string>} */
const memory = new Map();
/** Milliseconds after which a request counts as lost, for example because the phone is in a tunnel. */
const TIMEOUT = 15_000;
/** Milliseconds after which the upload of a picture counts as lost: a slow connection needs this long for 8 MiB. */
const UPLOAD_TIMEOUT = 180_000;
/**
 * Pauses, in milliseconds, before a write is repeated that has no answer yet, or that the service could not carry out at the moment. A lost
 * read is repeated once, after the first pause.
 */
const PAUSES = [400, 1_200, 3_000];
/** Milliseconds for which an unanswered write is kept, so that it can be repeated. */
const PENDING_MAX = 24 * 3_600_000;
/** Milliseconds for which unanswered stamps at the counter are kept. Later, the same customer may have bought something else. */
const COUNTER_PENDING_MAX = 2 * 60_000;
const REFRESH_LOCK = "greentea-refresh";

/**
 * A request that failed: refused by the service, or without an answer (`lost`), or after the end of the session (`signedOut`). Also an
 * error that the page itself finds, such as a missing value.
 */
export class ApiError extends Error {
  /**
   * @param {string} code
   * @param {{status?: number, title?: string, detail?: string, retryAfter?: number, errors?: {pointer: string, detail: string}[]}} [more]
   */
  constructor(code, more = {}) {
    super(more.detail ?? code);
    this.code = code;
    this.status = more.status ?? 0;
    this.title = more.title ?? "";
    this.detail = more.detail ?? "";
    this.retryAfter = more.retryAfter ?? 0;
    this.errors = more.errors ?? [];
  }

  /** Whether it is unknown if the service has carried out the request. */
  get isLost() {
    return this.code === "lost";
  }
}

/**
 * @typedef {object} Answer
 * @property {number} status
 * @property {any} body parsed JSON; a `Blob` for a PDF, a text for anything else or with the option `asText`; null without a body.
 * @property {number} position the position that a write reached, or up to which a read shows all events; 0 if the answer has none.
 * @property {string} tag the version that was read, for `If-Match`; empty if the answer has none.
 */

/** @typedef {{body?: unknown, key?: string, signal?: AbortSignal, asText?: boolean, headers?: Record<string, string>}} Options */

// MARK: Session

/** @returns {{id: string, nickname: string | null} | null} the account that this browser signed in; its session may have ended since. */
export function account() {
  return load("account");
}

/**
 * Begins a session in cookies, which no script can read.
 * @param {{phone: string, code?: string, password?: string}} credentials
 */
export async function signIn(credentials) {
  const headers = { "GreenTea-Session": "cookie" };
  const answer = await keyed("sign-in", "POST", "/v1/sessions", credentials, headers);
  await remember(answer.body.account);
  // A browser may store no cookies, because of its settings, or because the page comes by http from another machine. This request finds
  // that out, so that the page can tell the reader why.
  try {
    await send("GET", "/v1/me");
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) throw new ApiError("cookiesRefused");
    throw error;
  }
  return answer.body.account;
}

/** @param {any} me */
export async function remember(me) {
  const known = load("account")?.id;
  const ended = load("ended");
  // A session that ended unnoticed may have left data of another person, such as cards that were seen and stamp codes without an answer.
  if (known ? known !== me.id : ended !== null && ended !== await digest(me.id)) clear();
  else if (!known) save("position", null);
  save("ended", null);
  if (me.isMerchant) save("works", true);
  save("account", { id: me.id, nickname: me.nickname, isMerchant: me.isMerchant, isOperator: me.isOperator });
}

/**
 * Refreshes the session that all tabs of the browser share. One tab refreshes it, and the others use the result. A tab with the lock first
 * asks the service whether another tab has refreshed the session. A stored value could not tell this, because it may arrive after the lock.
 */
async function refresh() {
  await locked(REFRESH_LOCK, async () => {
    if (await isSignedIn()) return;
    await send("POST", "/v1/sessions/refresh", { headers: { "GreenTea-Session": "cookie" } });
  });
}

async function isSignedIn() {
  try {
    await send("GET", "/v1/me");
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return false;
    throw error;
  }
}

/**
 * @param {string} name
 * @param {() => Promise<void>} action
 */
async function locked(name, action) {
  // A browser without locks may run the action in two tabs at once. That is safe for the refresh of a session, because for some seconds
  // the service gives the same answer to the same token.
  if (!navigator.locks) return action();
  return navigator.locks.request(name, action);
}

/**
 * Deletes the data of the person who has signed out: in this tab, in the storage that all tabs share, and in the service worker's cache.
 * Then leaves the page, if wanted.
 * @param {string | null} place the address to go to; null to stay on the page.
 */
export async function purgeAndLeave(place) {
  await purge();
  navigator.serviceWorker?.controller?.postMessage("purge");
  // The page is replaced, so that "back" leads to a page that asks the service again.
  if (place) location.replace(place);
}

/**
 * Deletes what this browser knows of the person whose session the service no longer accepts, because another device has ended it or erased
 * the account. Writes without an answer stay for the same person, whom only a digest names: no stamp is lost.
 */
async function endSession() {
  const owner = account()?.id;
  if (!owner) return;
  const [waiting, ended] = [load("pending"), await digest(owner)];
  await purge();
  isPurged = false;
  if (!ended) return;
  save("ended", ended);
  save("pending", waiting);
}

/** Whether somebody was signed in here, and did not sign out here. */
export const wasSignedIn = () => account() !== null || load("ended") !== null;

/** @param {string} text @returns {Promise<string | null>} null in a browser that has no digests, because the page came without TLS. */
async function digest(text) {
  const bytes = await crypto.subtle?.digest("SHA-256", new TextEncoder().encode(text));
  return bytes ? Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("") : null;
}

/** Whether this page itself has deleted its person's data. It may now show the certificate of an erasure, which is on no other page. */
let isPurged = false;

/**
 * Calls a function when another tab has signed out, or has signed in as another person, unless this page itself has done so before.
 * @param {() => void} callback
 */
export function onAccountChange(callback) {
  const known = account()?.id;
  watch("account", () => {
    if (!isPurged && account()?.id !== known) callback();
  });
}

// MARK: Requests that read

/**
 * @param {string} path
 * @param {Options} [options]
 * @returns {Promise<any>}
 */
export async function get(path, options = {}) {
  return (await withSession(() => read(path, options))).body;
}

/**
 * Reads an object whose version (`tag`) or log position matters, such as one that can be edited.
 * @param {string} path
 * @returns {Promise<Answer>}
 */
export async function getVersion(path) {
  return withSession(() => read(path, {}));
}

/**
 * Makes later reads of this browser contain all events up to a position: that of its own write, or of an event from the stream. Without
 * this, a read could be answered from a read model that has not processed the event yet.
 * @param {number} position
 */
export function raisePosition(position) {
  if (position > (load("position") ?? 0)) save("position", position);
}

/**
 * Reads a state that contains all writes of this browser, and all events that it has received.
 * @param {string} path
 * @param {Options} options
 */
async function read(path, options) {
  const position = load("position");
  const headers = { ...options.headers, ...(position && path.startsWith("/v1/") ? { "GreenTea-Min-Position": String(position) } : {}) };
  try {
    return await send("GET", path, { ...options, headers });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === "notCaughtUp") {
      // The service may have been set up again with another log, to which the stored position does not belong. So the request is sent again
      // without the position.
      save("position", null);
      return send("GET", path, options);
    }
    if (error.isLost && !options.signal?.aborted) {
      await pause(PAUSES[0]);
      return send("GET", path, options);
    }
    throw error;
  }
}

// MARK: Requests that write

/**
 * Sends a write under a key that survives a reload of the page. A write with the same name and content uses the same key until it is
 * answered.
 * @param {string} act the name of the write: `stamp K7QF2M9X`.
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @param {Record<string, string>} [headers]
 * @returns {Promise<Answer>}
 */
export async function write(act, method, path, body, headers) {
  return withSession(() => keyed(act, method, path, body, headers));
}

/**
 * @typedef {object} Pending
 * @property {string} key
 * @property {string} content
 * @property {number} at
 */

/**
 * Whether a write was begun in this browser and never answered.
 * @param {string} act
 */
export function isPending(act) {
  return Boolean(pending()[act]);
}

/**
 * Stores a write, which the page sends with `resume` after the person has signed in.
 * @param {string} act
 * @param {string} method
 * @param {string} path
 * @param {unknown} body
 */
export function intend(act, method, path, body) {
  begin(act, method, path, body);
}

/**
 * Sends a write that was stored in this browser and never answered, under its stored key.
 * @param {string} act
 * @returns {Promise<Answer | null>} null if there is no such write.
 */
export async function resume(act) {
  const begun = pending()[act];
  if (!begun) return null;
  const [method, path, body] = JSON.parse(begun.content);
  return write(act, method, path, body ?? undefined);
}

/**
 * Lists the writes that were begun in this browser and have no answer yet, oldest first.
 * @param {string} beginning the beginning of the writes' names.
 * @returns {{act: string, at: number}[]}
 */
export function unanswered(beginning) {
  const found = Object.entries(pending()).filter(([act]) => act.startsWith(beginning));
  return found.map(([act, each]) => ({ act, at: each.at })).sort((a, b) => a.at - b.at);
}

/**
 * Forgets unanswered writes, so that they are never repeated.
 * @param {(act: string) => boolean} isMeant
 */
export function forget(isMeant) {
  const left = Object.entries(pending()).filter(([act]) => !isMeant(act));
  save("pending", left.length ? Object.fromEntries(left) : null);
}

/** @param {string} act */
const lifetime = (act) => (/^by-(phone|paper) /.test(act) || isByBadge(act) ? COUNTER_PENDING_MAX : PENDING_MAX);

/**
 * Whether a write keeps its key although its content changes. A badge has another text each time it is shown, but means the same account.
 * @param {string} act
 */
const isByBadge = (act) => act.startsWith("by-badge ");

/** @returns {Record<string, Pending>} */
function pending() {
  const all = load("pending") ?? {};
  return Object.fromEntries(Object.entries(all).filter(([act, each]) => Date.now() - each.at < lifetime(act)));
}

/**
 * @param {string} act
 * @param {string} method
 * @param {string} path
 * @param {unknown} body
 */
function begin(act, method, path, body) {
  const content = JSON.stringify([method, path, body ?? null]);
  const all = pending();
  if (all[act]?.content !== content) all[act] = { key: isByBadge(act) && all[act]?.key || newKey(), content, at: Date.now() };
  save("pending", all);
  return all[act].key;
}

/**
 * @param {string} act
 * @param {string} key
 */
function settle(act, key) {
  const all = pending();
  if (all[act]?.key === key) delete all[act];
  save("pending", Object.keys(all).length ? all : null);
}

/**
 * @param {string} act
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @param {Record<string, string>} [headers]
 * @returns {Promise<Answer>}
 */
async function keyed(act, method, path, body, headers) {
  // A sign-in contains secrets, so it is not stored, and its key is only in memory. Each sign-out gets a new key, because the sign-out of
  // the next person at this browser is not a repetition.
  const isStored = act !== "sign-in" && act !== "sign-out";
  const key = isStored ? begin(act, method, path, body) : newKey();
  for (let attempt = 0; ; attempt += 1) {
    try {
      const answer = await send(method, path, { body, key, headers });
      if (isStored) settle(act, key);
      raisePosition(answer.position);
      return answer;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const mayComeYet = error.isLost || error.code === "idempotencyInFlight" || (error.status === 503 && error.retryAfter <= 2);
      if (mayComeYet && attempt < PAUSES.length) {
        await pause(PAUSES[attempt]);
        continue;
      }
      // A refusal is an answer, so the next attempt gets a new key. Without an answer, after an error of the server, or with an expired
      // session, the key stays the same.
      if (isStored && !mayComeYet && error.status !== 401 && error.status < 500) settle(act, key);
      // The stored key was used for another customer's badge, so these stamps get a new key.
      if (isByBadge(act) && error.code === "idempotencyKeyReused") return keyed(act, method, path, body, headers);
      throw error;
    }
  }
}

export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// MARK: Sending

/**
 * @template Value
 * @param {() => Promise<Value>} action
 * @returns {Promise<Value>}
 */
export async function withSession(action) {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
  }
  try {
    await refresh();
  } catch (error) {
    if (!(error instanceof ApiError) || (error.status !== 401 && error.status !== 403)) throw error;
    await endSession();
    throw new ApiError("signedOut", { status: 401 });
  }
  try {
    return await action();
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) throw new ApiError("signedOut", { status: 401 });
    throw error;
  }
}

/**
 * @param {string} method
 * @param {string} path
 * @param {Options} [options]
 * @returns {Promise<Answer>}
 */
export async function send(method, path, options = {}) {
  const { body, key, signal, asText, headers } = options;
  /** @type {Record<string, string>} */
  const fields = { "Accept-Language": document.documentElement.lang || "en", ...headers };
  const isFile = body instanceof Blob;
  if (body !== undefined) fields["Content-Type"] = isFile ? body.type : "application/json";
  if (key) fields["Idempotency-Key"] = key;
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), isFile ? UPLOAD_TIMEOUT : TIMEOUT);
  signal?.addEventListener("abort", () => abort.abort());
  /** @type {Response} */
  let response;
  let text = "";
  /** @type {Blob | null} */
  let file = null;
  try {
    response = await fetch(path, {
      method, headers: fields, credentials: "same-origin", cache: "no-store",
      body: body === undefined ? undefined : isFile ? body : JSON.stringify(body),
      signal: abort.signal,
    });
    if (response.ok && response.headers.get("Content-Type") === "application/pdf") file = await response.blob();
    else text = await response.text();
  } catch {
    // A request that the page itself ended tells nothing about the connection.
    if (!signal?.aborted) tellReached(false);
    throw new ApiError("lost");
  } finally {
    clearTimeout(timer);
  }
  tellReached(true);
  noteClock(response.headers.get("Date"));
  const type = response.headers.get("Content-Type") ?? "";
  const parsed = file ?? (asText && response.ok ? text : parse(text, type));
  if (!response.ok) throw refusal(response, parsed);
  const position = Number(response.headers.get("GreenTea-Position") ?? 0);
  return { status: response.status, body: parsed, position, tag: response.headers.get("ETag") ?? "" };
}

/** @type {((isReached: boolean) => void)[]} */
const reachWatchers = [];

/**
 * Registers a function that is called after each request. Its argument tells whether the service answered, also with an error.
 * @param {(isReached: boolean) => void} callback
 */
export function onReached(callback) {
  reachWatchers.push(callback);
}

/** @param {boolean} isReached */
function tellReached(isReached) {
  for (const each of reachWatchers) each(isReached);
}

/**
 * @param {string} text
 * @param {string} type
 */
function parse(text, type) {
  if (!text) return null;
  if (!type.includes("json")) return text;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * @param {Response} response
 * @param {any} body
 */
function refusal(response, body) {
  const retryAfter = Number(response.headers.get("Retry-After") ?? 0);
  // An error page of a proxy has no code. Its status shows whether the server or the request caused the error.
  const code = body?.code ?? (response.status >= 500 ? "overloaded" : "invalidRequest");
  return new ApiError(code, { status: response.status, title: body?.title, detail: body?.detail, errors: body?.errors, retryAfter });
}

/** @param {number} milliseconds */
export function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

// MARK: Time

/** Milliseconds by which the service's clock is ahead of this device's clock, which may be wrong by a day. */
let clockLead = 0;

/** @param {string | null} date */
function noteClock(date) {
  const time = date ? Date.parse(date) : NaN;
  // The header has whole seconds, rounded down, and the server renews it once a second, so it may be two seconds old. With these two
  // seconds added, no code seems to be valid for longer than it is. A difference of at most two seconds is ignored.
  if (!Number.isNaN(time) && Math.abs(time - Date.now()) > 2_000) clockLead = time + 2_000 - Date.now();
  else if (!Number.isNaN(time)) clockLead = 0;
}

/** The time of the service's clock, in milliseconds since 1970. */
export function now() {
  return Date.now() + clockLead;
}

// MARK: Values stored in the browser

// Small values that outlive a page. They are stored in this browser, shared by its tabs, and deleted at sign-out. A browser may refuse
// storage (private windows, in-app browsers), so every value is also kept in memory as long as the page exists.


/**
 * @param {string} name
 * @returns {any} the stored value; null if there is none, or if its text is not JSON.
 */
export function load(name) {
  const text = storedText(PREFIX + name);
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * @param {string} name
 * @param {unknown} value null removes it.
 */
export function save(name, value) {
  const key = PREFIX + name;
  if (value === null || value === undefined) {
    memory.delete(key);
    attempt(() => localStorage.removeItem(key));
    return;
  }
  const text = JSON.stringify(value);
  memory.set(key, text);
  attempt(() => localStorage.setItem(key, text));
}

/** Deletes all data of a person, in this tab, for the other tabs, and in the service worker's cache. */
export async function purge() {
  isPurged = true;
  clear();
  attempt(() => sessionStorage.clear());
  try {
    for (const name of await caches.keys()) if (name.startsWith("greentea-private")) await caches.delete(name);
  } catch {
    // Without TLS, browsers offer no cache to scripts, so nothing was stored in a cache.
  }
}

function clear() {
  memory.clear();
  attempt(() => {
    for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key);
  });
}

/**
 * Calls back when another tab has changed a value.
 * @param {string} name
 * @param {() => void} callback
 */
export function watch(name, callback) {
  addEventListener("storage", (event) => {
    if (event.key !== PREFIX + name && event.key !== null) return;
    memory.delete(PREFIX + name);
    callback();
  });
}

/** @param {string} key */
function storedText(key) {
  const stored = attempt(() => localStorage.getItem(key));
  return stored ?? memory.get(key) ?? null;
}

/**
 * @template Value
 * @param {() => Value} action
 * @returns {Value | null}
 */
function attempt(action) {
  try {
    return action();
  } catch {
    return null;
  }
}
