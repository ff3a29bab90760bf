// Form fields for shops and campaigns. Each field shows a value as the API has it, and reads it back. A refused value is marked at its
// field. An edit sends only the changed values. After a conflict, the typed values are kept.

import { ApiError, write } from "./api.js";
import { has, language, t, wallClock } from "./words.js";
import { h, icon, leaveIfSignedOut, onSubmit, sayProblem, toast, written } from "./ui.js";

/**
 * @typedef {object} Field
 * @property {string} name as the API calls it.
 * @property {string} label
 * @property {HTMLElement} node
 * @property {HTMLElement} control gets the focus where the value is refused.
 * @property {() => any} read
 * @property {(value: any) => void} show
 */

// MARK: Fields for single values

/**
 * A control with its label and hint.
 * @param {string} name
 * @param {string} label
 * @param {any} control
 * @param {string} [hint]
 * @param {...any} more
 */
export function labelled(name, label, control, hint, ...more) {
  control.id = `field-${name}`;
  const note = hint ? h("p", { class: "hint", id: `hint-${name}` }, hint) : null;
  if (note) control.setAttribute("aria-describedby", note.id);
  return h("div", { class: "field" }, h("label", { for: control.id }, label), control, ...more, note);
}

/**
 * @param {string} name
 * @param {string} label
 * @param {{hint?: string, lines?: boolean} & Record<string, any>} options
 * @returns {Field}
 */
export function textField(name, label, { hint, lines = false, ...attributes }) {
  const control = h(lines ? "textarea" : "input", { name, autocomplete: "off", ...attributes });
  return {
    name, label, control, node: labelled(name, label, control, hint),
    read: () => lines ? control.value.trim() : control.value.trim().replace(/\s+/g, " "),
    show: (value) => { control.value = value ?? ""; },
  };
}

/**
 * A field for a whole number; null if it is empty.
 * @param {string} name
 * @param {string} label
 * @param {{hint?: string} & Record<string, any>} options
 * @returns {Field}
 */
export function numberField(name, label, { hint, ...attributes }) {
  const control = h("input", { name, type: "number", inputmode: "numeric", step: 1, autocomplete: "off", ...attributes });
  return {
    name, label, control, node: labelled(name, label, control, hint),
    read: () => control.value === "" ? null : Number(control.value),
    show: (value) => { control.value = value ?? ""; },
  };
}

/**
 * A field for a moment in the shop's local time; null if it is empty.
 * @param {string} name
 * @param {string} label
 * @param {string} zone
 * @param {string} [hint]
 * @returns {Field}
 */
export function timeField(name, label, zone, hint) {
  const control = h("input", { name, type: "datetime-local" });
  // The control shows no seconds. A time that was not edited is read back with its seconds.
  let [shown, text] = [/** @type {string | null} */ (null), ""];
  return {
    name, label, control, node: labelled(name, label, control, hint),
    read: () => control.value === text ? shown : control.value ? instant(control.value, zone) : null,
    show: (value) => {
      shown = value ?? null;
      control.value = value ? wallClock(value, zone) : "";
      text = control.value;
    },
  };
}

/**
 * The moment at which the local clock shows this text.
 * @param {string} text
 * @param {string} zone
 */
export function instant(text, zone) {
  const wanted = Date.parse(`${text}Z`);
  let time = wanted;
  // Each step corrects the time by the zone's offset. The second step is needed if a clock change lies between the first two results.
  for (let step = 0; step < 2; step += 1) time += wanted - Date.parse(`${wallClock(time, zone)}Z`);
  return new Date(time).toISOString();
}

/**
 * A field for a time zone by its IANA name, with suggestions.
 * @param {string} name
 * @returns {Field}
 */
