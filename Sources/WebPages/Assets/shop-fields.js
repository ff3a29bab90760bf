// What a shop says of itself: the same fields for one that opens and for one that is edited.

import { ApiError } from "./api.js";
import { hoursField, picturesField, placeField, textField, zoneField } from "./fields.js";
import { t } from "./words.js";

/** Pictures of one shop. */
const PICTURES_MAX = 9;

/**
 * Refuses a shop without a place, in words that the form's reader knows.
 * @param {Record<string, any>} values
 */
export function requirePlace(values) {
  if (values.location === null) throw new ApiError("invalidRequest", { errors: [{ pointer: "/location", detail: t("locationMissing") }] });
}

export const shopFields = () => [
  textField("name", t("shopNameLabel"), { maxlength: 100, required: true }),
  textField("phone", t("shopPhoneLabel"), { type: "tel", inputmode: "tel", maxlength: 32, required: true, hint: t("shopPhoneHint") }),
  textField("address", t("addressLabel"), { maxlength: 200, required: true, autocomplete: "street-address" }),
  placeField("location"),
  zoneField("timeZone"),
  hoursField("openingHours"),
  picturesField("images", PICTURES_MAX),
];
