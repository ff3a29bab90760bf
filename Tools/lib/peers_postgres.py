"""PostgreSQL: a table of events and a function that appends under a condition, loaded by `pgbench`."""

import glob
import os
import pwd
import re
import shutil
import signal
import subprocess
import tempfile
import time

import peers_work

BINARIES = "/usr/lib/postgresql/*/bin"
SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers_postgres.sql")
PGBENCH_THREADS = 2
# The number of concurrent appends with the same tag, and the number of such tags. For each tag, exactly one append must succeed.
RACERS = 16
RACES = 50
# Usual settings for a small server, none of which weakens a commit. Sequential scans are off, because PostgreSQL would plan one for the
# table's first ten rows, and keep that plan when the table is large.
SETTINGS = {
    "fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "listen_addresses": "", "max_connections": 300,
    "shared_buffers": "512MB", "max_wal_size": "8GB", "checkpoint_timeout": "30min", "enable_seqscan": "off", "jit": "off",
}
TAG = "'unique:' || to_hex(:tag::bigint) || to_hex(:more::bigint)"
# The server creates the payloads, once per connection, so they cost no transfer. The clients of the other peers do send them.
APPEND = """\\set number :number + 1
\\set tag hash_murmur2(:client_id * 1000000000 + :number, 1)
\\set more hash_murmur2(:client_id * 1000000000 + :number, 2)
\\set shop (:client_id + :number) % {shops}
SELECT append_unless({lock}, '{type}', {tag}, ARRAY[{tag}, 'shop:' || :shop],
    array_fill(decode(repeat('07', {bytes}), 'hex'), ARRAY[{events}]));
"""
READ = """\\set client random(0, {writers} - 1)
\\set number random(0, {fewest} - 1)
\\set tag hash_murmur2(:client * 1000000000 + :number, 1)
\\set more hash_murmur2(:client * 1000000000 + :number, 2)
SELECT position, type, tags, payload FROM events WHERE tags @> ARRAY[{tag}] AND type = '{type}' ORDER BY position;
"""


class Cluster:
    """A server with a temporary data folder. Only this process uses it, through a socket in another folder."""

    def __init__(self, folder):
        found = sorted(glob.glob(BINARIES), key=lambda path: int(path.split("/")[-2]))
        if not found or not shutil.which("pgbench"):
            raise peers_work.Skip("not installed: apt-get install postgresql postgresql-client")
        self.binaries = found[-1]
        self.data = os.path.join(folder, "postgres")
        # The socket is not below the folder, because a socket's path may have at most 107 bytes.
        self.socket = tempfile.mkdtemp(prefix="greentea-peers-socket-")
        self.process = None
        try:
            self._start()
        except BaseException:
            self.stop()
            raise

    def _start(self):
        who = self._who()
        for folder in (self.data, self.socket):
            os.makedirs(folder, mode=0o700, exist_ok=True)
            if who:
                os.chown(folder, who["user"], who["group"])
        options = [word for name, value in SETTINGS.items() for word in ("-c", f"{name}={value}")]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "cwd": self.socket, **who}
        made = subprocess.run(
            [f"{self.binaries}/initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C"],
            text=True, **quiet)
        if made.returncode != 0:
            raise peers_work.Skip(f"initdb: {made.stderr.strip().splitlines()[-1:]}")
        with open(os.path.join(self.socket, "errors"), "w") as errors:
            self.process = subprocess.Popen(
                [f"{self.binaries}/postgres", "-D", self.data, "-k", self.socket, *options], **{**quiet, "stderr": errors})
        self._wait()

    @staticmethod
    def _who():
        """The user that runs the server, which refuses to run as root: the user of its package, or else nobody."""
        if os.getuid() != 0:
            return {}
        names = [each.pw_name for each in pwd.getpwall()]
        user = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
        return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}

    def _wait(self):
        for _ in range(200):
            if subprocess.run([f"{self.binaries}/pg_isready", "-q", "-h", self.socket]).returncode == 0:
                return
            time.sleep(0.05)
        raise peers_work.Skip("the server does not answer")

    def connection(self):
        return ["-h", self.socket, "-U", "postgres"]

    def ask(self, *statements):
        """The output of `psql` for a statement."""
        words = [word for statement in statements for word in ("-c", statement)]
        command = ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", *self.connection(), *words, "postgres"]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def stop(self):
        if self.process:
            peers_work.stop(self.process, signal.SIGINT)
        shutil.rmtree(self.socket, ignore_errors=True)