export function zoneField(name) {
  const zones = /** @type {any} */ (Intl).supportedValuesOf?.("timeZone") ?? [];
  const control = h("input", { name, autocomplete: "off", list: `${name}-list`, maxlength: 64, autocapitalize: "off", spellcheck: "false" });
  const list = h("datalist", { id: `${name}-list` }, zones.map((/** @type {string} */ each) => h("option", { value: each })));
  return {
    name, label: t("timeZoneLabel"), control, node: labelled(name, t("timeZoneLabel"), control, t("timeZoneHint"), list),
    read: () => control.value.trim(), show: (value) => { control.value = value ?? ""; },
  };
}

/**
 * A field for a place, which is typed or, with permission, read from the device.
 * @param {string} name
 * @returns {Field}
 */
export function placeField(name) {
  const control = h("input", { name, autocomplete: "off", maxlength: 60 });
  const here = navigator.geolocation ? h("button", { class: "quiet", type: "button", onclick: locate }, t("locationHere")) : null;
  const news = h("p", { class: "hint", role: "status" });
  const show = (/** @type {any} */ value) => { control.value = value ? `${value.latitude}, ${value.longitude}` : ""; };
  function locate() {
    news.textContent = t("locationSearching");
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        // Six digits are precise to a tenth of a metre.
        show({ latitude: Number(coords.latitude.toFixed(6)), longitude: Number(coords.longitude.toFixed(6)) });
        news.textContent = t("locationFound");
        control.dispatchEvent(new Event("input", { bubbles: true }));
      },
      () => { news.textContent = t("locationRefused"); },
      { enableHighAccuracy: true, timeout: 15_000 });
  }
  return {
    name, label: t("locationLabel"), control, node: labelled(name, t("locationLabel"), control, t("locationHint"), here, news), show,
    read: () => {
      const text = control.value.normalize("NFKC").trim();
      if (!text) return null;
      const found = /^(-?\d+(?:\.\d+)?)\s*[,;、\s]\s*(-?\d+(?:\.\d+)?)$/.exec(text);
      if (!found) throw new ApiError("invalidRequest", { errors: [{ pointer: `/${name}`, detail: t("locationUnreadable") }] });
      return { latitude: Number(found[1]), longitude: Number(found[2]) };
    },
  };
}

// MARK: Opening hours

const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const HOURS_MAX = 21;
const BONUSES_MAX = 21;
const FACTORS = [2, 3, 4, 5];
/** The names of the days in the page's language. 1 January 2024 was a Monday. */
const dayNames = DAYS.map((_, index) => new Intl.DateTimeFormat(language, { weekday: "short", timeZone: "UTC" }).format(Date.UTC(2024, 0, 1 + index)));

/**
 * A field for weekly hours in the shop's local time; null if the shop names none.
 * @param {string} name
 * @returns {Field}
 */
export function hoursField(name) {
  return weekField(name, {
    label: t("hoursLabel"), hint: t("hoursHint"), add: t("addHours"), none: t("hoursUnsaid"), empty: t("neverOpen"), max: HOURS_MAX,
    first: { days: DAYS.slice(0, 7), from: "09:00", to: "21:00" },
  });
}

/**
 * A field for bonus hours, in which a code is worth more, in the shop's local time; an empty list if there are none.
 * @param {string} name
 * @returns {Field}
 */
export function bonusField(name) {
  const field = weekField(name, {
    label: t("bonusLabel"), hint: t("bonusHint"), add: t("addBonus"), none: t("bonusNone"), empty: t("bonusNone"), max: BONUSES_MAX,
    first: { days: DAYS.slice(0, 5), from: "14:00", to: "17:00", factor: 2 }, more: factor,
  });
  /** @param {any} entry @param {string} id */
  function factor(entry, id) {
    const control = h("select", {}, FACTORS.map((each) => h("option", { value: each, selected: each === entry.factor }, `× ${each}`)));
    control.addEventListener("change", () => { entry.factor = Number(control.value); });
    return labelled(`${id}-factor`, t("bonusFactor"), control);
  }
  return { ...field, read: () => field.read() ?? [] };
}

