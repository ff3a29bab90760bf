// The campaigns of a shop, running ones first; for staff, also the button to leave the shop.

import { chooseShop, now, write } from "./api.js";
import { enter, own, reaches, shopID, withReason } from "./shop-frame.js";
import { day, t } from "./words.js";
import { actionButton, confirm, emptyState, fill, h, icon, leaveIfSignedOut, sayProblem, sayShared, toast, written } from "./ui.js";

/** @type {Record<string, string>} */
const KINDS = { coupon: t("campaignKindCoupon"), promotion: t("campaignKindNews") };

enter("counter", ({ shop, role, why, content }) => {
  const isManager = reaches(role, "manager");
  const campaigns = [...shop.campaigns].reverse().sort((one, other) => rank(one) - rank(other));
  const button = h("button", { class: "button", type: "button", onclick: () => location.assign(`/shop/${shopID}/campaign`) }, icon("plus"), t("newCampaign"));
  fill(content,
    isManager ? h("div", { class: "buttons" }, ...withReason(button, why)) : h("p", { class: "hint" }, t("counterOnlyLooks")),
    campaigns.length
      ? h("ul", { class: "list", "aria-label": t("campaignsTitle") }, campaigns.map((each) => row(each, role)))
      : emptyState("ticket", t("noCampaignsTitle"), isManager ? t("noCampaignsText") : t("noCampaignText")),
    h("div", { class: "buttons" },
      h("a", { class: "button secondary", href: `/s/${shopID}` }, t("asCustomersSee")),
      role === "owner" ? null : actionButton(t("leaveShop"), leave, { class: "quiet danger" })));
});

/**
 * The order of the list: running campaigns, then future ones, then those that are over.
 * @param {any} campaign
 */
function rank(campaign) {
  if (Date.parse(campaign.endsAt) <= now()) return 2;
  return Date.parse(campaign.startsAt) > now() ? 1 : 0;
}

/**
 * The address of a campaign's editor, or of its public page if the reader may not edit it here. A shared campaign is edited at its own
 * shop, which only the owner of both shops can certainly open.
 * @param {any} each
 * @param {string} role
 */
function editorOf(each, role) {
  const isOwn = each.shop.id === shopID;
  return reaches(role, isOwn ? "manager" : "owner") ? `/shop/${each.shop.id}/campaign?id=${each.id}` : `/c/${each.id}`;
}

/**
 * @param {any} each
 * @param {string} role
 */
function row(each, role) {
  const state = [[t("campaignRuns"), "badge good"], [t("campaignComes"), "badge warn"], [t("campaignIsOver"), "badge"]][rank(each)];
  const when = rank(each) === 1 ? t("campaignFrom", { day: day(each.startsAt) }) : t("campaignUntil", { day: day(each.endsAt) });
  const shared = sayShared(each, shopID);
  return h("li", {}, h("a", { class: "row", href: editorOf(each, role) },
    h("span", { class: "grow" },
      h("span", { class: "title" }, written(each.title, t("unnamedCampaign")), " ", h("span", { class: state[1] }, state[0])),
      h("span", { class: "meta" }, KINDS[each.kind] ?? t("counterStamps", { count: each.goal }), each.reward ? [" · ", written(each.reward)] : null,
        each.bonuses?.length ? [" · ", t("bonusLabel")] : null, " · ", when),
      shared ? h("span", { class: "meta" }, shared) : null),
    icon("next")));
}

async function leave() {
  if (!(await confirm({ title: t("leaveShopTitle"), text: t("leaveShopText"), yes: t("leaveShop"), isDanger: true }))) return;
  try {
    await write(`leave ${shopID}`, "DELETE", `/v1/me/employments/${shopID}`);
    chooseShop(null);
    location.assign("/shops");
  } catch (error) {
    if (!leaveIfSignedOut(error)) toast(sayProblem(error, own), { kind: "bad", seconds: 10 });
  }
}

// The form that published a campaign leads here.
if (location.hash === "#published") {
  history.replaceState(null, "", location.pathname);
  toast(t("campaignPublished"));
}
