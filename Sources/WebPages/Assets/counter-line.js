// The notice at the counter that the service cannot be reached, and what still works meanwhile. Also keeps typed texts across a reload.

import { load, now, onReached, save, send } from "./api.js";
import { t } from "./words.js";
import { byId, fill, h, icon } from "./ui.js";

/** Milliseconds between two attempts to reach the service. A browser's own report about its connection is not reliable. */
const LOOK = 4_000;
/** Milliseconds for which the page says that it is connected again. */
const BACK = 6_000;
/** Milliseconds for which typed texts are kept. Later, they would belong to an earlier customer. */
const TYPED_MAX = 10 * 60_000;

const place = byId("line");
/** @type {ReturnType<typeof setInterval> | undefined} */
let attempts;

/** Attempts to reach the service. Any answer counts, also a refusal. */
const look = () => send("GET", "/v1/me").catch(() => null);

/** Shows that no stamps can be given now, what still works, and that nothing is lost. */
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
// A report of the browser about its connection only triggers an attempt.
addEventListener("offline", look);
addEventListener("online", look);

// MARK: Typed texts

/**
 * Stores the texts typed into fields until they are sent, and fills them in again after a reload.
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

/** Removes the stored texts, so that the next person who signs in does not see them. */
export const forgetTyped = () => save("counter-typed", null);
