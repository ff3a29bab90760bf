// The button that shares the page of a campaign or a shop, both of which are complete without it.

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
      // Whoever closes the phone's own sheet did not fail.
      if (!(error instanceof DOMException && error.name === "AbortError")) why.textContent = t("shareFailed");
    }
  });
}
