// The owner's first page: today in one line, what the service has found, with one button each, and what waits.

import { get } from "./api.js";
import { enter, reaches, shopID } from "./shop-frame.js";
import { t } from "./words.js";
import { emptyState, fill, h, icon } from "./ui.js";

/**
 * @typedef {object} Finding
 * @property {string} kind
 * @property {number} cases
 * @property {any} figures
 * @property {string} question
 * @property {{kind: string, campaign?: string, fills?: any}} act
 */

enter("counter", async ({ shop, role, why, content }) => {
  if (!reaches(role, "manager")) {
    location.replace(`/shop/${shopID}/campaigns`);
    return false;
  }
  const [digest, waiting] = await Promise.all([get(`/v1/shops/${shopID}/digest`), whatWaits(role)]);
  const { today, findings, fullCards, unanswered } = digest;
  const rewards = fullCards ? [line("gift", t("digestFullCards", { count: fullCards }), `/shop/${shopID}/messages`)] : [];
  const lines = [...rewards, ...waiting];
  fill(content,
    today ? h("p", { class: "lead", id: "digest-today" }, t("digestToday"), " ", [
      t("digestStamps", { count: today.stamps }), t("digestNewCards", { count: today.newCards }),
      t("digestRewards", { count: today.redemptions }), t("digestCustomers", { count: today.activeCustomers })].join(" · ")) : null,
    why || shop.campaigns.length ? null : emptyState("ticket", t("noCampaignsTitle"), t("noCampaignsText"), h("p", { class: "buttons centered" },
      h("a", { class: "button", href: `/shop/${shopID}/campaign` }, icon("plus"), t("newCampaign")))),
    h("h2", {}, t("digestFindings")),
    findings.length ? h("ul", { class: "list", id: "findings" }, findings.map(finding)) : h("p", { class: "muted" }, t("digestNothing")),
    unanswered.length ? h("p", { class: "hint" }, t("digestUnanswered")) : null,
    lines.length ? [h("h2", {}, t("digestWaits")), h("ul", { class: "list", id: "waits" }, lines)] : null);
});

/**
 * The reader's offers that wait for an answer, and messages that wait for their time. What cannot be read now is left out.
 * @param {string} role
 */
async function whatWaits(role) {
  const [offers, notices] = await Promise.all([
    role === "owner" ? items(`/v1/shops/${shopID}/invitations`) : [], items("/v1/notices/scheduled?limit=100")]);
  const planned = notices.filter((/** @type {any} */ each) => each.shop?.id === shopID);
  return [
    offers.length ? line("person", t("digestOffers", { count: offers.length }), `/shop/${shopID}/staff`) : null,
    planned.length ? line("message", t("digestPlanned", { count: planned.length }), `/shop/${shopID}/messages`) : null,
  ].filter(Boolean);
}

/** @param {string} path @returns {Promise<any[]>} */
const items = (path) => get(path).then((found) => found.items, () => []);

/** @param {string} name @param {string} text @param {string} href */
const line = (name, text, href) => h("li", {}, h("a", { class: "row", href }, icon(name), h("span", { class: "grow title" }, text), icon("next")));

/** @param {Finding} each */
function basis({ kind, cases }) {
  if (kind === "unusualReversals") return t("digestOnActs", { count: cases });
  return kind === "quietHour" ? t("digestOnVisits", { count: cases }) : t("digestOnCards", { count: cases });
}

/** @param {Finding} each */
function finding(each) {
  const [word, href] = way(each);
  return h("li", { "data-kind": each.kind }, h("div", { class: "row" }, h("div", { class: "grow" },
    h("span", { class: "title" }, each.question), h("span", { class: "meta" }, basis(each))),
  h("a", { class: "button secondary", href }, word)));
}

/**
 * The words and the address of a finding's button.
 * @param {Finding} each
 * @returns {[string, string]}
 */
function way({ kind, act }) {
  const base = `/shop/${shopID}`;
  if (act.kind === "message") return [t("digestWrite"), `${base}/messages?${new URLSearchParams(act.fills)}`];
  if (act.kind === "none") return [t("digestNumbers"), kind === "unusualReversals" ? `${base}/numbers#staff` : `${base}/numbers`];
  const query = new URLSearchParams(act.campaign ? { id: act.campaign } : {});
  const { welcomeStamps, milestone, bonus } = act.fills;
  if (welcomeStamps) query.set("welcomeStamps", welcomeStamps);
  if (milestone) query.set("milestone", milestone);
  if (bonus) query.set("bonus", [bonus.days.join(","), bonus.from, bonus.to, bonus.factor].join(" "));
  return [act.kind === "editCampaign" ? t("digestEdit") : t("newCampaign"), `${base}/campaign?${query}`];
}
