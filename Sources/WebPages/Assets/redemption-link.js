// The page that a phone's camera opens for a scanned redemption code. Staff continue on the page where the counter checks such codes. For
// everybody else, the page says that the code must be shown at the counter.

import { account, get } from "./api.js";

const code = location.pathname.split("/")[2];
if (account()) {
  get("/v1/me/shops").then(({ items }) => {
    if (items.length > 0) location.replace(`/counter/verify#${encodeURIComponent(code)}`);
  }, () => null);
}
