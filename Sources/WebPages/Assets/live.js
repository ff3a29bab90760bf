// Live events for the person who is signed in: about cards, codes, redemptions and notices. A browser has one stream for all of its tabs. A
// browser without locks or broadcast channels has one for each tab.
//
// The tab that holds the lock has the stream and passes the events to the other tabs. When this tab closes, the next tab resumes after the
// last event that any tab has seen, so that no event is lost.

import { account, hasPurged, load, raisePosition, save, send, watch, withSession } from "./api.js";
import { leaveAccount } from "./ui.js";

/**
 * @typedef {object} LiveEvent
 * @property {"card" | "code" | "redemption" | "notice"} name
 * @property {any} data
 */

const NAMES = /** @type {const} */ (["card", "code", "redemption", "notice"]);
const LOCK = "greentea-live";
/** The message by which the tab with the stream tells the other tabs that events may be missing. */
const STALE = "stale";
/**
 * The first and the longest pause, in milliseconds, before a stream that failed is opened again. Each pause is multiplied by a random
 * factor from 0.5 to 1.5.
 */
const PAUSE_FIRST = 1_000;
const PAUSE_MAX = 30_000;

/** @type {Set<(event: LiveEvent) => void>} */
const listeners = new Set();
/** @type {Set<() => void>} */
const restarts = new Set();
/** @type {BroadcastChannel | undefined} */
let channel;
let isStarted = false;
/** Ends the stream that is open, or the pause before the next one. */
let interrupt = () => {};

/**
 * Calls back for each event from now on.
 * @param {(event: LiveEvent) => void} callback
 * @param {number} [since] the log position of an answer that the page shows. If this browser has received no event yet, a stream of this
 *   tab begins after this position, and not when it opens. A page needs this if it cannot read again what it missed. Only the first call
 *   of a page counts.
 * @returns {() => void} a function that ends the calls.
 */
export function onLive(callback, since = 0) {
  listeners.add(callback);
  start(since);
  return () => listeners.delete(callback);
}

/**
 * Calls a function when events may have been missed, so that the page reads its data again. The reason is that the page was hidden for some
 * time, or that a stream opened without an event to resume after.
 * @param {() => void} callback
 */
export function onStale(callback) {
  restarts.add(callback);
}

/** @param {number} since see `onLive`. */
function start(since) {
  const owner = account()?.id;
  if (isStarted || !owner) return;
  isStarted = true;
  // The browser itself would resume the stream for the person who signs in next, and the tabs of this person would wait for the lock.
  watch("account", () => {
    if (account()?.id !== owner) interrupt();
  });
  if ("BroadcastChannel" in window) {
    channel = new BroadcastChannel(`greentea-live-${owner}`);
    channel.onmessage = (message) => message.data === STALE ? restart() : deliver(message.data);
  }
  if (navigator.locks && channel) navigator.locks.request(LOCK, () => stream(owner, since));
  else stream(owner, since);
}

/**
 * Keeps a stream open as long as the page exists and the same person is signed in.
 * @param {string} owner the account of this person.
 * @param {number} since see `onLive`.
 */
async function stream(owner, since) {
  const isOwners = () => account()?.id === owner;
  for (let wait = PAUSE_FIRST; isOwners(); wait = Math.min(wait * 2, PAUSE_MAX)) {
    const opened = performance.now();
    await one(since);
    if (!isOwners()) break;
    if (performance.now() - opened > PAUSE_MAX) wait = PAUSE_FIRST;
    await new Promise((resolve) => {
      interrupt = () => resolve(null);
      setTimeout(resolve, wait * (0.5 + Math.random()));
    });
    if (!isOwners()) break;
    // An expired session causes a 401, which a stream cannot tell from other errors. Any read renews the session.
    await withSession(() => send("GET", "/v1/me")).catch(() => null);
  }
  // A read of this tab found that the session has ended elsewhere. No other tab tells this one.
  if (!account() && !hasPurged()) leaveAccount();
}

/**
 * Runs one stream until it ends for good. If only the connection breaks, the browser itself resumes the stream.
 * @param {number} since see `onLive`.
 */
function one(since) {
  return new Promise((resolve) => {
    const last = load("live");
    const isResumed = last !== null;
    const after = last ?? since;
    const source = new EventSource(`/v1/me/events${after ? `?lastEventId=${encodeURIComponent(after)}` : ""}`);
    let isOpen = false;
    interrupt = () => {
      source.close();
      resolve(null);
    };
    source.onopen = () => {
      // There was no event to resume after: this browser has received none yet. Events between the pages' reads, or the previous stream,
      // and this stream may be missing, so the pages read their data again.
      if (!isResumed && !isOpen) stale();
      isOpen = true;
    };
    for (const name of NAMES) {
      source.addEventListener(name, (message) => {
        save("live", message.lastEventId);
        raisePosition(Number(message.lastEventId));
        const event = { name, data: JSON.parse(message.data) };
        channel?.postMessage(event);
        deliver(event);
      });
    }
    source.onerror = () => {
      if (source.readyState !== EventSource.CLOSED) return;
      if (isResumed && !isOpen) {
        // The service refused a stream after the stored position. The position may belong to a log that no longer exists, or the session is
        // over. The next stream begins with future events, and the pages read their data again.
        save("live", null);
        stale();
      }
      resolve(null);
    };
  });
}

/** @param {LiveEvent} event */
function deliver(event) {
  for (const listener of listeners) listener(event);
}

/** Makes the pages of all tabs read their data again. */
function stale() {
  channel?.postMessage(STALE);
  restart();
}

function restart() {
  for (const each of restarts) each();
}

let hiddenAt = 0;
document.addEventListener("visibilitychange", () => {
  if (document.hidden) hiddenAt = Date.now();
  // Only the wall clock counts a device's sleep. If somebody has set it back, the time is unknown.
  else if (hiddenAt && Math.abs(Date.now() - hiddenAt) > PAUSE_MAX) restart();
});
