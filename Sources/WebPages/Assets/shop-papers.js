// The form that prints paper cards: a PDF sheet. The service draws the sheet again for a repeated request with the
// same idempotency key, and the sheet is the same. So a sheet whose answer was lost is asked for again, and no other cards are printed.

import { now, resume, unanswered, write } from "./api.js";
import { fieldForm, labelled, numberField } from "./fields.js";
import { enter, own, shopID, withReason } from "./shop-frame.js";
import { t } from "./words.js";
import { emptyState, fill, h, icon, leaveIfSignedOut, sayProblem, written } from "./ui.js";

const COUNT_MAX = 500;
const COUNT = 20;

enter("manager", ({ shop, why, content }) => {
  // Paper cards of a shared campaign are printed only by the campaign's own shop.
  const campaigns = [...shop.campaigns].reverse().filter((/** @type {any} */ each) => each.shop.id === shopID && each.kind === "stampCard" && Date.parse(each.endsAt) > now());
  if (campaigns.length === 0) {
    return fill(content, emptyState("ticket", t("noCampaignTitle"), t("papersNoCampaign"),
      h("p", { class: "buttons centered" }, h("a", { class: "button", href: `/shop/${shopID}/campaigns` }, t("campaignsTitle")))));
  }
  const select = h("select", { name: "campaign" }, campaigns.map((/** @type {any} */ each) =>
    h("option", { value: each.id }, each.title || t("unnamedCampaign"))));
  const campaign = {
    name: "campaign", label: t("campaign"), control: select, node: labelled("campaign", t("campaign"), select),
    read: () => select.value, show: () => {},
  };
  // Its name is printed too. Only its owner can change it, on another page.
  const name = h("a", { href: `/shop/${shopID}/edit`, id: "field-shop" }, written(shop.name, t("unnamedShop")));
  const printed = {
    name: "shop", label: t("shopNameLabel"), control: name, node: h("div", { class: "field" }, h("span", { class: "label" }, t("shopNameLabel")), name),
    read: () => null, show: () => {},
  };
  const count = numberField("count", t("papersCount"), { min: 1, max: COUNT_MAX, required: true, hint: t("papersCountHint") });
  count.show(COUNT);
  const result = h("div", { id: "sheet", role: "status" });
  const form = fieldForm([printed, campaign, count], t("papersPrint"), async () => {
    fill(result);
    const body = { campaign: campaign.read(), count: count.read() };
    if (await offerLate(result, body.campaign)) return;
    const answer = await write(actOf(body.campaign), "POST", `/v1/shops/${shopID}/paper-cards`, body);
    offer(result, answer.body, body.count);
  }, own);
  const button = /** @type {HTMLButtonElement} */ (form.querySelector("[type=submit]"));
  button.parentElement?.append(...withReason(button, why));
  fill(content, h("p", {}, t("papersText")), form, result);
  for (const { id } of campaigns) {
    offerLate(result, id).catch((error) => leaveIfSignedOut(error) || fill(result, h("p", { class: "error", role: "alert" }, sayProblem(error, own))));
  }
});

/** @param {string} campaign */
const actOf = (campaign) => `print ${campaign}`;

/**
 * Asks again for a campaign's sheet whose answer was lost, and offers it.
 * @param {HTMLElement} place
 * @param {string} campaign
 * @returns {Promise<boolean>} whether there was such a sheet. The page that asked for it first offers it.
 */
async function offerLate(place, campaign) {
  const [act] = unanswered(actOf(campaign));
  const answer = act ? await resume(act.key) : null;
  if (answer) offer(place, answer.body, act.body.count);
  return Boolean(act);
}

/** @type {string | undefined} */
let address;

/**
 * Saves the sheet, and keeps a link to it as long as the page is open.
 * @param {HTMLElement} place
 * @param {Blob} sheet
 * @param {number} count
 */
function offer(place, sheet, count) {
  if (address) URL.revokeObjectURL(address);
  address = URL.createObjectURL(sheet);
  const link = h("a", { class: "button", href: address, download: "paper-cards.pdf", id: "sheet-link" }, t("papersSave"));
  fill(place, h("div", { class: "note" }, icon("check"), h("p", {}, h("strong", {}, t("papersReady", { count })), " ", t("papersReadyHow")),
    h("div", { class: "buttons" }, link)));
  link.click();
}
