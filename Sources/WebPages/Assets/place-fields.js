// Fields for where a shop is: its place on the map, its time zone by a city, and the country in which its phone number is read.

import { ApiError } from "./api.js";
import { labelled } from "./fields.js";
import { language, t } from "./words.js";
import { byId, h, icon, regionName } from "./ui.js";

/** @typedef {import("./fields.js").Field} Field */

// MARK: Time zone

/** The browser's own time zone. */
const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/**
 * A zone by its city, such as `Buenos Aires (America, Argentina)`.
 * @param {string} zone
 */
function cityOf(zone) {
  const parts = zone.replaceAll("_", " ").split("/");
  const city = parts.pop() ?? zone;
  return parts.length ? `${city} (${parts.join(", ")})` : city;
}

/**
 * A field for a time zone, chosen by a city, the browser's own first. Its hint tells the time there.
 * @param {string} name
 * @returns {Field}
 */
export function zoneField(name) {
  const own = ownZone();
  // Browsers of before 2022 list no zones, so the name is typed.
  const zones = /** @type {string[]} */ (/** @type {any} */ (Intl).supportedValuesOf?.("timeZone") ?? []);
  const sorted = [own, ...zones.filter((each) => each !== own).sort((one, other) => cityOf(one).localeCompare(cityOf(other), "en"))];
  const option = (/** @type {string} */ zone) => h("option", { value: zone }, zone === own ? t("timeZoneOwn", { city: cityOf(zone) }) : cityOf(zone));
  const control = zones.length ? h("select", { name }, sorted.map(option)) : h("input", { name, autocomplete: "off", maxlength: 64, autocapitalize: "off", spellcheck: "false" });
  const node = labelled(name, t("timeZoneLabel"), control, t("timeZoneHint"));
  const hint = node.querySelector(".hint");
  const say = () => { hint.textContent = `${t("timeZoneHint")} ${timeIn(control.value)}`; };
  control.addEventListener("input", say);
  return {
    name, label: t("timeZoneLabel"), control, node,
    read: () => control.value.trim(),
    show: (value) => {
      // The shop's zone may have a name that this browser does not list.
      if (zones.length && value && !sorted.includes(value)) {
        sorted.push(value);
        control.append(option(value));
      }
      control.value = value ?? own;
      say();
    },
  };
}

/**
 * The sentence with the time and the zone's name now; empty for a name that is no zone.
 * @param {string} timeZone
 */
function timeIn(timeZone) {
  try {
    return t("timeZoneNow", { time: new Intl.DateTimeFormat(language, { timeZone, hour: "2-digit", minute: "2-digit", timeZoneName: "long" }).format() });
  } catch {
    return "";
  }
}

// MARK: Country

/**
 * A field for the country in which a number is read that does not begin with +. The page has the list of countries.
 * @param {string} name
 * @returns {Field}
 */
export function regionField(name) {
  const regions = (byId("shops").dataset.regions ?? "").split(" ").filter(Boolean).map((/** @type {string} */ each) => ({ each, text: regionName(each) }));
  regions.sort((/** @type {any} */ one, /** @type {any} */ other) => one.text.localeCompare(other.text, language));
  const control = h("select", { name, autocomplete: "country" }, h("option", { value: "" }, t("regionNone")),
    regions.map((/** @type {any} */ { each, text }) => h("option", { value: each }, text)));
  const spoken = navigator.languages.map((each) => new Intl.Locale(each).region).find(Boolean);
  return {
    name, label: t("regionLabel"), control, node: labelled(name, t("regionLabel"), control),
    read: () => control.value,
    show: (value) => {
      control.value = value ?? spoken ?? "";
      if (control.selectedIndex < 0) control.value = "";
    },
  };
}

// MARK: Place

/**
 * A field for a place: the device's own, a point of the map if the page has one, or what was typed: a link to a map, or two numbers.
 * @param {string} name
 * @returns {Field}
 */
