// The lists of favourites and of muted shops. Each entry has a button that removes it.

import { get, write } from "./api.js";
import { t } from "./words.js";
import { actionButton, fill, h, leaveIfSignedOut, sayProblem, showLoading, showProblem, toast, written } from "./ui.js";

/**
 * @typedef {object} Kind
 * @property {string} name the name for `showList`.
 * @property {boolean} returns whether an entry may be added again on the same page before the answer about its removal comes.
 * @property {string} list the address of the list.
 * @property {string} none the sentence for an empty list.
 * @property {(each: any) => Node[]} line the content of an entry.
 * @property {string} end the text of the button that removes an entry.
 * @property {(each: any) => string} of the name of that button for screen readers.
 * @property {(each: any) => Promise<unknown>} ends removes an entry.
 */

/** @returns {Kind} */
const favorites = () => ({
  name: "my-favorites", returns: false, list: "/v1/me/favorites?limit=20", none: t("favoritesNone"), end: t("favoriteEnd"),
  line: (each) => [h("a", { class: "title", href: `/c/${each.id}` }, written(each.title, t("unnamedCampaign"))),
    h("span", { class: "meta" }, written(each.shop?.name, t("unnamedShop")), each.running ? null : ` · ${t("notRunning")}`)],
  of: (each) => `${t("favoriteEnd")}: ${each.title}`,
  ends: (each) => write(`favorite ${each.id}`, "DELETE", `/v1/campaigns/${each.id}/favorite`),
});

/** @returns {Kind} */
const mutes = () => ({
  name: "my-mutes", returns: true, list: "/v1/me/mutes?limit=100", none: t("mutesNone"), end: t("muteEnd"),
  line: (each) => [h("a", { class: "title", href: `/s/${each.id}` }, written(each.name, t("unnamedShop")))],
  of: (each) => `${t("muteEnd")}: ${each.name}`,
  ends: (each) => write(`mute ${each.id}`, "DELETE", `/v1/me/mutes/${each.id}`),
});

/**
 * The part of a list that is on the page. All buttons of the list change the same object, because several requests may run at once.
 * @typedef {object} Shown
 * @property {any[]} items
 * @property {string | null} next the end of the last page that was read; null if there are no more entries.
 * @property {Set<string>} removed ids of entries that were removed. An answer that was on its way meanwhile may still have them.
 * @property {boolean} isRead whether the first page was read.
 */

/**
 * What was requested last for each place. An answer to an earlier request is not drawn.
 * @type {WeakMap<HTMLElement, Shown>}
 */
const latest = new WeakMap();

/**
 * Fills a list when it is unfolded.
 * @param {string} name
 * @param {HTMLElement} place
 */
export async function showList(name, place) {
  const kind = name === "my-favorites" ? favorites() : mutes();
  /** @type {Shown} */
  const shown = { items: [], next: null, removed: new Set(), isRead: false };
  latest.set(place, shown);
  showLoading(place);
  try {
    const page = await get(kind.list);
    if (latest.get(place) !== shown) return;
    [shown.items, shown.next, shown.isRead] = [page.items, page.next, true];
    draw(place, kind, shown);
  } catch (error) {
    if (latest.get(place) === shown) showProblem(place, error, () => showList(name, place));
  }
}

/**
 * @param {HTMLElement} place
 * @param {Kind} kind
 * @param {Shown} shown
 */
function draw(place, kind, shown) {
  const items = shown.items.filter((each) => !shown.removed.has(each.id));
  if (items.length === 0 && !shown.next) return fill(place, h("p", { class: "muted" }, kind.none));
  const line = (/** @type {any} */ each) => h("li", {}, h("div", { class: "row" }, h("div", { class: "grow" }, kind.line(each)),
    actionButton(kind.end, () => tried(async () => {
      await kind.ends(each);
      // The list may have been requested again meanwhile.
      const current = latest.get(place) ?? shown;
      // It may have been requested because the entry was added again. Only another answer says whether the entry is there.
      if (kind.returns && current !== shown) return showList(kind.name, place);
      current.removed.add(each.id);
      if (current.isRead) draw(place, kind, current);
    }), { class: "quiet", "aria-label": kind.of(each) })));
  const more = () => tried(async () => {
    const after = shown.next;
    const page = await get(`${kind.list}&cursor=${encodeURIComponent(after ?? "")}`);
    // A removal draws the button anew, so it may have been pressed twice. Or the list was requested again.
    if (shown.next !== after || latest.get(place) !== shown) return;
    shown.items = shown.items.concat(page.items);
    shown.next = page.next;
    draw(place, kind, shown);
  });
  fill(place, h("ul", { class: "list" }, items.map(line)),
    shown.next ? actionButton(t("showMore"), more, { class: "button secondary" }) : null);
}

/** @param {() => Promise<void>} action */
async function tried(action) {
  try {
    await action();
  } catch (error) {
    if (!leaveIfSignedOut(error)) toast(sayProblem(error), { kind: "bad" });
  }
}
