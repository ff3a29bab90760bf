// Requests to the service. An act is one press of a person on one filled-in form. It has one idempotency key, under which it is stored until
// its answer is known, so that it never takes effect twice; the next press is another act with another key. If the session has expired, one
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
/** Milliseconds between later repetitions. A connection that comes back ends this pause. */
const LATER = 20_000;
/** Milliseconds for which an unanswered act is kept, so that it can be repeated. */
const PENDING_MAX = 24 * 3_600_000;
/** Matches the names of a customer's acts that name nobody. They outlive a session that ended elsewhere. */
const NAMELESS = /^(stamp|take|claim) /;
/** Matches the names of acts whose outcome need not be told, because their pages show it, or because it has no effect for long. */
const UNTOLD = /^(erase|favorite|issue|redeem)( |$)/;
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
    /** Whether this answers the repetition of an act whose outcome was unknown: now it is known that nothing was done. */
    this.settlesDoubt = false;
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
 * @property {boolean} isReplay whether the service repeats the answer to an earlier request with the same key.
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
  const answer = await write("sign-in", "POST", "/v1/sessions", credentials, { headers, isStored: false });
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
 * the account. Drafts and writes without an answer stay for the same person, whom only a digest names: writes whole if they name nobody, so
 * that no stamp is lost; of the others their kind and time alone.
 */
async function endSession() {
  const owner = account()?.id;
  if (!owner) return;
  const ended = await digest(owner);
  if (account()?.id !== owner) return;
  const [left, drafts] = [stored().flatMap(withoutPersons), load("drafts")];
  const purged = purge();
  isPurged = false;
  // Before the next pause, in which another act could end, and be forgotten.
  if (ended) {
    save("ended", ended);
    save("drafts", drafts);
    store(left);
  }
  await purged;
}

