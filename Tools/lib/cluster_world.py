"""Three members of etcd and three nodes on one machine, each in a network namespace. Used by Tools/cluster --faults."""

import base64
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.request

from cluster_net import Net

MEMBERS, NODES = ("m1", "m2", "m3"), ("a", "b", "c")
ORIGIN = "cluster.example/log"
START_SECONDS, STOP_SECONDS = 60, 60
# A writer's exit code once another one has replaced it.
SUPERSEDED = 3
QUICK_CRASH = {**os.environ, "SWIFT_BACKTRACE": "enable=no"}


class Unmet(Exception):
    """A condition did not come true in time."""


def ask(url, body=None, token=None, key=None, method=None, headers=None, seconds=10):
    """The status, the JSON and the headers of an answer; status 0 without an answer."""
    headers = dict(headers or {}) | ({"Content-Type": "application/json"} if body is not None else {})
    headers |= ({"Authorization": "Bearer " + token} if token else {}) | ({"Idempotency-Key": key} if key else {})
    request = urllib.request.Request(url, None if body is None else json.dumps(body).encode(), headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=seconds) as answer:
            return answer.status, parsed(answer.read()), answer.headers
    except urllib.error.HTTPError as answer:
        return answer.code, parsed(answer.read()), answer.headers
    except (OSError, ValueError):
        return 0, None, {}


def parsed(text):
    try:
        return json.loads(text or b"null")
    except ValueError:
        return text.decode(errors="replace")


def until(seconds, holds, what):
    """Waits for a condition, and returns its value."""
    end = time.monotonic() + seconds
    while not (value := holds()):
        if time.monotonic() > end:
            raise Unmet(f"not within {seconds} s: {what}")
        time.sleep(0.05)
    return value


class Process:
    """A program in a namespace. Its output goes to a file."""

    def __init__(self, world, name):
        self.world, self.name, self.process = world, name, None
        self.address = world.net.address(name)
        self.log = os.path.join(world.folder, name + ".log")

    def launch(self, command):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.world.net.inside(self.name) + command, stdout=log, stderr=log, env=QUICK_CRASH, start_new_session=True)

    def alive(self):
        return self.process is not None and self.process.poll() is None

    def send(self, number):
        # `ip netns exec` becomes the program, so this is its number.
        if self.alive():
            self.process.send_signal(number)

    def kill(self):
        self.world.resting.add(self.name)
        self.send(signal.SIGKILL)
        self.wait()

    def freeze(self):
        self.world.resting.add(self.name)
        self.send(signal.SIGSTOP)

    def thaw(self):
        self.send(signal.SIGCONT)

    def stop(self):
        self.world.resting.add(self.name)
        self.send(signal.SIGTERM)
        return self.wait()

    def wait(self, seconds=STOP_SECONDS):
        """The exit code; None if it does not end."""
        if self.process is None:
            return None
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def words(self, count=2):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return " / ".join(line.strip()[:300] for line in file.readlines()[-count:])


class Member(Process):
    """A member of etcd."""

    @property
    def url(self):
        return f"http://{self.address}:2379"

    @property
    def data(self):
        return os.path.join(self.world.folder, "etcd-" + self.name)

    def start(self, *flags):
        everybody = ",".join(f"{member.name}=http://{member.address}:2380" for member in self.world.members)
        self.launch([
            "etcd", "--name", self.name, "--data-dir", self.data, "--snapshot-count", "1000", "--auto-compaction-retention", "0",
            "--listen-client-urls", self.url, "--advertise-client-urls", self.url,
            "--listen-peer-urls", f"http://{self.address}:2380", "--initial-advertise-peer-urls", f"http://{self.address}:2380",
            "--initial-cluster", everybody, "--logger", "zap", *(flags or ("--quota-backend-bytes", str(self.world.quota)))])

    def call(self, path, body, seconds=5):
        status, answer, _ = ask(self.url + path, body, seconds=seconds)
        return answer if status == 200 and isinstance(answer, dict) else None

    def healthy(self):
        return isinstance((answer := ask(self.url + "/health", seconds=2)[1]), dict) and answer.get("health") == "true"

    def leads(self):
        answer = self.call("/v3/maintenance/status", {}, seconds=2)
        return answer is not None and answer.get("leader") == answer["header"]["member_id"]


