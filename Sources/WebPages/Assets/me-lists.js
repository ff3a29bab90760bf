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
 * Fills a list when it is unfolded.
 * @param {string} name
 * @param {HTMLElement} place
 */
export async function showList(name, place) {
  const kind = name === "my-favorites" ? favorites() : mutes();
  showLoading(place);
  try {
    const page = await get(kind.list);
    draw(place, kind, page.items, page.next);
  } catch (error) {
    showProblem(place, error, () => showList(name, place));
  }
}

/**
 * @param {HTMLElement} place
 * @param {Kind} kind
 * @param {any[]} items
 * @param {string | null} next
 */
function draw(place, kind, items, next) {
  if (items.length === 0) return fill(place, h("p", { class: "muted" }, kind.none));
  const line = (/** @type {any} */ each) => h("li", {}, h("div", { class: "row" }, h("div", { class: "grow" }, kind.line(each)),
    actionButton(kind.end, () => tried(async () => {
      await kind.ends(each);
      draw(place, kind, items.filter((other) => other !== each), next);
    }), { class: "quiet", "aria-label": kind.of(each) })));
  const more = () => tried(async () => {
    const page = await get(`${kind.list}&cursor=${encodeURIComponent(next ?? "")}`);
    draw(place, kind, items.concat(page.items), page.next);
  });
  fill(place, h("ul", { class: "list" }, items.map(line)), next ? actionButton(t("showMore"), more, { class: "button secondary" }) : null);
}

/** @param {() => Promise<void>} action */
async function tried(action) {
  try {
    await action();
  } catch (error) {
    if (!leaveIfSignedOut(error)) toast(sayProblem(error), { kind: "bad" });
  }
}
