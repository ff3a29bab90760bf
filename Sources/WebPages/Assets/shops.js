// The page of the shops at which the reader works, with the reader's role in each. It also has the offers to the reader (to work at a shop,
// or to become a shop's owner), and a form that opens another shop.

import { chooseShop, get, save, write } from "./api.js";
import { fieldForm, guardChanges, picture } from "./fields.js";
import { regionField } from "./place-fields.js";
import { requireFilled, shopFields } from "./shop-fields.js";
import { day, has, t } from "./words.js";
import { actionButton, byId, confirm, emptyState, fill, focusHeading, h, icon, leaveIfSignedOut, leaveTo, phoneFields, sayProblem, showLoading, showProblem, showWork, toast, written } from "./ui.js";

/** The maximum number of pages of offers to read. One page is not enough, because the service leaves out offers that are no longer open. */
const PAGES_MAX = 5;
const place = byId("shops");

/** @param {string} code the refusal's code. */
const own = (code) => has(`shopProblem${code}`) ? t(`shopProblem${code}`) : "";
/** @param {string} role */
const roleName = (role) => t(`roleName${role.charAt(0).toUpperCase() + role.slice(1)}`);

async function start() {
  showLoading(place);
  try {
    const [shops, offers, { region }] = await Promise.all([get("/v1/me/shops"), myOffers(), get("/v1/me")]);
    save("works", shops.items.length > 0 || null);
    save("offers", offers.length || null);
    showWork();
    draw(shops.items, offers, region);
  } catch (error) {
    showProblem(place, error, start, own);
  }
}

async function myOffers() {
  const offers = [];
  for (let [page, cursor] = [0, ""]; page < PAGES_MAX; page += 1) {
    const found = await get(`/v1/me/invitations?limit=100${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`);
    offers.push(...found.items);
    if (!found.next) break;
    cursor = found.next;
  }
  return offers;
}

/**
 * @param {any[]} shops
 * @param {any[]} offers
 * @param {string | null} region
 */
function draw(shops, offers, region) {
  const opener = h("button", { class: "button", type: "button", id: "open-shop" }, icon("plus"), t("openShop"));
  const section = h("section");
  opener.addEventListener("click", () => {
    opener.hidden = true;
    fill(section, h("h2", { tabindex: "-1" }, t("openShop")), h("p", { class: "hint" }, t("shopNeeds")), openForm(region));
    section.querySelector("h2")?.focus();
  });
  fill(place,
    offers.length ? h("section", {}, h("h2", {}, t("offersTitle")), h("ul", { class: "list" }, offers.map(offer))) : null,
    shops.length
      ? h("ul", { class: "list", id: "my-shops", "aria-label": t("shopsTitle") }, shops.map(shopRow))
      : emptyState("shop", t("noShopsTitle"), t("noShopsText")),
    h("div", { class: `buttons${shops.length ? "" : " centered"}` }, opener), section);
}

const thumb = () => h("span", { class: "thumb" }, icon("shop"));

/** @param {any} shop */
function shopRow(shop) {
  return h("li", {}, h("a", { class: "row", href: `/shop/${shop.id}` },
    shop.logo ?? shop.image ? picture(shop.logo ?? shop.image, 160, { class: "thumb", alt: "", width: 64, height: 64 }, thumb) : thumb(),
    h("span", { class: "grow" }, h("span", { class: "title" }, written(shop.name, t("unnamedShop"))), h("span", { class: "meta" }, roleName(shop.role)),
      shop.label ? h("span", { class: "meta" }, t("namedThere"), " ", written(shop.label)) : null),
    icon("next")));
}

// MARK: Offers

/** @param {any} each */
function offer(each) {
  const isTransfer = each.kind === "transfer";
  const name = () => written(each.shop.name, t("unnamedShop"));
  const line = isTransfer ? t("offeredShop") : t("offeredRole", { role: roleName(each.role) });
  return h("li", {}, h("div", { class: "row" }, h("div", { class: "grow" },
    h("span", { class: "title" }, name()), h("span", { class: "meta" }, `${line} · ${t("offerUntil", { day: day(each.expiresAt) })}`),
    h("div", { class: "buttons" },
      actionButton(t("accept"), () => accept(each, isTransfer), { "aria-label": t("acceptOf", { shop: each.shop.name }) }),
      actionButton(t("decline"), () => decline(each), { class: "button secondary", "aria-label": t("declineOf", { shop: each.shop.name }) })))));
}

/**
 * @param {any} each
 * @param {boolean} isTransfer
 */
async function accept(each, isTransfer) {
  const text = isTransfer ? t("acceptTransferText") : t("acceptRoleText");
  if (!(await confirm({ title: isTransfer ? t("acceptTransferTitle") : t("acceptRoleTitle"), text, yes: t("accept") }))) return;
  await answer(() => write(`accept ${each.id}`, "POST", `/v1/me/invitations/${each.id}/acceptance`), t("accepted"));
}

/** @param {any} each */
async function decline(each) {
  await answer(() => write(`decline ${each.id}`, "DELETE", `/v1/me/invitations/${each.id}`), t("declined"));
}

/**
 * @param {() => Promise<unknown>} act
 * @param {string} done
 */
async function answer(act, done) {
  try {
    await act();
    toast(done);
  } catch (error) {
    if (leaveIfSignedOut(error)) return;
    toast(sayProblem(error, own), { kind: "bad", seconds: 10 });
  }
  await start();
  focusHeading();
}

// MARK: Opening a shop

/** @param {string | null} region that of the owner's own number. */
function openForm(region) {
  const country = regionField("region");
  const fields = shopFields(country);
  for (const each of fields) each.show(each === country ? region : null);
  const form = fieldForm(fields, t("openShopNow"), async () => {
    const { region: chosen, ...shop } = Object.fromEntries(fields.map((each) => [each.name, each.read()]));
    requireFilled(shop);
    const { body } = await write("open shop", "POST", "/v1/shops", { ...shop, ...phoneFields(shop.phone, chosen) });
    save("works", true);
    chooseShop(body.id);
    isSent();
    await leaveTo(`/shop/${body.id}`);
  }, own);
  const isSent = guardChanges(form, fields);
  return form;
}

start();
