"""Bugs put into the scripts on their way to the browser: each must turn the story red that is there for it."""

import urllib.parse

from playwright.sync_api import Error

import pages_stories_campaign_editor as editor
import pages_stories_counter as counter
import pages_stories_demo as demo
import pages_stories_digest as digest
import pages_stories_first_time as first_time
import pages_stories_help as helping
import pages_stories_keyboard as keyboard
import pages_stories_late as late
import pages_stories_live as live
import pages_stories_lost as lost
import pages_stories_mends as mends
import pages_stories_moved_on as moved_on
import pages_stories_nasty as nasty
import pages_stories_next_customer as next_customer
import pages_stories_numbers as numbers
import pages_stories_other_tabs as other_tabs
import pages_stories_overtaken as overtaken
import pages_stories_papers as papers
import pages_stories_shop_form as shop_form
import pages_stories_shops as shops
import pages_stories_strangers as strangers
import pages_stories_wallet as wallet
from pages_people import require

# The maximum milliseconds for which a story waits for content of a page with a bug, where the content often never appears. Without a bug,
# it appears within a second or two.
BUG_WAIT_MS = 5_000

# Each bug: its effect, the script, the original text, its replacement, and the story that detects it.
MUTANTS = [
    ("a key is made anew for the same act", "api", "act ? perform(act, isPatient)", "act ? perform({ ...act, key: newKey() }, isPatient)",
     nasty.reload_in_the_middle),
    ("an act is recognised by its content", "api", "const act = { key: newKey(), name,", "const act = { key: JSON.stringify(body), name,",
     lost.a_second_cup),
    ("a repeated answer looks like the first one", "api", 'response.headers.get("Idempotency-Replayed") === "true"', "false",
     lost.lost_reward),
    ("what was kept stays after signing out", "api", "if (key.startsWith(PREFIX)) localStorage.removeItem(key);", ";", nasty.signed_out),
    ("each tab refreshes for itself", "api", "if (await isSignedIn()) return;", "", nasty.two_tabs),
    ("the device's clock is believed", "api", "return Date.now() + clockLead;", "return Date.now();", nasty.wrong_clock),
    ("a second tap counts", "ui", 'if (button.getAttribute("aria-busy") === "true") return;', "", lost.two_taps),
    ("names are read as markup", "ui", 'return h("bdi", { class: "written" }, text || fallback);',
     'const shown = h("bdi", { class: "written" }); shown.innerHTML = text || fallback; return shown;', nasty.hostile_names),
    ("the sign-in page leads anywhere", "sign-in", "return isOurs ? resolved.href : \"/wallet\";",
     "return asked;", nasty.open_redirect),
    ("a number in a link is taken anywhere", "sign-in", "(isHere && new", "(true && new", demo.a_number_in_a_link_elsewhere),
    ("a forged certificate is called right", "receipt", 'if (!isSame(root, receipt.root)) throw new ReceiptError("Path");', "",
     first_time.the_certificate_is_checked),
    ("the next code puts itself up", "counter", "  next.focus();\n  offerUndo(", "  issue();\n  offerUndo(", counter.two_screens),
    ("a stream without an event leaves a gap", "live", "if (!isResumed && !isOpen) stale();", "",
     live.a_stream_without_an_event),
    ("a first stream leaves a gap", "live", "if (!isResumed && !isOpen) stale();", "", live.a_stamp_before_the_stream_opens),
    ("a first stream leaves a gap in today's list", "today", "if (turns > 0 && shop) refresh()", "if (false) refresh()",
     live.a_giving_before_the_stream_opens),
    ("stamps by a badge are not told before the first stream opens", "badge", "onLive(landed, position);", "onLive(landed);",
     live.a_badge_before_the_stream_opens),
    ("a stamp of an earlier visit is told at the badge", "badge", "  if (event.data.position <= began) return;\n", "",
     live.an_earlier_stamp_at_the_badge),
    ("a first stream leaves a gap in the messages", "messages", "if (notices.length <= PAGE) refresh()", "if (false) refresh()",
     live.a_notice_before_the_stream_opens),
    ("the messages are read again for a reader of later pages", "messages", "if (notices.length <= PAGE) refresh()", "refresh()",
     live.a_notice_for_a_reader_of_later_pages),
    ("each of several notices reads the messages", "messages", "  clearTimeout(soon);\n", "", live.several_notices_at_once),
    ("a read after an event demands nothing", "live", "raisePosition(Number(message.lastEventId));", "", live.a_read_after_an_event),
    ("an earlier card is drawn over a later one", "wallet-card", "if (read === reads) draw(card);", "draw(card);", live.an_earlier_card),
    ("an earlier wallet is drawn over an event", "wallet", "if (changes !== before) return refresh();", "", live.an_earlier_wallet),
    ("an earlier wallet is drawn over a later one", "wallet", "if (read < drawn) return;", "", live.a_wallet_read_again),
    ("each event of a burst reads the card", "wallet-card", "  if (isFollowing) return;\n", "", live.a_burst_of_events),
    ("events of a burst are lost", "wallet-card", "while (isBehind) {", "if (isBehind) {", live.a_burst_of_events),
    ("a code that was withdrawn is said to work", "counter", "  if (putAway?.id === id && !cancelling.has(id)) {\n", "  if (false) {\n",
     live.a_withdrawn_code),
    ("the code of somebody who has left stays on the screen", "counter",
     "isNoLongerStaff(error) ? { status: \"destroyed\" } : null", "null", live.a_code_of_somebody_who_has_left),
    ("a code opens a screen that was closed", "counter", "before[0] === screen && ", "", late.a_code_for_a_closed_screen),
    ("a code that is cancelled takes the next one along", "counter", "if (putAway?.id === left.id) putAway = null;", "putAway = null;",
     late.a_code_put_away_before_another_is_cancelled),
    ("the screen says the present choice of another code", "counter", "worth: order.stamps * times", "worth: stamps * times",
     late.a_code_for_an_earlier_choice),
    ("the next code takes the place of a success", "counter", " && before[1] === shown;", ";", late.a_code_that_replaces_a_used_one),
    ("an answer about paper says the present choice", "counter", "body.paper ? wanted", "body.paper ? stamps",
     late.typed_before_the_answer),
    ("what was typed for the next customer is emptied", "counter", "if (form.elements[name].value === sent.get(name)) form.reset();",
     "form.reset();", late.typed_before_the_answer),
    ("the number for the next customer becomes one", "counter", "if (stamps === wanted) choose(1);", "choose(1);",
     late.typed_before_the_answer),
    ("a form can be sent again while the next page comes", "ui", "return new Promise(() => {});", "return Promise.resolve();",
     late.tapped_again_before_the_next_page),
    ("who has taken a paper is led away from it", "paper-link", "works.items.length > 0 && !isPressed()", "",
     late.a_paper_taken_before_the_answer),
    ("a link of a shifted map is taken as it is", "place-fields", "if (SHIFTED.test(url.hostname)) return { isShifted: true };", "",
     shop_form.a_place_from_a_link),
    ("a paper that cannot be taken is offered again", "paper-link", "isFinal ? null : again", "again", papers.refused_papers),
    ("the number of stamps stays for the next customer", "counter", "  choose(1);\n  drawPutAway();", "  drawPutAway();",
     next_customer.the_number_of_stamps),
    ("a refused Undo is told behind the screen", "counter", "if (!where.closest(\"dialog[open]\")) return", "return",
     next_customer.undone_on_the_screen),
    ("stamps that were taken back are called given", "counter", "if (success?.isConnected) {", "if (false) {",
     next_customer.undone_on_the_screen),
    ("the last customer stays on the counter", "counter", "else if (line.isConnected) fill(where);", "else line.remove();",
     next_customer.what_was_said_of_the_last_one),
    ("of two cards that got stamps one is named", "counter", "each.code === code && each.card).reverse();",
     "each.code === code && each.card).slice(0, 1);",
     next_customer.onto_two_cards),
    ("a refused reward leads nowhere", "verify", "    place.append(h(", "    void (h(", next_customer.after_a_refused_reward),
    ("the focus is lost with the button of a refused reward", "verify", "    place.querySelector(\"button\").focus();\n", "",
     next_customer.after_a_refused_reward),
    ("a late redemption replaces the next customer's code", "verify", "    if (isLeft()) return toast(`", "    if (false) return toast(`",
     next_customer.answered_after_the_next_code),
    ("a late Undo takes the next customer's code away", "verify", "if (place.firstChild === shown) clear();", "clear();",
     next_customer.answered_after_the_next_code),
    ("a problem that is over is told still", "verify", "  fill(place);\n  scans(true);\n  input", "  scans(true);\n  input",
     next_customer.a_shop_that_was_lost_at_first),
    ("a code goes when the shops come", "verify", "    if (!chosen) {", "    fill(place);\n    if (!chosen) {",
     next_customer.a_code_before_the_shops),
    ("a taken paper card is called a badge", "counter", "paper ? t(\"givenPaper\") : ", "", papers.stamped_at_the_counter),
    ("a refused number takes the Undo before it away", "counter", "  keepUndo();", "  fill(byId(\"given\"));",
     next_customer.undone_after_a_mistyped_number),
    ("what is said of stamps is above the screen", "counter", "byId(\"given\").scrollIntoView({ block: \"nearest\" });", "",
     next_customer.given_from_the_end_of_the_page),
    ("a scan without a campaign is thrown away", "counter", "  offerOpened();\n  byId", "  byId", next_customer.scanned_before_the_choice),
    ("a code for a reward is taken for a badge", "counter", "if (reward !== code.trim()) return", "if (false) return",
     next_customer.a_reward_scanned_for_a_badge),
    ("the focus is lost with the next customer's button", "counter", "if (isFocusLost) lead.focus();", "", counter.two_screens),
    ("stamps are drawn as rewards", "today", "if (choice() !== asked || turn < drawn) return;", "",
     late.stamps_after_rewards_were_chosen),
    ("an erasure without an answer is called a sign-out elsewhere", "me", "    if (isSent &&", "    if (false &&",
     first_time.an_erasure_whose_answer_was_lost),
    ("a proven erasure without an answer is called a sign-out elsewhere", "me", " || wasProofSent", "",
     digest.a_proven_erasure_whose_answer_was_lost),
    ("a wrong code of an erasure is not told", "me-proof", "  }, own);\n", "  }, () => \"\");\n", digest.an_erasure_needs_a_code),
    ("a proposed welcome stamp is not filled in", "shop-campaign", "if (welcome) start?.show(", "if (false) start?.show(",
     digest.a_welcome_stamp),
    ("the what-if question forgets the welcome stamp", "shop-campaign", "if (welcome) query", "if (false) query", digest.a_welcome_stamp),
    ("an erasure that may not have arrived is called done", "me", "  let isSure = false;", "  let isSure = true;",
     first_time.an_erasure_that_never_arrived),
    ("the question does not say which giving it is about", "today", "takeBack(each, which)", "takeBack(each, what)",
     counter.today_tells_givings_apart),
    ("a place that is not told leaves the form waiting", "place-fields", "() => { news.textContent = t(\"locationRefused\"); },",
     "() => {},", first_time.a_shop_without_a_place),
    ("a device in use is said to have been seen when it signed in", "me", "< SEEN_EVERY ?", "< 0 ?", strangers.a_device_in_use),
    ("the verdict on a receipt is below the screen", "proof", "verdict?.scrollIntoView({ block: \"nearest\" });", "undefined;",
     strangers.a_verdict_below_the_screen),
    ("a receipt of stamps does not say that they may be taken back", "proof", "found.type === \"stamp\" ? [t(\"receiptLater\")] : []", "[]",
     strangers.stamps_that_were_taken_back),
    ("a receipt of three stamps is of one", "receipt", "  return payload[1];", "  return 1;", strangers.stamps_that_were_taken_back),
    ("the reader is a stranger among the people of a shop", "shop-staff", "isMe = each.account === account()?.id", "isMe = false",
     strangers.people_of_a_shop),
    ("a colleague has no name in today's list", "today", "each.nickname || t(\"personNamed\"", "t(\"personNamed\"",
     strangers.people_of_a_shop),
    ("the whole number of a customer stays for the next one", "counter", "if (receiver) receiver.textContent = receiver.dataset.later;", "",
     counter.by_number),
    ("the question about a reward is that about stamps", "today", "kind !== \"stamps\" ? t(\"undo",
     "kind === \"stamps\" ? t(\"undo", strangers.a_reward_of_an_erased_account),
    ("stamps onto two cards are told of the last one alone", "counter", "const count = cards.length - 1;", "const count = 0;",
     next_customer.more_stamps_than_a_card_holds),
    ("who has tapped before signing in is asked to tap again", "collect", "isRunning ? t(\"collectRuns\") :", "",
     strangers.collecting_goes_on_after_signing_in),
    ("an offer that may reach nobody is told with a tick", "shop-staff", "kind: \"info\"", "kind: \"good\"",
     first_time.an_offer_to_somebody_unknown),
    ("who accepts work has no counter in the bar", "shops", "    showWork();", "", strangers.accepted_and_at_work),
    ("what is typed beside an offer goes with it", "shop-staff", "form ??= inviteForm", "form = inviteForm",
     strangers.typed_beside_an_offer),
    ("an accepted offer stays open", "shop-staff", "document.addEventListener(\"visibilitychange\", look);", "",
     strangers.typed_beside_an_offer),
    ("the next code is for more stamps than its button says", "counter", "count: factor(chosen(), now())", "count: 1",
     first_time.bonus_hours_at_the_counter),
    ("a number is not understood as it is written at the shop", "counter", "phoneFields(data.get(\"phone\"), region)",
     "phoneFields(data.get(\"phone\"), \"\")", strangers.a_number_as_it_is_written_at_the_shop),
    ("a password that is set is said not to be needed", "me", "isSet ? t(\"passwordIsSet\") :", "",
     first_time.a_password_that_is_not_there),
    ("another code can be requested while the seconds are counted", "sign-in", "    button.removeAttribute(\"aria-busy\");",
     "    button.removeAttribute(\"aria-busy\");\n    button.removeAttribute(\"aria-disabled\");", strangers.a_second_code),
    ("a missing number is not told before a password", "sign-in", "  message.hidden = read.phone !== \"\";", "",
     strangers.a_password_without_a_number),
    ("the preview calls a reward without a name Reward", "shop-campaign", "t(\"rewardUnnamed\")", "t(\"rewardField\")", shops.opening_day),
    ("bonus hours seem to count where all is as it was", "what-if", "= !(Number(factor.value) > 1);", "= false;", numbers.what_if),
    ("a question that is gone is waited for", "what-if", "error.status === 404", "false", numbers.what_if_that_is_gone),
    ("a certificate is left without a question", "me", "    addEventListener(\"beforeunload\", stay);", "",
     strangers.an_unsaved_certificate),
    ("a new shop is left without a question", "shops", "  const isSent = guardChanges(form, fields);", "  const isSent = () => null;",
     shops.changes_that_were_not_saved),
    ("a campaign that is chosen is forgotten at the other shops", "counter", "{ ...load(\"campaigns\"), [shop.id]", "{ [shop.id]",
     counter.the_campaign_is_chosen),
    ("the reward of the customer before is told to the next one", "counter",
     "querySelectorAll(\"[data-once]\")) each.remove();", "querySelectorAll(\"[data-never]\")) each.remove();",
     next_customer.undone_after_a_mistyped_number),
    ("an older list of today is drawn over a newer one", "today", " || turn < drawn", "", overtaken.an_earlier_list_of_today),
    ("names that were lost are not asked for again", "today", "  if (!found) return false;\n  named = id;",
     "  named = id;\n  if (!found) return false;", overtaken.names_that_come_late),
    ("the focus is lost when today's list is drawn again", "today", "  if (!focused) return;", "  return;",
     overtaken.names_that_come_late),
    ("later pages of today have no names", "today", "learnNames(items)]", "learnNames(least ? [] : items)]",
     overtaken.names_that_come_late),
    ("today waits for the names", "today", "  draw(items, next);\n", "  await learnNames(items);\n  draw(items, next);\n",
     overtaken.names_that_come_late),
    ("the campaign of a shop is shown at another", "counter", "    if (turn !== starts) return;\n", "",
     overtaken.a_shop_that_comes_late_at_the_counter),
    ("the shop that was chosen before gives stamps", "counter", "  controls.hidden = true;\n", "",
     overtaken.a_shop_that_comes_late_at_the_counter),
    ("the focus is lost when a shop is chosen", "workplace", "if (isFocused) select.focus();", "", keyboard.a_choice_of_shops),
    ("more of today's list goes away with the next stamp", "today", "items.length < least", "false", overtaken.more_of_todays_list),
    ("a longer list of today is read in small pages", "today", "least > 0 ? PAGE_MAX : PAGE", "PAGE", overtaken.more_of_todays_list),
    ("a page of today's list that was lost is not told", "today",
     "refresh().catch(tell);", "refresh().catch(() => null);", overtaken.more_of_todays_list),
    ("what was taken back seems to be refused if the list is lost", "today", "refresh().catch((error) => showLoss(error, turn));",
     "refresh().catch(tell);", overtaken.taken_back_before_the_list_is_lost),
    ("the focus is lost with the button for more", "today", " ?? each?.textContent", "", overtaken.more_of_todays_list),
    ("the focus is lost with the last page of today's list", "today", "rows[lastKnown + 1] ?? rows.at(-1)", "null",
     overtaken.the_last_of_todays_list),
    ("the focus on an entry of today's list is lost", "today", "getAttribute(\"data-entry\") ??", "textContent ??",
     overtaken.the_last_of_todays_list),
    ("today is the day of a shop that is not chosen any more", "today", "  if (shop?.id !== id) return;\n", "",
     overtaken.a_shop_that_comes_late_in_today),
    ("the error of a shop that is not chosen any more is told", "today", " && turn === starts", "",
     overtaken.a_shop_that_comes_late_in_today),
    ("the error of a list that is not chosen any more is told", "today", " && turn === starts", "",
     overtaken.a_list_that_is_lost_after_another_was_chosen),
    ("the list of a shop is read before its day is known", "today", "if (turn === starts) await refresh();", "await refresh();",
     overtaken.a_shop_that_comes_late_in_today),
    ("the focus is lost when an offer is answered", "shops", "  focusHeading();\n", "", keyboard.an_offer_of_work),
    ("a message that was sent seems to be refused", "shop-messages", "    showProblem(place, error, () => list(place, shop), own);",
     "    throw error;", helping.written_before_the_list_is_lost),
    ("the effect of a campaign is shown that is not chosen", "shop-numbers", "      if (choice.value !== wanted) return;\n", "",
     numbers.a_campaign_that_is_no_longer_chosen),
    ("the focus is lost with Undo", "counter", "if (isFocusLost) note.focus();", "", keyboard.undone_at_the_counter),
    ("a form's own save is called somebody else's change", "fields", "[tag, found] = [answer.tag, answer];", "tag = answer.tag;",
     shops.edit_conflict),
    ("what is typed during a save is lost", "fields", "if (isAsSent(each)) show(each, answer.body);", "if (true) show(each, answer.body);",
     late.typed_while_a_shop_is_saved),
    ("a form is sent without the picture that is being sent", "fields", "const isGood = await sending;", "const isGood = true;",
     late.sent_before_its_picture),
    ("a password is for a number that was refused", "sign-in", "  const read =",
     "  if (phone) return show(passwordForm);\n  const read =", strangers.a_password_without_a_number),
    ("the page of the people interrupts typing", "shop-staff", "visit < visits || isUsed()", "visit < visits",
     overtaken.an_earlier_list_of_the_people),
    ("an earlier list of the people is drawn over an offer", "shop-staff", "visit < visits || isUsed()", "isUsed()",
     overtaken.an_earlier_list_of_the_people),
    ("an offer is told beside the refusal of the next one", "shop-staff", "    dismiss();\n    const { body }", "    const { body }",
     overtaken.an_earlier_list_of_the_people),
    ("an owner alone is said to be a code", "shop-staff", "each.nickname || each.account === account()?.id", "each.nickname",
     overtaken.an_earlier_list_of_the_people),
    ("a number at a shop elsewhere is taken for one in China", "counter", "region = found.region;", "region = \"CN\";",
     strangers.a_number_as_it_is_written_at_the_shop),
    ("dates have the form of a language that the page is not in", "words", "test(own) ? own : \"en-GB\"", "test(own) ? own : own",
     strangers.a_device_in_use),
    ("the next code is for another number than its button says", "counter", "    next.textContent = sayNext();", "",
     next_customer.after_the_bonus_hours),
    ("a second shop's page forgets whom the offers of the first one went to", "shop-staff", "`offered ${shopID}`", "\"offered here\"",
     strangers.offers_of_two_shops),
    ("the digits of an earlier version stay in the browser", "shop-staff", "save(\"offered\", null);", "", strangers.offers_of_two_shops),
    ("the cards of one list are drawn as those of the other", "wallet", "      if (shows !== wanted) return;\n    } while", "    } while",
     wallet.the_answer_for_the_other_list),
    ("a card whose names come late takes the place of another", "wallet",
     "  const [card] = await withNames([{ shops: known?.shops, ...data.card }]);\n"
     "  if (shows !== \"current\") return;\n"
     "\n"
     "  const index = cards.findIndex((each) => each.id === card.id);\n",
     "  const index = cards.findIndex((each) => each.id === data.card.id);\n"
     "  const [card] = await withNames([{ shops: known?.shops, ...data.card }]);\n"
     "  if (shows !== \"current\") return;\n", wallet.an_event_whose_names_come_late),
    ("a card that has come to the front is listed again", "wallet", "!cards.some((each) => each.id === id)", "true",
     wallet.a_card_of_a_later_page_gets_a_stamp),
    ("the page after an earlier end is added to a list that was read again", "wallet", "if (next !== after) continue;", "",
     wallet.more_of_a_list_that_was_read_again),
    ("a list that was read again loses the pages that were added", "wallet", "least = cards.length + 1;", "",
     wallet.more_while_the_list_is_read_again),
    ("the next page of one list is offered below the other", "wallet", "[cards, next, least] = [kept?.cards ?? [], null, 0];",
     "[cards, least] = [kept?.cards ?? [], 0];", wallet.the_end_of_the_other_list),
    ("a notice leaves a message out of the next page", "messages", "      if (next !== after) continue;\n", "",
     moved_on.a_notice_before_the_next_page),
    ("a notice takes the next page of messages away", "messages", " || notices.length > PAGE", "", moved_on.the_next_page_before_a_notice),
    ("the facts of an earlier receipt are below a later verdict", "proof", "  if (!isCurrent()) return;\n  list([", "  list([",
     moved_on.facts_of_an_earlier_receipt),
    ("a favourite that was removed comes back", "me-lists", "current.removed.add(each.id);", "current.removed = new Set([each.id]);",
     moved_on.favourites_removed_at_once),
    ("a removal draws a list of favourites that was read again since", "me-lists", "const current = latest.get(place) ?? shown;",
     "const current = shown;", moved_on.favourites_read_again_during_a_removal),
    ("a favourite that was removed is back with a list that was on its way", "me-lists", "current.removed.add(each.id);",
     "current.items = current.items.filter((other) => other.id !== each.id);", moved_on.a_favourite_removed_while_the_list_is_read),
    ("a list of favourites that is awaited seems to be empty", "me-lists", "if (current.isRead) draw(", "draw(",
     moved_on.a_favourite_removed_while_the_list_is_read),
    ("an earlier list of favourites is drawn over a later one", "me-lists", "    if (latest.get(place) !== shown) return;\n", "",
     moved_on.an_earlier_list_of_favourites),
    ("the error of an earlier list of favourites is told", "me-lists", "if (latest.get(place) === shown) showProblem(", "showProblem(",
     moved_on.an_earlier_list_of_favourites),
    ("the next page of an earlier list of favourites is drawn", "me-lists", " || latest.get(place) !== shown", "",
     moved_on.an_earlier_list_of_favourites),
    ("a shop that was muted again seems to be heard", "me-lists",
     "      if (kind.returns && current !== shown) return showList(kind.name, place);\n", "", moved_on.muted_again_before_the_answer),
    ("the answer about a code opens its form after somebody went back", "sign-in", "  if (typed !== asked) return false;\n", "",
     moved_on.back_before_the_code),
    ("a page stays when its person signs out in another tab", "ui", "if (account()) onAccountChange(() => accountChanged());", "",
     other_tabs.signed_out_in_another_tab),
    ("typed text keeps a page after its person has signed out", "ui",
     "  if (isOthers || isKept) event.stopImmediatePropagation();\n", "",
     other_tabs.typed_before_a_sign_out),
    ("a certificate goes away when another person signs in", "api", "!isPurged && ", "", other_tabs.a_certificate_beside_another_person),
    ("the stream of the person before goes on", "live", "if (account()?.id !== owner) interrupt();", "",
     other_tabs.another_person_during_a_slow_reload),
    ("a tab of the person before opens streams for the next one", "live", "const isOwners = () => account()?.id === owner;",
     "const isOwners = () => true;", other_tabs.another_person_during_a_slow_reload),
    ("a saved table marks the reader", "shop-numbers", "csv(each)));\n", "csv({ ...each, rows: each.rows.map((row, at) => "
     "at === each.readersRow ? [t(\"personIsYou\", { name: row[0] }), ...row.slice(1)] : row) })));\n", numbers.numbers),
    ("bonus hours are told only after stamps were given", "counter", "const text = campaign() ? sayBonus(chosen(), stamps, now()) : \"\";",
     "const text = \"\";", mends.bonus_by_number),
    ("an error stays out of sight", "ui", "message.scrollIntoView({ block: \"nearest\" });", "", mends.an_error_is_seen),
    ("who stops asking waits for the request under way", "api", "waits.get(key)?.stopped ?? sent", "sent", mends.stop_asking),
    ("stamps over two cards are told one card after the other", "wallet", "(landed.at === data.at ? landed.count : 0)", "0",
     mends.stamps_over_two_cards),
    ("another language empties a form", "fields", "  onLeaveKept(keep);\n", "", mends.another_language),
    ("a draft is not filled in", "fields", "if (!kept) return settle;", "return settle;", editor.a_draft_after_the_session),
    ("a draft of last month stays in the browser", "fields", "now() - at <= DRAFT_MAX", "true", editor.a_draft_of_last_month),
    ("a refused field stays folded away", "fields", "field?.node.closest(\"details\")?.setAttribute(\"open\", \"\");", "field;",
     editor.refused_in_the_fold),
]


