// What happens to my cards and at my shop, as it happens: one stream a browser, whatever the number of its tabs.
// The tab that holds the lock has the stream and tells the others. When it closes, the next one resumes after the last event that any of
// them has seen, so there is no gap.

import { account, load, save, send, withSession } from "./api.js";

/**
 * @typedef {object} LiveEvent
 * @property {"card" | "code" | "redemption" | "notice"} name
 * @property {any} data
 */

const NAMES = /** @type {const} */ (["card", "code", "redemption", "notice"]);
const LOCK = "greentea-live";
/** Milliseconds before a stream that failed is opened again: the first pause, and the longest. */
const PAUSE_FIRST = 1_000;
const PAUSE_MAX = 30_000;

/** @type {Set<(event: LiveEvent) => void>} */
const listeners = new Set();
/** @type {Set<() => void>} */
const restarts = new Set();
/** @type {BroadcastChannel | undefined} */
let channel;
let isStarted = false;

/**
 * Calls back for each event from now on.
 * @param {(event: LiveEvent) => void} callback
 * @returns {() => void} stops it.
 */
export function onLive(callback) {
  listeners.add(callback);
  start();
  return () => listeners.delete(callback);
}

/**
 * Calls back when events may have been missed: the page is shown again after a while, or the stream could not resume.
 * @param {() => void} callback
 */
export function onStale(callback) {
  restarts.add(callback);
}

function start() {
  if (isStarted || !account()) return;
  isStarted = true;
  if ("BroadcastChannel" in window) {
    channel = new BroadcastChannel(`greentea-live-${account()?.id}`);
    channel.onmessage = (message) => deliver(message.data);
  }
  if (navigator.locks && channel) navigator.locks.request(LOCK, () => stream());
  else stream();
}

/** Keeps a stream open for as long as the page lives. */
async function stream() {
  let isFirst = true;
  for (let wait = PAUSE_FIRST; account(); wait = Math.min(wait * 2, PAUSE_MAX)) {
    const opened = Date.now();
    await one(isFirst);
    isFirst = false;
    if (Date.now() - opened > PAUSE_MAX) wait = PAUSE_FIRST;
    await new Promise((resolve) => setTimeout(resolve, wait * (0.5 + Math.random())));
    // An expired session answers 401, which a stream cannot tell from anything else. Any read renews it.
    await withSession(() => send("GET", "/v1/me")).catch(() => null);
  }
}

/**
 * One stream until it is over for good; the browser itself resumes it where only the connection broke.
 * @param {boolean} isFirst whether the page has had no stream before.
 */
function one(isFirst) {
  return new Promise((resolve) => {
    const last = load("live");
    const isResumed = last !== null;
    const source = new EventSource(`/v1/me/events${isResumed ? `?lastEventId=${encodeURIComponent(last)}` : ""}`);
    let isOpen = false;
    source.onopen = () => {
      // A stream on which nothing happened has no event to resume after, so what came between it and this one is looked up.
      if (!isFirst && !isResumed && !isOpen) stale();
      isOpen = true;
    };
    for (const name of NAMES) {
      source.addEventListener(name, (message) => {
        save("live", message.lastEventId);
        const event = { name, data: JSON.parse(message.data) };
        channel?.postMessage(event);
        deliver(event);
      });
    }
    source.onerror = () => {
      if (source.readyState !== EventSource.CLOSED) return;
      if (isResumed && !isOpen) {
        // The position is of a log that is no more, or the session is over: begin from now and look at everything once.
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

function stale() {
  for (const restart of restarts) restart();
}

let hiddenAt = 0;
document.addEventListener("visibilitychange", () => {
  if (document.hidden) hiddenAt = Date.now();
  else if (hiddenAt && Date.now() - hiddenAt > PAUSE_MAX) stale();
});
