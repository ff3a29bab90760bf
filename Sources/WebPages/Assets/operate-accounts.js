// An account, found by its phone number: its data, its cards, and the operator's actions on it.

import { get, send, withSession } from "./api.js";
import { moment, t } from "./words.js";
import { actionButton, byId, confirm, fill, h, onSubmit, phoneFields, phoneHint, toast, written } from "./ui.js";
import { attempt, change, enter, facts, logAddress, ownProblem, ownRegion, showReason, withReason } from "./operate.js";

const place = byId("found");

// Each search is recorded as an event. So a search whose answer was lost is not repeated automatically, and the page's address contains no
// number.
onSubmit(byId("search"), async (data) => {
  fill(place);
  const typed = phoneFields(data.get("phone"), ownRegion);
  const { body } = await withSession(() => send("POST", "/v1/admin/accounts/search", { body: typed }));
  if (body.items.length === 0) return fill(place, h("p", { class: "note warn", role: "status" }, t("operateNobody")));
  draw(body.items[0]);
}, ownProblem);

/** @param {any} account */
function draw(account) {
  const state = account.isSuspended ? h("span", { class: "badge bad" }, t("operateSuspended")) : h("span", { class: "badge good" }, t("operateInUse"));
  const title = h("h2", { tabindex: "-1" }, written(account.nickname, t("operateNameless")), " ", state);
  const cards = h("div", {});
  const why = h("p", { class: "why-suspended" });
  if (account.isSuspended) showReason(why, suspensionOf(account));
  fill(
    place, title, account.isSuspended ? why : null,
    facts([
      [t("phoneLabel"), account.phone ?? ""], [t("operateAccountID"), account.id], [t("operateRegistered"), moment(account.registeredAt)],
      [t("operateRoles"), roles(account)],
    ]),
    h("p", { class: "buttons" }, h("a", { class: "button secondary", href: logAddress(account.id) }, t("operateItsEvents")),
      actionButton(t("operateItsCards"), () => attempt(() => showCards(account, cards)), { class: "button secondary" })),
    cards,
    account.isOperator ? h("p", { class: "why" }, t("operateNotOperators")) : [suspension(account), lostNumber(account)],
  );
  title.focus();
}

/** @param {any} account */
function roles(account) {
  const found = [account.isOperator && t("operateIsOperator"), account.isMerchant && t("operateIsMerchant")].filter(Boolean);
  return found.length ? found.join(", ") : t("operateIsCustomer");
}

/** @param {any} account */
const suspensionOf = (account) => `/v1/admin/accounts/${account.id}/suspension`;

/** @param {any} account */
function suspension(account) {
  const path = suspensionOf(account);
  const isDone = (/** @type {boolean} */ done, /** @type {boolean} */ isSuspended) => done && draw({ ...account, isSuspended });
  if (account.isSuspended) {
    return actionButton(t("operateReinstate"), async () => isDone(await withReason({
      title: t("operateReinstateAccount"), text: t("operateReinstateAccountText"), yes: t("operateReinstate"), done: t("operateAccountReinstated"),
    }, (reason) => change("DELETE", path, { reason })), false), { class: "button secondary" });
  }
  return actionButton(t("operateSuspend"), async () => isDone(await withReason({
    title: t("operateSuspendAccount"), text: t("operateSuspendAccountText"), yes: t("operateSuspend"), done: t("operateAccountSuspended"),
    suggestions: [t("operateReasonCodes"), t("operateReasonAbuse"), t("operateReasonAsked")],
  }, (reason) => change("PUT", path, { reason })), true), { class: "button danger" });
}

/** @param {any} account */
function lostNumber(account) {
  const phone = h("input", { id: "new-phone", name: "phone", type: "tel", inputmode: "tel", autocomplete: "off", required: true, maxlength: 64, "aria-describedby": "new-phone-hint" });
  const reason = h("input", { id: "lost-reason", name: "reason", autocomplete: "off", required: true, maxlength: 500 });
  const form = h("form", { id: "lost", method: "post", novalidate: true }, h("h2", {}, t("operateLost")), h("p", { class: "hint" }, t("operateLostText")),
    h("div", { class: "field" }, h("label", { for: "new-phone" }, t("operateNewPhone")), phone, h("p", { class: "hint", id: "new-phone-hint" }, t("phoneHint"))),
    h("div", { class: "field" }, h("label", { for: "lost-reason" }, t("reason")), reason),
    h("button", { class: "button danger", type: "submit" }, t("operateLostGo")));
  onSubmit(form, async (data) => {
    // The number is read as written, in no country: the operator's own need not be that of the account's holder.
    const body = { ...phoneFields(data.get("phone"), null), reason: String(data.get("reason") ?? "").trim() };
    if (!body.reason) return reason.focus();
    const isSure = await confirm({ title: t("operateLostTitle", { phone: body.phone }), text: t("operateLostText"), yes: t("operateLostGo"), isDanger: true });
    if (!isSure) return;
    const answer = await change("PUT", `/v1/admin/accounts/${account.id}/phone`, body);
    form.reset();
    toast(t("operateLostDone", { phone: answer.body.phone, time: moment(answer.body.holdsAt) }), { seconds: 20 });
  }, ownProblem);
  return form;
}

/**
 * The first hundred cards that were opened for an account, according to the log.
 * @param {any} account
 * @param {Element} list
 */
async function showCards(account, list) {
  const query = new URLSearchParams({ tag: `account:${account.id}`, type: "CardOpened", limit: "100" });
  const { items } = await get(`/v1/admin/events?${query}`);
  if (items.length === 0) return fill(list, h("p", {}, t("operateNoCards")));
  fill(list, h("ul", { class: "list", id: "cards" }, items.reverse().map((/** @type {any} */ each) => h("li", {},
    h("a", { class: "row", href: `/operate/cards?card=${each.event.card}` }, h("span", { class: "grow" },
      h("span", { class: "title" }, each.event.card), h("span", { class: "meta" }, moment(each.time))))))));
}

enter(() => {
  byId("phone").setAttribute("aria-describedby", "phone-hint");
  byId("phone").after(h("p", { class: "hint", id: "phone-hint" }, ownRegion ? phoneHint(ownRegion) : t("phoneHint")));
  byId("phone").focus();
});
