// On each page: acts whose answers are late, at its top, and the service worker. The page says that the service is being asked again, and
// later what became of the acts. When it opens, it first settles the acts that an earlier page has left without an answer.

import { account, ApiError, forget, isStopped, onSettled, onWaiting, settle, stopAsking, unanswered, unknown } from "./api.js";
import { has, hour, t } from "./words.js";
import { byId, fill, h, icon, sayProblem } from "./ui.js";

/** Matches the names of acts that the pages about their objects settle. */
const OWN = /^(stamp|take|claim|favorite|erase|issue|redeem|print)( |$)/;

/**
 * The end of the key of the text about an act: that of its kind, such as `Give`, if there is such a text.
 * @param {string} beginning
 * @param {import("./api.js").Act} act
 */
function kind(beginning, { name }) {
  const found = name.charAt(0).toUpperCase() + name.slice(1).split(" ")[0];
  return has(beginning + found) ? found : "";
}

/**
 * The end of the number that stamps are for, by which staff know whose they are; empty for any other act.
 * @param {import("./api.js").Act} act
 */
const who = ({ name, body }) => name === "give" && body?.phone ? `${t("forNumber", { end: body.phone.slice(-4) })} ` : "";

/** @param {string} id */
function placeOf(id) {
  if (!byId(id)) byId("main").prepend(h("div", { id }));
  return byId(id);
}

onWaiting((waits) => fill(placeOf("acts-waiting"), waits.map((wait) => h("div", { class: "note warn", role: "alert" }, icon("clock"),
  h("p", {}, h("strong", {}, t("noAnswerYet")), " ", who(wait.act), t(`noAnswer${kind("noAnswer", wait.act)}`, { time: hour(wait.act.at) })),
  h("div", { class: "buttons" }, h("button", { class: "quiet", type: "button", onclick: () => stopAsking(wait) }, t("stopAsking")))))));

onSettled((act, result) => {
  if (isStopped(result)) return sayUnknown(act);
  const isDone = !(result instanceof ApiError);
  tell(isDone, [who(act), ...isDone ? [sayDone(act, result)] : [t(`notDone${kind("notDone", act)}`, { time: hour(act.at) }), " ", sayProblem(result)]]);
});

/**
 * @param {boolean} isDone
 * @param {string | string[]} text
 * @param {() => void} [closed] called when the reader has closed the message.
 */
function tell(isDone, text, closed) {
  const close = () => {
    note.remove();
    closed?.();
  };
  const note = h("div", { class: `note ${isDone ? "" : "bad"}`, role: isDone ? "status" : "alert" }, icon(isDone ? "check" : "alert"),
    h("p", {}, text), h("div", { class: "buttons" }, h("button", { class: "quiet", type: "button", onclick: close }, t("close"))));
  placeOf("acts-settled").append(note);
}

/**
 * Says that nobody knows whether an act was done, on each page until the reader closes the message.
 * @param {import("./api.js").Act} act
 */
function sayUnknown(act) {
  tell(false, [who(act), t(`notKnown${kind("notKnown", act)}`, { time: hour(act.at) })], () => forget(({ key }) => key === act.key));
}

/**
 * Says that an act was done, and when: the answer may repeat an earlier one.
 * @param {import("./api.js").Act} act
 * @param {import("./api.js").Answer} answer
 */
function sayDone(act, { body }) {
  const at = body?.at ?? body?.redemption?.redeemedAt ?? act.at;
  // Stamps on a paper card that is in nobody's account are not among those that were added to cards.
  return t(`wasDone${kind("wasDone", act)}`, { time: hour(at), count: body?.paper ? act.body.stamps : body?.added ?? 1 });
}

if (account()) for (const each of unknown()) sayUnknown(each);
if (account()) settle(unanswered("").filter(({ name }) => !OWN.test(name))).catch(() => null);

/**
 * Registers the service worker. Called after the page has loaded everything that it needs. With Trusted Types, a script's address must come
 * from a policy. The only policy that pages permit, `greentea`, gives only the address of this worker.
 */
function registerWorker() {
  const types = /** @type {any} */ (window).trustedTypes;
  const address = types ? types.createPolicy("greentea", { createScriptURL: () => "/sw.js" }).createScriptURL("") : "/sw.js";
  navigator.serviceWorker.register(address).catch(() => null);
}

if (account() && "serviceWorker" in navigator) {
  if (document.readyState === "complete") registerWorker();
  else addEventListener("load", registerWorker);
}
