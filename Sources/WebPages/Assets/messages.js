// Notices of shops and the operator. A notice counts as read once this page has listed it. A shop can be muted from any of its notices.

import { account, chosenShop, get, load, write } from "./api.js";
import { onLive, onStale } from "./live.js";
import { showList } from "./me-lists.js";
import { moment, t } from "./words.js";
import { actionButton, byId, emptyState, fill, h, leaveIfSignedOut, sayProblem, showLoading, showProblem, toast, written } from "./ui.js";

/** The number of notices in a request of the list. */
const PAGE = 20;
const place = byId("messages");
/** @type {any[]} */
let notices = [];
/** @type {string | null} */
let next = null;

/** The number of the last read, and the number of the read whose answer is on the page. */
let [reads, drawn] = [0, 0];

async function start() {
  const before = drawn;
  showLoading(place);
  try {
    await refresh();
  } catch (error) {
    // The answer to another read may have been drawn meanwhile.
    if (drawn === before) showProblem(place, error, start);
  }
}

/**
 * Reads the first notices and draws them, unless the answer to a later read is on the page. A list of which the reader has asked for more
 * is left as it is, because it would become shorter.
 */
async function refresh() {
  reads += 1;
  const read = reads;
  const page = await get(`/v1/me/notices?limit=${PAGE}`);
  if (read < drawn || notices.length > PAGE) return;
  drawn = read;
  [notices, next] = [page.items, page.next];
  draw();
  await markRead();
}

function draw() {
  if (notices.length === 0) return fill(place, emptyState("message", t("messagesEmptyTitle"), t("messagesEmptyText")));
  fill(place, h("ul", { class: "list" }, notices.map(item)), next ? actionButton(t("showMore"), more, { class: "button secondary" }) : null);
}

/** @param {any} notice */
function item(notice) {
  const from = notice.shop ? notice.shop.name : t("fromOperator");
  const isReminder = notice.audience === "card";
  return h("li", {}, h("article", { class: "row" }, h("div", { class: "grow" },
    h("h2", { class: "title" }, isReminder ? t("reminderTitle", { time: moment(notice.expiresAt) }) : written(notice.title, t("erasedAuthor")), notice.read ? null : [" ", h("span", { class: "badge good" }, t("unread"))]),
    h("span", { class: "meta" }, written(from, t("unnamedShop")), " · ", moment(notice.postedAt)),
    isReminder ? h("p", {}, h("a", { href: `/wallet/${notice.card}` }, t("reminderText"))) : h("p", { class: "lines" }, written(notice.text)),
    notice.shop ? actionButton(t("muteShop"), () => mute(notice.shop), { class: "quiet" }) : null)));
}

/** @param {{id: string, name: string}} shop */
async function mute(shop) {
  await change(() => write(`mute ${shop.id}`, "PUT", `/v1/me/mutes/${shop.id}`), () => {
    toast(t("muted", { shop: shop.name || t("unnamedShop") }), { action: t("undo"), onAction: () => unmute(shop), seconds: 10 });
    listMuted();
  });
}

/** @param {{id: string, name: string}} shop */
async function unmute(shop) {
  await change(() => write(`unmute ${shop.id}`, "DELETE", `/v1/me/mutes/${shop.id}`), () => {
    toast(t("unmuted", { shop: shop.name }));
    listMuted();
  });
}

/** The list of muted shops, which is loaded when it is unfolded. */
const muted = byId("muted");
const mutedList = byId("muted-list");
const listMuted = () => { if (muted.open) showList("my-mutes", mutedList); };
muted.addEventListener("toggle", listMuted);

/**
 * @param {() => Promise<unknown>} action
 * @param {() => void} done
 */
async function change(action, done) {
  try {
    await action();
    done();
  } catch (error) {
    if (!leaveIfSignedOut(error)) toast(sayProblem(error), { kind: "bad" });
  }
}

/** Marks the shown notices as read. If a request fails, the notice stays unread, and the next visit tries again. */
async function markRead() {
  for (const notice of notices.filter((each) => !each.read)) {
    await write(`read ${notice.id}`, "PUT", `/v1/me/notices/${notice.id}/read`, undefined, { isPatient: false, isStored: false }).then(() => { notice.read = true; }, () => null);
  }
}

async function more() {
  try {
    while (next) {
      /** @type {string} */
      const after = next;
      const page = await get(`/v1/me/notices?limit=${PAGE}&cursor=${encodeURIComponent(after)}`);
      // If the list was read again meanwhile and ends at another notice, its next page is another one.
      if (next !== after) continue;
      notices = notices.concat(page.items);
      next = page.next;
      draw();
      return await markRead();
    }
  } catch (error) {
    if (!leaveIfSignedOut(error)) toast(sayProblem(error), { kind: "bad" });
  }
}

/** Shows people who work at a shop the link to the page where they write messages to customers. That page checks their role. */
if (account() && load("works")) {
  const place = byId("write-to-customers");
  const shop = chosenShop();
  if (shop) place.querySelector("a").href = `/shop/${shop}/messages`;
  place.hidden = false;
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let soon;

/** Reads the list again. A stream that resumes sends all notices that were missed, so several calls in quick succession read it once. */
function follow() {
  clearTimeout(soon);
  soon = setTimeout(() => {
    // The answer for a longer list would not be drawn.
    if (notices.length <= PAGE) refresh().catch(() => null);
  }, 300);
}

if (account()) {
  onLive((event) => {
    if (event.name === "notice") follow();
  });
  onStale(follow);
}
start();
