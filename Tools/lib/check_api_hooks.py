"""Hooks of `Tools/check-api` for schemathesis: they give each request a sender, and ids and codes that exist.

schemathesis loads this file, and environment variables configure it. Requests that are meant to be invalid are left unchanged.
"""

import itertools
import os
import random
import re
import struct
import sys
import unicodedata
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import schemathesis  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from schemathesis.core.parameters import ParameterLocation  # noqa: E402

import check_api_world  # noqa: E402

WORLD = check_api_world.World(os.environ["GREENTEA_CHECK_URL"], os.environ["GREENTEA_CHECK_OPERATOR"])
CHANCE = random.Random(int(os.environ["GREENTEA_CHECK_SEED"]))
# The share of the valid requests whose ids are replaced by ids of existing objects.
EXISTING = 0.8
# The share of requests that come from an account with the right to send them. The others come from the owner of another shop.
RIGHTFUL = 0.9

# Operations that end the session or the account, or that the same account cannot repeat as often as it likes. Each request for such an
# operation comes from a new account.
ONCE = {"signOut", "signOutEverywhere", "eraseMe", "openShop", "setPassword"}

# The status that the service shows for an object after its deletion, by route.
STAYS = {"/v1/codes/{id}": "destroyed", "/v1/cards/{id}": "discarded"}

# The fields of bodies with a format of the standard, which schemathesis can judge.
TIMES = {"birthday", "startsAt", "endsAt", "redeemUntil", "publishAt"}


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def picture(width, height):
    rows = (b"\x00" + b"\x20\x80\x40" * width) * height
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


