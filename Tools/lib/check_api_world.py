"""People, a shop, codes and cards on a running development server, for requests that must name existing objects."""

import itertools
import json
import os
import urllib.error
import urllib.request
import uuid
from datetime import datetime, timedelta, timezone

TIMEOUT_SECONDS = 30
GOAL = 3
MILESTONE = 1


class Unexpected(Exception):
    """The server did not do what a fixture needs."""


class Person:
    """A signed-in person."""

    def __init__(self, world, phone):
        self.world = world
        self.phone = phone
        code = world.ask("POST", "/v1/verifications", {"phone": phone})["devCode"]
        session = world.ask("POST", "/v1/sessions", {"phone": phone, "code": code})
        self.token = session["accessToken"]
        self.refresh_token = session["refreshToken"]
        self.account = session["account"]["id"]

    def ask(self, method, path, body=None):
        return self.world.ask(method, path, body, self.token)


class World:
    """Fixtures, made when they are needed. Only one thread may use them.

    Whoever fails too often has to wait, so people are replaced when they are told to (`tired`).
    """

    def __init__(self, url, operator_phone):
        self.url = url
        self._numbers = itertools.count(int.from_bytes(os.urandom(3), "big") * 1_000)
        self.operator = Person(self, operator_phone)
        self.owner = self.person()
        self.stranger = self.person()
        self.customer = self.person()
        self.shop = self.open_shop(self.owner)
        self.open_shop(self.stranger)
        self.campaign = self.publish(self.owner, self.shop)
        # The account that holds each created card, redemption or invitation, by the object's id. For other objects it is the current
        # customer.
        self.holders = {}
        self.cursors = set()
        self.owners = {self.shop: self.owner}
        self.card = self.stamped(1)["card"]["id"]
        self.position = self.stamped(1)["position"]
        self.review = self.new_review()
        self.announced = None

    def ask(self, method, path, body=None, token=None):
        """The JSON of an answer, which must be a success."""
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        data = None
        if isinstance(body, bytes):
            headers["Content-Type"] = "image/png"
            data = body
        elif body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body).encode()
        if token:
            headers["Authorization"] = "Bearer " + token
        request = urllib.request.Request(self.url + path, data=data, headers=headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:
                text = response.read()
        except urllib.error.HTTPError as error:
            raise Unexpected(f"{method} {path}: {error.code} {error.read().decode(errors='replace')}") from None
        return json.loads(text) if text else {}

    def phone(self):
        return f"+49{next(self._numbers):012d}".replace("+490", "+491", 1)

    def person(self):
        return Person(self, self.phone())

    def open_shop(self, person):
        shop = {
            "name": "好喝奶茶店", "phone": "+86 10 1234 5678", "region": "CN", "address": "南京东路 1 号",
            "location": {"latitude": 31.23, "longitude": 121.47}}
        return person.ask("POST", "/v1/shops", shop)["id"]

    def publish(self, owner, shop):
        start, end = self.running()
        campaign = {
            "kind": "stampCard", "title": "Three cups", "details": "Any drink.", "goal": GOAL, "reward": "One free drink",
            "milestones": [{"at": MILESTONE, "reward": "A biscuit"}], "startsAt": start, "endsAt": end}
        return owner.ask("POST", f"/v1/shops/{shop}/campaigns", campaign)["id"]

    @staticmethod
    def running():
        """A start that has passed and an end a year later."""
        now = datetime.now(timezone.utc)
        return [(now + timedelta(days=days)).isoformat().replace("+00:00", "Z") for days in (-1, 365)]

    def new_code(self, stamps=1):
        """A new stamp code: its id and its text."""
        made = self.owner.ask("POST", f"/v1/campaigns/{self.campaign}/codes", {"stamps": stamps})
        return made["id"], made["code"]

    def stamped(self, stamps):
        made = self.customer.ask("POST", "/v1/stamps", {"code": self.new_code(stamps)[1]})
        for card in made["cards"]:
            self.holders[card["id"]] = self.customer
        return made

    def full_card(self):
        """A full card of the customer, who may have begun another one."""
        while True:
            card = self.stamped(GOAL)["card"]
            if card["status"] == "full":
                return card["id"]

    def new_redemption(self):
        """A new redemption code: its id and its text."""
        made = self.customer.ask("POST", f"/v1/cards/{self.full_card()}/redemption")
        self.holders[made["id"]] = self.customer
        return made["id"], made["code"]

    def open_code(self):
        return self.new_code()[0]

    def used_code(self):
        made, code = self.new_code()
        self.customer.ask("POST", "/v1/stamps", {"code": code})
        return made

    def destroyed_code(self):
        made = self.open_code()
        self.owner.ask("DELETE", f"/v1/codes/{made}")
        return made

    def discarded_card(self):
        card = self.full_card()
        self.customer.ask("DELETE", f"/v1/cards/{card}")
        return card

    def replaced(self):
        """A redemption that a newer one replaced."""
        card = self.full_card()
        older, _ = [self.customer.ask("POST", f"/v1/cards/{card}/redemption")["id"] for _ in range(2)]
        self.holders[older] = self.customer
        return older

    def redeemed(self):
        """The id of a redemption whose reward was handed out."""
        redemption, code = self.new_redemption()
        self.owner.ask("POST", "/v1/redemptions", {"code": code})
        return redemption

    def new_review(self):
        return self.customer.ask("POST", f"/v1/shops/{self.shop}/reviews", {"rating": 4})["id"]

    def offer(self):
        """An open offer of the shop to a person who works nowhere."""
        invited = self.person()
        self.owner.ask("PUT", f"/v1/shops/{self.shop}/staff/{invited.account}")
        offer = invited.ask("GET", "/v1/me/invitations")["items"][0]["id"]
        self.holders[offer] = invited
        return offer

    def notice(self):
        """A notice for everybody. It is always the same one, because an account may post only a few."""
        if self.announced is None:
            said = {"title": "Hello", "text": "Everybody", "audience": "all"}
            self.announced = self.operator.ask("POST", "/v1/notices", said)["id"]
        return self.announced

    def image(self, content, sender):
        """Uploads a picture and returns its id."""
        return self.ask("POST", "/v1/images", content, sender.token)["id"]

    def tired(self, token):
        """Replaces the person with this token, who must wait after too many failures."""
        if token == self.customer.token:
            self.customer = self.person()
        elif token == self.owner.token:
            self.move()

    def move(self):
        """Replaces all people, and opens another shop."""
        self.customer = self.person()
        self.owner = self.person()
        self.shop = self.open_shop(self.owner)
        self.campaign = self.publish(self.owner, self.shop)
        self.owners[self.shop] = self.owner
        made = self.stamped(1)
        self.card, self.position = made["card"]["id"], made["position"]

    def holder(self, thing):
        return self.holders.get(thing, self.customer)
