// The button that shows a page's places on a map. Nothing of the map is loaded before somebody wants to see it.

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
  button.addEventListener("click", async () => {
    button.setAttribute("aria-busy", "true");
    const listed = [...document.querySelectorAll("a[data-place]")].map((each) => each instanceof HTMLAnchorElement
      ? { at: place(each.dataset.place), name: each.dataset.name ?? "", href: each.href } : { at: null, name: "", href: "" });
    const center = place(holder.dataset.center);
    // A shop's page has one place and no list of others.
    const places = listed.length > 0 ? listed : [{ at: center, name: holder.dataset.name ?? "", href: "" }];
    try {
      const { showMap } = await import("./map.js");
      await showMap({ tiles: holder.dataset.tiles ?? "", places: places.filter((each) => each.at !== null), you: listed.length > 0 ? center : null }, (map) => {
        holder.prepend(map);
        button.remove();
        why.textContent = "";
        holder.querySelector("#map-by")?.removeAttribute("hidden");
      });
    } catch {
      button.removeAttribute("aria-busy");
      why.textContent = t("mapLost");
    }
  });
}
