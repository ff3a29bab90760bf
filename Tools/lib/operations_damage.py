"""Pages of a data folder that are overwritten beneath a running server: each with the alert, the line, and the remedy of the runbook."""

import os
import shutil

from operations_drill import Unmet, fetch, sign_in

PAGE = 4096


def overwrite(path):
    """Overwrites every page but the two heads, in place."""
    size = os.path.getsize(path)
    with open(path, "r+b") as file:
        for page in range(2, size // PAGE):
            file.seek(page * PAGE)
            file.write(b"\xa5" * PAGE)


def served(drill, name):
    """Starts a server that looks for damage often, on a new folder with an account."""
    data = os.path.join(drill.folder, name)
    drill.stop()
    drill.start(data, "--audit", "every:1s")
    sign_in(drill, 71)
    return data


def noticed(drill, reason):
    drill.warns(reason)
    drill.fires("GreenTeaFileDamaged")
    return drill.line("file.damaged")


def refused(drill, data, word):
    """The next start refuses the folder."""
    drill.stop()
    return drill.run(*drill.serve(data), expect=2, words=[word])


def log(drill):
    """A page of the log: nothing more is written, and a restore with the salvaged events gives everything back."""
    data, audit = served(drill, "damaged-log"), drill.program("greentea-audit")
    shelf = os.path.join(drill.folder, "shelf-of-damaged")
    drill.run(audit, "backup", "--data", data, "--in", shelf)
    overwrite(data + "/log/data.mdb")
    line = noticed(drill, "log")
    status, _ = fetch(drill.url("/v1/verifications"), {"phone": "+8613800131072"})
    if status >= 500:
        raise Unmet(f"what is intact is not served: {status}")
    refused(drill, data, "is damaged")
    next_ = drill.run(audit, "salvage", "--data", data, "--to", data + ".salvaged", "--in", shelf, expect=1, words=["next"])
    drill.run("bash", "-c", f'PATH="{os.path.dirname(audit)}:$PATH"; ' + next_.partition("next")[2].strip())
    drill.start(data)
    drill.ends("GreenTeaFileDamaged")
    drill.stop()
    drill.start(drill.data)
    return "GreenTeaFileDamaged, /readyz log", line, "The log is damaged (runbook)"


def keys(drill):
    """A page of the keys: people who are signed in go on, and a copy of the keys mends it."""
    data, audit = served(drill, "damaged-keys"), drill.program("greentea-audit")
    copy = os.path.join(drill.folder, "keys-of-damaged")
    drill.run(audit, "backup", "--data", data, "--to", os.path.join(drill.folder, "copy-of-damaged"), "--keys", copy)
    overwrite(data + "/keys/data.mdb")
    line = noticed(drill, "keys")
    drill.run(audit, "doctor", "--data", data, expect=1, words=["bad  keys: "])
    refused(drill, data, "damagedKeys: ")
    os.rename(data + "/keys", data + "/keys.damaged")
    shutil.copytree(copy, data + "/keys")
    drill.start(data)
    sign_in(drill, 72)
    drill.ends("GreenTeaFileDamaged")
    drill.stop()
    drill.start(drill.data)
    return "GreenTeaFileDamaged, /readyz keys, doctor", line, "damagedKeys (runbook): mv; cp -a COPY/. DATA/keys"


def model(drill):
    """Pages of two read models: they are made again from the log while the service goes on."""
    data = served(drill, "damaged-models")
    drill.scraped("greentea_model_remade_total")
    for name in ("card-progress", "statistics"):
        folder = os.path.join(data, "derived", "models", name)
        with open(os.path.join(folder, "current"), encoding="ascii") as file:
            overwrite(os.path.join(folder, file.read().strip(), "data.mdb"))
    line = drill.line("model.damaged")
    drill.line("model.remade")
    drill.fires("GreenTeaDerivedRemoved")
    drill.until("the server is ready", lambda: fetch(drill.url("/readyz"))[0] == 200)
    sign_in(drill, 73)
    drill.stop()
    drill.start(drill.data)
    return "GreenTeaDerivedRemoved, model.damaged", line, "none needed: it rebuilds them"


FAULTS = [
    ("a page of the log is damaged", log),
    ("a page of the keys is damaged", keys),
    ("pages of two read models are damaged", model),
]
