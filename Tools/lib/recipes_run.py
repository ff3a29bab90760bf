"""Runs what the recipes' examples add, in a service and tools that were built with them. Used by `Tools/check-recipes --build`.

The argument is the folder of the programs. One stamp and one message of feedback are made over HTTP. Then the new route must answer, the
tools must know the new event, and the server's auditor, a comparison, a difference of two states and a checked rebuild must each name the
new model and find its one row right.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from check_api_world import Unexpected, World  # noqa: E402

OPERATOR = "+4930100001"
# The most seconds until the auditor has compared the new model, and until a program ends.
SECONDS = 300
# What the examples in Tests/Recipes add.
MODEL, TABLE, EVENT, ROUTE = "feedback", "counts", "CampaignShared", "/v1/me/mute-count"


def require(holds, text):
    if not holds:
        raise Unexpected(text)


class Built:
    """The programs, and a data folder for them."""

    def __init__(self, programs, folder):
        self.programs, self.data, self.log = programs, os.path.join(folder, "data"), os.path.join(folder, "log")
        self.server = None

    def serve(self):
        """Starts the server. Returns its address."""
        with open(self.log, "wb") as log:
            self.server = subprocess.Popen(
                [os.path.join(self.programs, "greentea"), "serve", "--dev", "--data", self.data, "--listen", "127.0.0.1:0",
                 "--audit", "every:1s", "--operator", OPERATOR], stdout=subprocess.PIPE, stderr=log)
        ready = re.search(r"http://[\d.]+:\d+", self.server.stdout.readline().decode())
        require(ready, f"the service does not start: {self.words()}")
        return ready[0]

    def words(self):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return log.read()[-2000:]

    def stop(self):
        self.server.send_signal(signal.SIGTERM)
        require(self.server.wait(SECONDS) == 0, f"the service did not end well: {self.words()}")

    def end(self):
        if self.server and self.server.poll() is None:
            self.server.kill()
            self.server.wait()

    def lines(self, name, *asked):
        """The JSON objects that a tool prints. The tool must end with 0."""
        done = subprocess.run(
            [os.path.join(self.programs, name), *asked, "--data", self.data], capture_output=True, text=True, timeout=SECONDS, check=False)
        require(done.returncode == 0, f"{name} {' '.join(asked)} ended with {done.returncode}: {(done.stdout + done.stderr)[-2000:]}")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def line(self, members, name, *asked):
        """The one line of a tool's output that has these members."""
        found = [line for line in self.lines(name, *asked) if members.items() <= line.items()]
        require(len(found) == 1, f"{name} {' '.join(asked)} has {len(found)} lines with {members}")
        return found[0]


def audited(world, position):
    """Waits until the server's auditor has found the new model equal at the position or behind it."""
    end, model = time.monotonic() + SECONDS, None
    while time.monotonic() < end:
        models = world.operator.ask("GET", "/v1/admin/audit")["models"]
        model = next((each for each in models if each["name"] == MODEL), None)
        if model and model["state"] == "equal" and model["position"] >= position:
            return
        time.sleep(0.2)
    raise Unexpected(f"the auditor has not found {MODEL} equal at {position} within {SECONDS} s: {model}")


def run(built):
    world = World(built.serve(), OPERATOR)
    world.stamped(1)
    require(world.customer.ask("GET", ROUTE) == {"count": 0}, f"{ROUTE} counts shops that nobody has muted")
    world.customer.ask("PUT", f"/v1/me/mutes/{world.shop}")
    require(world.customer.ask("GET", ROUTE) == {"count": 1}, f"{ROUTE} does not count a muted shop")
    # Last, because a model stores the position of the last event that concerned it.
    world.customer.ask("POST", "/v1/feedback", {"text": "More oolong, please."})
    replayed = built.lines("greentea-replay", "--digest", "--format", "jsonl")[0]
    audited(world, replayed["position"])
    built.stop()

    require(built.lines("greentea-replay", "--type", EVENT, "--format", "jsonl") == [], f"nobody has stored {EVENT}")
    verdict = built.line({"model": MODEL}, "greentea-replay", "--compare", "--format", "jsonl")
    require((verdict["verdict"], verdict["rows"]) == ("equal", 1), f"the comparison says {verdict}")
    built.line({"model": MODEL, "table": TABLE, "added": 1, "removed": 0, "changed": 0}, "greentea-replay", "--diff", "1",
               str(replayed["position"]), "--format", "jsonl")
    rebuilt = built.line({"model": MODEL}, "greentea-rebuild", "--model", MODEL, "--json")
    digest = next((each["digest"] for each in replayed["models"] if each["model"] == MODEL), None)
    require((rebuilt["rows"], rebuilt["digest"]) == (1, digest), f"rebuilt {rebuilt}, replayed {replayed}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        built = Built(sys.argv[1], folder)
        try:
            run(built)
        except (Unexpected, OSError, ValueError, KeyError, IndexError, subprocess.SubprocessError) as error:
            sys.exit(f"{os.path.basename(__file__)}: {type(error).__name__}: {error}")
        finally:
            built.end()


main()
