// The button that shows a page's places on a map. The map's script and pictures are loaded only after the reader has pressed the button.

import { t } from "./words.js";

const holder = document.querySelector("#map");
const button = document.querySelector("#show-map");
const why = document.querySelector("#map-why");

/** @param {string | undefined} text `LATITUDE,LONGITUDE` */
function place(text) {
  const [latitude, longitude] = (text ?? "").split(",").map(Number);
  return text && Number.isFinite(latitude) && Number.isFinite(longitude) ? { latitude, longitude } : null;
}

if (holder instanceof HTMLElement && button instanceof HTMLButtonElement && why) {
  holder.classList.remove("waiting");
  const [buttons, by] = [button.parentElement, holder.querySelector("#map-by")];
  button.addEventListener("click", async () => {
    // An empty box is shown at once. On a slow connection, the map may arrive much later, and must not move the page's content then.
    const room = document.createElement("div");
    room.className = "map-box coming";
    room.tabIndex = -1;
    room.textContent = t("mapComing");
    holder.prepend(room);
    room.focus({ preventScroll: true });
    buttons?.toggleAttribute("hidden", true);
    by?.toggleAttribute("hidden", false);
    why.textContent = "";
    const listed = [...document.querySelectorAll("a[data-place]")].map((each) => each instanceof HTMLAnchorElement
      ? { at: place(each.dataset.place), name: each.dataset.name ?? "", href: each.href } : { at: null, name: "", href: "" });
    const center = place(holder.dataset.center);
    // A shop's page has one place and no list of other places.
    const places = listed.length > 0 ? listed : [{ at: center, name: holder.dataset.name ?? "", href: "" }];
    try {
      const { showMap } = await import("./map.js");
      await showMap({ tiles: holder.dataset.tiles ?? "", places: places.filter((each) => each.at !== null), you: listed.length > 0 ? center : null }, room);
      room.classList.remove("coming");
    } catch {
      room.remove();
      buttons?.toggleAttribute("hidden", false);
      by?.toggleAttribute("hidden", true);
      button.focus({ preventScroll: true });
      why.textContent = t("mapLost");
    }
  });
}
