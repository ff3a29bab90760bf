// Whether the service can be reached from the counter, said at once and clearly, with what works meanwhile; and what was typed there, which
// outlives a reload.

import { load, now, onReached, save, send } from "./api.js";
import { t } from "./words.js";
import { byId, fill, h, icon } from "./ui.js";

/** Milliseconds between two attempts to reach the service: nobody knows when there is a connection, whatever a browser says of it. */
const LOOK = 4_000;
/** Milliseconds for which the page says that it is connected again. */
const BACK = 6_000;
/** Milliseconds for which what was typed is kept: later it is another customer's turn. */
const TYPED_MAX = 10 * 60_000;

const place = byId("line");
/** @type {ReturnType<typeof setInterval> | undefined} */
let attempts;

/** Any answer, a refusal as well, shows that the service is there. */
const look = () => send("GET", "/v1/me").catch(() => null);

/** Says that nothing can be given, what still works, and that nothing is lost. */
function sayLost() {
  if (attempts) return;
  attempts = setInterval(look, LOOK);
  fill(place, h("div", { class: "note bad", role: "alert" }, icon("offline"), h("div", {}, h("strong", {}, t("lineLost")),
    h("p", {}, t("lineLostNothing")), h("p", {}, t("lineLostStill")), h("p", {}, t("lineLostTyped")))));
}

function sayBack() {
  if (!attempts) return;
  clearInterval(attempts);
  attempts = undefined;
  const news = h("div", { class: "note", role: "status" }, icon("check"), h("p", {}, t("lineBack")));
  fill(place, news);
  setTimeout(() => news.remove(), BACK);
}

onReached((isReached) => isReached ? sayBack() : sayLost());
// A browser's own opinion is only a reason to look.
addEventListener("offline", look);
addEventListener("online", look);

// MARK: What was typed

/**
 * Keeps what is typed into fields, until it was sent, and fills it in again after a reload.
 * @param {HTMLInputElement[]} fields
 */
export function keepTyped(fields) {
  const kept = load("counter-typed");
  for (const field of fields) {
    if (kept && now() - kept.at < TYPED_MAX && !field.value) field.value = kept.texts[field.name] ?? "";
    field.addEventListener("input", () => keep(fields));
    field.form?.addEventListener("reset", () => setTimeout(() => keep(fields)));
  }
}

/** @param {HTMLInputElement[]} fields */
function keep(fields) {
  const texts = Object.fromEntries(fields.filter(({ value }) => value).map(({ name, value }) => [name, value]));
  save("counter-typed", Object.keys(texts).length ? { at: now(), texts } : null);
}

/** Nobody who signs in later finds it. */
export const forgetTyped = () => save("counter-typed", null);
