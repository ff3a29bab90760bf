// A badge that somebody's camera has opened: it belongs at the counter. Staff go on there, with the badge filled in; for anybody else the
// page says so. The code stands behind the sign, so that no server on the way notes it once more.

import { account, get } from "./api.js";
import { byId } from "./ui.js";

const place = `/counter#${location.pathname.split("/")[2]}`;
byId("badge-staff").href = place;
if (account()) {
  get("/v1/me/shops").then(({ items }) => {
    if (items.length > 0) location.replace(place);
  }, () => null);
}
