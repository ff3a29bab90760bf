// Adds to a shop's page the button that shares it and, for signed-in readers, their own data. The page is complete without this script.

import { account } from "./api.js";
import "./share.js";

if (account()) import("./shop-own.js");
if (document.querySelector("#map")) import("./places.js");
