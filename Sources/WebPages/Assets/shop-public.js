// A shop's page is complete without this: it adds the button that shares it and, for those who are signed in, what is theirs.

import { account } from "./api.js";
import "./share.js";

if (account()) import("./shop-own.js");
if (document.querySelector("#map")) import("./places.js");
