// Adds the button that shares the page of a campaign or a shop. Both pages are complete without it.

import { t } from "./words.js";

const button = document.querySelector("#share");
const why = document.querySelector("#share-why");

if (button instanceof HTMLButtonElement && why) {
  const address = document.querySelector('link[rel="canonical"]')?.getAttribute("href") ?? location.href;
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      if ("share" in navigator) await navigator.share({ title: document.title, url: address });
      else {
        await /** @type {Navigator} */ (navigator).clipboard.writeText(address);
        why.textContent = t("shared");
      }
    } catch (error) {
      // If the reader closes the phone's share sheet, the browser throws an `AbortError`, which is not a failure.
      if (!(error instanceof DOMException && error.name === "AbortError")) why.textContent = t("shareFailed");
    }
  });
}
