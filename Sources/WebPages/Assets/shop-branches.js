// The choice of the owner's shops at which a campaign is valid: a box for each. The box of the campaign's own shop is always ticked.

import { get } from "./api.js";
import { listed, t } from "./words.js";
import { h, written } from "./ui.js";

/**
 * The owner's other open shops, with which a campaign of the shop `home` can be shared.
 * @param {string} home the id of the campaign's own shop.
 * @returns {Promise<{id: string, name: string}[]>}
 */
export async function otherShops(home) {
  const { items } = await get("/v1/me/shops");
  return items.filter((/** @type {any} */ each) => each.role === "owner" && each.id !== home && !each.closedAt);
}

/**
 * The field with the other shops of a campaign. It shows the shops of an answer, and reads their ids for a request; null if the campaign
 * is valid at its own shop only.
 * @param {{id: string, name: string}} home
 * @param {{id: string, name: string}[]} others
 * @returns {import("./fields.js").Field}
 */
export function shopsField(home, others) {
  const label = t("holdsAt");
  const boxes = others.map((each) => ({ id: each.id, control: h("input", { type: "checkbox", id: `branch-${each.id}` }), name: each.name }));
  const own = h("input", { type: "checkbox", id: `branch-${home.id}`, checked: true, disabled: true });
  const line = (/** @type {string} */ id, /** @type {any} */ control, /** @type {string} */ name, /** @type {any} */ mark = null) =>
    h("li", {}, h("label", { class: "choice", for: id }, control, h("span", {}, written(name, t("unnamedShop")), mark)));
  return {
    name: "shops", label, control: boxes[0]?.control ?? own,
    node: h("fieldset", { class: "field", "aria-describedby": "hint-shops" }, h("legend", {}, label),
      h("ul", {}, line(own.id, own, home.name, [" ", h("span", { class: "badge" }, t("branchHome"))]),
        boxes.map((each) => line(each.control.id, each.control, each.name))),
      h("p", { class: "hint", id: "hint-shops" }, t("branchesHint"))),
    read: () => {
      const ticked = boxes.filter(({ control }) => control.checked).map(({ id }) => id);
      return ticked.length ? ticked : null;
    },
    show: (value) => {
      const ids = (value ?? []).map((/** @type {any} */ each) => each.id ?? each);
      for (const { id, control } of boxes) control.checked = ids.includes(id);
    },
  };
}

/**
 * The sentence that names the other shops of a campaign, for a list of one shop's campaigns. Empty if the campaign is valid at that shop
 * only.
 * @param {any} campaign
 * @param {string} shop
 */
export function sayShared(campaign, shop) {
  const others = [campaign.shop, ...(campaign.shops ?? [])].filter((each) => each.id !== shop);
  return others.length ? t("alsoAt", { shops: listed(others.map((each) => each.name || t("unnamedShop"))) }) : "";
}
