"""One damaged file of a data folder: is it seen, is the rest served, does the remedy work? Used by Tools/check-damage."""

import os
import random
import re
import subprocess
import time

from damage_pages import WAYS, Hurt
from damage_remedies import apply_remedy
from damage_service import QUICK_CRASH, Service, Traffic, until
from damage_world import CHAIN, DATA

# The most seconds until damage must be told, a minute on a busy machine, and until a service that mends itself must be well.
SIGNAL_SECONDS, MEND_SECONDS = 70, 20
# How often a server may end by a signal before it is a loop.
DEATHS_MAX = 2
# The kinds that a loss of every answer is allowed for, while the cause is told.
VITAL = ("log", "keys", "master key")
# What is told of the log or the keys by somebody who does not search them.
SYMPTOMS = {
    "audit.failed", "checkpoint.failed", "fault.began", "GreenTeaAuditFailing", "GreenTeaCheckpointFailing", "GreenTeaNotReady",
    "readyz checkpointFailing"}
# The fewest of the known answers that damage to the log or to the keys may leave: those without anybody's name.
INTACT_MIN = 4
# The kinds that a start makes anew and that nobody reads until then.
MADE_ANEW = ("model state", "index manifest", "lock file", "note")
REMEDY_WORDS = re.compile(r"restore|cp -a|remove|delete|\brm\b|put |greentea-|--accept|start (it )?again|backup|runbook", re.I)


class Case:
    """A case: its number, its damage, what was observed, and its faults."""

    def __init__(self, world, number, seed, place):
        self.world, self.number, self.place = world, number, place
        files = world.files()
        self.kind = world.kind_of_case(number, seed, files)
        self.random = random.Random(f"{seed} case {number}")
        self.file = self.random.choice(files[self.kind])
        self.way = self.random.choice(WAYS)
        # A server reads the master key once, at its start.
        self.runs = self.random.random() < 0.5 and self.file.startswith(DATA + "/") and self.kind != "master key"
        # A server that has opened a model removes its seal.
        self.runs = self.runs and not self.file.endswith("/seal")
        self.faults, self.seen, self.seen_after, self.only_asked = [], [], None, False
        self.remedy, self.health_seconds, self.texts = "", None, ""
        self.hurt, self.matters, self.harmless, self.notes = None, None, False, []
        self.began = self.well_at = None
        self.crashes, self.unclean = 0, ""

    def path(self, *names):
        return os.path.join(self.place, *names)

    def prepare(self):
        self.world.copy(self.place)

    def damage(self):
        self.hurt = Hurt(self.path(self.file), self.way, self.random)
        self.matters = self.hurt.matters()
        self.hurt.apply()
        self.began = time.monotonic()

    def fault(self, text):
        self.faults.append(re.sub(r"\s+", " ", text.replace(self.place + "/", ""))[:700])

    def tool(self, name, *arguments):
        """Runs a tool. Returns its exit code and its output. An end by a signal is a fault."""
        try:
            done = subprocess.run([self.world.program(name), *arguments], capture_output=True, text=True, timeout=120, check=False,
                                  errors="replace", env=QUICK_CRASH)
        except subprocess.TimeoutExpired:
            self.fault(f"{name} {arguments[0]} has not ended after 120 s")
            return -9, ""
        said = done.stdout + done.stderr
        if done.returncode < 0 or done.returncode > 64:
            self.fault(f"{name} {arguments[0]} ends with {done.returncode}: {said[-300:]}")
        return done.returncode, said

    def saw(self, *names, text=""):
        if not self.seen:
            self.seen_after = time.monotonic() - self.began
        self.seen += [name for name in names if name not in self.seen]
        self.texts += " " + text

    def title(self):
        return f"{self.number:4} {self.kind:19} {self.file} {self.hurt or self.way}{', under load' if self.runs else ''}"


