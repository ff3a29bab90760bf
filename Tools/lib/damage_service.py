"""A server that is watched for what it tells, and the questions that show whether it serves what is intact. Used by Tools/check-damage."""

import hashlib
import itertools
import json
import os
import re
import select
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request

import demo_town
import yaml
from operations_drill import DEPLOY, fetch, free_port

# The most seconds until a start listens or ends, and until a stop ends.
START_SECONDS, STOP_SECONDS = 60, 60
# An internal error pages somebody and names no cause, so it is no answer to "what is damaged?".
NAMELESS = {"GreenTeaInternalErrors", "request.failed"}
CONDITION = re.compile(
    r"^(?:sum by \([^)]*\) \()?(increase\()?([a-z_]+)(?:\{([^}]*)\})?(?:\[\w+\]\))?\)?\s*(==|>|<)\s*([\d.]+)$")
# A backtrace takes longer than a whole case.
QUICK_CRASH = {**os.environ, "SWIFT_BACKTRACE": "enable=no"}
numbers = itertools.count(1)


def ask(url, body=None, token=None, key=None, method=None):
    """The status and the JSON, or the digest of other bytes, of an answer; status 0 without an answer."""
    headers = {"Content-Type": "application/json"} if body is not None else {}
    headers |= ({"Authorization": "Bearer " + token} if token else {}) | ({"Idempotency-Key": key} if key else {})
    request = urllib.request.Request(url, None if body is None else json.dumps(body).encode(), headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, parsed(answer.read())
    except urllib.error.HTTPError as answer:
        return answer.code, parsed(answer.read())
    except (OSError, ValueError):
        return 0, None


def parsed(text):
    try:
        return json.loads(text or b"null")
    except ValueError:
        return hashlib.sha256(text).hexdigest()


class NoAnswer(Exception):
    """A request was refused or not answered."""


def new_person(url, phone=None):
    """Signs somebody in and returns the access token; without a number, somebody new."""
    phone = phone or f"+86137{os.getpid() % 1_000:03}{next(numbers):05}"
    status, sent = ask(url + "/v1/verifications", {"phone": phone})
    if status == 202:
        status, sent = ask(url + "/v1/sessions", {"phone": phone, "code": sent["devCode"]}, key=os.urandom(16).hex())
    if status != 201:
        raise NoAnswer(f"sign-in {status} {code_of(sent)}")
    return sent["accessToken"]


def code_of(answer):
    return answer.get("code", "") if isinstance(answer, dict) else ""


def alert_conditions():
    """The conditions of the alerts that compare one metric with a number, by alert."""
    with open(os.path.join(DEPLOY, "alerts.yaml"), encoding="utf-8") as file:
        rules = [rule for group in yaml.safe_load(file)["groups"] for rule in group["rules"]]
    found = []
    for rule in rules:
        for part in re.split(r"\s+or\s+", rule["expr"].strip()):
            match = CONDITION.match(part)
            if match and "=~" not in (match[3] or ""):
                found.append((rule["alert"], match))
    return found


def events_with_a_way_out():
    """The events of the service's log whose line in the runbook leads to an alert's heading or says that it mends itself."""
    with open(os.path.join(DEPLOY, "RUNBOOK.md"), encoding="utf-8") as file:
        rows = re.findall(r"(?m)^\| `([a-z]\w+\.\w+)` \| ([^|]+) \|", file.read())
    return {event for event, meaning in rows if re.search(r"GreenTea[A-Z]|made anew|is damaged", meaning)}


class Service:
    """One server on a data folder. It keeps its port over restarts."""

    alerts, ways_out = alert_conditions(), events_with_a_way_out()

    def __init__(self, world, data, log):
        self.world, self.data, self.log_path = world, data, log
        self.port, self.process, self.deaths = free_port(), None, []
        self.url = f"http://127.0.0.1:{self.port}"
        self.counters, self.mark = {}, 0

    def start(self, *flags):
        """Starts the server. Returns whether it listens; otherwise it has ended."""
        self.counters, self.mark = {}, os.path.getsize(self.log_path) if os.path.exists(self.log_path) else 0
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                [self.world.program("greentea"), "serve", "--dev", "--data", self.data, "--listen", f"127.0.0.1:{self.port}",
                 "--audit", "every:1s", "--log-format", "json", *flags], stdout=subprocess.PIPE, stderr=log, env=QUICK_CRASH)
        readable, _, _ = select.select([self.process.stdout], [], [], START_SECONDS)
        if readable and b"ready" in self.process.stdout.readline():
            return True
        if not readable:
            self.process.kill()
        self.note_death()
        return False

    def note_death(self):
        """Keeps the exit code of a server that ended by itself."""
        self.deaths.append(self.process.wait())
        self.process.stdout.close()

    def alive(self):
        return self.process is not None and self.process.poll() is None

    def stop(self):
        """Stops the server. Returns false if it had to be killed."""
        if not self.alive():
            return True
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return False
        finally:
            self.process.stdout.close()
        return True

    def end(self):
        if self.alive():
            self.process.kill()
            self.process.wait()

    # What it tells.

    def lines(self):
        """The objects of the log since the last start or mark; other lines as text."""
        with open(self.log_path, encoding="utf-8", errors="replace") as file:
            file.seek(self.mark)
            for line in file:
                try:
                    yield json.loads(line)
                except ValueError:
                    yield {"level": "text", "message": line.strip()}

    def last_words(self):
        """The line of a refused start, or the end of what a crash printed."""
        said = [line for line in self.lines() if line.get("event") == "server.failed" or line["level"] == "text"]
        failed = [line["message"] for line in said if line.get("event") == "server.failed"]
        return failed[-1] if failed else " / ".join(line["message"] for line in said if line["message"])[:400]

    def metrics(self):
        found = re.findall(r"(?m)^(\w+)(?:\{(.*)\})? ([-+.\deE]+)$", fetch(self.url + "/metrics")[1])
        return {(name, labels): float(value) for name, labels, value in found}

    def audits(self):
        return self.metrics().get(("greentea_audit_runs_total", ""), 0)

    def begin_watch(self):
        """From now on, only what is new counts."""
        self.counters = self.metrics()
        self.mark = os.path.getsize(self.log_path)

    def firing(self, stays=False):
        """The alerts whose condition holds, without their delays. With `stays`, without those about a rise, which end by themselves."""
        samples, found = self.metrics(), {}
        for alert, match in self.alerts:
            rises, name, labels, sign, limit = match.groups()
            if stays and rises:
                continue
            wanted = [label.strip() for label in (labels or "").split(",") if label.strip() and not label.strip().startswith("job=")]
            for (metric, own), value in samples.items():
                if metric != name or any(label not in own for label in wanted):
                    continue
                value -= self.counters.get((metric, own), 0) if rises else 0
                if value == float(limit) if sign == "==" else value > float(limit) if sign == ">" else value < float(limit):
                    found[alert] = own
        return found

    def ready(self):
        """Whether /readyz says ready, and the codes of its reasons and warnings with their texts."""
        status, answer = ask(self.url + "/readyz")
        if not isinstance(answer, dict):
            return False, {}
        return status == 200, {each["code"]: json.dumps(each, ensure_ascii=False) for each in answer["reasons"] + answer["warnings"]}

    def signals(self):
        """Everything by which somebody learns of a fault, with the text. Lines without a way out do not count."""
        found = {}
        for line in self.lines():
            way_out = line.get("remedy") or line.get("event") in self.ways_out or line.get("event") == "fault.began"
            if line["level"] in ("warning", "error", "critical") and way_out:
                found[line["event"]] = json.dumps(line, ensure_ascii=False)
        _, reasons = self.ready()
        found |= {"readyz " + code: text for code, text in reasons.items()}
        return {name: text for name, text in (found | self.firing()).items() if name not in NAMELESS}


