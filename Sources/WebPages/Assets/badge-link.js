// The page that opens when somebody scans a customer's badge with a phone's own camera. It leads staff of a shop to the counter page, with
// the badge filled in. It tells everybody else that staff scan badges at the counter. In the counter page's address, the badge's code is
// behind the `#`. Browsers do not send that part, so no server on the way logs the code a second time.

import { account, get } from "./api.js";
import { byId } from "./ui.js";

const place = `/counter#${location.pathname.split("/")[2]}`;
byId("badge-staff").href = place;
if (account()) {
  get("/v1/me/shops").then(({ items }) => {
    if (items.length > 0) location.replace(place);
  }, () => null);
}