def changing(stage, old, new, found):
    """Answers for a script with the bug in it; notes how often its place was there."""
    def answer(route):
        # The file is fetched from the server's usual address, even if the page used another host name.
        text = route.fetch(url=stage.url + urllib.parse.urlsplit(route.request.url).path).text()
        found.append(text.count(old))
        route.fulfill(body=text.replace(old, new), content_type="text/javascript; charset=utf-8")
    return answer


def with_bug(plain, script, answer):
    """A stage's `context` whose pages get the script with the bug."""
    def context(**kind):
        made = plain(**kind)
        made.set_default_timeout(BUG_WAIT_MS)
        made.route(lambda address: f"/assets/{script}." in address, answer)
        return made
    return context


def noticed(what, script, old, new, story):
    """A story that seeds one bug, which another story must notice."""
    def check(stage):
        plain, found, survived = stage.context, [], False
        stage.context = with_bug(plain, script, changing(stage, old, new, found))
        try:
            story(stage)
            survived = True
        except (AssertionError, Error):
            pass
        finally:
            stage.context = plain
            stage.abandon()
        # With several places, a story that notices one of them would hide that nothing notices the others. A name such as "words" stands
        # for several scripts, of which only one has the place.
        require(max(found, default=0) == 1, f"the place of a bug is not there exactly once: {what}")
        require(not survived, f"nobody has noticed: {what}")
    check.__name__ = f"seeded bug: {what}"
    return check


STORIES = [noticed(*mutant) for mutant in MUTANTS]
