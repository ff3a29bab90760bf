"""What the runbook says to do about each kind of damaged file, done by its commands. Used by Tools/check-damage."""

import glob
import os
import re
import shutil
import subprocess

from damage_service import until
from damage_world import CHAIN, KEYS

# The most seconds until a picture that was put back is served: the server lists the folders each minute.
SERVED_SECONDS = 70


def newest(case):
    """The path of the newest backup."""
    return sorted(glob.glob(case.path(CHAIN, "2*")))[-1]


def copy(source, target):
    subprocess.run(["cp", "-a", source, target], check=True)


def stop(case):
    if not case.service.stop():
        case.fault("does not stop on SIGTERM")


def copy_open_log(case):
    """GreenTeaFileDamaged, where the file was removed: copies the open one."""
    if not case.service.alive():
        return None
    # The line may follow the alert by a moment.
    open_file = re.search(r"/proc/\d+/fd/\d+", " ".join([case.texts, *case.service.signals().values()]))
    if not open_file:
        return None
    log = case.data + "/log/data.mdb"
    shutil.copyfile(open_file[0], log)
    stop(case)
    return "cp /proc/PID/fd/N DATA/log/data.mdb"


def salvage_log(case):
    """The log is damaged. Returns nothing if no event can be salvaged."""
    stop(case)
    salvaged = case.data + ".salvaged"
    code, said = case.tool("greentea-audit", "salvage", "--data", case.data, "--to", salvaged, "--in", case.path(CHAIN))
    command = re.search(r"(?m)^next\s+(.*)$", said)
    if code not in (0, 1) or not command:
        return None
    environment = {**os.environ, "PATH": case.world.programs + ":" + os.environ["PATH"]}
    done = subprocess.run(["bash", "-c", command[1]], capture_output=True, text=True, check=False, env=environment)
    if done.returncode not in (0, 1):
        case.fault(f"the command after next ends with {done.returncode}: {done.stderr[-300:]}")
    return "salvage, and the command that it prints"


def restore_log(case):
    remedy = copy_open_log(case) or salvage_log(case)
    if remedy:
        return remedy
    aside = case.data + ".damaged"
    os.rename(case.data, aside)
    code, said = case.tool("greentea-audit", "restore", "--from", newest(case), "--data", case.data)
    if code != 0:
        case.fault(f"restore ends with {code}: {said[-300:]}")
        return "restore"
    os.makedirs(case.data + "/keys", mode=0o700, exist_ok=True)
    copy(aside + "/keys/.", case.data + "/keys")
    copy(aside + "/master.key", case.data)
    return "restore --from BACKUPS/LAST; its own keys"


def put_keys_back(case):
    """damagedKeys, by the command that the start prints; else by a copy, as where the keys are gone."""
    stop(case)
    if f"greentea key mend --keys {case.data}/keys" in case.texts:
        code, said = case.tool("greentea", "key", "mend", "--keys", case.data + "/keys")
        if code != 0:
            case.fault(f"greentea key mend ends with {code}: {said[-300:]}")
        return "greentea key mend --keys DATA/keys"
    os.rename(case.data + "/keys", case.data + "/keys.damaged")
    os.makedirs(case.data + "/keys", mode=0o700)
    copy(case.path(KEYS) + "/.", case.data + "/keys")
    return "cp -a COPY/. DATA/keys"


def put_master_key_back(case):
    stop(case)
    copy(case.world.path(case.file), case.data)
    return "the master key that is kept elsewhere"


def rebuild_model(case):
    """GreenTeaModelStopped, GreenTeaModelMismatch: beside the service; else without the file, which the next start makes anew."""
    name = re.search(r"models/([^/]+)/", case.file)[1]
    if case.service.alive() and "greentea-rebuild" in case.texts:
        code, said = case.tool("greentea-rebuild", "--data", case.data, "--model", name)
        if code == 0:
            return "greentea-rebuild"
        case.fault(f"the remedy greentea-rebuild ends with {code}: {said[-300:]}")
    stop(case)
    shutil.rmtree(os.path.join(case.data, "derived", "models", name), ignore_errors=True)
    return "rm -r DATA/derived/models/NAME"


def remove_index(case):
    stop(case)
    shutil.rmtree(os.path.join(case.data, "derived", "index"), ignore_errors=True)
    return "rm -r DATA/derived/index"


def put_checkpoint_back(case):
    stop(case)
    for name in ("checkpoint", "checkpoint.vkey"):
        copy(os.path.join(newest(case), name), case.data)
    return "cp -a BACKUPS/LAST/checkpoint* DATA"


def put_picture_back(case):
    parts = case.file.split("/")[1:]
    source = next(iter(sorted(glob.glob(case.path(CHAIN, "2*", *parts)))))
    os.makedirs(os.path.join(case.data, *parts[:-1]), exist_ok=True)
    copy(source, os.path.join(case.data, *parts))
    if case.service.alive():
        if not until(SERVED_SECONDS, lambda: not case.known.probe(case.service).missing):
            case.fault(f"the picture that was put back is not served without a restart: {case.known.probe(case.service)}")
        # The server counts missing pictures once a minute and at a start.
        stop(case)
    return "the file of an earlier backup"


def remove_file(case):
    stop(case)
    if os.path.exists(case.path(case.file)):
        os.remove(case.path(case.file))
    return "rm FILE"


REMEDIES = {
    "log": restore_log, "keys": put_keys_back, "master key": put_master_key_back, "model": rebuild_model, "model state": rebuild_model,
    "search database": rebuild_model, "index run": remove_index, "index manifest": remove_index, "checkpoint": put_checkpoint_back,
    "picture": put_picture_back, "lock file": remove_file, "note": remove_file,
}


def apply_remedy(case):
    return REMEDIES[case.kind](case)
