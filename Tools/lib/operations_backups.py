"""Faults of backups and of pictures: each with its alert, its line, and the remedy after which the alert ends."""

import glob
import json
import os
import shutil
import urllib.error
import urllib.request

from demo_town import picture
from operations_drill import Unmet, fetch, sign_in


def ask(drill, method, path, body, token, kind="application/json", **headers):
    """The JSON of an answer to an account."""
    headers = {"Authorization": "Bearer " + token, "Content-Type": kind, **headers}
    request = urllib.request.Request(drill.url(path), body, headers, method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.loads(answer.read())


def upload(drill, token):
    """The id of a new picture. A loaded machine may not decode it in time, and answers 503."""
    for attempt in range(20):
        try:
            return ask(drill, "POST", "/v1/images", picture((40, 120, 60)), token, "application/octet-stream")["id"]
        except urllib.error.HTTPError as error:
            if error.code != 503 or attempt == 19:
                raise
    return None


def show_picture(drill):
    """Opens a shop that shows a picture."""
    phone = "+8613800131064"
    _, text = fetch(drill.url("/v1/verifications"), {"phone": phone})
    status, text = fetch(drill.url("/v1/sessions"), {"phone": phone, "code": json.loads(text)["devCode"]})
    if status not in (200, 201):
        raise Unmet(f"nobody can sign in: {status} {text}")
    token = json.loads(text)["accessToken"]
    image = upload(drill, token)
    place = {"latitude": 31.2, "longitude": 121.5}
    shop = {"name": "Tea", "phone": "+86 21 5555 0100", "address": "1 Tea Road", "location": place, "images": [image]}
    ask(drill, "POST", "/v1/shops", json.dumps(shop).encode(), token)


def damaged_backup(drill):
    """A file of the newest backup is cut short: the next increment does not build on it, and says so."""
    audit, shelf = drill.program("greentea-audit"), os.path.join(drill.folder, "kept")
    command, rehearse = [audit, "backup", "--data", drill.data, "--in", shelf], [audit, "drill", "--data", drill.data, "--in", shelf]
    drill.run(*command)
    sign_in(drill, 62)
    drill.run(*command, "--incremental", words=["after "])
    drill.run(*rehearse, "--scratch", drill.folder, words=["source  restored from"])
    drill.ends("GreenTeaDrillOld")
    damaged = sorted(glob.glob(os.path.join(shelf, "2*")))[-1]
    os.truncate(os.path.join(damaged, "events"), 9)
    sign_in(drill, 63)
    line = drill.run(*command, "--incremental", expect=1, words=["not whole, so nothing was built on it"])
    drill.fires("GreenTeaDrillOld")
    drill.run(*rehearse, "--scratch", drill.folder, expect=1, words=["not whole: "])
    shutil.move(damaged, os.path.join(drill.folder, "moved away"))
    drill.run(*rehearse, "--scratch", drill.folder, words=["source  restored from"])
    drill.ends("GreenTeaDrillOld")
    return "GreenTeaDrillOld", line, "the damaged folder moved away, greentea-audit drill --in"


def missing_pictures(drill):
    """The file of a picture that a shop shows is deleted, and put back from a backup. A start counts at once, else it takes a minute."""
    audit, shelf = drill.program("greentea-audit"), os.path.join(drill.folder, "with-pictures")
    show_picture(drill)
    drill.run(audit, "backup", "--data", drill.data, "--in", shelf)
    blobs = os.path.join(drill.data, "blobs")
    shutil.rmtree(blobs)
    drill.stop()
    drill.start(drill.data)
    drill.fires("GreenTeaPicturesMissing")
    line = drill.line("images.missing")
    said = drill.run(audit, "verify", "--data", drill.data, expect=1, words=["what to do (pictures): "])
    drill.run("bash", "-c", said.partition("such as: ")[2].replace("BACKUPS", shelf))
    drill.stop()
    drill.start(drill.data)
    drill.ends("GreenTeaPicturesMissing")
    return "GreenTeaPicturesMissing, verify", line, "the command that verify prints"
