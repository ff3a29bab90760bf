// A redemption code that somebody's camera has opened: it belongs at the counter. Staff go on there; for anybody else the page says so.

import { account, get } from "./api.js";

const code = location.pathname.split("/")[2];
if (account()) {
  get("/v1/me/shops").then(({ items }) => {
    if (items.length > 0) location.replace(`/counter/verify#${encodeURIComponent(code)}`);
  }, () => null);
}
