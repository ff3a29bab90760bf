// Stamp codes that were entered and have no answer from the service yet. Each code is stored with its idempotency key, and the page shows
// no stamps for it before the service has answered. While a page that lists these codes is open, their requests are repeated. Codes that
// were used in this browser are remembered for a day, so that entering one of them again is not reported as an invalid code.

import { account, forget, load, now, save, unanswered, write } from "./api.js";
import { has, moment, t } from "./words.js";
import { actionButton, fill, h, icon, sayProblem, toast } from "./ui.js";

const ACT = "stamp ";
const LOCK = "greentea-queue";
/** Milliseconds between two attempts to send the waiting codes. Browsers' `online` events are not reliable, so a timer is needed too. */
const PAUSE = 20_000;
const COLLECTED_MAX = 20;
const COLLECTED_FOR = 24 * 3_600_000;

/** @param {string} code */
export const actOf = (code) => ACT + code;

/**
 * @param {string} code
 * @returns {[string, string, {code: string}]}
 */
export const requestOf = (code) => ["POST", "/v1/stamps", { code }];

/**
 * Sends a stamp code. If an earlier request with this code got no answer, the idempotency key of that request is used again.
 * @param {string} code
 * @returns {Promise<{cards: import("./card.js").Card[], added: number}>}
 */
export async function collect(code) {
  const { body } = await write(actOf(code), ...requestOf(code));
  const kept = Object.entries(load("collected") ?? {}).slice(1 - COLLECTED_MAX);
  const cards = body.cards.map((/** @type {any} */ card) => card.id);
  save("collected", { ...Object.fromEntries(kept), [code]: { at: now(), by: account()?.id, added: body.added, cards } });
  return body;
}

/**
 * The stamps that a code has added in this browser within the last day for the person who is signed in; null if there are none.
 * @param {string} code
 * @returns {{added: number, cards: string[]} | null}
 */
export function collected(code) {
  const found = load("collected")?.[code];
  return found && found.by === account()?.id && now() - found.at < COLLECTED_FOR ? found : null;
}

/** @param {string} name the refusal's code. */
export const sayRefusal = (name) => has(`collectProblem${name}`) ? t(`collectProblem${name}`) : "";

/** @param {string} code */
export const grouped = (code) => `${code.slice(0, 4)}-${code.slice(4)}`;

/**
 * Shows the waiting codes and repeats their requests: at once, when the browser reports a connection, when the page becomes visible, and at
 * regular intervals while it is visible.
 * @param {Element} place
 * @param {() => void} changed called after stamps were added.
 */
export function showWaiting(place, changed) {
  /** @type {{code: string, text: string}[]} */
  const refused = [];

  const isWaiting = (/** @type {string} */ act) => unanswered(ACT).some((each) => each.act === act);
  const draw = () => fill(place, unanswered(ACT).map(({ act, at }) => waiting(act, at)), refused.map(refusal));

  /**
   * @param {string} act
   * @param {number} at
   */
  const waiting = (act, at) => h("div", { class: "note warn" }, icon("clock"), h("p", {},
    h("strong", {}, t("waitingTitle", { code: grouped(act.slice(ACT.length)) })), t("waitingText", { time: moment(at) })),
  h("div", { class: "buttons" }, actionButton(t("askAgain"), send, { class: "button secondary" }),
    h("button", { class: "quiet", type: "button", onclick: () => { forget((each) => each === act); draw(); } }, t("waitingForget"))));

  /** @param {{code: string, text: string}} each */
  const refusal = (each) => h("div", { class: "note bad", role: "alert" }, icon("alert"),
    h("p", {}, h("strong", {}, t("waitingRefused", { code: grouped(each.code) })), each.text),
    h("button", { class: "quiet", type: "button", onclick: () => { refused.splice(refused.indexOf(each), 1); draw(); } }, t("close")));

  const send = () => alone(async () => {
    for (const { act } of unanswered(ACT)) {
      if (!isWaiting(act)) continue;
      const code = act.slice(ACT.length);
      try {
        const { added } = await collect(code);
        toast(t("collected", { count: added }));
        changed();
      } catch (error) {
        // If this code still has no answer, the following codes would probably get none either, so they are not sent now.
        if (isWaiting(act)) break;
        refused.push({ code, text: sayProblem(error, sayRefusal) });
      }
      draw();
    }
  });

  const again = () => { if (!document.hidden && unanswered(ACT).length > 0) send(); };
  addEventListener("online", again);
  document.addEventListener("visibilitychange", again);
  setInterval(again, PAUSE);
  draw();
  again();
}

/**
 * Runs the action unless another tab runs it now. Two tabs would both report the same result. They could not add stamps twice, because both
 * would use the same idempotency key.
 * @param {() => Promise<void>} action
 */
async function alone(action) {
  if (!navigator.locks) return action();
  await navigator.locks.request(LOCK, { ifAvailable: true }, async (lock) => { if (lock) await action(); });
}
