// The page that the service worker shows in place of one that needs a connection. It opens the wanted page once the service answers.

import { onReached, send } from "./api.js";
import "./ui.js";

/** Milliseconds between two attempts to reach the service. */
const LOOK = 4_000;

// At its own address, there is no other page to open.
if (location.pathname !== "/offline") {
  onReached((isReached) => { if (isReached) location.reload(); });
  const look = () => send("GET", "/v1/me").catch(() => null);
  addEventListener("online", look);
  setInterval(look, LOOK);
  document.querySelector("#again")?.setAttribute("href", location.href);
}
