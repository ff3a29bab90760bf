// The page of a redemption code that was opened with a phone's camera. Staff continue at the counter; for everybody else, the page says
// that the code belongs there.

import { account, get } from "./api.js";

const code = location.pathname.split("/")[2];
if (account()) {
  get("/v1/me/shops").then(({ items }) => {
    if (items.length > 0) location.replace(`/counter/verify#${encodeURIComponent(code)}`);
  }, () => null);
}
