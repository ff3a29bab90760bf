// Form fields for shops and campaigns. Each field shows a value as the API has it, and reads it back. A refused value is marked at its
// field. An edit sends only the changed values. After a conflict, the typed values are kept.

import { account, ApiError, load, now, save as store, write } from "./api.js";
import { has, language, listed, moment, t, wallClock } from "./words.js";
import { h, icon, leaveIfSignedOut, onLeaveKept, onSubmit, sayProblem, tint, toast, written } from "./ui.js";

/**
 * @typedef {object} Field
 * @property {string} name as the API calls it.
 * @property {string} label
 * @property {HTMLElement} node
 * @property {HTMLElement} control gets the focus where the value is refused.
 * @property {() => any} read
 * @property {(value: any) => void} show
 * @property {() => Promise<void>} [settle] waits for what is on its way; a form calls it before it reads the fields.
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
    first: { days: DAYS.slice(0, 7), from: "09:00", to: "21:00" }, ends: { from: t("hoursFrom"), to: t("hoursTo") },
    say: (entry) => isOvernight(entry) ? t("hoursSay", { from: entry.from, to: sayEnd(entry) }) : "",
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
    first: { days: DAYS.slice(0, 5), from: "14:00", to: "17:00", factor: 2 }, ends: { from: t("bonusFrom"), to: t("bonusUntil") }, more: factor,
    say: (entry) => t("bonusSays", { days: sayDays(entry.days), from: entry.from, to: sayEnd(entry), factor: entry.factor }),
  });
  /** @param {any} entry @param {string} id @param {() => void} changed */
  function factor(entry, id, changed) {
    const control = h("select", {}, FACTORS.map((each) => h("option", { value: each, selected: each === entry.factor }, `× ${each}`)));
    control.addEventListener("change", () => {
      entry.factor = Number(control.value);
      changed();
    });
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
 * @property {{from: string, to: string}} ends the labels of the times.
 * @property {(entry: any) => string} say what a line means, in a sentence; empty if its times say it.
 * @property {(entry: any, id: string, changed: () => void) => HTMLElement} [more] makes a further control for each line.
 */

/** @param {string[]} days */
const sayDays = (days) => listed(DAYS.flatMap((each, number) => days.includes(each) ? [dayNames[number]] : [])) || t("bonusNoDay");
/** @param {any} entry with hours that may end on the day after they begin. */
const isOvernight = ({ from, to }) => Boolean(from && to) && to <= from;
/** @param {any} entry */
const sayEnd = (entry) => isOvernight(entry) ? t("onNextDay", { time: entry.to }) : entry.to;

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
        changed();
      },
    }, dayNames[number]));
    const says = h("p", { class: "hint", role: "status" }, week.say(entry));
    const changed = () => { says.textContent = week.say(entry); };
    return h("fieldset", { class: "hours" }, h("legend", {}, t("hoursNumber", { number: index + 1 })), h("div", { class: "chips" }, days),
      h("div", { class: "pair" }, time(entry, "from", index, changed), time(entry, "to", index, changed)),
      week.more?.(entry, `${name}-${index}`, changed) ?? null, says,
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
   * @param {() => void} changed
   */
  function time(entry, end, index, changed) {
    // The control cannot show `24:00`, the midnight at the end of a day, so it shows `00:00`.
    const control = h("input", { type: "time", value: entry[end] === "24:00" ? "00:00" : entry[end] });
    control.addEventListener("input", () => {
      entry[end] = end === "to" && control.value === "00:00" ? "24:00" : control.value;
      changed();
    });
    return labelled(`${name}-${index}-${end}`, week.ends[end], control);
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
 * @param {{label: string, alt: string, remove: string}} [words] of the only picture; by default, the words for pictures.
 * @returns {Field}
 */
export function picturesField(name, max, words) {
  /** @type {string[]} */
  let pictures = [];
  /** The call of `take` whose result no form has waited for; it gives whether all pictures arrived. */
  let sending = Promise.resolve(true);
  const list = h("ul", { class: "picture-list" });
  const news = h("p", { class: "hint", role: "status" });
  const control = h("input", { type: "file", accept: "image/jpeg,image/png,image/webp", multiple: max > 1 });
  control.addEventListener("change", () => { sending = Promise.all([sending, take()]).then((all) => all.every(Boolean)); });
  const label = words?.label ?? (max > 1 ? t("picturesLabel") : t("pictureLabel"));

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
        if (!leaveIfSignedOut(error)) news.textContent = sayProblem(error, ownPicture);
        return false;
      }
    }
    if (files.length > 0 && max > 1 && pictures.length === max) news.textContent = t("picturesFull", { count: max });
    return true;
  }

  function draw() {
    list.hidden = pictures.length === 0;
    list.replaceChildren(...pictures.map((id, index) => h("li", {},
      picture(id, 320, { alt: words?.alt ?? t("pictureNumber", { number: index + 1 }), width: 112, height: 84 },
        () => h("p", { class: "hint" }, t("pictureGone", { number: index + 1 }))),
      h("div", {}, index > 0 ? button("back", t("pictureFirst", { number: index + 1 }), () => [id, ...pictures.filter((each) => each !== id)]) : null,
        button("trash", words?.remove ?? t("pictureRemove", { number: index + 1 }), () => pictures.filter((each) => each !== id))))));
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
    settle: async () => {
      const isGood = await sending;
      sending = Promise.resolve(true);
      if (!isGood) throw new ApiError("invalidRequest", { errors: [{ pointer: `/${name}`, detail: t("pictureLost") }] });
    },
    read: () => max === 1 ? pictures[0] ?? null : [...pictures],
    show: (value) => {
      pictures = value === null || value === undefined ? [] : Array.isArray(value) ? [...value] : [value];
      draw();
    },
  };
}

