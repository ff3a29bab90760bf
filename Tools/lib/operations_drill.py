"""One server, a Prometheus that watches it, and a table with the outcome of each fault. Used by Tools/check-operations."""

import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import time
import urllib.error
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DEPLOY = os.path.join(ROOT, "Tools", "deploy")
# The maximum seconds until an expected condition holds, such as an alert that fires. Prometheus scrapes and evaluates once per second, and
# the machine may be busy.
PATIENCE_SECONDS = 120


class Unmet(Exception):
    """A condition of the drill did not hold."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def fetch(url, body=None):
    """The status and the text of an answer; status 0 without an answer. Certificates are not verified."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    request = urllib.request.Request(url, None if body is None else json.dumps(body).encode(), {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=10, context=context if url.startswith("https") else None) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as answer:
        return answer.code, answer.read().decode()
    except OSError:
        return 0, ""


class Drill:
    """Starts and stops the server, asks Prometheus which alerts fire, and keeps a row for each fault."""

    def __init__(self, programs, folder):
        self.programs, self.folder, self.rows = programs, folder, []
        self.port, self.watch_port, self.scheme = free_port(), free_port(), "http"
        self.server = self.watch = None
        self.log = os.path.join(folder, "server.log")
        self.mark = 0

    def program(self, name):
        return os.path.join(self.programs, name)

    # Starting, stopping and observing the server.

    def serve(self, data, *flags):
        """The command line of a development server."""
        return [self.program("greentea"), "serve", "--dev", "--data", data, "--listen", f"127.0.0.1:{self.port}", *flags]

    def start(self, data, *flags, descriptors=None, environment=None, command=None, ready=True):
        """Starts a server and waits until it answers. `lines` returns the log from here on."""
        command = command or self.serve(data, *flags)
        if descriptors:
            command = ["bash", "-c", f'ulimit -n {descriptors} && exec "$@"', "-", *command]
        self.mark = os.path.getsize(self.log) if os.path.exists(self.log) else 0
        with open(self.log, "ab") as log:
            self.server = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, **(environment or {})})
        if ready:
            self.until("the server answers", lambda: fetch(self.url("/healthz"))[0] == 200)

    def stop(self, by=signal.SIGTERM):
        self.server.send_signal(by)
        return self.server.wait(timeout=PATIENCE_SECONDS)

    def url(self, path):
        return f"{self.scheme}://127.0.0.1:{self.port}{path}"

    def lines(self):
        """The log since the last start."""
        with open(self.log, encoding="utf-8", errors="replace") as log:
            log.seek(self.mark)
            return log.read()

    def line(self, words):
        """Waits for a line of the log, and returns it without its time."""
        self.until(f"the log says {words}", lambda: words in self.lines())
        found = next(line for line in self.lines().splitlines() if words in line)
        return re.sub(r"^\S+Z ", "", found)

    def warns(self, code):
        """Waits until /readyz has a reason or a warning of this name."""
        self.until(f"/readyz says {code}", lambda: f'"{code}"' in fetch(self.url("/readyz"))[1])

    # Observing the server with Prometheus.

    def observe(self, scheme="http"):
        """Starts Prometheus on the server, with the alerts of Tools/deploy but without their delays of minutes."""
        self.scheme = scheme
        with open(os.path.join(DEPLOY, "alerts.yaml"), encoding="utf-8") as rules:
            text = re.sub(r"(?m)^ +for: .*\n", "", rules.read())
        with open(os.path.join(self.folder, "alerts.yaml"), "w", encoding="utf-8") as file:
            file.write(text)
        job = {"job_name": "greentea", "scheme": scheme, "tls_config": {"insecure_skip_verify": True},
               "static_configs": [{"targets": [f"127.0.0.1:{self.port}"]}]}
        path = os.path.join(self.folder, "prometheus.yaml")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"global": {"scrape_interval": "1s", "evaluation_interval": "1s"}, "rule_files": ["alerts.yaml"],
                       "scrape_configs": [job]}, file)
        if self.watch:
            self.watch.send_signal(signal.SIGHUP)
            return
        self.watch = subprocess.Popen(
            ["prometheus", "--config.file=" + path, "--storage.tsdb.path=" + os.path.join(self.folder, "tsdb"),
             f"--web.listen-address=127.0.0.1:{self.watch_port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def firing(self):
        _, text = fetch(f"http://127.0.0.1:{self.watch_port}/api/v1/alerts")
        alerts = json.loads(text)["data"]["alerts"] if text else []
        return {alert["labels"]["alertname"] for alert in alerts if alert["state"] == "firing"}

    def scraped(self, figure):
        """Waits for the first sample of a metric. Prometheus does not notice a rise that precedes it."""
        query = f"http://127.0.0.1:{self.watch_port}/api/v1/query?query={figure}"
        self.until(f"{figure} is scraped", lambda: json.loads(fetch(query)[1] or '{"data": {}}')["data"].get("result"))

    def fires(self, alert):
        self.until(f"{alert} fires", lambda: alert in self.firing())

    def ends(self, alert):
        self.until(f"{alert} ends", lambda: alert not in self.firing())

    # Waiting for conditions, and running programs.

    def until(self, what, holds):
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            if holds():
                return
            time.sleep(0.2)
        raise Unmet(f"not within {PATIENCE_SECONDS} s: {what}; firing: {sorted(self.firing())}; log: {self.lines()[-600:]}")

    def run(self, *command, expect=0, text=None, words=(), environment=None):
        """Runs a program to its end, requires an exit code and words in its output, and returns the last line with one of the words."""
        done = subprocess.run(
            command, input=text, capture_output=True, text=True, check=False, timeout=300, env={**os.environ, **(environment or {})})
        said = done.stdout + done.stderr
        name = " ".join([os.path.basename(command[0]), *command[1:3]])
        if done.returncode != expect:
            raise Unmet(f"{name} ended with {done.returncode}, not {expect}: {said[-800:]}")
        for word in words:
            if word not in said:
                raise Unmet(f"{name} does not say {word!r}: {said[-800:]}")
        found = [line for line in said.splitlines() if words and words[0] in line]
        return found[-1] if found else said.strip().splitlines()[-1] if said.strip() else ""

    def fault(self, name, cause):
        """Causes one fault. `cause` returns the signal, the line that names the reason, and the remedy that worked."""
        began = time.monotonic()
        try:
            signal_, line, remedy = cause(self)
            row, mark = (name, signal_, line, remedy), "ok   "
        except (Unmet, OSError, subprocess.SubprocessError, StopIteration, KeyError, ValueError) as error:
            row, mark = (name, "NO SIGNAL OR NO REMEDY", f"{error}", ""), "FAIL "
            self.recover()
        self.rows.append((mark, *row))
        print(f"{mark} {name} ({time.monotonic() - began:.0f} s)" + (f"\n      {row[2]}" if mark == "FAIL " else ""), flush=True)

    def recover(self):
        """Restores the server to the state in which the next fault expects it."""
        if self.server.poll() is None:
            self.server.kill()
            self.server.wait()
        if self.watch:
            self.observe("http")
        try:
            self.start(self.data)
        except Unmet as error:
            print(f"      and it does not start again: {error}", flush=True)

    def end(self):
        for process in (self.server, self.watch):
            if process and process.poll() is None:
                process.kill()
                process.wait()

    def table(self):
        """Prints the outcome of each fault as Markdown, and returns the number of failures."""
        print("\n| fault | signal | the line that says why | the remedy that worked |\n|---|---|---|---|")
        for _, *cells in self.rows:
            print("| " + " | ".join(shorten(cell) for cell in cells) + " |")
        failures = sum(row[0] != "ok   " for row in self.rows)
        print(f"\n{'FAIL' if failures else 'ok'}: {len(self.rows)} faults, {failures} without a signal or a remedy")
        return failures


def shorten(text, most=160):
    text = re.sub(r"\s+", " ", text).replace("|", "\\|").strip()
    text = re.sub(r"/tmp/greentea-operations-\w+", "…", text)
    return text if len(text) <= most else text[:most - 1] + "…"


def sign_in(drill, number=1):
    """Signs in a new account, which adds an event to the log. Returns the phone number."""
    phone = f"+861380013{1000 + number}"
    _, text = fetch(drill.url("/v1/verifications"), {"phone": phone})
    status, text = fetch(drill.url("/v1/sessions"), {"phone": phone, "code": json.loads(text)["devCode"]})
    if status not in (200, 201):
        raise Unmet(f"nobody can sign in: {status} {text}")
    return phone


def board_rules(folder):
    """Writes the expressions of the dashboard as rules that promtool can read. Returns the file's path."""
    with open(os.path.join(DEPLOY, "dashboard.json"), encoding="utf-8") as file:
        board = json.load(file)
    expressions = [target["expr"].replace("$instance", ".*") for panel in board["panels"] for target in panel.get("targets", [])]
    path = os.path.join(folder, "board.yaml")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"groups": [{"name": "board", "rules": [
            {"record": f"board:{number}", "expr": text} for number, text in enumerate(expressions)]}]}, file)
    return path


def mount(folder, options):
    """Mounts a small tmpfs. Returns false if this user may not."""
    os.makedirs(folder, exist_ok=True)
    return subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], capture_output=True, check=False).returncode == 0


def unmount(folder):
    subprocess.run(["umount", "-l", folder], capture_output=True, check=False)


def certificate(folder, name, days):
    """Makes a self-signed certificate and its key."""
    chain, key = os.path.join(folder, name + ".pem"), os.path.join(folder, name + ".key")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", str(days), "-subj",
         "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", chain], check=True, capture_output=True)
    os.chmod(key, 0o600)
    return chain, key


def remove(path):
    shutil.rmtree(path, ignore_errors=True)
