"""Faults that keep a server from starting, or that would make it unsafe: each with its exit code, its line, and the remedy after which it
starts."""

import glob
import os
import re
import shutil
import subprocess

from operations_drill import DEPLOY, Unmet, certificate, fetch, mount, remove, sign_in, unmount

NOBODY = 65_534


def write(drill, name, text, mode=0o600):
    path = os.path.join(drill.folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)
    return path


def key(drill, name="master.key", mode=0o600):
    return write(drill, name, "a" * 64, mode)


def production(drill, *flags):
    """The command `greentea config` for a server that is not for development, with all required settings."""
    return [drill.program("greentea"), "config", "--data", os.path.join(drill.folder, "other"), "--sms",
            "file:" + os.path.join(drill.folder, "sms"), *flags]


def refusal(wrong, right, *words):
    """A fault: a setting that `greentea config` and a start refuse with exit code 2, and the right one, which they accept."""
    def cause(drill):
        line = drill.run(*wrong(drill), expect=2, words=words)
        drill.run(*right(drill))
        return "exit 2", line, "as the line says"
    return cause


def serves(drill, data, *flags):
    """Requires that the server starts, answers and stops with 0."""
    drill.start(data, *flags)
    code = drill.stop()
    if code != 0:
        raise Unmet(f"SIGTERM ended it with {code}")


def refused(drill, data, *flags, words, descriptors=None, expect=2):
    command = drill.serve(data, *flags)
    if descriptors:
        command = ["bash", "-c", f'ulimit -n {descriptors} && exec "$@"', "-", *command]
    return drill.run(*command, expect=expect, words=words)


def descriptors(limit):
    def cause(drill):
        line = refused(drill, drill.data, words=["needs 640 at least", "16896", "LimitNOFILE"], descriptors=limit)
        drill.start(drill.data, descriptors=2_000)
        drill.stop()
        return "exit 2", line, "ulimit -n 2000 (16896 for all connections)"
    return cause


def foreign_folder(drill):
    """Root works on another user's folder: the tools act as that user, and the service refuses with the command to use."""
    if os.geteuid() != 0:
        raise Unmet("only root can try this")
    data = os.path.join(drill.folder, "foreign")
    shutil.copytree(drill.data, data, symlinks=True)
    os.chmod(drill.folder, 0o711)
    for folder, _, names in os.walk(data):
        for name in [folder, *(os.path.join(folder, name) for name in names)]:
            os.chown(name, NOBODY, NOBODY)
    line = refused(drill, data, words=["is another user's", "setpriv --reuid=65534"])
    # The lock files are removed, because a restored folder has none. The first program that opens the folder creates them, and they must
    # not belong to root.
    for path in glob.glob(data + "/**/lock.mdb", recursive=True):
        os.remove(path)
    place = data + ".copies"
    os.makedirs(place)
    os.chown(place, NOBODY, NOBODY)
    for command in (["doctor"], ["verify"], ["size"], ["backup", "--in", place], ["drill", "--scratch", place]):
        drill.run(drill.program("greentea-audit"), command[0], "--data", data, *command[1:])
    made = [os.path.join(folder, name) for place in (data, place) for folder, _, names in os.walk(place) for name in names]
    strange = [name for name in made if os.stat(name).st_uid == 0]
    if strange:
        raise Unmet(f"root's files are left: {strange[:3]}")
    os.chown(data + "/checkpoint", 0, 0)
    drill.run(drill.program("greentea-audit"), "doctor", "--data", data, expect=1, words=["bad  owner:", "chown -R --reference"])
    os.chown(data + "/checkpoint", NOBODY, NOBODY)
    drill.run(drill.program("greentea-audit"), "doctor", "--data", data)
    command = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *drill.serve(data)]
    drill.start(data, command=command)
    drill.stop()
    return "exit 2; doctor: bad owner", line, "setpriv --reuid=… as the line says; chown -R --reference"


def keys_gone(drill):
    """The keys are gone: the server makes no new ones unless a flag with a typed word accepts the loss."""
    data = os.path.join(drill.folder, "keyless")
    drill.start(data)
    sign_in(drill, 41)
    drill.stop()
    copy = os.path.join(drill.folder, "copied-keys")
    drill.run(drill.program("greentea-audit"), "backup", "--data", data, "--to", os.path.join(drill.folder, "keyless-copy"), "--keys", copy)
    keys, master, kept = os.path.join(data, "keys"), os.path.join(data, "master.key"), os.path.join(drill.folder, "kept-master.key")
    shutil.rmtree(keys)
    shutil.move(master, kept)
    line = refused(drill, data, words=["there is a log, and no keys", "--accept-lost-keys forget-everyone"])
    refused(drill, data, "--accept-older-log", words=["there is a log, and no keys"])
    refused(drill, data, "--accept-lost-keys", "yes", words=["the word must be forget-everyone"])
    if os.path.exists(keys) or os.path.exists(master):
        raise Unmet("a refused start left keys behind")
    command = re.search(r"`(cp -a COPY/\. [^`]+)`", line)
    if not command:
        raise Unmet(f"it prints no command that puts keys back: {line}")
    drill.run("sh", "-c", command[1].replace("COPY", copy))
    shutil.move(kept, master)
    serves(drill, data)
    return "exit 2", line, "cp -a COPY/. DATA/keys, as the line says"


