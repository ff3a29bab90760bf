"""Faults of a running server: each with the alert that fires, the line of the log, and the remedy after which the alert ends."""

import errno
import fcntl
import glob
import os
import shutil
import signal
import socket
import subprocess
import time
from datetime import datetime, timedelta

from operations_backups import damaged_backup, missing_pictures
from operations_drill import Unmet, certificate, fetch, mount, sign_in, unmount

FAKETIME = next(iter(sorted(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1"))), None)
DELETIONS_MAX = 10


def backup(drill):
    drill.fires("GreenTeaBackupOld")
    drill.run(drill.program("greentea-audit"), "backup", "--data", drill.data, "--to", os.path.join(drill.folder, "copy"))
    drill.ends("GreenTeaBackupOld")
    return "GreenTeaBackupOld", "(the age is a figure: greentea_backup_timestamp_seconds)", "greentea-audit backup"


def full_backup(drill):
    """The weekly full backup is refused, and the increments go on: only the age of the full one shows it."""
    audit, shelf = drill.program("greentea-audit"), os.path.join(drill.folder, "shelf")
    command = [audit, "backup", "--data", drill.data, "--in", shelf]
    drill.run(*command)
    old = (datetime.now() - timedelta(days=10)).timestamp()
    os.utime(os.path.join(drill.data, "last-full-backup"), (old, old))
    with open(os.path.join(shelf, ".lock"), "rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        line = drill.run(*command, expect=2, words=["another backup is being made", "--wait"])
    sign_in(drill, 61)
    drill.run(*command, "--incremental", words=["after "])
    drill.fires("GreenTeaFullBackupOld")
    if "GreenTeaBackupOld" in drill.firing():
        raise Unmet("the increment did not count as a backup")
    drill.run(audit, "doctor", "--data", drill.data, words=["warning  full backup: the last good one was 10 days ago"])
    drill.run(*command, "--wait", "60")
    drill.ends("GreenTeaFullBackupOld")
    return "GreenTeaFullBackupOld, doctor", line, "greentea-audit backup --wait"


def key_backup(drill):
    """The keys are in no backup of the log."""
    drill.fires("GreenTeaKeyBackupOld")
    audit, copies = drill.program("greentea-audit"), os.path.join(drill.folder, "with-keys")
    line = drill.run(audit, "doctor", "--data", drill.data, words=["warning  key copy: none is noted"])
    command = line.partition("→ ")[2].replace("BACKUPS", copies).replace("COPY", os.path.join(drill.folder, "keys-apart")).split()
    drill.run(audit, *command[1:])
    drill.ends("GreenTeaKeyBackupOld")
    drill.run(audit, "doctor", "--data", drill.data, words=["ok  key copy:"])
    return "GreenTeaKeyBackupOld, doctor", line, "greentea-audit backup --keys"


def rehearsal(drill):
    drill.fires("GreenTeaDrillOld")
    line = drill.run(
        drill.program("greentea-audit"), "doctor", "--data", drill.data, words=["warning  drill:"])
    drill.run(
        drill.program("greentea-audit"), "drill", "--data", drill.data, "--scratch", drill.folder, words=["keys  not rehearsed"])
    drill.ends("GreenTeaDrillOld")
    return "GreenTeaDrillOld", line, "greentea-audit drill"


def delete_derived(drill):
    """Deletes the folder. The server may make a file in it meanwhile, which the next attempt deletes as well."""
    folder = os.path.join(drill.data, "derived")
    for _ in range(DELETIONS_MAX):
        try:
            return shutil.rmtree(folder)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.ENOENT):
                raise
    raise Unmet(f"{folder} has a new file after each of {DELETIONS_MAX} deletions")


def derived(drill):
    drill.scraped("greentea_model_remade_total")
    delete_derived(drill)
    line = drill.line("model.removed")
    drill.fires("GreenTeaDerivedRemoved")
    drill.line("model.remade")
    drill.until("the server is ready", lambda: fetch(drill.url("/readyz"))[0] == 200)
    drill.until("searches are answered", lambda: fetch(drill.url("/v1/shops?q=tea"))[0] == 200)
    return "GreenTeaDerivedRemoved, model.removed", line, "none needed: it makes them again and stays ready"


def derived_at_stop(drill):
    """Derived data is deleted before a stop. A server once exited with 2 after SIGTERM in that case."""
    delete_derived(drill)
    code = drill.stop()
    if code != 0:
        raise Unmet(f"SIGTERM ended it with {code}")
    line = drill.line("server.stopped")
    drill.start(drill.data)
    return "exit 0, server.stopped", line, "the next start makes them anew"


def killed(drill):
    drill.stop(signal.SIGKILL)
    drill.fires("GreenTeaDown")
    drill.start(drill.data)
    line = drill.line("server.started")
    drill.ends("GreenTeaDown")
    return "GreenTeaDown", line, "start it again: nothing acknowledged is lost"


def restarts(drill):
    for _ in range(3):
        drill.stop(signal.SIGKILL)
        drill.fires("GreenTeaDown")
        drill.start(drill.data)
        drill.ends("GreenTeaDown")
    drill.fires("GreenTeaRestarts")
    return "GreenTeaRestarts", drill.line("server.starting"), "the exit code names the cause (runbook)"


def load(drill):
    """Traffic while the server is killed and started again. Every answer is right afterwards."""
    work = subprocess.Popen(
        [drill.program("greentea-load"), "--url", drill.url(""), "--seconds", "12", "--rate", "100", "--accounts", "50", "--shops", "4",
         "--wait", "120"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    drill.until("traffic comes", lambda: "/v1/stamps" in fetch(drill.url("/metrics"))[1])
    drill.stop(signal.SIGKILL)
    drill.fires("GreenTeaDown")
    drill.start(drill.data)
    said, _ = work.communicate(timeout=240)
    if work.returncode != 0:
        raise Unmet(f"greentea-load ended with {work.returncode}: {said[-600:]}")
    drill.ends("GreenTeaDown")
    found = [line for line in said.splitlines() if "restart" in line or "again" in line] or said.strip().splitlines()[-1:]
    return "GreenTeaDown", found[-1], "greentea-load waits for the server and holds every answer to its books"


def few_descriptors(drill):
    """The server has so few descriptors that clients hold nearly all connections. Its own files still get descriptors."""
    drill.stop()
    drill.start(drill.data, descriptors=800)
    line = drill.line("limits.descriptorsFew")
    held = []
    try:
        for number in range(280):
            client = socket.socket()
            # Several addresses of this machine are used, because the server limits the connections from one address.
            client.bind((f"127.0.0.{2 + number % 16}", 0))
            client.connect(("127.0.0.1", drill.port))
            held.append(client)
        drill.fires("GreenTeaConnectionsFull")
    finally:
        for client in held:
            client.close()
    drill.stop()
    drill.start(drill.data, descriptors=20_000)
    drill.ends("GreenTeaConnectionsFull")
    if "limits.descriptorsFew" in drill.lines():
        raise Unmet("it still warns with 20,000 descriptors")
    return "GreenTeaConnectionsFull, limits.descriptorsFew", line, "ulimit -n 20000 (LimitNOFILE=), and a start"


def checkpoint(drill):
    """The checkpoint cannot be stored, because a folder has the name of its file."""
    path = os.path.join(drill.data, "checkpoint")
    drill.stop()
    drill.start(drill.data)
    os.rename(path, path + ".kept")
    os.makedirs(path + "/in-the-way")
    sign_in(drill, 7)
    line = drill.line("checkpoint.failed")
    drill.fires("GreenTeaCheckpointFailing")
    shutil.rmtree(path)
    os.rename(path + ".kept", path)
    sign_in(drill, 8)
    drill.ends("GreenTeaCheckpointFailing")
    return "GreenTeaCheckpointFailing, not ready", line, "take away what is in its way"


def expiring_certificate(drill):
    soon, later = certificate(drill.folder, "soon", 3), certificate(drill.folder, "later", 90)
    drill.stop()
    drill.observe("https")
    drill.start(drill.data, "--tls-cert", soon[0], "--tls-key", soon[1])
    line = drill.line("certificateExpires")
    drill.fires("GreenTeaCertificateExpires")
    drill.warns("certificateExpires")
    drill.run(
        drill.program("greentea-audit"), "doctor", "--data", drill.data, words=["warning  certificate:", "Renew it"])
    drill.stop()
    drill.start(drill.data, "--tls-cert", later[0], "--tls-key", later[1])
    drill.ends("GreenTeaCertificateExpires")
    drill.stop()
    drill.observe("http")
    drill.start(drill.data)
    drill.ends("GreenTeaDown")
    return "GreenTeaCertificateExpires, /readyz warning, doctor", line, "a new certificate and a start"


def clock_and_codes(drill):
    """The clock is set three days ahead and then back. A code in the file of messages is then older than two days."""
    if not FAKETIME:
        raise Unmet("no libfaketime: apt-get install libfaketime")
    clock, codes = os.path.join(drill.folder, "clock"), os.path.join(drill.folder, "codes")

    def set_clock(text):
        with open(clock + ".new", "w", encoding="utf-8") as file:
            file.write(text + "\n")
        os.rename(clock + ".new", clock)

    set_clock("+0")
    drill.stop()
    # The server gets a separate data folder, because a log keeps the time of its newest event, which will be in the future. The server is
    # started through env, because libfaketime adds a variable to its first process, in which Swift then finds no arguments.
    command = ["env", *drill.serve(os.path.join(drill.folder, "clocked"), "--sms", "file:" + codes)]
    drill.start(
        "", command=command,
        environment={"LD_PRELOAD": FAKETIME, "FAKETIME_TIMESTAMP_FILE": clock, "FAKETIME_NO_CACHE": "1",
                     "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1"})
    phone = sign_in(drill, 21)
    drill.codes_had_phone = has_phone(codes, phone)
    set_clock("+3d")
    drill.line("clock.setAhead")
    drill.fires("GreenTeaClockAhead")
    drill.warns("clockSetAhead")
    sign_in(drill, 22)
    set_clock("+6d")
    sign_in(drill, 23)
    drill.codes_gone = not has_phone(codes, phone)
    set_clock("+0")
    line = drill.line("clock.setBack")
    drill.ends("GreenTeaClockAhead")
    drill.fires("GreenTeaClockSetBack")
    drill.warns("clockSetBack")
    set_clock("+7d")
    drill.line("clock.caughtUp")
    drill.ends("GreenTeaClockSetBack")
    drill.stop()
    drill.start(drill.data)
    return "GreenTeaClockAhead, GreenTeaClockSetBack, /readyz warning", line, "the clock is right again: clock.caughtUp"


def unsent_messages(drill):
    """The folder of `--sms file:` is gone: sign-ins are refused as `overloaded`, and neither the writer nor the service is at fault."""
    place = os.path.join(drill.folder, "gateway")
    os.mkdir(place)
    drill.stop()
    drill.start(drill.data, "--sms", "file:" + os.path.join(place, "messages"))
    drill.scraped("greentea_text_messages_total")
    shutil.rmtree(place)
    status, text = fetch(drill.url("/v1/verifications"), {"phone": "+8613800131041"})
    if status != 503:
        raise Unmet(f"a code that was not sent is answered with {status}: {text}")
    line = drill.line("textMessage.failed")
    drill.warns("textMessagesFail")
    drill.fires("GreenTeaTextMessagesFail")
    wrong = drill.firing() & {"GreenTeaRefusals", "GreenTeaInternalErrors", "GreenTeaNotReady"}
    if wrong or "request.failed" in drill.lines():
        raise Unmet(f"it leads to {sorted(wrong) or 'request.failed'}")
    os.mkdir(place)
    sign_in(drill, 42)
    drill.until("/readyz no longer warns", lambda: "textMessagesFail" not in fetch(drill.url("/readyz"))[1])
    drill.stop()
    drill.start(drill.data)
    return "GreenTeaTextMessagesFail, /readyz warning", line, "the folder of the file; the next message that leaves ends the warning"


def has_phone(codes, phone):
    for name in (codes, codes + ".old"):
        if os.path.exists(name):
            with open(name, encoding="utf-8") as file:
                if phone in file.read():
                    return True
    return False


def codes_in_a_file(drill):
    """Checks the file that the previous fault left: `--sms file:` keeps phones and codes for two days at most."""
    if not getattr(drill, "codes_had_phone", False):
        raise Unmet("the code was never in the file")
    if not drill.codes_gone:
        raise Unmet("phone and code are still there after three days")
    return "(not kept)", "the file is renamed after a day, overwritten and removed after two", "none needed"


def full_disk(drill):
    """The disk is full under a running server, then at a start, and then has room again."""
    disk = os.path.join(drill.folder, "disk")
    if not mount(disk, "size=64m"):
        raise Unmet("this user may not mount a tmpfs: run it as root")
    try:
        drill.stop()
        drill.start(disk + "/data")
        sign_in(drill, 31)
        fill(disk + "/ballast")
        drill.fires("GreenTeaDiskFillsUp")
        drill.fires("GreenTeaNotReady")
        line = drill.line("diskFull")
        for word in ("outcome", "unknown"):
            if word in line:
                raise Unmet(f"it says {word!r} of what was not stored: {line}")
        drill.warns("diskFull")
        # On a full disk, the server may end with exit code 3, after which the systemd unit would restart it until it works. The drill
        # restarts it in the same way.
        if drill.server.poll() is None:
            drill.stop()
        drill.start(disk + "/data", ready=False)
        drill.until(
            "a start on a full disk is not ready, or ends with 3",
            lambda: drill.server.poll() == 3 or fetch(drill.url("/readyz"))[0] == 503)
        os.remove(disk + "/ballast")
        if drill.server.poll() is not None:
            drill.start(disk + "/data")
        drill.ends("GreenTeaNotReady")
        drill.ends("GreenTeaDiskFillsUp")
        sign_in(drill, 32)
    finally:
        if drill.server.poll() is None:
            drill.stop()
        unmount(disk)
    drill.start(drill.data)
    return "GreenTeaDiskFillsUp, GreenTeaNotReady", line, "room on the disk; it goes on, or its unit starts it again"


def fill(path):
    try:
        with open(path, "wb", buffering=0) as ballast:
            while ballast.write(bytes(4_096)) == 4_096:
                pass
    except OSError:
        pass


FAULTS = [
    ("nobody makes a backup", backup),
    ("full backups fail, and increments succeed", full_backup),
    ("nobody copies the keys", key_backup),
    ("nobody rehearses a restore", rehearsal),
    ("a file of a backup is cut short", damaged_backup),
    ("the file of a shown picture is deleted", missing_pictures),
    ("derived/ is deleted beside a running server", derived),
    ("derived/ is deleted, then SIGTERM", derived_at_stop),
    ("the process is killed", killed),
    ("it ends again and again", restarts),
    ("a server restarts under greentea-load", load),
    ("few descriptors, and clients that hold connections", few_descriptors),
    ("the checkpoint cannot be stored", checkpoint),
    ("the certificate ends soon", expiring_certificate),
    ("text messages do not leave", unsent_messages),
    ("the machine's clock is set ahead, and back", clock_and_codes),
    ("--sms file: has phones and codes in the clear", codes_in_a_file),
    ("the disk is full, also at the start", full_disk),
]
