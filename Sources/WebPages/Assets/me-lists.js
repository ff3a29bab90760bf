// The lists of favourites and of muted shops. Each entry has a button that removes it.

import { get, write } from "./api.js";
import { t } from "./words.js";
import { actionButton, fill, h, leaveIfSignedOut, sayProblem, showLoading, showProblem, toast, written } from "./ui.js";

/**
 * @typedef {object} Kind
 * @property {string} list the address of the list.
 * @property {string} none the sentence for an empty list.
 * @property {(each: any) => Node[]} line the content of an entry.
 * @property {string} end the text of the button that removes an entry.
 * @property {(each: any) => string} of the name of that button for screen readers.
 * @property {(each: any) => Promise<unknown>} ends removes an entry.
 */

/** @returns {Kind} */
const favorites = () => ({
  list: "/v1/me/favorites?limit=20", none: t("favoritesNone"), end: t("favoriteEnd"),
  line: (each) => [h("a", { class: "title", href: `/c/${each.id}` }, written(each.title, t("unnamedCampaign"))),
    h("span", { class: "meta" }, written(each.shop?.name, t("unnamedShop")), each.running ? null : ` · ${t("notRunning")}`)],
  of: (each) => `${t("favoriteEnd")}: ${each.title}`,
  ends: (each) => write(`favorite ${each.id}`, "DELETE", `/v1/campaigns/${each.id}/favorite`),
});

/** @returns {Kind} */
const mutes = () => ({
  list: "/v1/me/mutes", none: t("mutesNone"), end: t("muteEnd"),
  line: (each) => [h("a", { class: "title", href: `/s/${each.id}` }, written(each.name, t("unnamedShop")))],
  of: (each) => `${t("muteEnd")}: ${each.name}`,
  ends: (each) => write(`mute ${each.id}`, "DELETE", `/v1/me/mutes/${each.id}`),
});

/**
 * The part of a list that is on the page. All buttons of the list change the same object, because several requests may run at once.
 * @typedef {object} Shown
 * @property {any[]} items
 * @property {string | null} next the end of the last page that was read; null if there are no more entries.
 */

/**
 * Fills a list when it is unfolded.
 * @param {string} name
 * @param {HTMLElement} place
 */
export async function showList(name, place) {
  const kind = name === "my-favorites" ? favorites() : mutes();
  showLoading(place);
  try {
    draw(place, kind, await get(kind.list));
  } catch (error) {
    showProblem(place, error, () => showList(name, place));
  }
}

/**
 * @param {HTMLElement} place
 * @param {Kind} kind
 * @param {Shown} shown
 */
function draw(place, kind, shown) {
  if (shown.items.length === 0) return fill(place, h("p", { class: "muted" }, kind.none));
  const line = (/** @type {any} */ each) => h("li", {}, h("div", { class: "row" }, h("div", { class: "grow" }, kind.line(each)),
    actionButton(kind.end, () => tried(async () => {
      await kind.ends(each);
      shown.items = shown.items.filter((other) => other !== each);
      draw(place, kind, shown);
    }), { class: "quiet", "aria-label": kind.of(each) })));
  const more = () => tried(async () => {
    const after = shown.next;
    const page = await get(`${kind.list}&cursor=${encodeURIComponent(after ?? "")}`);
    // A removal draws the button anew, so it may have been pressed twice.
    if (shown.next !== after) return;
    shown.items = shown.items.concat(page.items);
    shown.next = page.next;
    draw(place, kind, shown);
  });
  fill(place, h("ul", { class: "list" }, shown.items.map(line)),
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