/**
 * @typedef {object} Week
 * @property {string} label
 * @property {string} hint
 * @property {string} add the text of the button that adds a line.
 * @property {string} none the sentence to show if the value is null.
 * @property {string} empty the sentence to show if the value is an empty list.
 * @property {number} max the maximum number of lines.
 * @property {any} first the values of the first line. Each further line begins with the same values, but without days.
 * @property {(entry: any, id: string) => HTMLElement} [more] makes a further control for each line.
 */

/**
 * A field with lines of weekdays and times of day.
 * @param {string} name
 * @param {Week} week
 * @returns {Field}
 */
function weekField(name, week) {
  /** @type {any} */
  let entries = null;
  const rows = h("div");
  const add = h("button", { class: "button secondary", type: "button", id: `field-${name}` }, week.add);
  add.addEventListener("click", () => {
    entries = [...(entries ?? []), { ...week.first, days: entries?.length ? [] : week.first.days }].slice(0, week.max);
    draw();
    rows.querySelector("fieldset:last-of-type button")?.focus();
  });
  function draw() {
    rows.replaceChildren(...(entries ?? []).map((/** @type {any} */ each, /** @type {number} */ index) => row(each, index)));
    if (!entries?.length) rows.append(h("p", { class: "hint" }, entries ? week.empty : week.none));
  }
  /**
   * @param {any} entry
   * @param {number} index
   */
  function row(entry, index) {
    const days = DAYS.map((day, number) => h("button", {
      class: "chip", type: "button", "aria-pressed": String(entry.days.includes(day)),
      onclick: (/** @type {Event} */ event) => {
        entry.days = DAYS.filter((each) => (each === day) !== entry.days.includes(each));
        /** @type {Element} */ (event.currentTarget).setAttribute("aria-pressed", String(entry.days.includes(day)));
      },
    }, dayNames[number]));
    return h("fieldset", { class: "hours" }, h("legend", {}, t("hoursNumber", { number: index + 1 })), h("div", { class: "chips" }, days),
      h("div", { class: "pair" }, time(entry, "from", index), time(entry, "to", index)), week.more?.(entry, `${name}-${index}`) ?? null,
      h("button", { class: "quiet danger", type: "button", "aria-label": t("removeHours", { number: index + 1 }), onclick: () => remove(index) }, t("remove")));
  }
  /** @param {number} index */
  function remove(index) {
    entries = entries.filter((/** @type {any} */ _, /** @type {number} */ number) => number !== index);
    if (entries.length === 0) entries = null;
    draw();
    add.focus();
  }
  /**
   * @param {any} entry
   * @param {"from" | "to"} end
   * @param {number} index
   */
  function time(entry, end, index) {
    // The control cannot show `24:00`, the midnight at the end of a day, so it shows `00:00`.
    const control = h("input", { type: "time", value: entry[end] === "24:00" ? "00:00" : entry[end] });
    control.addEventListener("input", () => { entry[end] = end === "to" && control.value === "00:00" ? "24:00" : control.value; });
    return labelled(`${name}-${index}-${end}`, end === "from" ? t("hoursFrom") : t("hoursTo"), control);
  }
  return {
    name, label: week.label, control: add,
    node: h("div", { class: "field", role: "group", "aria-label": week.label }, h("span", { class: "label", "aria-hidden": "true" }, week.label),
      rows, h("p", { class: "hint" }, week.hint), add),
    read: () => structuredClone(entries),
    show: (value) => {
      entries = structuredClone(value ?? null);
      draw();
    },
  };
}

// MARK: Field for the shops of a campaign

/**
 * A field for the other shops at which a campaign is valid. It accepts shops with id and name, or only ids. The value that it reads is a
 * list of ids; null if no other shop is chosen.
 * @param {{id: string, name: string}} home
 * @param {{id: string, name: string}[]} others
 * @returns {Field}
 */
