// The part of a shop's page for a signed-in reader: writing reviews, and a button that mutes or unmutes the shop's notices.

import { ApiError, get, write } from "./api.js";
import { showReviews } from "./reviews.js";
import { t } from "./words.js";
import { actionButton, byId, fill, leaveIfSignedOut, sayProblem, toast } from "./ui.js";

const shop = location.pathname.split("/")[2];
const place = byId("mute");

/** @param {boolean} isMuted */
function draw(isMuted) {
  const button = actionButton(isMuted ? t("unmuteShop") : t("muteShop"), () => change(isMuted), { class: "quiet" });
  fill(place, button);
  place.hidden = false;
  return button;
}

/** @param {boolean} isMuted */
async function change(isMuted) {
  try {
    await write(`mute ${shop}`, isMuted ? "DELETE" : "PUT", `/v1/me/mutes/${shop}`);
    const name = /** @type {HTMLElement} */ (document.querySelector("h1")).textContent ?? "";
    toast(isMuted ? t("unmuted", { shop: name }) : t("muted", { shop: name }));
    draw(!isMuted).focus();
  } catch (error) {
    if (!leaveIfSignedOut(error)) toast(sayProblem(error), { kind: "bad" });
  }
}

async function isMuted() {
  let query = "";
  do {
    const { items, next } = await get(`/v1/me/mutes${query}`);
    if (items.some((/** @type {any} */ each) => each.id === shop)) return true;
    query = next ? `?cursor=${encodeURIComponent(next)}` : "";
  } while (query);
  return false;
}

async function start() {
  try {
    // This request comes first, because it also renews the session. The list of reviews is public, so a request for it renews nothing.
    draw(await isMuted());
    await showReviews(shop);
  } catch (error) {
    // The page is complete without this part, so an error of the service is ignored. Any other error is a defect of this script.
    if (!(error instanceof ApiError)) throw error;
  }
}

start();
