"""The faults that Tools/cluster --faults plays. Each is a function of the world, which the load goes on using meanwhile."""

import base64
import glob
import json
import os
import shutil
import subprocess
import time

from cluster_load import issue, new_phone, sign_in
from cluster_world import MEMBERS, SUPERSEDED, Unmet, ask, until

FAKETIME = next(iter(sorted(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1"))), None)


def pause(seconds):
    """Lets the load go on for a while."""
    time.sleep(seconds)


def restarted(world, node):
    node.start()
    until(30, lambda: node.ready().get("role") in ("follower", "writer"), f"{node.name} is a node again")


def writer_killed(world):
    writer = world.writer()
    writer.kill()
    world.await_writer(other_than=writer)
    pause(1)
    restarted(world, writer)


def writer_frozen(world):
    """It thaws after another node has taken over, and must end by itself."""
    writer = world.writer()
    writer.freeze()
    world.await_writer(other_than=writer)
    pause(1)
    writer.thaw()
    if (code := writer.wait(30)) != SUPERSEDED:
        raise Unmet(f"the frozen writer ended with {code}, not {SUPERSEDED}: {writer.words()}")
    restarted(world, writer)


def writer_stopped(world):
    writer = world.writer()
    if (code := writer.stop()) != 0:
        raise Unmet(f"{writer.name} ended with {code}: {writer.words()}")
    world.await_writer(other_than=writer)
    restarted(world, writer)


def handed_over(world):
    follower = world.followers()[0]
    code, text = follower.command("cluster", "promote", follower.name, *follower.settings(), *follower.cluster())
    if code:
        raise Unmet(f"cluster promote: {code} {text}")
    until(10, follower.writes, f"{follower.name} writes")


def answers_lost(world):
    """The writer's requests arrive at etcd, and no answer comes back."""
    writer = world.writer()
    for member in MEMBERS:
        world.net.lose(member, writer.name)
    pause(4)
    world.net.heal()
    settled(world, writer)


def cut_from_etcd(world):
    writer = world.writer()
    world.net.cut(writer.name, MEMBERS)
    world.await_writer(other_than=writer)
    pause(1)
    world.net.heal()
    settled(world, writer)


def settled(world, old):
    """A writer that others have replaced ends by itself; otherwise it writes again. Until then, both say that they write."""
    until(30, lambda: not old.alive() or sum(node.writes() for node in world.nodes) == 1, f"{old.name} settles")
    if not old.alive():
        if old.process.returncode != SUPERSEDED:
            raise Unmet(f"{old.name} ended with {old.process.returncode}: {old.words()}")
        restarted(world, old)


def cut_from_peers(world):
    """Nobody new is registered, because no second disk would have the key; stamps go on."""
    writer = world.writer()
    known = sign_in(world, lambda: writer.url, new_phone())
    world.net.cut(writer.name, [node.name for node in world.nodes if node is not writer])
    try:
        phone = new_phone()
        status, _, _ = ask(writer.url + "/v1/verifications", {"phone": phone})
        code = until(10, lambda: world.text_message(phone), "a code")
        status, _, _ = ask(writer.url + "/v1/sessions", {"phone": phone, "code": code}, key=os.urandom(16).hex(), seconds=30)
        if status != 503:
            raise Unmet(f"a registration without a second disk: {status}")
        until(20, lambda: ask(writer.url + "/v1/stamps", {"code": issue(world, writer)}, known, os.urandom(16).hex())[0] == 201,
              "a stamp without a peer")
    finally:
        world.net.heal()


def follower_cut(world):
    follower = world.followers()[0]
    world.net.cut(follower.name, MEMBERS)
    pause(4)
    world.net.heal()


def follower_cut_for_long(world):
    """A session that ends meanwhile is refused at the follower, which asks another node, or refuses who is signed in."""
    writer, follower = world.writer(), world.followers()[0]
    tokens = [sign_in(world, lambda: writer.url, new_phone()) for _ in range(2)]
    world.await_caught_up()
    seen = [ask(follower.url + "/v1/me", token=token)[0] for token in tokens]
    world.net.cut(follower.name, MEMBERS)
    status, answer, _ = ask(writer.url + "/v1/sessions/current", token=tokens[0], key=os.urandom(16).hex(), method="DELETE")
    if seen != [200, 200] or status != 204:
        raise Unmet(f"a session's end: {seen} {status} {answer}")
    others = [node.name for node in world.nodes if node is not follower]
    try:
        until(20, lambda: ask(follower.url + "/v1/me", token=tokens[0])[0] == 401, "another node says that the session has ended")
        if (status := ask(follower.url + "/v1/me", token=tokens[1])[0]) != 200:
            raise Unmet(f"another node does not answer who is signed in: {status}")
        world.net.cut(follower.name, others)
        until(20, lambda: ask(follower.url + "/v1/me", token=tokens[1], seconds=30)[0] == 503, "who is signed in is refused")
    finally:
        world.net.heal()
    until(20, lambda: ask(follower.url + "/v1/me", token=tokens[1])[0] == 200, "the follower answers again")


def follower_killed(world):
    follower = world.followers()[0]
    follower.kill()
    pause(2)
    restarted(world, follower)


def etcd_leader_killed(world):
    leader = world.leader()
    leader.kill()
    pause(4)
    leader.start()
    until(30, leader.healthy, f"{leader.name} is healthy")


def etcd_leader_frozen(world):
    leader = world.leader()
    leader.freeze()
    pause(4)
    leader.thaw()
    until(30, leader.healthy, f"{leader.name} is healthy")


def two_members_dead(world):
    dead = world.members[:2]
    for member in dead:
        member.kill()
    pause(6)
    for member in dead:
        member.start()
    until(60, lambda: all(member.healthy() for member in world.members), "etcd is healthy")
    until(60, world.writer, "somebody writes again")


def two_claims(world):
    """Two nodes are asked for at once."""
    writer, (first, second) = world.writer(), world.followers()[:2]
    commands = [
        subprocess.Popen(
            world.net.inside(node.name) + [
                world.program("greentea"), "cluster", "promote", node.name, *node.settings(), *node.cluster()],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for node in (first, second)]
    writer.kill()
    for command in commands:
        command.wait(60)
    world.await_writer()
    restarted(world, writer)


def everything_killed(world):
    for process in world.nodes + world.members:
        process.kill()
    for member in world.members:
        member.start()
    until(60, lambda: all(member.healthy() for member in world.members), "etcd is healthy")
    for node in world.nodes:
        restarted(world, node)
    world.await_writer(40)


def entry_changed(world):
    """Somebody edits an entry that a stopped node still needs."""
    follower = world.followers()[0]
    follower.stop()
    before = set(world.keys("batch/"))
    new = until(20, lambda: sorted(set(world.keys("batch/")) - before), "a new entry")[0]
    old = world.value(new)
    world.put(new, old[:100] + bytes([old[100] ^ 1]) + old[101:])
    follower.launch(follower.serving(*follower.cluster()))
    until(60, lambda: not follower.alive(), f"{follower.name} ends")
    if "logMismatch" not in (words := follower.words(8)):
        raise Unmet(f"{follower.name} does not name the changed entry: {words}")
    world.put(new, old)
    restarted(world, follower)


def older_than_trim(world):
    """A node that was down finds that its next entries are gone from etcd, and gets them from a peer."""
    follower = world.followers()[0]
    follower.stop()
    pause(2)
    for name in world.keys("batch/")[:-3]:
        world.leader().call("/v3/kv/deleterange", {"key": world.key_of(name)})
    restarted(world, follower)


def clock_ahead(world):
    """A node whose clock is a day ahead never writes."""
    follower = world.followers()[0]
    follower.stop()
    if FAKETIME is None:
        raise Unmet("libfaketime is missing: apt-get install libfaketime")
    # The second `env`, because libfaketime adds a variable to its first process, in which Swift then finds no arguments.
    follower.start(wrapper=["env", "LD_PRELOAD=" + FAKETIME, "FAKETIME=+1d", "FAKETIME_DONT_FAKE_MONOTONIC=1", "env"])
    writer = world.writer()
    writer.kill()
    if (other := world.await_writer(other_than=writer)) is follower:
        raise Unmet("a node whose clock is a day ahead writes")
    restarted(world, writer)
    follower.stop()
    restarted(world, follower)


def account_erased(world):
    """A customer leaves while a node is down. Its key must be gone there too; the final `erasures` looks."""
    follower = world.followers()[0]
    writer = world.writer()
    token = sign_in(world, lambda: writer.url, new_phone())
    world.await_caught_up()
    follower.stop()
    status, answer, _ = ask(writer.url + "/v1/me", token=token, key=os.urandom(16).hex(), method="DELETE")
    if status not in (200, 202, 204):
        raise Unmet(f"an erasure: {status} {answer}")
    restarted(world, follower)


def quota_full(world):
    """Strangers' keys fill etcd's database. Writes wait, and go on once there is room again."""
    leader, filler = world.leader(), base64.b64encode(bytes(1 << 20)).decode()
    for number in range(4_096):
        name = base64.b64encode(f"/filler/{number}".encode()).decode()
        if leader.call("/v3/kv/put", {"key": name, "value": filler}) is None:
            break
    pause(2)
    start, end = (base64.b64encode(text).decode() for text in (b"/filler/", b"/filler0"))
    removed = until(20, lambda: leader.call("/v3/kv/deleterange", {"key": start, "range_end": end}), "the filler is removed")
    leader.call("/v3/kv/compaction", {"revision": removed["header"]["revision"]})
    for member in world.members:
        member.call("/v3/maintenance/defragment", {}, seconds=60)
    for alarm in (leader.call("/v3/maintenance/alarm", {"action": "GET"}) or {}).get("alarms", []):
        leader.call("/v3/maintenance/alarm", {"action": "DEACTIVATE", "memberID": alarm["memberID"], "alarm": "NOSPACE"})
    until(30, world.writer, "somebody writes again")


def stop_members(world):
    for member in world.members:
        member.stop()


def start_members(world):
    for member in world.members:
        member.start()
    until(60, lambda: all(member.healthy() for member in world.members), "etcd is healthy")


def ends_are_known(world):
    """Whether each node has noted where the logs of all end."""
    for node in world.nodes:
        try:
            with open(os.path.join(node.data, "cluster-nodes"), encoding="utf-8") as file:
                ends = json.load(file)["nodes"].values()
        except (OSError, ValueError):
            return False
        if len(ends) < len(world.nodes) or not all(end["isFinal"] for end in ends):
            return False
    return True


def reseeded(world):
    """Nobody may write before the longest log is given to etcd, which needs to know where the others end."""
    pause(4)
    if writer := world.writer():
        raise Unmet(f"{writer.name} writes without the events that etcd has lost")
    for node in world.nodes:
        if not node.alive():
            restarted(world, node)
    until(60, lambda: ends_are_known(world), "each node knows where the logs of all end")
    for node in world.nodes:
        if node.stop() not in (0, SUPERSEDED):
            raise Unmet(f"{node.name} ended with {node.process.returncode}: {node.words()}")
    # The writer may have been answered last, so its log is tried first; a shorter one is refused.
    for node in sorted(world.nodes, key=lambda node: -os.path.getsize(os.path.join(node.data, "log", "data.mdb"))):
        code, text = node.command("cluster", "reseed", *node.settings(), *node.cluster())
        if code == 0:
            break
    else:
        raise Unmet(f"cluster reseed: {code} {text}")
    restarted(world, node)
    until(30, node.writes, f"{node.name} writes after the reseed")
    for other in world.nodes:
        if other is not node:
            restarted(world, other)


def engine_rolled_back(world):
    stop_members(world)
    copies = [(member.data, member.data + ".old") for member in world.members]
    for data, copy in copies:
        shutil.copytree(data, copy)
    start_members(world)
    copied = world.value("head")
    until(60, lambda: world.value("head") != copied, "an event after the copy")
    pause(3)
    for member in world.members:
        member.kill()
    for data, copy in copies:
        shutil.rmtree(data)
        os.rename(copy, data)
    start_members(world)
    reseeded(world)


def engine_emptied(world):
    for member in world.members:
        member.kill()
        shutil.rmtree(member.data)
    start_members(world)
    reseeded(world)


def disk_error(world):
    """Each flush of the writer's fails from now on."""
    writer = world.writer()
    tracer = subprocess.Popen(
        ["strace", "-qq", "-f", "-o", "/dev/null", "-p", str(writer.process.pid), "-e", "trace=fdatasync",
         "-e", "inject=fdatasync:error=EIO"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        if (code := writer.wait(30)) in (None, 0):
            raise Unmet(f"the writer whose disk fails ended with {code}: {writer.words()}")
    finally:
        tracer.kill()
        tracer.wait()
    world.await_writer(other_than=writer)
    restarted(world, writer)


ROWS = [
    ("writer killed", writer_killed), ("writer frozen, thawed after a take-over", writer_frozen), ("writer stopped", writer_stopped),
    ("handed over by name", handed_over), ("answers of etcd lost", answers_lost), ("writer cut from etcd", cut_from_etcd),
    ("writer cut from its peers", cut_from_peers), ("follower cut from etcd", follower_cut), ("follower killed", follower_killed),
    ("etcd leader killed", etcd_leader_killed), ("etcd leader frozen", etcd_leader_frozen), ("two members dead", two_members_dead),
    ("two claims at once", two_claims), ("everything killed", everything_killed), ("entry's bytes changed", entry_changed),
    ("follower older than the trim", older_than_trim), ("clock a day ahead", clock_ahead),
    ("account erased while a node was down", account_erased), ("writer's disk fails", disk_error),
    ("etcd's quota full", quota_full), ("etcd rolled back", engine_rolled_back), ("etcd emptied", engine_emptied),
    ("follower cut from etcd for long", follower_cut_for_long),
]
QUICK = 10
