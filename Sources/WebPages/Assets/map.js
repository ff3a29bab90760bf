// A map with the places of a page, drawn by Leaflet. Leaflet's own controls are not used, because they put text into the page as HTML,
// which the pages' policy forbids.

// @ts-ignore: the build adds this file
import * as L from "./leaflet.js";
import { h, icon } from "./ui.js";
import { t } from "./words.js";

const STYLE = "asset:leaflet.css";
const ZOOM_MAX = 19;
/** The zoom level for a single place, and the closest one for several places: a few streets are visible. */
const ZOOM_ALONE = 16;
/** The farthest zoom level at which a point is chosen: a few streets are visible. */
const ZOOM_CHOICE = 14;

/**
 * @typedef {{latitude: number, longitude: number}} Place
 * @typedef {object} MapContent
 * @property {string} tiles the address of a tile, with `{z}`, `{x}` and `{y}`.
 * @property {{at: Place | null, name: string, href: string}[]} places
 * @property {Place | null} you
 */

/**
 * Shows a map on the page.
 * @param {MapContent} content
 * @param {HTMLElement} room the element for the map. It already has the map's size, so that nothing on the page moves when the map appears.
 */
export async function showMap({ tiles, places, you }, room) {
  await style();
  const map = frame(tiles, room);
  const points = places.map(({ at }) => [at?.latitude, at?.longitude]);
  if (you) points.push([you.latitude, you.longitude]);
  if (points.length === 1) map.setView(points[0], ZOOM_ALONE);
  else map.fitBounds(L.latLngBounds(points).pad(0.1), { maxZoom: ZOOM_ALONE, animate: false });
  for (const { at, name, href } of places) pin([at?.latitude, at?.longitude], name, href);
  if (you) mark([you.latitude, you.longitude], h("span", { class: "you", role: "img", "aria-label": t("mapYou") }));

  /**
   * @param {(number | undefined)[]} point
   * @param {string} name
   * @param {string} href
   */
  function pin(point, name, href) {
    mark(point, h(href ? "a" : "span", href ? { class: "pin", href, "aria-label": name } : { class: "pin", role: "img", "aria-label": name }, icon("pin")));
  }

  /**
   * @param {(number | undefined)[]} point
   * @param {HTMLElement} html
   */
  function mark(point, html) {
    // The marker itself cannot be clicked; the link inside it can.
    L.marker(point, { icon: L.divIcon({ html, className: "", iconSize: [44, 44], iconAnchor: [22, 42] }), keyboard: false, interactive: false }).addTo(map);
  }
}

/**
 * A map without a place yet, with its buttons.
 * @param {string} tiles
 * @param {HTMLElement} room
 */
function frame(tiles, room) {
  const area = h("div", { class: "map", role: "region", "aria-label": t("mapLabel") });
  const nearer = h("button", { class: "icon-button", type: "button", "aria-label": t("mapIn"), onclick: () => map.zoomIn() }, icon("plus"));
  const farther = h("button", { class: "icon-button", type: "button", "aria-label": t("mapOut"), onclick: () => map.zoomOut() }, icon("minus"));
  room.replaceChildren(area, h("div", { class: "map-zoom" }, nearer, farther));
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  // Scroll-wheel zoom is off, because the wheel scrolls the page.
  const map = L.map(area, {
    zoomControl: false, attributionControl: false, scrollWheelZoom: false, maxZoom: ZOOM_MAX, zoomAnimation: !still, fadeAnimation: !still,
    markerZoomAnimation: !still, inertia: !still,
  });
  const layer = L.tileLayer(tiles, { maxZoom: ZOOM_MAX });
  const create = layer.createTile;
  layer.createTile = (/** @type {any} */ ...more) => {
    // Tile servers require the name of the requesting site, but need not know the page.
    const tile = create.apply(layer, more);
    tile.referrerPolicy = "origin";
    return tile;
  };
  layer.addTo(map);
  return map;
}

/**
 * Shows a map that is moved below a pin. Once a few streets fill it, each move chooses the point below the pin.
 * @param {string} tiles as in `MapContent`.
 * @param {Place | null} at
 * @param {(place: Place) => void} choose
 * @param {HTMLElement} room
 */
export async function pickOnMap(tiles, at, choose, room) {
  await style();
  const map = frame(tiles, room);
  map.setView(at ? [at.latitude, at.longitude] : [25, 10], at ? ZOOM_ALONE : 2);
  room.append(h("div", { class: "pick", "aria-hidden": "true" }, icon("pin")));
  map.on("click", (/** @type {any} */ { latlng }) => map.panTo(latlng));
  map.on("moveend", () => {
    const { lat, lng } = map.getCenter().wrap();
    if (map.getZoom() >= ZOOM_CHOICE) choose({ latitude: lat, longitude: lng });
  });
}

/** Adds Leaflet's style sheet, once. */
function style() {
  if (document.querySelector(`link[href="${STYLE}"]`)) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const link = h("link", { rel: "stylesheet", href: STYLE });
    link.addEventListener("load", () => resolve(undefined));
    link.addEventListener("error", reject);
    // Leaflet's style sheet is added before ours, so that our rules take precedence.
    document.head.prepend(link);
  });
}
