// A picture, found by its id or address, which can be viewed and taken down.

import { t } from "./words.js";
import { actionButton, byId, confirm, fill, h, onSubmit, toast } from "./ui.js";
import { attempt, change, enter, idIn, logAddress, ownProblem } from "./operate.js";

const place = byId("found");
const search = byId("search");

onSubmit(search, async (data) => {
  const id = idIn(String(data.get("picture") ?? ""), "img");
  fill(place);
  if (!id) return say(t("operateNoPictureID"));
  const image = h("img", { class: "shot", src: `/v1/images/${id}`, alt: t("operatePictureShown"), width: "384", height: "288" });
  image.addEventListener("error", () => say(t("operateNoPicture")));
  const act = actionButton(t("operateTakeDown"), () => takeDown(id), { class: "button danger" });
  fill(place, image, h("p", { class: "small muted" }, id), h("p", { class: "buttons" }, act, h("a", { class: "button secondary", href: logAddress(id) }, t("operateItsEvents"))));
}, ownProblem);

/** @param {string} text */
function say(text) {
  fill(place, h("p", { class: "note warn", role: "status" }, text));
}

/** @param {string} id */
async function takeDown(id) {
  const isSure = await confirm({ title: t("operateTakeDownTitle"), text: t("operateTakeDownText"), yes: t("operateTakeDown"), isDanger: true });
  if (!isSure) return;
  await attempt(async () => {
    await change("DELETE", `/v1/images/${id}`);
    say(t("operateTakenDown"));
    toast(t("operateTakenDown"));
  });
}

enter(() => {
  const asked = idIn(new URLSearchParams(location.search).get("picture") ?? "", "img");
  if (!asked) return byId("picture").focus();
  search.elements.picture.value = asked;
  search.requestSubmit();
});