def emptied(drill):
    """There is a checkpoint, but there are neither events nor keys."""
    data = os.path.join(drill.folder, "emptied")
    drill.start(data)
    drill.stop()
    for name in ("keys", "master.key"):
        path = os.path.join(data, name)
        shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
    before = sorted(os.listdir(data))
    line = refused(drill, data, words=["neither that log's events nor its keys", "Nothing was made"])
    if sorted(os.listdir(data)) != before:
        raise Unmet(f"it left something behind: {sorted(os.listdir(data))}")
    remove(data)
    serves(drill, data)
    return "exit 2", line, "an empty folder, or both restored"


def older_log(drill):
    """An older copy of the log was put back."""
    data, old = os.path.join(drill.folder, "older"), os.path.join(drill.folder, "old-log")
    drill.start(data)
    sign_in(drill, 51)
    drill.stop()
    shutil.copytree(data + "/log", old)
    drill.start(data)
    sign_in(drill, 52)
    drill.stop()
    newer = data + "/newer-log"
    shutil.move(data + "/log", newer)
    shutil.copytree(old, data + "/log")
    line = refused(drill, data, words=["checkpoint", "--accept-older-log"])
    shutil.rmtree(data + "/log")
    shutil.move(newer, data + "/log")
    serves(drill, data)
    shutil.rmtree(data + "/log")
    shutil.copytree(old, data + "/log")
    drill.start(data, "--accept-older-log")
    drill.line("checkpoint.replaced")
    drill.stop()
    return "exit 2", line, "the newer log; else --accept-older-log"


def read_only(drill):
    place = os.path.join(drill.folder, "mounted")
    if not mount(place, "size=64m"):
        raise Unmet("this user may not mount a tmpfs: run it as root")
    try:
        serves(drill, place + "/data")
        subprocess.run(["mount", "-o", "remount,ro", place], check=True)
        line = refused(drill, place + "/data", words=["the disk can only be read"])
        subprocess.run(["mount", "-o", "remount,rw", place], check=True)
        serves(drill, place + "/data")
    finally:
        unmount(place)
    return "exit 2", line, "mount -o remount,rw"


def forbidden_settings(drill):
    """The service's user may not read the settings file."""
    if os.geteuid() != 0:
        raise Unmet("only root can try this")
    path = write(drill, "forbidden.yaml", "audit: off\n")
    os.chmod(drill.folder, 0o711)
    data = os.path.join(drill.folder, "nobodys")
    os.makedirs(data)
    os.chown(data, NOBODY, NOBODY)
    command = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", drill.program("greentea"), "config", "--dev",
               "--data", data, "--config", path]
    line = drill.run(*command, expect=2, words=["forbidden.yaml"])
    if "permi" not in line and "may not" not in line:
        raise Unmet(f"it does not speak of permissions: {line}")
    os.chmod(path, 0o644)
    drill.run(*command)
    return "exit 2", line, "chmod, chgrp"


def development(*flags):
    return lambda drill: [drill.program("greentea"), "config", "--dev", "--data", os.path.join(drill.folder, "other"),
                          *(flag(drill) if callable(flag) else flag for flag in flags)]


def unknown_variable(drill):
    command = development()(drill)
    line = drill.run(
        *command, expect=2, words=["GREENTEA_LISTN", "did you mean GREENTEA_LISTEN?"], environment={"GREENTEA_LISTN": "127.0.0.1:1"})
    drill.run(*command, environment={"GREENTEA_LISTEN": "127.0.0.1:1"})
    drill.start(drill.data, environment={"GREENTEA_SERVICE_HOST": "10.0.0.1"})
    drill.line("GREENTEA_SERVICE_HOST is no setting")
    drill.stop()
    return "exit 2; a strange one: settings.noted", line, "the name as it must be"


def two_sources(drill):
    drill.start(drill.data, environment={"GREENTEA_LISTEN": "127.0.0.1:2"})
    line = drill.line("listen is also given by environment GREENTEA_LISTEN")
    drill.stop()
    drill.run(
        *development("--master-key-file", key)(drill), expect=2, words=["given twice", "GREENTEA_MASTER_KEY"],
        environment={"GREENTEA_MASTER_KEY": "b" * 64})
    serves(drill, drill.data)
    return "settings.noted; of a secret exit 2", line, "one source"


