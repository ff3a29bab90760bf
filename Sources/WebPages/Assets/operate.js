// Common parts of the operator's pages: the check of access, actions with a reason, ids as links, and lines of the log.

import { get, pause, remember, write } from "./api.js";
import { has, moment, t } from "./words.js";
import { ask, byId, emptyState, fill, h, leaveIfSignedOut, sayProblem, showLoading, showProblem, toast, written } from "./ui.js";

/** The kinds of objects by which events are tagged, by the prefixes of the objects' ids. */
const KINDS = /** @type {Record<string, string>} */ ({
  acct: "account", shop: "shop", camp: "campaign", code: "code", card: "card", rdm: "redemption", rev: "review", ses: "session", img: "image",
  ntc: "notice", inv: "invitation",
});
/** Characters that change the direction of text or are invisible. Readers of the log see them in the escaped form of JSON. */
const UNSEEN = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** @param {string} code */
const own = (code) => has(`operateProblem${code}`) ? t(`operateProblem${code}`) : "";

/**
 * The region of the operator's own number, in which typed numbers are read.
 * @type {string | null}
 */
export let ownRegion = null;

/**
 * Starts a page once it is known that its reader is an operator. Anybody else sees only the message that the page is for operators.
 * @param {() => Promise<unknown> | void} start
 * @returns {Promise<unknown>}
 */
export async function enter(start) {
  const state = byId("operate-state");
  showLoading(state);
  try {
    const me = await get("/v1/me");
    await remember(me);
    ownRegion = me.region;
    if (!me.isOperator) return fill(state, emptyState("shield", t("operateForbiddenTitle"), t("operateForbiddenText"),
      h("p", { class: "buttons centered" }, h("a", { class: "button", href: "/wallet" }, t("toWallet")))));
  } catch (error) {
    return showProblem(state, error, () => enter(start), own);
  }
  state.hidden = true;
  byId("operate").hidden = false;
  await start();
}

/**
 * The service's report about itself. If the service is not ready, the answer has an error status, but its body is the same report.
 * @returns {Promise<any>}
 */
export async function readiness() {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const response = await fetch("/readyz", { cache: "no-store" });
      return await response.json();
    } catch (error) {
      if (attempt === 2) throw error;
      await pause(400);
    }
  }
}

/**
 * The id in a typed text, which may be the id itself or an address that contains it; empty if there is none.
 * @param {string} text
 * @param {string} prefix
 */
export function idIn(text, prefix) {
  return new RegExp(`\\b${prefix}_[0-9a-z]{26}\\b`).exec(text)?.[0] ?? "";
}

/**
 * The address of the log page with an id's events; null for a text that is not an id.
 * @param {string} id
 * @param {string} [type]
 */
export function logAddress(id, type = "") {
  const kind = /^([a-z]+)_[0-9a-z]{26}$/.exec(id)?.[1] ?? "";
  if (!(kind in KINDS)) return null;
  return `/operate/log?${new URLSearchParams({ tag: `${KINDS[kind]}:${id}`, ...(type ? { type } : {}) })}`;
}

/**
 * @param {string} id
 * @param {string} [text]
 */
export function logLink(id, text = id) {
  const address = logAddress(id);
  return address ? h("a", { href: address }, text) : text;
}

/**
 * An event that can be unfolded: its position, type and time, with all of its fields below. Its JSON is folded once more.
 * @param {any} each
 * @param {boolean} isOpen
 */
export function eventLine(each, isOpen) {
  const values = Object.values(each.event ?? {}).flat();
  const ids = [...new Set([each.actor, ...values])].filter((value) => typeof value === "string" && logAddress(value));
  const label = `${each.type} ${each.position}`;
  return h("li", {}, h("details", { open: isOpen },
    h("summary", {}, h("span", { class: "number muted" }, `#${each.position}`), h("span", { class: "title", translate: "no" }, each.type), h("span", { class: "meta" }, moment(each.time))),
    h("div", { class: "unfolded" }, facts(Object.entries(each.event ?? {}).map(([name, value]) => [name, h("bdi", {}, plain(value))])),
      ids.length ? h("p", {}, t("operateLogOnly"), " ", ids.flatMap((id, index) => [index ? ", " : "", logLink(id)])) : null,
      h("details", { class: "raw" }, h("summary", { "aria-label": t("operateRawOf", { event: label }) }, t("operateRaw")),
        h("pre", { tabindex: "0", role: "region", "aria-label": label, dir: "ltr" }, readable(each))))));
}

/** @param {unknown} value */
const plain = (value) => readable(value).replace(/^"|"$/g, "");

/**
 * JSON for people. Text that people wrote stays text, and its hidden characters become visible.
 * @param {unknown} value
 */
export function readable(value) {
  return JSON.stringify(value, null, 2).replace(UNSEEN, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * Shows why something is suspended, once it is known. A failure is shown in place of the reason.
 * @param {Element} place
 * @param {string} path
 */
export async function showReason(place, path) {
  try {
    const { at, reason } = await get(path);
    fill(place, t("operateSuspendedSince", { time: moment(at) }), " ", `${t("reason")}: `, written(reason, t("operateReasonErased")));
  } catch (error) {
    if (!leaveIfSignedOut(error)) fill(place, sayProblem(error, own));
  }
}

/**
 * Asks for a reason, runs the action, and shows the result.
 * @param {{title: string, text: string, yes: string, suggestions?: string[], done: string}} words
 * @param {(reason: string) => Promise<unknown>} act
 * @returns {Promise<boolean>} whether it was done.
 */
export async function withReason(words, act) {
  const reason = await ask({ ...words, label: t("reason") });
  if (!reason) return false;
  return attempt(async () => {
    await act(reason);
    toast(words.done, { seconds: 10 });
  });
}

/**
 * @param {() => Promise<unknown>} act
 * @returns {Promise<boolean>} false for a refusal, which was shown.
 */
export async function attempt(act) {
  try {
    await act();
    return true;
  } catch (error) {
    if (!leaveIfSignedOut(error)) toast(sayProblem(error, own), { kind: "bad", seconds: 10 });
    return false;
  }
}

/**
 * A write by an operator. Its key stays the same if the answer was lost.
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 */
export const change = (method, path, body) => write(`${method} ${path}`, method, path, body);

/**
 * The page's own sentence for a refusal.
 * @param {string} code
 */
export const ownProblem = own;

/**
 * A list of facts, one per line, each with its name.
 * @param {[string, any][]} lines
 */
export function facts(lines) {
  return h("dl", { class: "facts" }, lines.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value instanceof Node ? value : written(String(value)))]));
}
