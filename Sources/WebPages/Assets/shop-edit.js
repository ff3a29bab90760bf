// The form in which the owner edits a shop's data.

import { getVersion, write } from "./api.js";
import { colorField, editForm, picturesField } from "./fields.js";
import { requireFilled, shopFields } from "./shop-fields.js";
import { enter, own, shopID, withReason } from "./shop-frame.js";
import { fill, phoneFields } from "./ui.js";
import { t } from "./words.js";

enter("owner", ({ found, why, content }) => {
  const address = `/v1/shops/${shopID}`;
  const looks = [colorField("color"), picturesField("logo", 1, { label: t("logoLabel"), alt: t("logoLabel"), remove: t("logoRemove") })];
  const form = editForm([...shopFields(), ...looks], found, {
    own, load: () => getVersion(address),
    save: async (changes, tag) => {
      requireFilled(changes);
      const typed = changes.phone === undefined ? {} : phoneFields(changes.phone, found.body.region);
      return write(`edit ${shopID}`, "PATCH", address, { ...changes, ...typed }, { headers: { "If-Match": tag } });
    },
  });
  const button = /** @type {HTMLButtonElement} */ (form.querySelector("[type=submit]"));
  button.parentElement?.append(...withReason(button, why));
  fill(content, form);
});