class Known:
    """What an intact service answers, and how another one's answers differ."""

    def __init__(self, service, used):
        self.used, self.campaign, self.answers, self.pages = used, None, {}, []
        owner = new_person(service.url, demo_town.OWNER)
        for shop in ask(service.url + "/v1/me/shops", token=owner)[1]["items"]:
            self.pages += [f"/v1/shops/{shop['id']}", f"/v1/shops/{shop['id']}/reviews", f"/v1/images/{shop['image']}"]
        self.answers = {page: ask(service.url + page)[1] for page in self.pages}
        self.campaign = next(each["id"] for each in self.answers[self.pages[0]]["campaigns"] if each["kind"] == "stampCard")
        self.people = {phone: self.person(service, phone) for phone in
                       [demo_town.CUSTOMER, demo_town.OWNER, *(review[0] for review in demo_town.REVIEWS)]}

    def person(self, service, phone):
        token = new_person(service.url, phone)
        return [ask(service.url + path, token=token)[1] for path in ("/v1/me", "/v1/me/cards?status=collecting,full,redeemed&limit=100")]

    def probe(self, service):
        """Asks for everything that is known, and gives a stamp."""
        found = Probe()
        for page in self.pages:
            status, answer = ask(service.url + page)
            found.compare(page, status, self.answers[page], answer)
        for phone, expected in self.people.items():
            try:
                for wanted, answer in zip(expected, self.person(service, phone)):
                    found.compare(f"account {phone}", 200 if code_of(answer) == "" else 500, wanted, answer)
            except NoAnswer as error:
                found.missing.append(f"account {phone}: {error}")
        try:
            found.stamp(service, self)
        except NoAnswer as error:
            found.refused = str(error)
        return found


