// The page of a badge that was opened with a phone's camera. Staff continue at the counter, with the badge filled in; for everybody else,
// the page says that a badge belongs at the counter. In the counter's address the code is behind the `#`, so that no server on the way logs
// it again.

import { account, get } from "./api.js";
import { byId } from "./ui.js";

const place = `/counter#${location.pathname.split("/")[2]}`;
byId("badge-staff").href = place;
if (account()) {
  get("/v1/me/shops").then(({ items }) => {
    if (items.length > 0) location.replace(place);
  }, () => null);
}
