"""A small tea town: shops, campaigns, cards and reviews, by people whose names try to break out of pages."""

import json
import urllib.error
import urllib.parse
import urllib.request
import uuid
from datetime import datetime, timedelta, timezone

TIMEOUT_SECONDS = 30
OPERATOR = "+8613800138000"
# Hostile names for people, shops and rewards.
HOSTILE = [
    "<script>document.title='pwned'</script>", "\"><img src=x onerror=document.title='pwned'>", "' onmouseover='document.title=1",
    "{{constructor.constructor('document.title=1')()}}", "شاي أخضر (ض) 10%", "\u05d0\u05d1<b>\u05d2", "Z" + "\u0301\u0316" * 20,
    "👩‍👩‍👧‍👦🏳️‍🌈", "x", "</title></style><b>bold</b>", "javascript:alert(1)", "好" * 40,
]


class Unexpected(Exception):
    """The server did not do what the town needs."""

    def __init__(self, text, status=None):
        super().__init__(text)
        self.status = status


class Person:
    """Somebody who uses the API directly."""

    def __init__(self, town, phone, nickname=None):
        self.town, self.phone = town, phone
        self.sign_in()
        if nickname:
            self.ask("PATCH", "/v1/me", {"nickname": nickname}, {"If-Match": "*"})

    def sign_in(self):
        code = self.town.ask("POST", "/v1/verifications", {"phone": self.phone})["devCode"]
        session = self.town.ask("POST", "/v1/sessions", {"phone": self.phone, "code": code})
        self.token, self.account = session["accessToken"], session["account"]["id"]

    def ask(self, method, path, body=None, headers=None):
        """Signs in anew where the session is over: an account has 20, and browsers of many pages sign in as the same person."""
        try:
            return self.town.ask(method, path, body, self.token, headers)
        except Unexpected as error:
            if error.status != 401:
                raise
        self.sign_in()
        return self.town.ask(method, path, body, self.token, headers)


class Town:
    """Who and what there is. Names are the same in every run, so that snapshots of pages are, too."""

    def __init__(self, url):
        self.url = url
        self.numbers = 0
        self.operator = Person(self, OPERATOR)
        self.owner = self.person("Lin")
        self.customer = self.person("Mia")
        self.shop = self.open_shop(self.owner, "好喝奶茶店 Lucky Tea", "南京东路 1 号", 31.2304, 121.4737)
        self.campaign = self.publish(
            self.owner, self.shop, "Ten cups, the eleventh is free", 10, "A free cup of your choice",
            "Any drink, any size.\nOne stamp a cup.")
        self.promotion = self.publish(self.owner, self.shop, "Lantern week", details="Red bean toppings are free.", kind="promotion")
        self.hostile_shops()
        self.review()

    @classmethod
    def empty(cls, url):
        """A town in which nobody lives yet."""
        town = cls.__new__(cls)
        town.url, town.numbers = url, 0
        return town

    def ask(self, method, path, body=None, token=None, headers=None):
        """The JSON of an answer that must be a success."""
        headers = {"Idempotency-Key": str(uuid.uuid4()), **(headers or {})}
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body).encode()
        if token:
            headers["Authorization"] = "Bearer " + token
        request = urllib.request.Request(self.url + path, data=data, headers=headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:
                text = response.read()
        except urllib.error.HTTPError as error:
            text = error.read().decode(errors="replace")
            raise Unexpected(f"{method} {path}: {error.code} {text}", error.code) from None
        return json.loads(text) if text else {}

    def session(self, phone):
        """A new session in cookies, and what the sign-in page keeps beside them."""
        code = self.ask("POST", "/v1/verifications", {"phone": phone})["devCode"]
        request = urllib.request.Request(self.url + "/v1/sessions", data=json.dumps({"phone": phone, "code": code}).encode(), headers={
            "Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4()), "GreenTea-Session": "cookie", "Origin": self.url})
        with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:
            headers, me = response.headers.get_all("Set-Cookie"), json.loads(response.read())["account"]
        pairs = [header.split(";")[0].split("=", 1) for header in headers]
        cookies = [{"name": name, "value": value, "domain": urllib.parse.urlsplit(self.url).hostname, "path": "/", "secure": True,
                    "httpOnly": True, "sameSite": "Lax"} for name, value in pairs]
        account = {name: me.get(name) for name in ("id", "nickname", "isMerchant", "isOperator")}
        return cookies, {"account": account, **({"works": True} if me.get("isMerchant") else {})}

    def phone(self):
        self.numbers += 1
        return f"+86138{self.numbers:08d}"

    def person(self, nickname=None):
        return Person(self, self.phone(), nickname)

    def open_shop(self, owner, name, address, latitude, longitude):
        return owner.ask("POST", "/v1/shops", {
            "name": name, "phone": "+86 21 5555 0100", "address": address,
            "location": {"latitude": latitude, "longitude": longitude}})["id"]

    def publish(self, owner, shop, title, goal=10, reward=None, details="", kind="stampCard"):
        now = datetime.now(timezone.utc)
        start, end = [(now + timedelta(days=days)).isoformat().replace("+00:00", "Z") for days in (-1, 365)]
        campaign = {"kind": kind, "title": title, "details": details, "startsAt": start, "endsAt": end}
        if kind == "stampCard":
            campaign |= {"goal": goal, "reward": reward or "A free cup"}
        return owner.ask("POST", f"/v1/shops/{shop}/campaigns", campaign)["id"]

    def hostile_shops(self):
        self.hostile = []
        for number, name in enumerate(HOSTILE[:6]):
            owner = self.person(name[:50])
            shop = self.open_shop(owner, name[:50], name[:100], 31.22 - number / 100, 121.46)
            self.hostile.append((shop, self.publish(owner, shop, name[:50], 5, name[:50], name)))

    def review(self):
        """A thread of friendly people, and what others write."""
        self.stamp(self.customer)
        first = self.customer.ask("POST", f"/v1/shops/{self.shop}/reviews", {"rating": 5, "text": "Best oolong in town.\nFriendly, too."})
        answer = self.owner.ask("POST", f"/v1/reviews/{first['id']}/replies", {"text": "Thank you, come again!"})
        self.customer.ask("POST", f"/v1/reviews/{answer['id']}/replies", {"text": "I will."})
        for number, name in enumerate(HOSTILE):
            self.person(name[:50]).ask("POST", f"/v1/shops/{self.shop}/reviews", {"rating": number % 5 + 1, "text": name})

    def stamp(self, person, stamps=1, campaign=None):
        """Stamps from the counter onto somebody's card: the answer of POST /stamps."""
        code = self.owner.ask("POST", f"/v1/campaigns/{campaign or self.campaign}/codes", {"stamps": stamps})["code"]
        return person.ask("POST", "/v1/stamps", {"code": code})