/** @param {Act} act @returns {Act[]} */
function withoutPersons(act) {
  if (NAMELESS.test(act.name)) return [act];
  const { key, name, at, since, isSent } = act;
  return isSent && !UNTOLD.test(name) ? [{ key, name: name.split(" ")[0], at, since, isSent }] : [];
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
export const hasPurged = () => isPurged;

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

// MARK: Acts

/**
 * @typedef {object} Act
 * @property {string} key
 * @property {string} name its purpose and object, such as `stamp K7QF2M9X`.
 * @property {string} [method]
 * @property {string} [path] missing in an act of which only the kind and the time are known, after the end of its session.
 * @property {any} [body]
 * @property {Record<string, string>} [headers]
 * @property {number} at when the person pressed, by the service's clock.
 * @property {number} since the same by the device's clock.
 * @property {boolean} [isSent] whether a request was sent whose answer is unknown. The stored act says so before the first request, because
 *   its page may end before the answer.
 */

/**
 * @typedef {object} ActOptions
 * @property {Record<string, string>} [headers]
 * @property {boolean} [isPatient] whether the service is asked until it answers; false to throw `lost` after some attempts. The act then
 *   waits for `resume`.
 * @property {boolean} [isStored] false for content that must not be stored, such as a password. Such an act ends with its page.
 */

/**
 * The wait for an answer that is late. `end` ends the present pause; `stop` fulfils `stopped` with an error.
 * @typedef {{act: Act, end: () => void, stop: () => void, stopped: Promise<ApiError>}} Wait
 */

/** The waits of this page, by the keys of their acts. @type {Map<string, Wait>} */
const waits = new Map();
/** The keys of the acts that this page asks about again, and of those about which it was told to ask no more. @type {Set<string>[]} */
const [resumed, stopped] = [new Set(), new Set()];
/** @type {((waits: Wait[]) => void)[]} */
const waitWatchers = [];
/** @type {((act: Act, result: Answer | ApiError) => void)[]} */
const settleWatchers = [];

/**
 * Does a new act: sends a write under a new key, until it is answered. An act of the same name whose answer is unknown is settled first.
 * Nothing new is sent then, because the person may not want it any more.
 * @param {string} name
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @param {ActOptions} options
 * @returns {Promise<Answer>}
 * @throws {ApiError} `earlierFirst` if an earlier act was settled.
 */
export async function write(name, method, path, body, { headers, isPatient = true, isStored = true } = {}) {
  const earlier = unanswered(name).filter((each) => each.name === name);
  if (earlier.length > 0 && await settle(earlier)) throw new ApiError("earlierFirst");
  const act = { key: newKey(), name, method, path, body, headers, at: now(), since: Date.now() };
  if (isStored) keep(act);
  return /** @type {Promise<Answer>} */ (alone(act.key, () => perform(act, isPatient)));
}

/**
 * Settles acts that no other page waits for, and tells the watchers what became of those that no page waits for.
 * @param {Act[]} acts
 * @returns {Promise<boolean>} whether one was settled.
 */
export async function settle(acts) {
  const results = await Promise.all(acts.map(async (act) => {
    if (waits.has(act.key) || resumed.has(act.key)) {
      // This page tells the outcome where it began to ask. A browser without locks does not wait for it here.
      await alone(act.key, async () => null);
      if (stopped.has(act.key)) return false;
      if (!navigator.locks || !pending()[act.key]) return true;
    }
    const result = await resume(act.key, { ifFree: true }).catch((error) => error);
    if (result instanceof ApiError && result.status === 401) throw result;
    if (result) for (const each of settleWatchers) each(act, result);
    return result !== null && !isStopped(result);
  }));
  return results.some(Boolean);
}

/** @param {unknown} result */
export const isStopped = (result) => result instanceof ApiError && result.code === "stoppedAsking";

/**
 * Calls back with an act that `settle` has settled, and with its answer or refusal.
 * @param {(act: Act, result: Answer | ApiError) => void} callback
 */
export function onSettled(callback) {
  settleWatchers.push(callback);
}

/**
 * Sends an unanswered act again under its key.
 * @param {string} key
 * @param {{isPatient?: boolean, ifFree?: boolean}} options `ifFree`: not if a page waits for its answer now.
 * @returns {Promise<Answer | null>} null if another page got the answer, or waits for it.
 */
export async function resume(key, { isPatient = true, ifFree = false } = {}) {
  const isFirst = !resumed.has(key);
  resumed.add(key);
  try {
    return await alone(key, async () => {
      const act = pending()[key];
      return act ? perform(act, isPatient) : null;
    }, ifFree);
  } finally {
    if (isFirst) resumed.delete(key);
  }
}

/**
 * Stores an act, which the page resumes after the person has signed in.
 * @param {string} name
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 */
export function intend(name, method, path, body) {
  forget((each) => each.name === name && !each.isSent);
  if (unanswered(name).every((each) => each.name !== name)) keep({ key: newKey(), name, method, path, body, at: now(), since: Date.now() });
}

/**
 * The acts of this browser without an answer, oldest first.
 * @param {string} beginning the beginning of their names.
 * @returns {Act[]}
 */
export function unanswered(beginning) {
  return Object.values(pending()).filter(({ name }) => name.startsWith(beginning)).sort((a, b) => a.at - b.at);
}

/** The acts whose outcome stays unknown: their session ended before the answer, and the browser has forgotten what they were. */
export const unknown = () => stored().filter(({ path }) => !path);

/**
 * Forgets unanswered acts, so that they are never repeated.
 * @param {(act: Act) => boolean} isMeant
 */
export function forget(isMeant) {
  store(stored().filter((each) => !isMeant(each)));
}

/**
 * Calls back with the acts of this page whose answers are late, whenever these change.
 * @param {(waits: Wait[]) => void} callback
 */
export function onWaiting(callback) {
  waitWatchers.push(callback);
}

/** @returns {Record<string, Act>} the acts that can be sent again, by their keys. */
function pending() {
  return Object.fromEntries(stored().filter(({ path }) => path).map((each) => [each.key, each]));
}

/** @returns {Act[]} */
function stored() {
  const all = Object.entries(load("pending") ?? {}).map(([name, each]) => each?.content ? ofEarlierVersion(name, each) : each);
  return all.filter((each) => each && Math.abs(Date.now() - each.since) < PENDING_MAX);
}

/** @param {Act[]} acts */
function store(acts) {
  save("pending", acts.length ? Object.fromEntries(acts.map((each) => [each.key, each])) : null);
}

/**
 * An act as the version of these pages before keys were given to presses stored it, under its name; null if it cannot go on.
 * @param {string} name
 * @param {{key: string, content: string, at: number}} each
 * @returns {Act | null}
 */
function ofEarlierVersion(name, { key, content, at }) {
  const [method, path, body] = attempt(() => JSON.parse(content)) ?? [];
  if (!path || !NAMELESS.test(name)) return null;
  return { key, name, method, path, body: body ?? undefined, at, since: at, isSent: true };
}

/** @param {Act} act */
function keep(act) {
  store([...stored(), act]);
}

/**
 * Runs an action while no other page runs one for the same act. A browser without locks may run two at once: both use the same key.
 * @template Value
 * @param {string} key
 * @param {() => Promise<Value>} action
 * @param {boolean} [ifFree] whether to return null instead of waiting.
 * @returns {Promise<Value | null>}
 */
async function alone(key, action, ifFree = false) {
  if (!navigator.locks) return action();
  return navigator.locks.request(`greentea-act ${key}`, { ifAvailable: ifFree }, async (lock) => lock ? action() : null);
}

/**
 * @param {Act} act
 * @param {boolean} isPatient
 * @returns {Promise<Answer>}
 */
async function perform(act, isPatient) {
  const { key, method = "", path = "", body, headers } = act;
  if (pending()[key]) keep({ ...act, isSent: true });
  try {
    for (let attempt = 0; ; attempt += 1) {
      const sent = withSession(() => send(method, path, { body, key, headers })).catch((error) => error);
      const result = await Promise.race([sent, waits.get(key)?.stopped ?? sent]);
      if (!(result instanceof Error)) {
        forget((each) => each.key === key);
        raisePosition(result.position);
        return result;
      }
      if (isStopped(result)) throw result;
      if (!isOpen(result, act.isSent)) throw refused(act, result);
      act.isSent = true;
      if (attempt >= PAUSES.length && !isPatient) throw result;
      await patience(act, attempt, /** @type {ApiError} */ (result).retryAfter * 1_000);
    }
  } finally {
    if (waits.delete(act.key)) tellWaits();
  }
}

/**
 * Whether an error leaves open if the service has carried the act out, or will.
 * @param {unknown} error
 * @param {boolean} [isSent] whether the answer to an earlier request is unknown, of which a limit of requests says nothing.
 */
function isOpen(error, isSent = false) {
  if (!(error instanceof ApiError)) return false;
  return error.isLost || error.code === "idempotencyInFlight" || error.status >= 500 || (isSent && error.status === 429);
}

/**
 * @param {Act} act
 * @param {Error} error
 */
function refused(act, error) {
  // Without a session, the service says nothing about a request that was sent before.
  if (!(error instanceof ApiError) || (act.isSent && error.status === 401)) return error;
  error.settlesDoubt = Boolean(act.isSent && pending()[act.key]);
  forget((each) => each.key === act.key);
  return error;
}

/**
 * Waits before the next attempt. After the first attempts, the page shows that it waits, and the person may stop it.
 * @param {Act} act
 * @param {number} attempt
 * @param {number} least milliseconds that the service demands.
 */
async function patience(act, attempt, least) {
  if (attempt < PAUSES.length) return pause(Math.max(PAUSES[attempt], Math.min(least, LATER)));
  const wait = waits.get(act.key) ?? newWait(act);
  waits.set(act.key, wait);
  tellWaits();
  const error = await Promise.race([wait.stopped, new Promise((resolve) => {
    wait.end = () => resolve(null);
    setTimeout(wait.end, Math.max(LATER, least));
  })]);
  if (error) throw error;
}

/** @param {Act} act @returns {Wait} */
function newWait(act) {
  let stop = () => {};
  const promise = new Promise((resolve) => { stop = () => resolve(new ApiError("stoppedAsking")); });
  return { act, end: () => {}, stop, stopped: promise };
}

/**
 * Ends the wait for an answer at once, even if a request is under way. Whether the act was done stays unknown.
 * @param {Wait} wait
 */
export function stopAsking(wait) {
  stopped.add(wait.act.key);
  forget((each) => each.key === wait.act.key);
  wait.stop();
}

function tellWaits() {
  for (const each of waitWatchers) each([...waits.values()]);
}

const wake = () => { for (const each of waits.values()) each.end(); };
addEventListener("online", wake);
document.addEventListener("visibilitychange", wake);

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
  const isReplay = response.headers.get("Idempotency-Replayed") === "true";
  return { status: response.status, body: parsed, position, tag: response.headers.get("ETag") ?? "", isReplay };
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

let wasReached = true;

/** @param {boolean} isReached */
function tellReached(isReached) {
  if (isReached && !wasReached) wake();
  wasReached = isReached;
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
// storage (private windows, in-app browsers), so a value that cannot be stored is kept in memory as long as the page exists. No value is in
// both places: what another tab deletes is gone.

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
  attempt(() => {
    localStorage.setItem(key, text);
    memory.delete(key);
  });
}

/**
 * The shop at which this tab works: the one that it chose, or else the last one that any tab chose.
 * @returns {string | null}
 */
export const chosenShop = () => attempt(() => sessionStorage.getItem(`${PREFIX}shop`)) ?? load("shop");

/**
 * Chooses the shop at which this tab works, and with which new tabs begin.
 * @param {string | null} id null chooses none.
 */
export function chooseShop(id) {
  attempt(() => id === null ? sessionStorage.removeItem(`${PREFIX}shop`) : sessionStorage.setItem(`${PREFIX}shop`, id));
  save("shop", id);
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
    if (event.key === PREFIX + name || event.key === null) callback();
  });
}

/** @param {string} key */
function storedText(key) {
  return memory.get(key) ?? attempt(() => localStorage.getItem(key));
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

// What could not be stored belongs to the same person as what could.
addEventListener("storage", ({ key }) => {
  if (key === null || key === `${PREFIX}account`) memory.clear();
});

// Acts that are too old are deleted, also in a browser in which nobody begins another one.
if (load("pending")) store(stored());
