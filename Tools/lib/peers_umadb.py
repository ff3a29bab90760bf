"""UmaDB: the server of its Python wheel over gRPC, and client processes that load it."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
import venv

import peers_work

# The version with which the published figures were measured. If the executable of another version is given, that version is measured.
PACKAGE = "umadb==0.7.8"
CLIENT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers_umadb_client.py")
# The numbers of client processes to try, because one Python process cannot saturate the server.
PROCESSES_TRIED = (1, 2, 4, 8)
# Each number of processes is tried twice, and the better result is used, because the machine may be busy.
TRIES = 2
TRY_SECONDS = 1.0


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def install():
    """The executable of the wheel, in a folder that is kept for the next run."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = os.path.join(cache, "greentea-peers", PACKAGE.replace("==", "-"))
    executable = os.path.join(folder, "bin", "umadb")
    if os.path.exists(executable):
        return executable
    print(f"peers: installing {PACKAGE} into {folder}", file=sys.stderr)
    try:
        venv.create(folder, with_pip=True, clear=True)
        pip = [os.path.join(folder, "bin", "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", PACKAGE]
        subprocess.run(pip, check=True)
    except (subprocess.CalledProcessError, OSError) as error:
        raise peers_work.Skip(f"pip could not install {PACKAGE} ({error}); give an installed one with --umadb") from None
    return executable


class UmaDBServer:
    """A server on a free port of this machine, with a temporary data folder."""

    def __init__(self, executable, folder):
        self.python = os.path.join(os.path.dirname(executable), "python")
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        command = [executable, "--listen", f"127.0.0.1:{port}", "--db-path", folder]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._wait(port)

    def _wait(self, port):
        """Waits until the server listens, because a client that connects too early waits for a long time."""
        for _ in range(200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return
            time.sleep(0.05)
        self.stop()
        raise peers_work.Skip("the server does not listen")

    def ask(self, **task):
        """The answer of one client process to a task."""
        done = subprocess.run(self._command(task), check=True, capture_output=True, text=True)
        return json.loads(done.stdout)

    def load(self, lanes, processes, seconds, **task):
        """Runs some lanes for some seconds, spread over some client processes."""
        shares = [list(range(index, lanes, processes)) for index in range(min(processes, lanes))]
        clients = [self._client(dict(task, lanes=share)) for share in shares]
        try:
            for client in clients:
                if client.stdout.readline().strip() != "ready":
                    raise peers_work.Wrong("UmaDB: a client could not connect")
            begin = time.monotonic() + 0.1
            for client in clients:
                client.stdin.write(f"{begin} {begin + seconds}\n")
                client.stdin.flush()
            outputs = [json.loads(client.stdout.read() or "null") for client in clients]
        finally:
            for client in clients:
                peers_work.stop(client)
        if None in outputs:
            raise peers_work.Wrong("UmaDB: a client failed; what it says stands above")
        counts = [0] * lanes
        for share, output in zip(shares, outputs):
            for lane, count in zip(share, output["counts"]):
                counts[lane] = count
        times = [each for output in outputs for each in output["microseconds"]]
        return peers_work.Load(times, counts, max(output["end"] for output in outputs) - begin)

    def _command(self, task):
        return [self.python, CLIENT, json.dumps(dict(task, url=self.url))]

    def _client(self, task):
        return subprocess.Popen(self._command(task), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def stop(self):
        # The server is killed instead of terminated: if a worker thread started it, it may have inherited a signal mask that blocks
        # SIGTERM.
        peers_work.stop(self.process)


class UmaDB:
    """The peer: a server for each shape, and the number of client processes with which it is fastest.

    With its defaults: its pipelined writer (UMADB_PIPELINED_WRITER=true) was slower in every one of six comparisons here."""

    name = "UmaDB"

    def __init__(self, executable):
        if executable and not os.path.exists(executable):
            raise peers_work.Skip(f"there is no {executable}")
        self.executable = executable or install()
        # For each kind of load, the chosen number of processes, and the result of each number tried.
        self.processes = {}
        self.trials = {}

    @property
    def description(self):
        version = subprocess.run([self.executable, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        used = ", ".join(f"{kind}: {count}" for kind, count in self.processes.items())
        return f"{version}, its defaults, over gRPC on loopback; processes of Python clients that made it fastest ({used})"

    def measure(self, shape, seconds, folder):
        """All figures of one shape in one round."""
        processes = self._processes(str(shape), shape.writers, lambda count: self._append_rate(shape, count, folder))
        with self._serving(folder) as server:
            load = server.load(shape.writers, processes, seconds, step="append", events=shape.events)
            self._check(server, load, shape)
            figures = peers_work.figures_of_appends(load, shape)
            if shape.events == peers_work.READ_EVENTS:
                figures.update(self._read(server, load, shape, seconds / 2))
            return figures

    @contextlib.contextmanager
    def _serving(self, folder):
        with peers_work.TemporaryFolder(folder) as own:
            server = UmaDBServer(self.executable, own)
            try:
                yield server
            finally:
                server.stop()

    def _processes(self, kind, lanes, rate):
        """The number of client processes with which a kind of load is fastest. It is determined once and kept."""
        if kind not in self.processes:
            tried = [count for count in PROCESSES_TRIED if count <= lanes]
            trials = dict.fromkeys(tried, 0)
            for count in tried * (TRIES if len(tried) > 1 else 0):
                trials[count] = max(trials[count], rate(count))
            self.trials[kind] = trials
            self.processes[kind] = max(trials, key=trials.get)
        return self.processes[kind]

    def _append_rate(self, shape, processes, folder):
        with self._serving(folder) as server:
            return server.load(shape.writers, processes, TRY_SECONDS, step="append", events=shape.events).rate

    def _check(self, server, load, shape):
        said = server.ask(step="check", events=shape.events)
        if not said["isRefused"]:
            raise peers_work.Wrong("UmaDB: the same append was taken twice")
        if said["stored"] != load.count * shape.events:
            raise peers_work.Wrong(f"UmaDB: {said['stored']} events stored, {load.count * shape.events} appended")

    def _read(self, server, appended, shape, seconds):
        figures = {}
        task = {"step": "read", "events": shape.events, "counts": appended.counts}
        for readers in peers_work.READERS:
            # Earlier reads bring the data into the caches before the measured run: the trials, if the number of processes is not chosen
            # yet, and one run whose result is not reported.
            processes = self._processes(
                f"reads by {readers}", readers, lambda count: server.load(readers, count, TRY_SECONDS, **task).rate)
            server.load(readers, processes, seconds / 2, **task)
            figures.update(peers_work.figures_of_reads(server.load(readers, processes, seconds, **task), readers))
        said = server.ask(step="readAll")
        if said["found"] != appended.count * shape.events:
            raise peers_work.Wrong(f"UmaDB: {said['found']} events read, {appended.count * shape.events} appended")
        figures["full read"] = said["found"] / said["seconds"]
        return figures