class Probe:
    """The outcome of the known questions."""

    def __init__(self):
        self.right, self.missing, self.wrong, self.refused, self.stamped = 0, [], [], "", False

    def compare(self, name, status, expected, answer):
        if status in (200, 201) and answer == expected:
            self.right += 1
        elif status in (200, 201) and not lacks(expected, answer):
            self.wrong.append(f"{name}: {json.dumps(answer, ensure_ascii=False)[:200]}")
        else:
            self.missing.append(f"{name}: {status} {code_of(answer)}")

    def stamp(self, service, known):
        owner, customer = new_person(service.url, demo_town.OWNER), new_person(service.url)
        for code in known.used:
            status, _ = ask(service.url + "/v1/stamps", {"code": code}, customer, os.urandom(16).hex())
            if status == 201:
                self.wrong.append(f"the used code {code} was accepted again")
        issue_and_enter(service.url, known.campaign, owner, customer)
        self.stamped = True

    def whole(self):
        return not self.missing and not self.wrong and self.stamped

    def __str__(self):
        return "; ".join([f"{self.right} answers as before", *self.missing[:3], *self.wrong[:3], self.refused]).rstrip("; ")


def lacks(expected, answer):
    """Whether an answer differs only in what it does not have, such as a name whose key is lost."""
    if answer in (None, "", []):
        return True
    if isinstance(expected, dict) and isinstance(answer, dict):
        return all(lacks(value, answer.get(key)) for key, value in expected.items())
    if isinstance(expected, list) and isinstance(answer, list):
        return len(answer) <= len(expected) and all(any(lacks(each, own) for each in expected) for own in answer)
    return expected == answer


def issue_and_enter(url, campaign, owner, customer):
    status, code = ask(f"{url}/v1/campaigns/{campaign}/codes", {}, owner)
    if status == 201:
        status, code = ask(url + "/v1/stamps", {"code": code["code"]}, customer, code["code"])
    if status != 201:
        raise NoAnswer(f"stamp {status} {code_of(code)}")


class Traffic(threading.Thread):
    """A shop that gives stamps while a file is damaged, some tens a second."""

    def __init__(self, service, known):
        super().__init__(daemon=True)
        self.service, self.known = service, known
        self.begun, self.over = threading.Event(), threading.Event()
        self.customer, self.given = None, 0

    def run(self):
        owner = None
        while not self.over.wait(0.02):
            try:
                owner = owner or new_person(self.service.url, demo_town.OWNER)
                if self.customer is None or self.given == 8:
                    self.customer, self.given = new_person(self.service.url), 0
                issue_and_enter(self.service.url, self.known.campaign, owner, self.customer)
                self.given += 1
                self.begun.set()
            except NoAnswer:
                self.over.wait(0.2)

    def end(self):
        self.over.set()
        self.join()

    def lost(self):
        """How many stamps of the last customer were acknowledged and are gone; 0 where nobody can tell."""
        status, answer = ask(self.service.url + "/v1/me/cards?status=collecting,full,redeemed&limit=100", token=self.customer)
        return max(0, self.given - sum(card["stamps"] for card in answer["items"])) if status == 200 else 0


def until(seconds, holds):
    """Waits for a condition. Returns its last value."""
    end = time.monotonic() + seconds
    while not (value := holds()) and time.monotonic() < end:
        time.sleep(0.05)
    return value