class DataCase(Case):
    """Damage to a file of the data folder, at rest before a start, or in the open file of a server with load."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.data = self.path(DATA)
        self.service = Service(self.world, self.data, self.path("server.log"))
        self.traffic = self.known = None

    def play(self, known, usual):
        """Plays the case. `usual` is what is told of an intact folder."""
        self.known = known
        self.prepare()
        try:
            self.begin_running(known) if self.runs else self.damage()
            self.watch(known, usual)
            if self.traffic:
                self.traffic.end()
            self.judge(known, usual)
        finally:
            if self.traffic:
                self.traffic.end()
            self.service.end()

    def begin_running(self, known):
        if not self.service.start():
            raise RuntimeError(f"the intact copy does not start: {self.service.last_words()}")
        self.traffic = Traffic(self.service, known)
        self.traffic.start()
        if not until(30, self.traffic.begun.is_set):
            raise RuntimeError("no stamp can be given on the intact copy")
        self.service.begin_watch()
        self.damage()

    # Is it seen?

    def keep_alive(self, usual):
        """Starts the server where it ended, as the unit does. Returns whether it runs."""
        service = self.service
        while not service.alive():
            if service.process is not None and (not service.deaths or service.process.stdout.closed is False):
                service.note_death()
            code = service.deaths[-1] if service.deaths else None
            if code is not None and self.ended(code, usual):
                return False
            service.start()
        return True

    def ended(self, code, usual):
        """Notes an end of the server. Returns whether the unit would leave it so."""
        words = self.service.last_words()
        if code in (2, 64):
            self.saw(f"exit {code}", text=words)
            if not REMEDY_WORDS.search(words):
                self.fault(f"the refusal names no remedy: {words}")
            if os.path.basename(os.path.dirname(self.file)) not in words and os.path.basename(self.file) not in words:
                self.fault(f"the refusal does not name the file: {words}")
            return True
        by_signal = [death for death in self.service.deaths if death not in (0, 2, 3)]
        if code == 3:
            self.saw("exit 3", text=words)
        else:
            self.crashes += 1
            self.notes.append(f"ended with {code}: {words[-300:]}")
        if len(by_signal) > DEATHS_MAX or len(self.service.deaths) > DEATHS_MAX + 3:
            self.fault(f"loops: ends with {self.service.deaths}; the last words: {words}")
            return True
        return False

    def watch(self, known, usual):
        """Waits until something is told, or two audits have found nothing and the tools prove that no harm was done."""
        end, asked = self.began + SIGNAL_SECONDS, False
        probed, audits = False, None
        while time.monotonic() < end:
            if not self.keep_alive(usual):
                return
            told = {name: text for name, text in self.service.signals().items() if name not in usual["signals"]}
            if self.kind in VITAL:
                # Who meets the damage first does not know what it is; the next search does.
                told = told if set(told) - SYMPTOMS else {}
            if told:
                self.saw(*told, text=" ".join(told.values()))
                return
            if not probed and not asked:
                known.probe(self.service)
                probed = True
            now = self.service.audits()
            audits = now if audits is None or now < audits else audits
            if not asked and now >= audits + 2:
                asked = True
                if self.ask_tools(usual):
                    return
            time.sleep(0.05)
        if asked or not self.ask_tools(usual):
            self.fault(f"nothing tells of it within {SIGNAL_SECONDS} s{self.unclean}")

    def ask_tools(self, usual):
        """Asks the tools, where the server has told nothing. Returns whether they tell of it, or prove that there is nothing to tell."""
        told = self.doctor() - usual["doctor"]
        if told:
            self.saw("doctor", text=" ".join(told))
            self.only_asked = True
            return True
        if self.kind == "picture":
            code, said = self.tool("greentea-audit", "backup", "--data", self.data, "--in", self.path(CHAIN), "--incremental")
            if code != 0:
                self.saw(f"backup exit {code}", text=said)
                return True
        if self.runs and self.kind in VITAL and self.matters and self.hurt.is_past():
            self.matters = False
        may = self.matters is False if self.kind in VITAL else self.kind != "picture"
        self.harmless = may and (self.is_clean() or self.kind in MADE_ANEW and self.is_clean_after_restart())
        return self.harmless

    def is_clean_after_restart(self):
        """Whether the next start makes the file anew, as it does without being told."""
        self.service.stop()
        return self.service.start() and self.is_clean()

    def doctor(self):
        _, said = self.tool("greentea-audit", "doctor", "--data", self.data)
        return {":".join(line.split(":")[:1]) for line in said.splitlines() if line.startswith(("bad", "warning"))}

    def is_clean(self, say=False):
        """Whether every record and every model is as the log says."""
        for name, *arguments in (("greentea-audit", "verify", "--data", self.data), ("greentea-replay", "--data", self.data, "--compare")):
            code, said = self.tool(name, *arguments)
            if code != 0:
                self.unclean = f", and {name} {arguments[0]} ends with {code}: {said[-300:]}"
                if say:
                    self.fault(f"after the remedy {self.remedy}, {name} ends with {code}: {said[-300:]}")
                return False
        return True

    # Is the rest served, and does the remedy work?

    def judge(self, known, usual):
        service = self.service
        if service.alive():
            probe = known.probe(service)
            # A damaged page can end the process meanwhile. Then the next start has to tell of it.
            if service.alive():
                self.judge_answers(probe)
            else:
                self.keep_alive(usual)
        crashes = [death for death in service.deaths if death < 0 or death > 64]
        if crashes and not service.alive():
            self.notes.append(f"crashes: {crashes}")
        began = self.began
        if self.heals_alone(known, usual):
            self.remedy = "none needed"
        else:
            # No start can heal the log or the keys: the next one refuses them, with a remedy.
            if crashes and not (self.kind in ("log", "keys") and self.texts and not self.faults):
                self.fault(f"ended with {crashes}, and the next start does not heal it")
            began = time.monotonic()
            self.remedy = apply_remedy(self)
            if not service.alive() and not service.start():
                self.fault(f"after the remedy {self.remedy}, no start: {service.last_words()}")
                return
            if not self.becomes_well(known, usual, say=True):
                return
        self.health_seconds = None if self.harmless and not self.crashes else self.well_at - began
        if self.traffic and self.traffic.customer and self.kind not in VITAL and self.traffic.lost():
            self.fault(f"{self.traffic.lost()} acknowledged stamps are gone")
        if not service.stop():
            self.fault("does not stop on SIGTERM")

    def judge_answers(self, probe):
        if probe.wrong:
            self.fault(f"wrong answers: {probe}")
        if self.kind not in (*VITAL, "picture") and (probe.missing or not probe.stamped) and not self.excused(probe):
            self.fault(f"what is intact is not served: {probe}")
        if self.kind in VITAL and probe.right < INTACT_MIN:
            self.fault(f"one damaged page hides nearly everything: {probe}")
        if self.kind == "log" and self.matters and probe.stamped:
            self.fault("writes go on behind the damage")
        if self.kind == "picture" and (len(probe.missing) > 1 or not probe.stamped):
            self.fault(f"what is intact is not served: {probe}")

    def excused(self, probe):
        """A model that has stopped, as after damage of its lock file, or is made again answers later; that is told, and writes go on."""
        return probe.stamped and "/derived/models/" in self.file and self.seen

    def heals_alone(self, known, usual):
        if not self.service.alive():
            return False
        patience = 0 if self.kind in ("log", "keys", "picture", "master key") and not self.harmless else MEND_SECONDS
        well = until(patience, lambda: self.service.alive() and self.is_well(usual))
        return bool(well) and self.becomes_well(known, usual)

    def is_well(self, usual):
        ready, reasons = self.service.ready()
        return ready and not (set(self.service.firing(stays=True)) | {"readyz " + code for code in reasons}) - usual["signals"]

    def becomes_well(self, known, usual, say=False):
        """Whether the service becomes ready, everything is clean, and everything known is answered. With `say`, a no is a fault."""
        ready = until(MEND_SECONDS, lambda: self.is_well(usual))
        if not ready:
            if say:
                self.fault(f"after the remedy {self.remedy}, not well: {self.service.ready()} {self.service.firing(stays=True)}")
            return False
        self.well_at = time.monotonic()
        if not self.is_clean(say):
            return False
        probe = known.probe(self.service)
        if not probe.whole():
            if say:
                self.fault(f"after the remedy {self.remedy}: {probe}")
            return False
        bad = {line for line in self.doctor() if line.startswith("bad")} - usual["doctor"]
        if bad and say:
            self.fault(f"after the remedy {self.remedy}, doctor: {bad}")
        return not bad