class Node(Process):
    """A server of the cluster."""

    @property
    def url(self):
        return f"http://{self.address}:8080"

    @property
    def data(self):
        return os.path.join(self.world.folder, "node-" + self.name)

    @property
    def messages(self):
        return os.path.join(self.world.folder, f"messages-{self.name}.jsonl")

    def settings(self):
        return ["--data", self.data, "--master-key-file", self.world.key]

    def cluster(self):
        return ["--cluster", self.world.endpoints, "--node", self.name, "--advertise", self.url, "--allow-plain-http"]

    def serving(self, *flags):
        return [
            self.world.program("greentea"), "serve", *self.settings(), "--origin", ORIGIN, "--sms", "file:" + self.messages,
            "--listen", f"{self.address}:8080", "--public-url", self.url, "--unlimited-requests", "--trusted-proxies", "1",
            "--allow-plain-http", "--sms-per-day", "1000000", "--audit", "off", "--log-format", "json", *flags]

    def start(self, *flags, wrapper=()):
        """Starts the server as a node of the cluster, and waits until it answers."""
        self.world.resting.add(self.name)
        self.launch([*wrapper, *self.serving(*self.cluster(), *flags)])
        self.await_start()
        self.world.resting.discard(self.name)

    def await_start(self):
        until(START_SECONDS, lambda: ask(self.url + "/healthz", seconds=2)[0] == 200 or not self.alive(), f"{self.name} listens")
        if not self.alive():
            raise Unmet(f"{self.name} ended with {self.process.returncode}: {self.words()}")

    def command(self, *words, seconds=60):
        """A command of the program in this node's namespace: its exit code and output."""
        done = subprocess.run(
            self.world.net.inside(self.name) + [self.world.program("greentea"), *words], capture_output=True, text=True, timeout=seconds)
        return done.returncode, (done.stdout + done.stderr).strip()

    def ready(self):
        """The cluster's part of /readyz; empty without an answer."""
        answer = ask(self.url + "/readyz", seconds=3)[1]
        return answer.get("cluster") or {} if isinstance(answer, dict) else {}

    def warnings(self):
        """The causes that /readyz names."""
        answer = ask(self.url + "/readyz", seconds=3)[1]
        return [each.get("cause") for each in answer["reasons"] + answer["warnings"]] if isinstance(answer, dict) else answer

    def writes(self):
        return self.alive() and self.ready().get("role") == "writer"

    def head(self):
        """The size of the newest signed checkpoint."""
        text = ask(self.url + "/checkpoint", seconds=5)[1]
        return int(text.split("\n")[1]) if isinstance(text, str) and text.count("\n") > 2 else 0


