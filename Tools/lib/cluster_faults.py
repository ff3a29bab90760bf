#!/usr/bin/env python3
"""Faults of a cluster under load, each with the books afterwards.

    Tools/cluster --faults                            every row of the failure table, in its order
    Tools/cluster --faults --only "etcd leader"       rows whose name has these words
    Tools/cluster --faults --quick                    the ten cheapest
    Tools/cluster --faults --seed 7 --count 100       random faults, one after another

Three members of etcd and three nodes run in network namespaces, so that links can be cut without anybody being told. Customers collect
stamps at all nodes, and repeat every write with its key until its outcome is known. After each fault: every acknowledged stamp stands
once on every node, nothing stands before what was answered earlier, all logs have one root, and no read of a node that is up has failed.
In the end, `greentea-audit verify` finds nothing on any node, the exported logs are equal, and one checkpoint verifies all three.

Prints a row for each fault with the longest time without an acknowledgement. Exits 0 if all is well, 1 if not, 2 if it could not be tried.
"""

import argparse
import filecmp
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "Tools", "lib"))

from cluster_load import Load, Readers, open_shop  # noqa: E402
from cluster_world import MEMBERS, Unmet, World, until  # noqa: E402

SUPERSEDED = 3


def say(text):
    print(text, flush=True)


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
    world.resting.add(writer.name)
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
    """A writer that others have replaced ends by itself; otherwise it writes again."""
    until(30, lambda: not old.alive() or old.ready().get("role") in ("writer", "follower") and world.writer(), f"{old.name} settles")
    if not old.alive():
        if old.process.returncode != SUPERSEDED:
            raise Unmet(f"{old.name} ended with {old.process.returncode}: {old.words()}")
        restarted(world, old)


def cut_from_peers(world):
    writer = world.writer()
    world.net.cut(writer.name, [node.name for node in world.nodes if node is not writer])
    pause(4)
    world.net.heal()


def follower_cut(world):
    follower = world.followers()[0]
    world.net.cut(follower.name, MEMBERS)
    pause(4)
    world.net.heal()


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
        node.start()
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
    library = next((path for path in ("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1", "/usr/lib/faketime/libfaketime.so.1")
                    if os.path.exists(path)), None)
    if library is None:
        raise Unmet("libfaketime is missing: apt-get install libfaketime")
    follower.start(wrapper=["env", f"LD_PRELOAD={library}", "FAKETIME=+1d", "FAKETIME_DONT_FAKE_MONOTONIC=1"])
    writer = world.writer()
    writer.kill()
    if (other := world.await_writer(other_than=writer)) is follower:
        raise Unmet("a node whose clock is a day ahead writes")
    restarted(world, writer)
    follower.stop()
    restarted(world, follower)


ROWS = [
    ("writer killed", writer_killed), ("writer frozen, thawed after a take-over", writer_frozen), ("writer stopped", writer_stopped),
    ("handed over by name", handed_over), ("answers of etcd lost", answers_lost), ("writer cut from etcd", cut_from_etcd),
    ("writer cut from its peers", cut_from_peers), ("follower cut from etcd", follower_cut), ("follower killed", follower_killed),
    ("etcd leader killed", etcd_leader_killed), ("etcd leader frozen", etcd_leader_frozen), ("two members dead", two_members_dead),
    ("two claims at once", two_claims), ("everything killed", everything_killed), ("entry's bytes changed", entry_changed),
    ("follower older than the trim", older_than_trim), ("clock a day ahead", clock_ahead),
]
QUICK = 10


def parse():
    parser = argparse.ArgumentParser(
        prog="Tools/cluster --faults", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", default=os.path.join(ROOT, ".build-release", "release"), help="folder of the release programs")
    parser.add_argument("--only", default="", help="only rows whose name has these words")
    parser.add_argument("--quick", action="store_true", help=f"the first {QUICK}")
    parser.add_argument("--seed", type=int, help="random faults from this seed")
    parser.add_argument("--count", type=int, default=100, help="how many random faults (100)")
    parser.add_argument("--workers", type=int, default=6, help="customers at a time (6)")
    parser.add_argument("--keep", action="store_true", help="keep the folder")
    return parser.parse_args()


def chosen(options):
    if options.seed is not None:
        choice = random.Random(options.seed)
        return [choice.choice(ROWS) for _ in range(options.count)]
    rows = [row for row in ROWS if options.only in row[0]]
    return rows[:QUICK] if options.quick else rows


def play(world, name, fault, campaign, shop, options, number):
    """One fault under load, and the findings of the books."""
    load, readers = Load(world, campaign, options.workers, f"{options.seed} {number}"), Readers(world, shop)
    world.resting, findings, began = readers.resting, [], time.monotonic()
    try:
        until(30, lambda: load.books.writes, "the load begins")
        began = time.monotonic()
        fault(world)
        count = len(load.books.writes)
        until(30, lambda: len(load.books.writes) > count + 5, "writes go on after the fault")
    except (Unmet, OSError, subprocess.SubprocessError) as reason:
        findings.append(str(reason))
    load.end()
    readers.end()
    try:
        findings += load.check() + readers.failures[:5]
    except Unmet as reason:
        findings.append(str(reason))
    gap = load.books.longest_gap(began)
    say(f"{name:<44} {len(load.books.writes):>6} writes {readers.answers:>6} reads   gap {gap:5.1f} s   "
        + ("ok" if not findings else f"{len(findings)} findings"))
    for finding in findings[:10]:
        say(f"    {finding}")
    return findings


def final_check(world):
    """Stops all nodes, and compares what is on their disks."""
    findings, exported = [], []
    for node in world.nodes:
        if node.alive() and (code := node.stop()) != 0:
            findings.append(f"{node.name} ended with {code}: {node.words()}")
        file = os.path.join(world.folder, f"export-{node.name}")
        exported.append(file)
        for words in (["verify"], ["verify", "--checkpoint", os.path.join(world.nodes[0].data, "checkpoint")],
                      ["export", "--format", "binary", "--output", file]):
            done = subprocess.run(
                [world.program("greentea-audit"), *words, "--data", node.data], capture_output=True, text=True, timeout=300)
            if done.returncode:
                findings.append(f"{' '.join(words)} of {node.name}: {done.returncode} {(done.stdout + done.stderr)[-400:]}")
    if not findings and not all(filecmp.cmp(exported[0], other, shallow=False) for other in exported[1:]):
        findings.append("the exported logs differ")
    return findings


def main():
    options = parse()
    if os.geteuid() != 0 or shutil.which("ip") is None:
        print("Tools/cluster --faults: network namespaces need root and iproute2", file=sys.stderr)
        return 2
    folder, failed, place = tempfile.mkdtemp(prefix="greentea-cluster-"), 0, {}
    world = World(options.programs, folder)
    try:
        def prepare(node):
            place["shop"], place["campaign"] = open_shop(node, world)

        world.begin(prepare)
        for number, (name, fault) in enumerate(chosen(options)):
            failed += bool(play(world, name, fault, place["campaign"], place["shop"], options, number))
            if not all(node.alive() for node in world.nodes):
                for node in world.nodes:
                    if not node.alive():
                        node.start()
                world.await_writer(40)
        findings = final_check(world)
        failed += bool(findings)
        say(f"{'disks of all nodes':<44} " + ("ok" if not findings else f"{len(findings)} findings"))
        for finding in findings:
            say(f"    {finding}")
    except Unmet as reason:
        print(f"Tools/cluster --faults: {reason}", file=sys.stderr)
        return 2
    finally:
        world.close()
        if options.keep:
            say(f"kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    say("all is well" if not failed else f"{failed} rows with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