export function shopsField(home, others) {
  const label = t("holdsAt");
  const boxes = others.map((each) => ({ id: each.id, control: h("input", { type: "checkbox", id: `branch-${each.id}` }), name: each.name }));
  const own = h("input", { type: "checkbox", id: `branch-${home.id}`, checked: true, disabled: true });
  const line = (/** @type {string} */ id, /** @type {any} */ control, /** @type {string} */ name, /** @type {any} */ mark = null) =>
    h("li", {}, h("label", { class: "choice", for: id }, control, h("span", {}, written(name, t("unnamedShop")), mark)));
  return {
    name: "shops", label, control: boxes[0]?.control ?? own,
    node: h("fieldset", { class: "field", "aria-describedby": "hint-shops" }, h("legend", {}, label),
      h("ul", {}, line(own.id, own, home.name, [" ", h("span", { class: "badge" }, t("branchHome"))]),
        boxes.map((each) => line(each.control.id, each.control, each.name))),
      h("p", { class: "hint", id: "hint-shops" }, t("branchesHint"))),
    read: () => {
      const ticked = boxes.filter(({ control }) => control.checked).map(({ id }) => id);
      return ticked.length ? ticked : null;
    },
    show: (value) => {
      const ids = (value ?? []).map((/** @type {any} */ each) => each.id ?? each);
      for (const { id, control } of boxes) control.checked = ids.includes(id);
    },
  };
}

// MARK: Pictures

/** The largest size of a picture in bytes that the service accepts. */
const BYTES_MAX = 8 * 1_048_576;

/** @param {string} code */
const ownPicture = (code) => has(`pictureProblem${code}`) ? t(`pictureProblem${code}`) : "";

/** @param {string} id @param {number} width */
const pictureAddress = (id, width) => `/v1/images/${id}?width=${width}`;

/**
 * A picture. If it does not exist, for example because it was taken down, another element is shown in its place.
 * @param {string} id
 * @param {number} width
 * @param {Record<string, any>} attributes
 * @param {() => Element} other
 */
export function picture(id, width, attributes, other) {
  const image = h("img", attributes);
  image.addEventListener("error", () => image.replaceWith(other()), { once: true });
  image.src = pictureAddress(id, width);
  return image;
}

/**
 * @param {string} name
 * @param {number} max the maximum number of pictures. If it is 1, the value is an id or null, otherwise a list of ids.
 * @returns {Field}
 */
export function picturesField(name, max) {
  /** @type {string[]} */
  let pictures = [];
  /** The number of calls of `take` that have not ended. */
  let sending = 0;
  const list = h("ul", { class: "picture-list" });
  const news = h("p", { class: "hint", role: "status" });
  const control = h("input", { type: "file", accept: "image/jpeg,image/png,image/webp", multiple: max > 1 });
  control.addEventListener("change", async () => {
    sending += 1;
    try {
      await take();
    } finally {
      sending -= 1;
    }
  });
  const label = max > 1 ? t("picturesLabel") : t("pictureLabel");

  async function take() {
    const files = [...control.files];
    control.value = "";
    for (const [index, file] of files.slice(0, Math.max(0, max - pictures.length) || (max === 1 ? 1 : 0)).entries()) {
      news.textContent = t("pictureSending", { number: index + 1 });
      try {
        if (file.size > BYTES_MAX) throw new ApiError("tooLarge");
        const { body } = await write("picture", "POST", "/v1/images", file, { isStored: false });
        pictures = max === 1 ? [body.id] : [...pictures.filter((each) => each !== body.id), body.id];
        news.textContent = t("pictureSent");
        draw();
      } catch (error) {
        if (leaveIfSignedOut(error)) return;
        news.textContent = sayProblem(error, ownPicture);
        return;
      }
    }
    if (files.length > 0 && max > 1 && pictures.length === max) news.textContent = t("picturesFull", { count: max });
  }

  function draw() {
    list.hidden = pictures.length === 0;
    list.replaceChildren(...pictures.map((id, index) => h("li", {},
      picture(id, 320, { alt: t("pictureNumber", { number: index + 1 }), width: 112, height: 84 },
        () => h("p", { class: "hint" }, t("pictureGone", { number: index + 1 }))),
      h("div", {}, index > 0 ? button("back", t("pictureFirst", { number: index + 1 }), () => [id, ...pictures.filter((each) => each !== id)]) : null,
        button("trash", t("pictureRemove", { number: index + 1 }), () => pictures.filter((each) => each !== id))))));
  }

  /**
   * @param {string} symbol
   * @param {string} what
   * @param {() => string[]} change
   */
  function button(symbol, what, change) {
    return h("button", { class: "icon-button", type: "button", "aria-label": what, onclick: () => {
      pictures = change();
      draw();
      control.focus();
    } }, icon(symbol));
  }

  return {
    name, label, control, node: labelled(name, label, control, t("pictureHint"), list, news),
    read: () => {
      // A form that is sent now would be saved without the picture.
      if (sending > 0) throw new ApiError("invalidRequest", { errors: [{ pointer: `/${name}`, detail: t("pictureComing") }] });
      return max === 1 ? pictures[0] ?? null : [...pictures];
    },
    show: (value) => {
      pictures = value === null || value === undefined ? [] : Array.isArray(value) ? [...value] : [value];
      draw();
    },
  };
}

