// What a shop says of itself: the same fields for one that opens and for one that is edited.

import { hoursField, picturesField, placeField, textField, zoneField } from "./fields.js";
import { t } from "./words.js";

/** Pictures of one shop. */
const PICTURES_MAX = 9;

export const shopFields = () => [
  textField("name", t("shopNameLabel"), { maxlength: 100, required: true }),
  textField("phone", t("shopPhoneLabel"), { type: "tel", inputmode: "tel", maxlength: 32, required: true, hint: t("shopPhoneHint") }),
  textField("address", t("addressLabel"), { maxlength: 200, required: true, autocomplete: "street-address" }),
  placeField("location"),
  zoneField("timeZone"),
  hoursField("openingHours"),
  picturesField("images", PICTURES_MAX),
];