class World:
    """The cluster and its folders."""

    def __init__(self, programs, folder, quota=256 << 20):
        self.programs, self.folder, self.quota = programs, folder, quota
        self.net = Net(MEMBERS + NODES)
        self.members = [Member(self, name) for name in MEMBERS]
        self.nodes = [Node(self, name) for name in NODES]
        self.endpoints = ",".join(member.url for member in self.members)
        self.key = os.path.join(folder, "master.key")
        # Names of nodes whose reads may fail now.
        self.resting = set()
        # Ends of nodes that nobody has caused.
        self.findings = []

    def program(self, name):
        return os.path.join(self.programs, name)

    def begin(self, prepare):
        """Makes a log on one node by itself, begins the cluster with it, and starts all nodes on copies of its folder."""
        key = subprocess.run([self.program("greentea"), "key", "new"], capture_output=True, text=True, check=True).stdout
        with open(os.open(self.key, os.O_CREAT | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:
            file.write(key)
        for member in self.members:
            member.start()
        until(START_SECONDS, lambda: all(member.healthy() for member in self.members), "etcd is healthy")
        first = self.nodes[0]
        first.launch(first.serving())
        first.await_start()
        prepare(first)
        if (code := first.stop()) != 0:
            raise Unmet(f"the first server ended with {code}: {first.words()}")
        code, text = first.command("cluster", "init", *first.settings(), *first.cluster())
        if code:
            raise Unmet(f"cluster init: {code} {text}")
        for node in self.nodes[1:]:
            shutil.copytree(first.data, node.data)
        for node in self.nodes:
            node.start()
        self.await_writer()

    def writer(self):
        """The node that says that it writes; none if none does."""
        return next((node for node in self.nodes if node.writes()), None)

    def followers(self):
        writer = self.writer()
        return [node for node in self.nodes if node.alive() and node is not writer]

    def await_writer(self, seconds=20, other_than=None):
        def found():
            return next((node for node in self.nodes if node is not other_than and node.writes()), None)

        return until(seconds, found, "some node writes")

    def revive(self):
        """Starts nodes that have ended, as the unit does with those that another writer has replaced. Any other end is a finding."""
        for node in self.nodes:
            if not node.alive():
                if node.process.returncode not in (0, SUPERSEDED, -signal.SIGKILL):
                    self.findings.append(f"{node.name} ended with {node.process.returncode}: {node.words()}")
                node.start()

    def await_caught_up(self, nodes=None, seconds=60):
        nodes, heads = nodes or [node for node in self.nodes if node.alive()], {}

        def equal():
            heads.update({node.name: node.head() for node in nodes})
            return len(set(heads.values())) == 1 and 0 not in heads.values()

        try:
            until(seconds, equal, "the nodes have one head")
        except Unmet as reason:
            raise Unmet(f"{reason}: {heads} {[(node.name, node.alive(), node.warnings()) for node in nodes]}") from reason

    def leader(self):
        return until(20, lambda: next((member for member in self.members if member.alive() and member.leads()), None), "etcd leads")

    def text_message(self, phone):
        """The newest code that was sent to a phone by any node."""
        newest = (-1, None)
        for path in glob.glob(os.path.join(self.folder, "messages-*.jsonl")):
            with open(path, encoding="utf-8") as file:
                for line in file:
                    try:
                        message = json.loads(line)
                    except ValueError:
                        continue
                    if message["to"] == phone and message["at"] >= newest[0]:
                        newest = (message["at"], message["text"])
        found = re.search(r"\b(\d{6})\b", newest[1] or "")
        return found[1] if found else None

    # etcd's keys, as somebody sees them who has its addresses.

    def key_of(self, name):
        return base64.b64encode(f"/greentea/{ORIGIN}/{name}".encode()).decode()

    def value(self, name):
        for member in self.members:
            if member.alive() and (answer := member.call("/v3/kv/range", {"key": self.key_of(name)})) is not None:
                return base64.b64decode(answer["kvs"][0]["value"]) if answer.get("kvs") else None
        return None

    def put(self, name, value):
        done = self.leader().call("/v3/kv/put", {"key": self.key_of(name), "value": base64.b64encode(value).decode()})
        if done is None:
            raise Unmet("etcd refuses a change")

    def keys(self, prefix):
        start, end = self.key_of(prefix), self.key_of(prefix[:-1] + chr(ord(prefix[-1]) + 1))
        answer = self.leader().call("/v3/kv/range", {"key": start, "range_end": end, "keys_only": True}) or {}
        names = [base64.b64decode(pair["key"]).decode() for pair in answer.get("kvs", [])]
        return [name.removeprefix(f"/greentea/{ORIGIN}/") for name in names]

    def close(self):
        for process in self.nodes + self.members:
            process.thaw()
            process.kill()
        self.net.close()