/**
 * A field for a shop's color: one of twelve, or null. Each is shown as cards show it, with its name.
 * @param {string} name
 * @returns {Field}
 */
export function colorField(name) {
  const choices = ["", ...COLORS].map((color) => ({ color, control: h("input", { type: "radio", name, value: color, id: `field-${name}-${color || "none"}` }) }));
  return {
    name, label: t("colorLabel"), control: choices[0].control,
    node: h("fieldset", { class: "field", "aria-describedby": `hint-${name}` }, h("legend", {}, t("colorLabel")),
      h("div", { class: "swatches" }, choices.map(({ color, control }) => h("label", { class: "choice", for: control.id }, control,
        h("span", { class: `swatch${tint({ color })}`, "aria-hidden": "true" }), color ? sayColor(color) : t("colorNone")))),
      h("p", { class: "hint", id: `hint-${name}` }, t("colorHint"))),
    read: () => choices.find(({ control }) => control.checked)?.color || null,
    show: (value) => {
      for (const { color, control } of choices) control.checked = color === (value ?? "");
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
      for (const each of fields) await each.settle?.();
      await send();
    } catch (error) {
      throw named(error, fields);
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
 */
function named(error, fields) {
  const marked = (error instanceof ApiError ? error.errors : []).map(({ pointer, detail }) => {
    const field = fields.find((each) => each.name === pointer.split("/")[1]);
    if (!field) return { text: detail };
    if (field.control.getAttribute("aria-invalid") !== "true") {
      field.control.setAttribute("aria-invalid", "true");
      field.node.append(h("p", { class: "error" }, detail));
    }
    return { field, text: `${field.label}: ${detail}` };
  });
  for (const { field } of marked) field?.node.closest("details")?.setAttribute("open", "");
  const first = marked.find((each) => each.field)?.field;
  setTimeout(() => {
    first?.node.scrollIntoView({ block: "center" });
    first?.control.focus({ preventScroll: true });
  });
  if (!(error instanceof ApiError) || marked.length === 0) return error;
  return new ApiError("refusedFields", { status: error.status, detail: marked.map((each) => each.text).join("\n") });
}

/** Milliseconds for which a draft is kept. */
const DRAFT_MAX = 30 * 24 * 3_600_000;

/** @typedef {{at: number, values: Record<string, any>, over?: Record<string, string>}} Draft `over`: the texts of the values typed over. */

/**
 * The drafts of this browser that are not too old.
 * @returns {Record<string, Draft>}
 */
function drafts() {
  const all = Object.entries(load("drafts") ?? {});
  const kept = all.filter(([, { at }]) => now() - at <= DRAFT_MAX);
  if (kept.length < all.length) store("drafts", kept.length ? Object.fromEntries(kept) : null);
  return Object.fromEntries(kept);
}

/** @param {Field} field @returns {string} its value; if it is incomplete, its control's text behind a mark that no value begins with. */
function textOf(field) {
  try {
    return JSON.stringify(field.read());
  } catch {
    return `? ${/** @type {any} */ (field.control).value}`;
  }
}

/**
 * Asks before the page is left, by a link or in any other way, while a form has changes that were not sent. Over a choice of another
 * language and the end of the session, they are kept for the same person.
 * @param {HTMLFormElement} form
 * @param {Field[]} fields
 * @param {boolean} [isLasting] whether what is typed is kept as a draft until it is sent, however the page is left.
 * @param {Map<Field, string>} [stored] for an edit: the text of each value as the service has it, kept up to date by the form.
 * @returns {() => void} a function to call after the changes were sent.
 */
export function guardChanges(form, fields, isLasting = false, stored) {
  const before = stored ?? new Map(fields.map((each) => [each, textOf(each)]));
  const settle = draftOf(form, fields, { isLasting, before, isEdit: Boolean(stored) });
  addEventListener("beforeunload", (event) => {
    if (!form.isConnected || fields.every((each) => textOf(each) === before.get(each))) return;
    event.preventDefault();
    // Older browsers ask the person only if the event has a return value.
    event.returnValue = true;
  });
  return () => {
    if (!stored) for (const each of fields) before.set(each, textOf(each));
    settle();
  };
}

/**
 * Fills in the draft of this page's form, and keeps another one when the page is left on purpose or, if it is lasting, after each change.
 * If somebody else has saved one of its fields since, nothing is filled in until the person chooses.
 * @param {HTMLFormElement} form
 * @param {Field[]} fields
 * @param {{isLasting: boolean, isEdit: boolean, before: Map<Field, string>}} options `before`: the texts that need no draft.
 * @returns {() => void} a function to call after the changes were sent.
 */
function draftOf(form, fields, { isLasting, isEdit, before }) {
  form.dataset.draft = "";
  const name = `${location.pathname} ${new URLSearchParams(location.search).get("id") ?? ""}`;
  const kept = drafts()[name];
  /** @type {Draft | null} the draft about which the person has not chosen yet. */
  let open = null;
  /** @param {Draft | null} draft null forgets it. */
  const put = (draft) => {
    const { [name]: _, ...rest } = drafts();
    const all = draft ? { ...rest, [name]: draft } : rest;
    store("drafts", Object.keys(all).length ? all : null);
  };
  const keep = () => {
    // Without an account and a digest of the last one, the draft could reach somebody else.
    if (!form.isConnected || (!account() && load("ended") === null)) return;
    const [values, over] = [{ ...open?.values }, { ...open?.over }];
    for (const each of fields) {
      if (textOf(each) === before.get(each) || textOf(each).startsWith("?")) continue;
      [values[each.name], over[each.name]] = [each.read(), before.get(each) ?? ""];
    }
    put(Object.keys(values).length ? { at: open?.at ?? now(), values, over } : null);
  };
  const settle = () => isLasting ? keep() : put(open);
  /** @param {string} text @param {[string, () => void][]} choices */
  const ask = (text, choices) => {
    const note = h("div", { class: "note", role: "status" }, icon("info"), h("p", {}, text), h("div", { class: "buttons" },
      choices.map(([label, choose]) => h("button", { class: "quiet", type: "button", onclick: () => {
        open = null;
        choose();
        note.remove();
        settle();
        for (const name of ["discarded", "input"]) form.dispatchEvent(new Event(name));
      } }, label))));
    form.prepend(note);
  };
  onLeaveKept(keep);
  if (isLasting) for (const type of ["input", "change", "click"]) form.addEventListener(type, () => setTimeout(keep));
  if (!kept) return settle;
  const typed = fields.filter((each) => each.name in kept.values);
  const lay = () => { for (const each of typed) each.show(kept.values[each.name]); };
  const isOvertaken = (/** @type {Field} */ each) =>
    ![kept.over?.[each.name], JSON.stringify(kept.values[each.name])].includes(before.get(each));
  const overtaken = isEdit ? typed.filter(isOvertaken) : [];
  if (overtaken.length) {
    open = kept;
    ask(t("draftOvertaken", { time: moment(kept.at), fields: listed(overtaken.map((each) => each.label)) }),
      [[t("draftStored"), () => {}], [t("draftTyped"), lay]]);
    return settle;
  }
  lay();
  const undo = () => { for (const each of fields) each.show(JSON.parse(before.get(each) ?? "null")); };
  if (isLasting) ask(t("draftKept", { time: moment(kept.at) }), [[t("draftDiscard"), undo]]);
  else settle();
  return settle;
}

/**
 * A form that edits an existing object. If somebody else has saved it in the meantime, the values typed here are kept, all other values
 * become the saved ones, and the next attempt names the saved version.
 * @param {Field[]} fields
 * @param {import("./api.js").Answer} found
 * @param {{load: () => Promise<import("./api.js").Answer>, save: (changes: any, tag: string) => Promise<import("./api.js").Answer>,
 *   saved?: (body: any) => void, own: (code: string) => string, isLasting?: boolean}} edit `isLasting` as for `guardChanges`.
 */
export function editForm(fields, found, { load: again, save, saved, own, isLasting = false }) {
  let tag = found.tag;
  /** @type {Map<Field, string>} the texts of the values as the service has them. */
  const shown = new Map();
  const text = (/** @type {Field} */ each) => JSON.stringify(each.read());
  /** @param {Field} each @param {any} body */
  const show = (each, body) => {
    each.show(body[each.name]);
    shown.set(each, text(each));
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
    const changed = fields.filter((each) => text(each) !== shown.get(each));
    if (changed.length === 0) return toast(t("nothingChanged"));
    try {
      const answer = await save(Object.fromEntries(changed.map((each) => [each.name, each.read()])), tag);
      [tag, found] = [answer.tag, answer];
      for (const each of fields) {
        // What was typed before the answer came stays, and is still to be saved.
        if (isAsSent(each)) show(each, answer.body);
        else shown.set(each, sent.get(each) ?? "");
      }
      isSent();
      toast(t("saved"));
      saved?.(answer.body);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "versionConflict") throw error;
      const saves = await again();
      const both = changed.filter((each) => JSON.stringify(saves.body[each.name] ?? null) !== JSON.stringify(found.body[each.name] ?? null));
      for (const each of fields) if (!changed.includes(each) && isAsSent(each)) show(each, saves.body);
      [tag, found] = [saves.tag, saves];
      throw new ApiError("merged", { detail: [t("editConflict"), ...both.map((each) => t("editConflictBoth", { field: each.label }))].join(" ") });
    }
  }, own);
  const isSent = guardChanges(form, fields, isLasting, shown);
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

// MARK: Colors

/** The colors, in the order in which they are offered. */
const COLORS = ["red", "orange", "amber", "olive", "green", "teal", "cyan", "blue", "indigo", "violet", "pink", "brown"];

/** @param {string} color */
function sayColor(color) {
  const word = `color${color.charAt(0).toUpperCase()}${color.slice(1)}`;
  return has(word) ? t(word) : color;
}
