// The people who work at a shop, each with the number of their open stamp codes. The owner also sees and makes offers of work.

import { account, get, load, save, write } from "./api.js";
import { fieldForm, labelled, textField } from "./fields.js";
import { enter, own, roleName, shopID, withReason } from "./shop-frame.js";
import { day, moment, t } from "./words.js";
import { actionButton, ask, confirm, fill, h, leaveIfSignedOut, phoneFields, phoneHint, sayProblem, toast, written } from "./ui.js";

const address = `/v1/shops/${shopID}`;
/**
 * The name of the stored value that has the last digits of the phone number of each of the shop's open offers, by the offer's id. They are
 * stored only in this browser, because the service does not reveal to whom an offer was made.
 */
const NUMBERS = `offered ${shopID}`;
/** The number of digits of a phone number that are stored. */
const DIGITS = 4;
/** The last digits of the phone number of the offer that was just sent, until the next list of offers tells the id of this offer. */
let sent = "";
/** Milliseconds between two checks whether an open offer was accepted. */
const LOOK = 60_000;
/**
 * The form for a new offer. When the lists are drawn again, the same form is shown, so that typed text is not lost.
 * @type {HTMLFormElement | null}
 */
let form = null;

/** The number of the last call of `start`, and the number of the call whose lists are on the page. */
let [visits, drawn] = [0, 0];
/** Removes the message about the offer that was sent last. */
let dismiss = () => {};

/** @param {boolean} [isQuiet] whether a timer and not the reader caused the call. */
async function start(isQuiet = false) {
  const visit = ++visits;
  // Lists that were requested earlier must not replace newer lists, which may have a new offer. A call by the timer also has no effect if
  // the reader has begun to use the page.
  const isLate = () => isQuiet ? visit < visits || isUsed() : visit < drawn;
  await enter("manager", async ({ shop, role, why, content }) => {
    const isOwner = role === "owner";
    const [staff, offers] = await Promise.all([get(`${address}/staff`), isOwner ? get(`${address}/invitations`) : { items: [] }]);
    const works = offers.items.filter((/** @type {any} */ each) => each.kind === "staff");
    if (isLate()) return false;
    drawn = visit;
    keepNumbers(works);
    fill(content,
      h("ul", { class: "list", id: "staff", "aria-label": t("staffTitle") }, staff.items.map((/** @type {any} */ each) => member(each, isOwner && !why, !why, !why && (each.role !== "owner" || isOwner)))),
      why || staff.items.every(isNamed) ? null : h("p", { class: "hint" }, t("namelessHint")),
      isOwner ? null : h("p", { class: "hint" }, t("onlyOwnerHires")),
      works.length ? h("section", {}, h("h2", {}, t("openOffersTitle")), h("p", { class: "hint" }, t("openOffersHint")),
        h("ul", { class: "list", id: "offers" }, works.map(offer))) : null,
      isOwner ? h("section", {}, h("h2", {}, t("inviteTitle")), h("p", { class: "hint" }, t("inviteHint")), form ??= inviteForm(why, shop.region)) : null);
  }, isQuiet);
}

/**
 * Whether the page shows a name for a member, or `you`, and not only a code.
 * @param {any} each
 */
const isNamed = (each) => each.label || each.nickname || each.account === account()?.id;

/**
 * @param {any} each
 * @param {boolean} mayHire
 * @param {boolean} mayDestroy
 * @param {boolean} mayName
 */
function member(each, mayHire, mayDestroy, mayName) {
  const isMe = each.account === account()?.id;
  const name = each.label || each.nickname || (isMe ? t("you") : t("personNamed", { handle: each.handle }));
  const other = each.role === "manager" ? "counter" : "manager";
  const path = `${address}/staff/${each.account}`;
  const buttons = each.role === "owner" || !mayHire ? [] : [
    actionButton(other === "manager" ? t("makeManager") : t("makeCounter"), () => change(path, other), { class: "quiet", "aria-label": `${other === "manager" ? t("makeManager") : t("makeCounter")}: ${name}` }),
    actionButton(t("removeMember"), () => end(path, name), { class: "quiet danger", "aria-label": `${t("removeMember")}: ${name}` }),
  ];
  if (mayName) {
    const text = each.label ? t("renameMember") : t("nameMember");
    buttons.unshift(actionButton(text, () => rename(path, each.label ?? "", name), { class: "quiet", "aria-label": `${text}: ${name}` }));
  }
  if (each.openCodes > 0 && mayDestroy) {
    buttons.push(actionButton(t("destroyCodes"), () => destroy(each.account), { class: "quiet danger", "aria-label": `${t("destroyCodes")}: ${name}` }));
  }
  return h("li", {}, h("div", { class: "row" }, h("span", { class: "grow" },
    h("span", { class: "title" }, written(name), " ", isMe && (each.label || each.nickname) ? [h("span", { class: "badge good" }, t("you")), " "] : [],
      h("span", { class: "badge" }, roleName(each.role))),
    each.label && each.nickname ? h("span", { class: "meta" }, written(each.nickname)) : null,
    h("span", { class: "meta" }, t("memberSince", { day: moment(each.since) }), each.openCodes ? [" · ", t("openCodes", { count: each.openCodes })] : null),
    buttons.length ? h("span", { class: "buttons" }, buttons) : null)));
}