// MARK: Forms with several fields

/**
 * @param {Field[]} fields
 * @param {string} submit what the button says.
 * @param {() => Promise<unknown>} send
 * @param {(code: string) => string} own as for `sayProblem`.
 * @returns {HTMLFormElement}
 */
export function fieldForm(fields, submit, send, own) {
  const form = h("form", { method: "post", novalidate: true }, fields.map((each) => each.node),
    h("div", { class: "buttons" }, h("button", { class: "button", type: "submit" }, submit)));
  onSubmit(form, async () => {
    for (const each of fields) unmark(each);
    try {
      await send();
    } catch (error) {
      throw named(error, fields, form);
    }
  }, own);
  return form;
}

/** @param {Field} field */
function unmark(field) {
  field.control.removeAttribute("aria-invalid");
  field.node.querySelector(":scope > .error")?.remove();
}

/**
 * The refusal with the fields' names as the page shows them. Each refused field is marked.
 * @param {unknown} error
 * @param {Field[]} fields
 * @param {HTMLFormElement} form
 */
function named(error, fields, form) {
  const marked = (error instanceof ApiError ? error.errors : []).map(({ pointer, detail }) => {
    const field = fields.find((each) => each.name === pointer.split("/")[1]);
    if (!field) return { text: detail };
    if (field.control.getAttribute("aria-invalid") !== "true") {
      field.control.setAttribute("aria-invalid", "true");
      field.node.append(h("p", { class: "error" }, detail));
    }
    return { field, text: `${field.label}: ${detail}` };
  });
  const first = marked.find((each) => each.field)?.field;
  setTimeout(() => first ? first.control.focus() : form.scrollIntoView());
  if (!(error instanceof ApiError) || marked.length === 0) return error;
  return new ApiError("refusedFields", { status: error.status, detail: marked.map((each) => each.text).join("\n") });
}

/**
 * Asks before the page is left, by a link or in any other way, while a form has changes that were not sent.
 * @param {HTMLFormElement} form
 * @param {Field[]} fields
 * @returns {() => void} a function to call after the changes were sent.
 */
export function guardChanges(form, fields) {
  // If a field is incomplete, the text in its control is compared.
  const text = (/** @type {Field} */ each) => {
    try {
      return each.read();
    } catch {
      return `? ${/** @type {any} */ (each.control).value}`;
    }
  };
  const state = () => JSON.stringify(fields.map(text));
  let sent = state();
  addEventListener("beforeunload", (event) => {
    if (!form.isConnected || state() === sent) return;
    event.preventDefault();
    // Older browsers ask the person only if the event has a return value.
    event.returnValue = true;
  });
  return () => {
    sent = state();
  };
}