# The smallest picture.
PIXEL = picture(1, 1)
# Pictures that were never sent before. They are needed because the service does not accept a picture again that an operator took down. Each
# has a different size.
fresh_pictures = (picture(number % 100 + 1, number // 100 + 1) for number in itertools.count(1))
# The one uploaded picture whose id the generated requests use. It is in a list so that it can be replaced.
looked_at = [PIXEL]

# Letters that show nothing are no texts by themselves, and letters that are stored as two may make a text too long.
INVISIBLE = "\u115f\u1160\u3164\uffa0\u2800\ufffc\ufffd\U0001d159"
LETTERS = st.characters(categories=("Lu", "Ll", "Lo", "Nd", "So"), exclude_characters=INVISIBLE).filter(
    lambda letter: unicodedata.is_normalized("NFC", letter))
# Generators of texts in the formats that only this project defines. They do not cover all valid texts, but try different lengths and
# scripts.
schemathesis.openapi.format("phone", st.sampled_from(["+8613800138000", "+44 (0)20 7946 0958", "＋81 90-1234-5678", "(+1) 303 555 1234"]))
schemathesis.openapi.format("region", st.sampled_from(["CN", "GB", "us", "JP"]))
schemathesis.openapi.format("line", st.text(LETTERS, min_size=1, max_size=60))
schemathesis.openapi.format("lines", st.text(LETTERS | st.sampled_from("\n\t "), min_size=1, max_size=60).map(lambda text: "a" + text))


@schemathesis.auth(cache_by_key=lambda case, context: case.id)
class Roles:
    """Marks the request as signed in. The account is chosen later, when the ids in the request are known."""

    def get(self, case, context):
        return WORLD.customer.token

    def set(self, case, data, context):
        case.headers = case.headers or {}
        case.headers["Authorization"] = f"Bearer {data}"


def is_good(case, location):
    return case.meta is None or not case.meta.is_negative_at(location)


def in_scenario(case):
    return case.meta is not None and case.meta.phase.name.value == "stateful"


@schemathesis.hook
def before_call(context, case, kwargs):
    raw = case.operation.definition.raw
    name = raw.get("operationId", "")
    try:
        dress(case, name)
    except check_api_world.Unexpected:
        # An earlier request has ended the campaign or closed the shop, which is no fault. This request is prepared again with the ids of a
        # new shop, where the preparation must succeed.
        WORLD.move()
        dress(case, name)
    headers = case.headers or {}
    if str(headers.get("Authorization", "")).startswith("Bearer ey"):
        case.headers["Authorization"] = "Bearer " + whose(case, name, raw["x-who"].split(",")).token


def dress(case, name):
    """Gives a request that is meant to be valid the ids and values that it must name."""
    if is_good(case, ParameterLocation.PATH) and not in_scenario(case) and CHANCE.random() < EXISTING:
        name_existing(case, name)
    if is_good(case, ParameterLocation.BODY):
        if name == "uploadImage":
            case.body = PIXEL
        elif isinstance(case.body, dict):
            case.body = body(case, name)
    calm(case, name)


def name_existing(case, name):
    """Replaces ids in the path by ids of existing objects."""
    parameters = case.path_parameters or {}
    if "position" in parameters:
        parameters["position"] = WORLD.position
    if "account" in parameters:
        parameters["account"] = WORLD.person().account if name == "inviteStaff" else WORLD.customer.account
    if "shop" in parameters:
        parameters["shop"] = WORLD.shop
    if "invitation" in parameters:
        parameters["invitation"] = WORLD.offer()
    if "path" in parameters:
        parameters["path"] = "0/000"
    if "id" not in parameters:
        return
    existing = {
        "camp": lambda: WORLD.campaign if name != "endCampaign" else WORLD.publish(WORLD.owner, WORLD.shop),
        "shop": lambda: WORLD.shop, "card": lambda: card(name), "code": lambda: code(name),
        "rdm": lambda: redemption(name),
        "rev": lambda: WORLD.new_review() if name == "removeReview" else WORLD.review, "ntc": lambda: WORLD.notice(),
        "inv": lambda: WORLD.offer(), "img": lambda: image(name)}
    prefix = str(parameters["id"]).split("_")[0]
    if prefix in existing:
        parameters["id"] = existing[prefix]()


def image(name):
    if name == "takeDownImage":
        # A new account sends the picture, because an account may send only a limited number.
        return WORLD.image(next(fresh_pictures), WORLD.person())
    try:
        return WORLD.image(looked_at[0], WORLD.customer)
    except check_api_world.Unexpected:
        # An earlier generated request may have taken this picture down, with an id from an answer. Another picture replaces it.
        looked_at[0] = next(fresh_pictures)
        return WORLD.image(looked_at[0], WORLD.customer)


def card(name):
    if name in ("requestRedemption", "discardCard"):
        return WORLD.full_card()
    return CHANCE.choice([lambda: WORLD.card, WORLD.full_card, WORLD.discarded_card])() if name == "getCard" else WORLD.card


def code(name):
    return CHANCE.choice([WORLD.open_code, WORLD.used_code, WORLD.destroyed_code])() if name == "getCode" else WORLD.open_code()


def redemption(name):
    if name == "reverseRedemption":
        return WORLD.redeemed()
    return CHANCE.choice([lambda: WORLD.new_redemption()[0], WORLD.redeemed, WORLD.replaced])()


def body(case, name):
    """The body with values that have a meaning: an issued code, a possible time."""
    made = dict(case.body)
    for field in ("startsAt", "endsAt"):
        if field in made or name == "publishCampaign":
            made[field] = WORLD.running()[field == "endsAt"]
    # The schema does not express that a picture must have been uploaded before, or that a birthday must not be in the future.
    for field in ("image", "images", "avatar", "logo"):
        if made.get(field):
            del made[field]
    if made.get("birthday"):
        made["birthday"] = "1998-05-20"
    if name == "requestRedemption" and made.get("milestone"):
        made["milestone"] = check_api_world.MILESTONE
    if name == "adjustCard":
        made["stamps"] = CHANCE.choice([-1, 1])
    if name == "setPassword":
        made.pop("current", None)
    if name == "postNotice":
        made["audience"] = "all"
    if in_scenario(case) or CHANCE.random() >= EXISTING:
        return made
    if name == "enterStampCode":
        made = {"code": WORLD.new_code()[1]}
    elif name in ("redeem", "previewRedemption"):
        made["code"] = WORLD.new_redemption()[1]
    elif name == "refreshSession":
        made["refreshToken"] = WORLD.person().refresh_token
    elif name == "signIn":
        phone = WORLD.phone()
        made = {"phone": phone, "code": WORLD.ask("POST", "/v1/verifications", {"phone": phone})["devCode"]}
    return made


def calm(case, name):
    """Replaces values that are valid in form but mean nothing here, such as future positions and cursors that no answer contained."""
    headers = case.headers or {}
    if "GreenTea-Min-Position" in headers and str(headers["GreenTea-Min-Position"]).isdigit():
        headers["GreenTea-Min-Position"] = "0"
    if "Last-Event-ID" in headers and str(headers["Last-Event-ID"]).isdigit():
        headers["Last-Event-ID"] = "0"
    query = case.query or {}
    if not is_good(case, ParameterLocation.QUERY):
        return
    if "near" not in query:
        query.pop("radius", None)
        if query.get("sort") == "distance":
            del query["sort"]
    days = {"from": "2026-11-01", "to": "2026-11-21", "timeZone": "Asia/Shanghai"}
    # The description says only in words what these parameters look like.
    acts = dict(
        days, customer="7hq2m9x0c4kd8w1b", card="2d3w5y", code="K7QF-2M9X", phone="+8613800138000", region="CN",
        kinds="stamped,stampReversed")
    meaning = {
        "getStatistics": days, "getBrandStatistics": days, "getAnalytics": days, "listStamps": days, "listShopRedemptions": days,
        "listActivity": acts,
        "listEvents": {"tag": "card:" + WORLD.card, "type": "CardStamped"}, "followEvents": {"lastEventId": "0"}}
    for field, value in meaning.get(name, {}).items():
        if field in query:
            query[field] = value
    if "cursor" in query and query["cursor"] not in WORLD.cursors:
        del query["cursor"]


def whose(case, name, who):
    """The account that sends the request: one that has the right to, or one that must be refused."""
    if name in ONCE:
        return WORLD.person()
    if not in_scenario(case) and CHANCE.random() >= RIGHTFUL:
        return WORLD.stranger
    if "operator" in who:
        return WORLD.operator
    if who[0] in ("merchant", "manager", "owner"):
        named = str((case.path_parameters or {}).get("id", ""))
        return WORLD.owners.get(named, WORLD.owner)
    return WORLD.holder(str((case.path_parameters or {}).get("id", "")))


def violates_only_our_formats(message, body):
    """Whether each violation that the message names is one of a format, and is none: schemathesis takes every text for a violation of a
    format that only this project defines, and a null for one of any format."""
    violations = re.findall(r"violates `([^`]*)`(?: at (\S+))?$", message, re.MULTILINE)
    fields = [pointer.partition("/properties/")[2].split("/")[0] for _, pointer in violations]
    return bool(fields) and isinstance(body, dict) and all(
        keyword == "format" and field and (field not in TIMES or body.get(field) is None)
        for (keyword, _), field in zip(violations, fields))


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Drops findings that are correct behaviour."""
    # The path /v1/redemptions/{id} also matches `preview`, so a GET of /v1/redemptions/preview is a permitted request. Its answer is that
    # no such redemption exists.
    if failure.code == "ST205" and case.path == "/v1/redemptions/preview":
        return False
    # The bytes of a picture are not JSON, so this report is a mistake of the check and not of the service.
    if failure.code == "ST201" and case.body == PIXEL:
        return False
    if failure.code == "ST201" and violates_only_our_formats(failure.message, case.body):
        return False
    # Whether a value is valid may depend on the object, which no schema can express. The number of stamps depends on the card; a stamp
    # campaign needs a reward, but a promotion does not; a shop has a maximum number of campaigns; and a named shop must be one of the
    # campaign's shops or of the owner's shops. The last day for rewards is at most five years after the campaign's end.
    operation = case.operation.definition.raw.get("operationId")
    # The end of a campaign that was ended early cannot be edited. A time zone must have a known name, and opening hours must not overlap.
    # A generated time may be in the past, which the service refuses. Milestones and welcome stamps lie below the goal, and bonus hours do
    # not overlap. Acts are sought by a customer or by a number. A card has only the milestones of its campaign.
    # A campaign may have a cap a day, and promotions and coupons have fewer options. No font has every letter. A number is changed by a
    # session that began just now, or with a code. A shop has a maximum of campaigns, and a thread one of depth.
    depends = {
        "listActivity": ["/phone"],
        "openShop": ["/timeZone", "/openingHours"],
        "editShop": ["/timeZone", "/openingHours"],
        "closeShop": ["/redeemUntil"],
        "adjustCard": ["/stamps"],
        "requestRedemption": ["/milestone"],
        "reverseStamp": ["/stamps"],
        "postNotice": ["/publishAt", "/campaign"],
        "editCampaign": [
            "/reward", "/endsAt", "/redeemUntil", "/shops", "/bonuses", "/milestones", "/milestones/at", "/welcomeStamps", "/repeats",
            "/cardValidDays"],
        "publishCampaign": ["", "/redeemUntil", "/shops", "/bonuses", "/milestones/at", "/welcomeStamps"],
        "reopenCampaign": ["/endsAt"],
        "issueCode": ["/shop", "/stamps"],
        "giveStamps": ["/shop", "/stamps"],
        "printPaperCards": ["/shop", "/campaign"],
        "changePhone": ["/currentCode"],
        "postReply": [""],
        "previewRedemption": ["/shop"],
        "redeem": ["/shop"],
    }.get(operation)
    # A cursor belongs to a list with its parameters and its reader, which a link does not repeat.
    if failure.code == "ST202" and [error["pointer"] for error in response.json().get("errors", [])] == ["/cursor"]:
        return False
    # To take back a part of the stamps needs a key, which is optional otherwise.
    if failure.code == "ST202" and operation == "reverseStamp" and response.json()["code"] == "idempotencyKeyRequired":
        return False
    if failure.code == "ST202" and depends is not None:
        pointers = [error["pointer"] for error in response.json().get("errors", [{"pointer": ""}])]
        return any(re.sub("/[0-9]+(?=/|$)", "", pointer) not in depends for pointer in pointers)
    # A destroyed or discarded object can still be read, and its status shows that it was deleted.
    if failure.code == "ST301" and response.status_code == 200 and case.path in STAYS:
        return response.json()["status"] != STAYS[case.path]
    return True


@schemathesis.hook
def after_call(context, case, response):
    if response.status_code == 429:
        WORLD.tired(response.request.headers.get("Authorization", "").removeprefix("Bearer "))
    if response.status_code == 200 and case.method == "GET" and response.headers.get("Content-Type", [""])[0] == "application/json":
        page = response.json()
        if isinstance(page, dict) and isinstance(page.get("next"), str):
            WORLD.cursors.add(page["next"])
