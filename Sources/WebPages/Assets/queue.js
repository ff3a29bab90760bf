// Stamp codes that were entered and have no answer from the service yet. Each is an act that waits under its key, and the page shows
// no stamps for it before the service has answered. While a page that lists these codes is open, their requests are repeated. Codes that
// were used in this browser are remembered for a day, so that entering one of them again is not reported as an invalid code.

import { account, forget, load, now, resume, save, unanswered, write } from "./api.js";
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

/** @param {string} code @returns {import("./api.js").Act | undefined} the act with this code that waits for its answer. */
export const waitingFor = (code) => unanswered(ACT).find(({ name }) => name === actOf(code));

/**
 * Sends a stamp code, or asks again for the answer to an act with this code that waits.
 * @param {string} code
 * @returns {Promise<{cards: import("./card.js").Card[], added: number} | null>} null if another tab got the answer to the act that waited.
 */
export async function collect(code) {
  const act = waitingFor(code);
  const answer = act ? await resume(act.key, { isPatient: false }) : await write(actOf(code), ...requestOf(code), { isPatient: false });
  if (!answer) return null;
  const { body } = answer;
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

  const draw = () => fill(place, unanswered(ACT).map(waiting), refused.map(refusal));

  /** @param {import("./api.js").Act} act */
  const waiting = ({ key, body, at }) => h("div", { class: "note warn" }, icon("clock"), h("p", {},
    h("strong", {}, t("waitingTitle", { code: grouped(body.code) })), t("waitingText", { time: moment(at) })),
  h("div", { class: "buttons" }, actionButton(t("askAgain"), send, { class: "button secondary" }),
    h("button", { class: "quiet", type: "button", onclick: () => { forget((each) => each.key === key); draw(); } }, t("waitingForget"))));

  /** @param {{code: string, text: string}} each */
  const refusal = (each) => h("div", { class: "note bad", role: "alert" }, icon("alert"),
    h("p", {}, h("strong", {}, t("waitingRefused", { code: grouped(each.code) })), each.text),
    h("button", { class: "quiet", type: "button", onclick: () => { refused.splice(refused.indexOf(each), 1); draw(); } }, t("close")));

  const send = () => alone(async () => {
    for (const { body: { code } } of unanswered(ACT)) {
      if (!waitingFor(code)) continue;
      try {
        const answer = await collect(code);
        if (answer) toast(t("collected", { count: answer.added }));
        changed();
      } catch (error) {
        // If this code still has no answer, the following codes would probably get none either, so they are not sent now.
        if (waitingFor(code)) break;
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