/**
 * A form that edits an existing object. If somebody else has saved it in the meantime, the values typed here are kept, all other values
 * become the saved ones, and the next attempt names the saved version.
 * @param {Field[]} fields
 * @param {import("./api.js").Answer} found
 * @param {{load: () => Promise<import("./api.js").Answer>, save: (changes: any, tag: string) => Promise<import("./api.js").Answer>,
 *   saved?: (body: any) => void, own: (code: string) => string}} edit
 */
export function editForm(fields, found, { load, save, saved, own }) {
  let tag = found.tag;
  /** @type {Map<string, string>} */
  const shown = new Map();
  const text = (/** @type {Field} */ each) => JSON.stringify(each.read());
  /** @param {Field} each @param {any} body */
  const show = (each, body) => {
    each.show(body[each.name]);
    shown.set(each.name, text(each));
  };
  for (const each of fields) show(each, found.body);
  const form = fieldForm(fields, t("save"), async () => {
    const sent = new Map(fields.map((each) => [each, text(each)]));
    /** @param {Field} each @returns {boolean} whether nobody has typed in the field since the form was sent. */
    const isAsSent = (each) => {
      try {
        return text(each) === sent.get(each);
      } catch {
        // What was typed is incomplete.
        return false;
      }
    };
    const changed = fields.filter((each) => text(each) !== shown.get(each.name));
    if (changed.length === 0) return toast(t("nothingChanged"));
    try {
      const answer = await save(Object.fromEntries(changed.map((each) => [each.name, each.read()])), tag);
      [tag, found] = [answer.tag, answer];
      for (const each of fields) {
        // What was typed before the answer came stays, and is still to be saved.
        if (isAsSent(each)) show(each, answer.body);
        else shown.delete(each.name);
      }
      if (shown.size === fields.length) isSent();
      toast(t("saved"));
      saved?.(answer.body);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "versionConflict") throw error;
      const now = await load();
      const both = changed.filter((each) => JSON.stringify(now.body[each.name] ?? null) !== JSON.stringify(found.body[each.name] ?? null));
      for (const each of fields) if (!changed.includes(each) && isAsSent(each)) show(each, now.body);
      [tag, found] = [now.tag, now];
      throw new ApiError("merged", { detail: [t("editConflict"), ...both.map((each) => t("editConflictBoth", { field: each.label }))].join(" ") });
    }
  }, own);
  const isSent = guardChanges(form, fields);
  return form;
}

/**
 * A field with one milestone on each line: its stamps, then its reward. Null if there is none.
 * @returns {Field}
 */
export function milestonesField() {
  const [name, label] = ["milestones", t("milestonesLabel")];
  const control = h("textarea", { name, autocomplete: "off", rows: 3 });
  return {
    name, label, control, node: labelled(name, label, control, t("milestonesHint")),
    read: () => {
      const lines = control.value.split("\n").map((/** @type {string} */ line) => line.trim()).filter(Boolean);
      return lines.length === 0 ? null : lines.map(readMilestone);
    },
    show: (value) => {
      control.value = (value ?? []).map((/** @type {import("./card.js").Milestone} */ each) => `${each.at} ${each.reward}`).join("\n");
    },
  };
}

/** @param {string} line @returns {import("./card.js").Milestone} */
function readMilestone(line) {
  const found = /^([0-9０-９]{1,3})[\s:：,，.、]+(.+)$/u.exec(line);
  if (!found) throw new ApiError("invalidRequest", { errors: [{ pointer: "/milestones", detail: t("milestonesUnreadable") }] });
  return { at: Number(found[1].normalize("NFKC")), reward: found[2].trim() };
}
