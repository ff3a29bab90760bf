// Milestones, smaller rewards on the way to a card's goal, in the form of a campaign.

import { ApiError } from "./api.js";
import { labelled } from "./fields.js";
import { t } from "./words.js";
import { h } from "./ui.js";

/** @typedef {import("./card.js").Milestone} Milestone */

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