/**
 * Stores the last digits of a new offer's phone number, and deletes the digits of offers that are no longer open.
 * @param {any[]} works
 */
function keepNumbers(works) {
  const known = load(NUMBERS) ?? {};
  // An offer that another browser has sent is unknown here too. If there are several, nobody knows which one has the digits.
  const isSure = works.filter(({ id }) => !known[id]).length === 1;
  const here = works.map(({ id }) => [id, known[id] ?? (isSure ? sent : "")]).filter(([, number]) => number);
  sent = "";
  save(NUMBERS, here.length ? Object.fromEntries(here) : null);
}

/** @param {any} each */
function offer(each) {
  const number = load(NUMBERS)?.[each.id];
  const name = number ? t("offered", { role: roleName(each.role), phone: number }) : roleName(each.role);
  return h("li", {}, h("div", { class: "row" }, h("span", { class: "grow" }, h("span", { class: "title" }, name),
    h("span", { class: "meta" }, t("offerUntil", { day: day(each.expiresAt) }))),
  actionButton(t("withdraw"), () => withdraw(each.id, name), { class: "quiet", "aria-label": t("withdrawOffer", { offer: name }) })));
}

/**
 * @param {string} id
 * @param {string} name
 */
async function withdraw(id, name) {
  if (!(await confirm({ title: t("withdrawTitle", { offer: name }), text: t("withdrawText"), yes: t("withdraw"), isDanger: true }))) return;
  await act(`withdraw ${id}`, "DELETE", `${address}/invitations/${id}`, undefined, t("withdrawn"));
}

/**
 * @param {string} why
 * @param {string | null} region the region of the shop's own number.
 */
function inviteForm(why, region) {
  const phone = textField("phone", t("theirPhone"), { type: "tel", inputmode: "tel", maxlength: 64, required: true, hint: phoneHint(region) });
  const choice = h("select", { name: "role" }, ["counter", "manager"].map((each) => h("option", { value: each }, roleName(each))));
  const role = {
    name: "role", label: t("roleLabel"), control: choice, node: labelled("role", t("roleLabel"), choice, t("roleHint")), read: () => choice.value, show: () => {},
  };
  const made = fieldForm([phone, role], t("invite"), async () => {
    dismiss();
    const { body } = await write(`invite ${shopID}`, "POST", `${address}/invitations`, { ...phoneFields(phone.read(), region), role: choice.value });
    sent = `…${body.phone.slice(-DIGITS)}`;
    form?.reset();
    dismiss = toast(t("invited"), { kind: "info", seconds: 20 });
    await start();
  }, own);
  const button = /** @type {HTMLButtonElement} */ (made.querySelector("[type=submit]"));
  button.parentElement?.append(...withReason(button, why));
  return made;
}

/**
 * Changes a role. A higher role needs the member's consent; a lower one takes effect at once.
 * @param {string} path
 * @param {string} role
 */
function change(path, role) {
  return act(`role ${path}`, "PUT", path, { role }, role === "manager" ? t("roleOffered") : t("roleChanged"));
}

/**
 * Asks for the name under which the shop's people see a member; an empty one takes it away.
 * @param {string} path
 * @param {string} before
 * @param {string} name
 */
async function rename(path, before, name) {
  const label = await ask({
    title: t("nameMemberTitle", { name }), text: t("nameMemberText"), label: t("memberName"), yes: t("save"), max: 50, value: before, mayBeEmpty: true,
  });
  if (label === null || label === before) return;
  await act(`name ${path}`, "PATCH", path, { label }, label ? t("memberNamed") : t("memberUnnamed"));
}

/**
 * @param {string} path
 * @param {string} name
 */
async function end(path, name) {
  if (!(await confirm({ title: t("removeMemberTitle", { name }), text: t("removeMemberText"), yes: t("removeMember"), isDanger: true }))) return;
  await act(`remove ${path}`, "DELETE", path, undefined, t("memberRemoved"));
}

/** @param {string} account */
async function destroy(account) {
  if (!(await confirm({ title: t("destroyCodesTitle"), text: t("destroyCodesText"), yes: t("destroyCodes"), isDanger: true }))) return;
  await act(`destroy ${account}`, "DELETE", `${address}/codes?staff=${account}`, undefined, t("codesDestroyed"));
}

/**
 * @param {string} name
 * @param {string} method
 * @param {string} path
 * @param {unknown} body
 * @param {string} done
 */
async function act(name, method, path, body, done) {
  dismiss();
  try {
    await write(name, method, path, body);
    toast(done, { seconds: 10 });
  } catch (error) {
    if (leaveIfSignedOut(error)) return;
    toast(sayProblem(error, own), { kind: "bad", seconds: 10 });
  }
  await start();
}

/** Whether the lists must not be drawn again now: the reader uses the page and would lose the focus, or the page is not visible. */
const isUsed = () => document.hidden || document.querySelector("dialog[open]") || document.activeElement?.closest("#shop-page");

/** Draws the lists again while an offer is open. */
function look() {
  if (!isUsed() && document.querySelector("#offers")) start(true);
}

// An earlier version of this page stored the digits of all shops under this name, and nothing reads them any more.
save("offered", null);
start();
setInterval(look, LOOK);
document.addEventListener("visibilitychange", look);
