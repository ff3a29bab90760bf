// The fields of a shop's data, the same for opening and for editing a shop.

import { ApiError } from "./api.js";
import { hoursField, picturesField, placeField, textField, zoneField } from "./fields.js";
import { t } from "./words.js";

/** The maximum number of pictures of a shop. */
const PICTURES_MAX = 9;

/**
 * Refuses a shop without a place, with an error that the form can show.
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