def readable_tls_key(drill):
    chain, private = certificate(drill.folder, "open", 30)
    os.chmod(private, 0o644)
    command = development("--tls-cert", chain, "--tls-key", private)(drill)
    line = drill.run(*command, expect=2, words=["can be read by others", f"chmod 600 {private}", "--allow-readable-keys"])
    drill.run(
        drill.program("greentea-audit"), "doctor", "--data", drill.data, "--tls-cert", chain, "--tls-key", private, expect=1,
        words=["bad  certificate:", f"chmod 600 {private}"])
    os.chmod(private, 0o600)
    drill.run(*command)
    return "exit 2; doctor: bad certificate", line, "chmod 600"


def unit(drill):
    """The unit restarts the service after exit code 3 until it succeeds, never after 2, and hands over the TLS key."""
    with open(os.path.join(DEPLOY, "greentea.service"), encoding="utf-8") as file:
        text = file.read()
    for line in (
        "StartLimitIntervalSec=0", "Restart=on-failure", "RestartPreventExitStatus=2 64", "LoadCredential=key.pem:/etc/greentea/key.pem",
    ):
        if not re.search(f"(?m)^{re.escape(line)}$", text):
            raise Unmet(f"greentea.service has no line {line}")
    return "GreenTeaRestarts", "Restart=on-failure, StartLimitIntervalSec=0, LoadCredential=key.pem:…", "none needed"


def container(drill):
    """The container has all tools, and its health check distinguishes a server that answers from one that does not."""
    with open(os.path.join(DEPLOY, "Containerfile"), encoding="utf-8") as file:
        text = file.read()
    for word in ("greentea greentea-audit greentea-replay greentea-rebuild greentea-load", "HEALTHCHECK", "greentea-health"):
        if word not in text:
            raise Unmet(f"the Containerfile has no {word}")
    health = os.path.join(DEPLOY, "greentea-health")
    drill.start(drill.data)
    for command in ([health, str(drill.port)], [health, "--ready", str(drill.port)]):
        drill.run(*command)
    drill.stop()
    done = subprocess.run([health, str(drill.port)], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        raise Unmet("the health check of a server that is down ends with 0")
    return f"greentea-health ends with {done.returncode}", done.stderr.strip().splitlines()[-1], "start it again: 0"




FAULTS = [
    ("ulimit -n 24", descriptors(24)),
    ("ulimit -n 64", descriptors(64)),
    ("ulimit -n 128", descriptors(128)),
    ("maintenance as root", foreign_folder),
    ("the keys are gone", keys_gone),
    ("an emptied folder with a checkpoint", emptied),
    ("the log is older than its checkpoint", older_log),
    ("a master key that others can read", refusal(
        lambda drill: production(drill, "--master-key-file", key(drill, "open.key", 0o644)),
        lambda drill: production(drill, "--master-key-file", key(drill)), "can be read by others", "chmod 600", "--allow-readable-keys")),
    ("a TLS key that others can read", readable_tls_key),
    ("webhook:http:// off the loopback", refusal(
        lambda drill: ["env", "GREENTEA_SMS_SECRET=0123456789abcdef-drill", *development("--sms", "webhook:http://sms.example/")(drill)],
        lambda drill: ["env", "GREENTEA_SMS_SECRET=0123456789abcdef-drill", *development("--sms", "webhook:https://sms.example/")(drill)],
        "webhook over http://", "--allow-plain-webhook")),
    ("plain HTTP on a public address", refusal(
        lambda drill: production(drill, "--master-key-file", key(drill), "--listen", "0.0.0.0:8080"),
        lambda drill: production(drill, "--master-key-file", key(drill), "--listen", "0.0.0.0:8080", "--trusted-proxies", "1"),
        "plain HTTP on 0.0.0.0:8080", "--allow-plain-http")),
    ("a read-only mount", read_only),
    ("a missing settings file", refusal(
        development("--config", lambda drill: os.path.join(drill.folder, "none.yaml")),
        development("--config", lambda drill: write(drill, "some.yaml", "audit: off\n")), "none.yaml", "there is no such file")),
    ("broken YAML", refusal(
        development("--config", lambda drill: write(drill, "broken.yaml", 'listen: "127.0.0.1:1"\noperators: ["x"\naudit: off\n')),
        development("--config", lambda drill: write(drill, "broken.yaml", 'listen: "127.0.0.1:1"\naudit: off\n')), "line 3")),
    ("a settings file that may not be read", forbidden_settings),
    ("--tls-cert alone", refusal(
        development("--tls-cert", lambda drill: certificate(drill.folder, "half", 30)[0]),
        development(
            "--tls-cert", lambda drill: os.path.join(drill.folder, "half.pem"), "--tls-key",
            lambda drill: os.path.join(drill.folder, "half.key")), "without tlsKey")),
    ("an unknown GREENTEA_ variable", unknown_variable),
    ("two sources for one setting", two_sources),
    ("exit 3 under the unit, and its TLS key", unit),
    ("the container's health check", container),
]
