// A shop, found by its name, id or address: suspending and reinstating it with a reason, and its pictures.

import { get } from "./api.js";
import { t } from "./words.js";
import { actionButton, byId, fill, h, onSubmit, written } from "./ui.js";
import { change, enter, idIn, logAddress, ownProblem, showReason, withReason } from "./operate.js";

const place = byId("found");

onSubmit(byId("search"), async (data) => {
  fill(place);
  const text = String(data.get("query") ?? "").trim();
  if (!text) return byId("query").focus();
  const id = idIn(text, "shop");
  const shops = id ? [await get(`/v1/shops/${id}`)] : (await get(`/v1/shops?${new URLSearchParams({ q: text, limit: "20" })}`)).items;
  if (shops.length === 0) return fill(place, h("p", { class: "note warn", role: "status" }, t("operateNoShop")));
  fill(place, h("p", { class: "unseen", role: "status" }, t("operateShopsFound", { count: shops.length })), shops.map(item));
}, ownProblem);

/** @param {any} shop */
function item(shop) {
  const state = shop.closedAt ? ["", t("operateClosed")] : shop.suspended ? ["bad", t("operateSuspended")] : ["good", t("operateInUse")];
  const why = h("p", { class: "why-suspended" });
  if (shop.suspended) showReason(why, suspensionOf(shop));
  const section = h("section", { class: "review" },
    h("h2", {}, written(shop.name, t("unnamedShop")), " ", h("span", { class: `badge ${state[0]}` }, state[1])),
    shop.suspended ? why : null, h("p", {}, written(shop.address)), h("p", { class: "meta small muted" }, shop.id),
    h("p", { class: "buttons" }, h("a", { class: "button secondary", href: `/s/${shop.id}` }, t("toShop")),
      h("a", { class: "button secondary", href: logAddress(shop.id) }, t("operateItsEvents")), suspension(shop, (now) => section.replaceWith(item(now)))),
    shop.images?.length ? h("ul", { class: "chips" }, shop.images.map((/** @type {string} */ image, /** @type {number} */ index) =>
      h("li", {}, h("a", { class: "chip", href: `/operate/pictures?picture=${image}` }, t("operatePictureNumber", { number: index + 1 }))))) : null);
  return section;
}

/** @param {any} shop */
const suspensionOf = (shop) => `/v1/admin/shops/${shop.id}/suspension`;

/**
 * @param {any} shop
 * @param {(now: any) => void} changed
 */
function suspension(shop, changed) {
  if (shop.closedAt) return null;
  const path = suspensionOf(shop);
  const name = shop.name || t("unnamedShop");
  const isDone = (/** @type {boolean} */ done, /** @type {boolean} */ suspended) => done && changed({ ...shop, suspended });
  if (shop.suspended) {
    return actionButton(t("operateReinstate"), async () => isDone(await withReason({
      title: t("operateReinstateShop", { shop: name }), text: t("operateReinstateShopText"), yes: t("operateReinstate"), done: t("operateShopReinstated"),
    }, (reason) => change("DELETE", path, { reason })), false), { "aria-label": `${t("operateReinstate")}: ${name}` });
  }
  return actionButton(t("operateSuspend"), async () => isDone(await withReason({
    title: t("operateSuspendShop", { shop: name }), text: t("operateSuspendShopText"), yes: t("operateSuspend"), done: t("operateShopSuspended"),
    suggestions: [t("operateReasonCodes"), t("operateReasonFalse"), t("operateReasonAsked")],
  }, (reason) => change("POST", path, { reason })), true), { class: "button danger", "aria-label": `${t("operateSuspend")}: ${name}` });
}

enter(() => byId("query").focus());
