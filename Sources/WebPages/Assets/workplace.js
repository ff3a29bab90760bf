// Which shop a person works at just now: the only one, or the one chosen last.

import { get, load, save } from "./api.js";
import { t } from "./words.js";
import { fill, h, written } from "./ui.js";

/** The way on for somebody who works nowhere. */
export const toWallet = () => h("p", { class: "buttons centered" }, h("a", { class: "button", href: "/wallet" }, t("toWallet")));

/**
 * Shows where one works, with a choice where there are several.
 * @param {Element} place
 * @param {() => void} changed called when another shop was chosen.
 * @returns {Promise<any>} the shop; null for somebody who works nowhere.
 */
export async function workplaces(place, changed) {
  const shops = (await get("/v1/me/shops")).items.map((/** @type {any} */ each) => each.shop && typeof each.shop === "object" ? { ...each.shop, role: each.role } : each);
  const chosen = shops.find((/** @type {any} */ each) => each.id === load("shop")) ?? shops[0] ?? null;
  save("works", shops.length > 0 || null);
  if (shops.length < 2) {
    fill(place, chosen ? h("p", { class: "muted" }, written(chosen.name)) : null);
    return chosen;
  }
  const select = h("select", { id: "workplace-choice" }, shops.map((/** @type {any} */ each) =>
    h("option", { value: each.id, selected: each === chosen }, each.name)));
  select.addEventListener("change", () => {
    save("shop", select.value);
    changed();
  });
  fill(place, h("div", { class: "field" }, h("label", { for: "workplace-choice" }, t("workplace")), select));
  return chosen;
}