export function placeField(name) {
  const control = h("input", { name, autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: 2_000 });
  const here = navigator.geolocation ? h("button", { class: "button secondary", type: "button", onclick: locate }, icon("pin"), t("locationHere")) : null;
  const news = h("p", { class: "hint", role: "status" });
  const room = h("div");
  const tiles = byId("map-tiles");
  const onMap = tiles ? h("button", { class: "button secondary", type: "button", onclick: choose }, icon("compass"), t("locationOnMap")) : null;
  const show = (/** @type {any} */ value) => { control.value = value ? `${value.latitude}, ${value.longitude}` : ""; };
  /** @param {{latitude: number, longitude: number}} place @param {string} text */
  function take({ latitude, longitude }, text) {
    // Six digits are precise to a tenth of a metre.
    show({ latitude: Number(latitude.toFixed(6)), longitude: Number(longitude.toFixed(6)) });
    news.textContent = text;
    control.dispatchEvent(new Event("input", { bubbles: true }));
  }
  function locate() {
    news.textContent = t("locationSearching");
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => take(coords, t("locationFound")), () => { news.textContent = t("locationRefused"); },
      { enableHighAccuracy: true, timeout: 15_000 });
  }
  async function choose() {
    onMap.hidden = true;
    room.className = "map-box coming";
    room.textContent = t("mapComing");
    try {
      const { pickOnMap } = await import("./map.js");
      const found = placeIn(control.value);
      await pickOnMap(tiles.dataset.tiles, "latitude" in found ? found : null, (place) => take(place, t("locationPicked")), room);
      room.after(h("p", { class: "hint" }, t("locationPickHow"), " ", t("mapBy"), " ", tiles.dataset.by));
      room.classList.remove("coming");
    } catch {
      room.className = "";
      room.replaceChildren();
      onMap.hidden = false;
      news.textContent = t("mapLost");
    }
  }
  // A link is replaced by the numbers in it at once, so that its owner sees that it was understood.
  control.addEventListener("input", () => {
    if (!/^(https?|geo):/i.test(control.value.trim())) return;
    const found = placeIn(control.value);
    if ("latitude" in found) take(found, t("locationFromLink"));
    else news.textContent = found.isShifted ? t("locationShifted") : t("locationNoLink");
  });
  const node = labelled(name, t("locationLabel"), control, t("locationHint"), news, room);
  // The buttons come first, because most people need not type anything.
  control.before(h("div", { class: "buttons" }, here, onMap));
  return {
    name, label: t("locationLabel"), control, show, node,
    read: () => {
      if (!control.value.trim()) return null;
      const found = placeIn(control.value);
      if ("latitude" in found) return found;
      throw new ApiError("invalidRequest", { errors: [{ pointer: `/${name}`, detail: found.isShifted ? t("locationShifted") : t("locationUnreadable") }] });
    },
  };
}

// MARK: A place in a typed text: two numbers, or a link to a map

const NUMBER = "(-?\\d{1,3}(?:\\.\\d+)?)";
const PAIR = new RegExp(`^${NUMBER}\\s*[,;、\\s]\\s*${NUMBER}$`);
/** The forms of a place in links: Google's pin, Google's view, OpenStreetMap's view, and the address of a phone's own map. */
const FORMS = [`!3d${NUMBER}!4d${NUMBER}`, `/@${NUMBER},${NUMBER}`, `#map=\\d+(?:\\.\\d+)?/${NUMBER}/${NUMBER}`, `^geo:${NUMBER},${NUMBER}`].map((each) => new RegExp(each));
/** The names under which links have a place. */
const NAMES = ["ll", "q", "query", "coordinate", "destination", "daddr", "center", "sll"];
/** Maps whose numbers are shifted by some hundred metres, as the maps of mainland China are. */
const SHIFTED = /(^|\.)(amap\.com|gaode\.com|map\.qq\.com|map\.baidu\.com|google\.cn)$/;

/** @param {string | undefined} latitude @param {string | undefined} longitude */
function place(latitude, longitude) {
  const [north, east] = [Number(latitude), Number(longitude)];
  return Math.abs(north) <= 90 && Math.abs(east) <= 180 ? { latitude: north, longitude: east } : null;
}

/**
 * @param {string} text
 * @returns {{latitude: number, longitude: number} | {isShifted: boolean}} without a place, whether it is a link to a map with other numbers.
 */
function placeIn(text) {
  const plain = text.normalize("NFKC").trim();
  const pair = PAIR.exec(plain);
  if (pair) return place(pair[1], pair[2]) ?? { isShifted: false };
  /** @type {URL} */
  let url;
  try {
    url = new URL(plain);
  } catch {
    return { isShifted: false };
  }
  if (SHIFTED.test(url.hostname)) return { isShifted: true };
  const [north, east] = [url.searchParams.get("mlat"), url.searchParams.get("mlon")];
  const pin = FORMS[0].exec(plain);
  const named = NAMES.map((each) => PAIR.exec(url.searchParams.get(each) ?? "")).find(Boolean);
  const found = pin ?? (north && east ? ["", north, east] : null) ?? named ?? FORMS.map((each) => each.exec(plain)).find(Boolean);
  return (found ? place(found[1], found[2]) : null) ?? { isShifted: false };
}
