// The fields of a shop's data, the same for opening and for editing a shop.

import { ApiError } from "./api.js";
import { hoursField, picturesField, textField } from "./fields.js";
import { placeField, zoneField } from "./place-fields.js";
import { t } from "./words.js";

/** The maximum number of pictures of a shop. */
const PICTURES_MAX = 9;

/**
 * Throws an error if a required value is empty. The error names each such field, so that the form can show it there. A field that is not
 * among `values` is not changed by the form, so it is not checked.
 * @param {Record<string, any>} values
 */
export function requireFilled(values) {
  const missing = { name: t("shopNameMissing"), phone: t("shopPhoneMissing"), address: t("addressMissing"), location: t("locationMissing") };
  const errors = Object.entries(missing).filter(([name]) => values[name] === null || values[name] === "")
    .map(([name, detail]) => ({ pointer: `/${name}`, detail }));
  if (errors.length) throw new ApiError("invalidRequest", { errors });
}

/** @param {import("./fields.js").Field[]} region the field for the country of a new shop's number. */
export const shopFields = (...region) => [
  textField("name", t("shopNameLabel"), { maxlength: 100, required: true }),
  textField("address", t("addressLabel"), { maxlength: 200, required: true, autocomplete: "street-address" }),
  placeField("location"),
  ...region,
  textField("phone", t("shopPhoneLabel"), { type: "tel", inputmode: "tel", maxlength: 64, required: true, hint: t("shopPhoneHint") }),
  zoneField("timeZone"),
  hoursField("openingHours"),
  picturesField("images", PICTURES_MAX),
];
