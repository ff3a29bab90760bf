// Milestones: smaller rewards on the way to a card's goal, on the card's page and in the form of a campaign.

import { ApiError } from "./api.js";
import { labelled } from "./fields.js";
import { moment, t } from "./words.js";
import { h, icon, written } from "./ui.js";

/** @typedef {import("./card.js").Milestone} Milestone */

/**
 * The milestones of a card, with a way to each reward that can be had.
 * @param {import("./card.js").Card} card
 */
export function milestonesOf(card) {
  if (!card.milestones?.length) return null;
  const isHeld = card.status === "collecting" || card.status === "full";
  return h("section", {}, h("h2", {}, t("milestonesTitle")),
    h("ol", { class: "list" }, card.milestones.map((each) => h("li", { "data-milestone": each.at }, h("div", { class: "row" },
      h("div", { class: "grow" }, h("span", { class: "title" }, written(each.reward)), h("span", { class: "meta" }, say(each))),
      isHeld && (each.status === "reached" || each.status === "requested") ? h("a", {
        class: "button secondary", href: `/wallet/${card.id}/redeem?milestone=${each.at}`,
        "aria-label": t("milestoneGetReward", { reward: each.reward }),
      }, icon("gift"), t("milestoneGet")) : null)))));
}

/** @param {Milestone} milestone */
function say(milestone) {
  if (milestone.status === "redeemed" && milestone.redeemedAt) return t("milestoneRedeemedAt", { time: moment(milestone.redeemedAt) });
  return t("milestoneAt", { count: milestone.at });
}

/**
 * One milestone a line: its stamps, then its reward. Null where there is none.
 * @returns {import("./fields.js").Field}
 */
export function milestonesField() {
  const [name, label] = ["milestones", t("milestonesLabel")];
  const control = h("textarea", { name, autocomplete: "off", rows: 3 });
  return {
    name, label, control, node: labelled(name, label, control, t("milestonesHint")),
    read: () => {
      const lines = control.value.split("\n").map((/** @type {string} */ line) => line.trim()).filter(Boolean);
      return lines.length === 0 ? null : lines.map(readLine);
    },
    show: (value) => {
      control.value = (value ?? []).map((/** @type {Milestone} */ each) => `${each.at} ${each.reward}`).join("\n");
    },
  };
}

/** @param {string} line @returns {Milestone} */
function readLine(line) {
  const found = /^([0-9０-９]{1,3})[\s:：,，.、]+(.+)$/u.exec(line);
  if (!found) throw new ApiError("invalidRequest", { errors: [{ pointer: "/milestones", detail: t("milestonesUnreadable") }] });
  return { at: Number(found[1].normalize("NFKC")), reward: found[2].trim() };
}