class Postgres:
    """The peer, with one lock for all appends or with one lock for each tag."""

    def __init__(self, cluster, has_tag_locks):
        self.cluster = cluster
        self.has_tag_locks = has_tag_locks
        self.is_proved = False
        self.name = "PostgreSQL, lock a tag" if has_tag_locks else "PostgreSQL"

    @property
    def description(self):
        version = self.cluster.ask("SHOW server_version")
        lock = (
            "an advisory lock for each tag: commits share flushes, but readers may see a position before a lower one"
            if self.has_tag_locks else "one advisory lock until the commit: positions become visible in their order")
        return f"{version}, pgbench -M prepared -j {PGBENCH_THREADS} over a Unix socket, GIN index of tags, {lock}"

    def measure(self, shape, seconds, folder):
        """All figures of one shape in one round."""
        with peers_work.TemporaryFolder(folder) as own:
            if not self.is_proved:
                self._race(own)
                self.is_proved = True
            self._clear()
            script = os.path.join(own, "append.sql")
            self._write(script, APPEND, shape)
            load = self._bench(own, script, shape.writers, ["-T", f"{max(1, round(seconds))}"])
            self._check(own, script, load, shape)
            figures = peers_work.figures_of_appends(load, shape)
            if shape.events == peers_work.READ_EVENTS:
                figures.update(self._read(own, load, shape, seconds / 2))
            return figures

    def _clear(self):
        with open(SCHEMA) as schema:
            self.cluster.ask(schema.read())
        self.cluster.ask("CHECKPOINT")

    def _race(self, folder):
        """Lets clients append the same tag at once. Exactly one must succeed, which the lock ensures."""
        self._clear()
        script = os.path.join(folder, "race.sql")
        self._write(script, APPEND.replace(":client_id", "0"), peers_work.Shape("1x1"))
        self._run(folder, script, RACERS, ["-t", str(RACES)])
        stored = int(self.cluster.ask("SELECT count(*) FROM events"))
        if stored != RACES:
            raise peers_work.Wrong(f"{self.name}: {stored} appends by {RACERS} racers for {RACES} tags were let through")

    def _write(self, path, template, shape, **values):
        lock = f"hashtextextended({TAG}, 0)" if self.has_tag_locks else "0"
        text = template.format(
            lock=lock, type=peers_work.EVENT_TYPE, tag=TAG, shops=peers_work.SHOPS, bytes=peers_work.PAYLOAD_BYTES,
            events=shape.events, writers=shape.writers, **values)
        with open(path, "w") as script:
            script.write(text)

    def _run(self, folder, script, clients, options):
        command = ["pgbench", "-n", "-M", "prepared", "-c", str(clients), "-j", str(min(PGBENCH_THREADS, clients)), "-f", script]
        command += ["-D", "number=-1", *options, *self.cluster.connection(), "postgres"]
        return subprocess.run(command, cwd=folder, capture_output=True, text=True)

    def _bench(self, folder, script, clients, options):
        done = self._run(folder, script, clients, [*options, "--log", "--log-prefix=times"])
        if done.returncode != 0:
            raise peers_work.Wrong(f"pgbench: {done.stderr.strip()[-400:]}")
        times, counts = [], [0] * clients
        for path in glob.glob(os.path.join(folder, "times.*")):
            with open(path) as lines:
                for line in lines:
                    words = line.split()
                    counts[int(words[0])] += 1
                    times.append(float(words[2]))
            os.remove(path)
        processed = int(re.search(r"actually processed: (\d+)", done.stdout)[1])
        if processed != len(times):
            raise peers_work.Wrong(f"pgbench: {processed} transactions, {len(times)} logged")
        return peers_work.Load(times, counts, processed / float(re.search(r"tps = ([0-9.]+) \(without", done.stdout)[1]))

    def _check(self, folder, script, load, shape):
        again = self._run(folder, script, 1, ["-t", "1"])
        if again.returncode == 0 or "append condition failed" not in again.stderr:
            raise peers_work.Wrong(f"{self.name}: the same append was taken twice")
        stored = int(self.cluster.ask("SELECT count(*) FROM events"))
        if stored != load.count * shape.events:
            raise peers_work.Wrong(f"{self.name}: {stored} events stored, {load.count * shape.events} appended")
        found = int(self.cluster.ask("SELECT count(*) FROM events WHERE tags @> (SELECT tags[1:1] FROM events WHERE position = 1)"))
        if found != shape.events:
            raise peers_work.Wrong(f"{self.name}: {found} events of one append found, {shape.events} appended")

    def _read(self, folder, appended, shape, seconds):
        script = os.path.join(folder, "read.sql")
        self._write(script, READ, shape, fewest=min(appended.counts))
        figures = {}
        for readers in peers_work.READERS:
            # The first run only warms the caches for the second, whose result is used.
            for _ in range(2):
                load = self._bench(folder, script, readers, ["-T", f"{max(1, round(seconds))}"])
            figures.update(peers_work.figures_of_reads(load, readers))
        began = time.perf_counter()
        copy = "COPY (SELECT position, type, tags, payload FROM events ORDER BY position) TO STDOUT (FORMAT binary)"
        command = ["psql", "-X", "-q", *self.cluster.connection(), "-c", copy, "postgres"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        figures["full read"] = appended.count * shape.events / (time.perf_counter() - began)
        return figures
