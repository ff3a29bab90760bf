// Shows the home page's button that searches for places near the reader. The page is complete without this script.

import { t } from "./words.js";

const button = document.querySelector("#near");
const why = document.querySelector("#near-why");

if (button instanceof HTMLButtonElement && why && "geolocation" in navigator) {
  button.hidden = false;
  button.addEventListener("click", () => {
    button.setAttribute("aria-busy", "true");
    why.textContent = t("nearWaiting");
    navigator.geolocation.getCurrentPosition(({ coords }) => {
      const address = new URL(location.href);
      // The place is rounded to about a hundred metres, because a search needs no more, and the service should not learn the exact place.
      address.searchParams.set("near", `${coords.latitude.toFixed(3)},${coords.longitude.toFixed(3)}`);
      address.searchParams.delete("cursor");
      address.searchParams.delete("sort");
      location.assign(address);
    }, () => {
      button.removeAttribute("aria-busy");
      why.textContent = t("nearDenied");
    }, { timeout: 15_000, maximumAge: 300_000 });
  });
}

if (document.querySelector("#map")) import("./places.js");
